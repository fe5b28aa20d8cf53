#include "bench/dataset.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace kvsql::bench {
namespace {

TEST(Dataset, KeysAscendWithTheIds) {
  const Dataset data(12'345);
  for (uint32_t id = 1; id < data.rows(); ++id) {
    ASSERT_EQ(data.in_order()[id].id, id);
    ASSERT_LT(data.in_order()[id - 1].key_view(), data.in_order()[id].key_view());
  }
  EXPECT_EQ(data.in_order()[12'344].key_view(), "key:00012344");
}

TEST(Dataset, AShuffleHoldsEveryKeyOnceAndDependsOnItsSeedAlone) {
  const Dataset data(1'000);
  const std::vector<Probe> shuffled = data.Shuffled(1);
  std::set<std::string> keys;
  size_t in_place = 0;
  for (size_t i = 0; i < shuffled.size(); ++i) {
    keys.emplace(shuffled[i].key_view());
    in_place += shuffled[i].id == i;
    EXPECT_EQ(MakeProbe(shuffled[i].id).key_view(), shuffled[i].key_view());
  }
  EXPECT_EQ(keys.size(), 1'000u);
  EXPECT_LT(in_place, 20u);
  EXPECT_EQ(shuffled[0].id, data.Shuffled(1)[0].id);
  EXPECT_NE(shuffled[0].id, data.Shuffled(2)[0].id);
}

TEST(Dataset, AChangeOfAValueKeepsItsLength) {
  for (uint32_t id : {0u, 1u, 77u, 99'999u}) {
    const ShortText before = ValueOf(id, 0);
    const ShortText after = ValueOf(id, 1);
    EXPECT_EQ(before.view().size(), 16 + id % 16);
    EXPECT_EQ(after.view().size(), before.view().size());
    EXPECT_NE(after.view(), before.view());
  }
}

TEST(Dataset, ColumnsHoldEachProbesText) {
  const std::vector<Probe> probes = Dataset(1'000).Shuffled(3);
  const TextColumn values = TextColumn::Values(probes);
  const TextColumn names = TextColumn::Names(probes);
  for (size_t i = 0; i < probes.size(); ++i) {
    ASSERT_EQ(values[i], ValueOf(probes[i].id, 0).view());
    ASSERT_EQ(names[i], NameOf(probes[i].id).view());
  }
}

TEST(Dataset, RowsAreThoseOfTheReport) {
  EXPECT_EQ(ScoreOf(12), 12 * 7919 % 1000);
  EXPECT_EQ(ScoreOf(99'999'998), int64_t{99'999'998} * 7919 % 1000);
  EXPECT_EQ(NameOf(42).view(), "name-42");
}

}  // namespace
}  // namespace kvsql::bench
