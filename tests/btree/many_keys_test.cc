// What takes, finds, deletes or edits many entries at once, against what does so one by one.
#include <algorithm>

#include "tests/btree/tree_test_util.h"

namespace kvsql::btree {
namespace {

constexpr int64_t kStep = 7;
constexpr int64_t kKeys = 5'000;

std::string ValueOf(int64_t key) { return "value " + std::to_string(key); }

class ManyKeysTest : public ::testing::Test {
 protected:
  ManyKeysTest() : tree_(pager::KeyKind::kInt64) {
    for (int64_t i = 0; i < kKeys; ++i) {
      EXPECT_TRUE(tree_.writer->Put(i * kStep, ValueOf(i * kStep)).ok());
    }
    EXPECT_TRUE(tree_.writer->Sync().ok());
  }

  TestTree tree_;
};

TEST_F(ManyKeysTest, TakenIntsAreThoseOfNext) {
  int64_t keys[100];
  ValueRef values[100];
  for (const int64_t last : {int64_t{-1}, int64_t{0}, int64_t{699}, int64_t{700}, INT64_MAX}) {
    for (const uint32_t max : {1u, 3u, 100u}) {
      Cursor cursor(tree_.writer->View());
      ASSERT_TRUE(cursor.SeekGE(int64_t{0}));
      int64_t expected = 0;
      while (cursor.Valid()) {
        const uint32_t taken = cursor.TakeInts(max, last, keys, values);
        if (taken == 0) break;
        ASSERT_LE(taken, max);
        for (uint32_t i = 0; i < taken; ++i, expected += kStep) {
          ASSERT_EQ(keys[i], expected);
          ASSERT_EQ(values[i].view(), ValueOf(expected));
        }
      }
      EXPECT_EQ(expected, last < 0 ? 0 : (std::min(last, (kKeys - 1) * kStep) / kStep + 1) * kStep);
      EXPECT_TRUE(cursor.status().ok());
    }
  }
}

TEST_F(ManyKeysTest, TakenKeysAreThoseOfNext) {
  TestTree tree(pager::KeyKind::kBytes);
  std::map<std::string, std::string> model;
  std::mt19937_64 random(5);
  for (int i = 0; i < 3'000; ++i) {
    std::string key = "prefix" + std::to_string(random() % 100'000);
    if (i % 100 == 0) key += std::string(1'500, 'k');  // spilled
    model[key] = std::to_string(i);
    ASSERT_TRUE(tree.writer->Put(std::string_view(key), std::to_string(i)).ok());
  }
  ASSERT_TRUE(tree.writer->Sync().ok());
  std::string storage;
  uint32_t ends[64];
  ValueRef values[64];
  for (const std::string end : {"", "prefix5", "prefix99999z", "a"}) {
    Cursor cursor(tree.writer->View());
    ASSERT_TRUE(cursor.SeekFirst());
    auto expected = model.begin();
    while (cursor.Valid()) {
      storage.clear();
      const uint32_t taken = cursor.TakeKeys(64, end, &storage, ends, values);
      if (taken == 0) break;
      for (uint32_t i = 0; i < taken; ++i, ++expected) {
        const uint32_t begin = i == 0 ? 0 : ends[i - 1];
        ASSERT_EQ(storage.substr(begin, ends[i] - begin), expected->first);
        ASSERT_EQ(values[i].view(), expected->second);
      }
    }
    EXPECT_TRUE(cursor.status().ok());
    EXPECT_TRUE(expected == (end.empty() ? model.end() : model.lower_bound(end)));
  }
}

TEST_F(ManyKeysTest, RisingKeysAreFound) {
  std::mt19937_64 random(6);
  for (const size_t count : {size_t{1}, size_t{2}, size_t{17}, size_t{1'000}}) {
    std::vector<int64_t> keys(count);
    for (int64_t& key : keys) key = static_cast<int64_t>(random() % kKeys) * kStep;
    std::vector<uint32_t> order(count);
    for (uint32_t i = 0; i < count; ++i) order[i] = i;
    std::sort(order.begin(), order.end(),
              [&](uint32_t a, uint32_t b) { return keys[a] < keys[b]; });
    std::vector<ValueRef> values(count);
    uint32_t failed = 0;
    const auto find = [&] {
      return FindRising(tree_.writer->View(), keys.data(), order.data(),
                        static_cast<uint32_t>(count), values.data(), &failed);
    };
    ASSERT_EQ(find(), FindResult::kFound);
    for (size_t i = 0; i < count; ++i) ASSERT_EQ(values[i].view(), ValueOf(keys[i]));
    keys[order[count / 2]] += 1;
    EXPECT_EQ(find(), FindResult::kNotFound);
    EXPECT_EQ(failed, order[count / 2]);
  }
}

TEST_F(ManyKeysTest, DeletesSomeUntilNoneIsLeft) {
  std::map<int64_t, std::string> model;
  for (int64_t i = 0; i < kKeys; ++i) model[i * kStep] = ValueOf(i * kStep);
  std::mt19937_64 random(7);
  while (!model.empty()) {
    // Runs of keys, single ones, missing ones.
    std::set<int64_t> chosen;
    const auto share = static_cast<int64_t>(random() % 4) + 1;
    const auto from = static_cast<int64_t>(random() % (kKeys * kStep));
    for (auto at = model.lower_bound(from); at != model.end() && chosen.size() < 700; ++at) {
      if (static_cast<int64_t>(random() % 4) < share) chosen.insert(at->first);
      if (random() % 50 == 0) chosen.insert(at->first + 1);
    }
    if (chosen.empty()) chosen.insert(model.begin()->first);
    const std::vector<int64_t> all(chosen.begin(), chosen.end());
    size_t expected = 0;
    for (const int64_t key : all) expected += model.erase(key);
    std::span<const int64_t> keys(all);
    size_t found = 0;
    while (!keys.empty()) {
      size_t deleted = 0;
      const StatusOr<size_t> done = tree_.writer->DeleteSome(keys, &deleted);
      ASSERT_TRUE(done.ok()) << done.status();
      ASSERT_GE(*done, 1u);
      ASSERT_TRUE(deleted == *done || (*done == 1 && deleted == 0));
      found += deleted;
      keys = keys.subspan(*done);
    }
    ASSERT_EQ(found, expected);
    ASSERT_TRUE(tree_.Check().ok());
    ASSERT_EQ(tree_.writer->count(), model.size());
    Cursor cursor(tree_.writer->View());
    auto at = model.begin();
    for (cursor.SeekFirst(); cursor.Valid(); cursor.Next(), ++at) {
      ASSERT_TRUE(at != model.end());
      ASSERT_EQ(cursor.int_key(), at->first);
      ASSERT_EQ(cursor.value().view(), at->second);
    }
    ASSERT_TRUE(at == model.end());
  }
}

TEST_F(ManyKeysTest, AnEditShowsInThisStateOnly) {
  tree_.Commit();
  const TreeView before = tree_.writer->View();
  ValueRef old;
  ASSERT_EQ(Find(before, int64_t{70}, &old), FindResult::kFound);
  const std::string old_bytes(old.view());
  StatusOr<std::span<uint8_t>> value = tree_.writer->Edit(70);
  ASSERT_TRUE(value.ok());
  ASSERT_EQ(AsView(value->data(), value->size()), old_bytes);
  (*value)[0] = 'V';
  ValueRef now;
  ASSERT_EQ(tree_.writer->Find(int64_t{70}, &now), FindResult::kFound);
  EXPECT_EQ(now.view(), "V" + old_bytes.substr(1));
  EXPECT_TRUE(tree_.writer->Edit(71)->empty());
  ASSERT_TRUE(tree_.writer->Put(71, std::string(10'000, 'x')).ok());
  EXPECT_TRUE(tree_.writer->Edit(71)->empty());
  EXPECT_TRUE(tree_.Check().ok());
}

}  // namespace
}  // namespace kvsql::btree
