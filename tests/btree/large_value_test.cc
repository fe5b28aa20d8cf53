#include "btree/large_value.h"

#include "btree/extent.h"
#include "btree/node.h"
#include "tests/btree/tree_test_util.h"

namespace kvsql::btree {
namespace {

std::string Noise(size_t size, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

TEST(LargeValueTest, SizesAroundTheLimits) {
  TestTree tree(pager::KeyKind::kInt64);
  std::map<int64_t, std::string> model;
  int64_t key = 0;
  for (const size_t size : {0u, 1u, 126u, 127u, 128u, 1020u, 1021u, 1022u, 1024u, 1025u, 4096u,
                            65535u, 65536u, 65537u, 131072u, 200'001u, 3'000'000u}) {
    model[++key] = Noise(size, size);
    ASSERT_TRUE(*tree.writer->Put(key, model[key]));
  }
  ASSERT_TRUE(tree.Check().ok());
  ExpectEqual(tree, model);
  ValueRef ref;
  ASSERT_EQ(tree.writer->Find(int64_t{17}, &ref), FindResult::kFound);
  EXPECT_TRUE(ref.is_large);
  EXPECT_EQ(LargeSize(ref), 3'000'000u);
  // One raw run is read in place.
  EXPECT_FALSE(ReadLarge(*tree.txn, ref)->is_owned());
}

TEST(LargeValueTest, CompressesWhatGetsSmaller) {
  TestTree tree(pager::KeyKind::kInt64, WriterOptions{.compression_level = 3});
  std::string text;
  while (text.size() < 200'000) text += "the same words again and again; ";
  ASSERT_TRUE(*tree.writer->Put(int64_t{1}, text));
  const std::string noise = Noise(200'000, 1);
  ASSERT_TRUE(*tree.writer->Put(int64_t{2}, noise));
  CountingVisitor visitor;
  ASSERT_TRUE(tree.Check(&visitor).ok());
  EXPECT_LT(visitor.pages.size(), 60u);  // the noise takes 49
  ValueRef ref;
  ASSERT_EQ(tree.writer->Find(int64_t{1}, &ref), FindResult::kFound);
  StatusOr<LargeValue> value = ReadLarge(*tree.txn, ref);
  ASSERT_TRUE(value.ok());
  EXPECT_TRUE(value->is_owned());
  EXPECT_EQ(value->view(), text);
  ASSERT_EQ(tree.writer->Find(int64_t{2}, &ref), FindResult::kFound);
  EXPECT_EQ(ReadLarge(*tree.txn, ref)->view(), noise);
}

TEST(LargeValueTest, ReplacingAndDeletingGivesTheExtentBack) {
  TestTree tree(pager::KeyKind::kBytes);
  const std::string value = Noise(100'000, 2);
  for (int round = 0; round < 20; ++round) {
    ASSERT_TRUE(*tree.writer->Put("key", value));
    ASSERT_TRUE(*tree.writer->Put("key", "small"));
    ASSERT_TRUE(*tree.writer->Put("key", value));
    ASSERT_TRUE(*tree.writer->Delete("key"));
  }
  tree.Commit();
  CountingVisitor visitor;
  ASSERT_TRUE(tree.Check(&visitor).ok());
  EXPECT_TRUE(visitor.pages.empty());
  EXPECT_LT(UsedPages(tree), 50u);
}

TEST(LargeValueTest, LongKeysOrderByTheirWholeLength) {
  TestTree tree(pager::KeyKind::kBytes);
  std::map<std::string, std::string> model;
  const std::string stem(60'000, 's');
  for (int i = 0; i < 40; ++i) {
    std::string key = stem;
    key[static_cast<size_t>(i) * 1400] = static_cast<char>(i % 2 == 0 ? 'a' : 'z');
    model[key] = std::to_string(i);
    model[key + std::to_string(i)] = "longer";
    model[key.substr(0, 1000 + static_cast<size_t>(i))] = "inline";
  }
  for (const auto& [key, value] : model) {
    ASSERT_TRUE(*tree.writer->Put(std::string_view(key), value, PutMode::kInsertOnly));
    ASSERT_FALSE(*tree.writer->Put(std::string_view(key), value, PutMode::kInsertOnly));
  }
  const Status status = tree.Check();
  ASSERT_TRUE(status.ok()) << status;
  ExpectEqual(tree, model);
  const auto middle = std::next(model.begin(), 50)->first;
  EXPECT_EQ(*Rank(tree.writer->View(), std::string_view(middle)), 50u);
  EXPECT_EQ(*tree.writer->DeleteRange(std::nullopt, std::string_view(middle)), 50u);
  model.erase(model.begin(), model.find(middle));
  ExpectEqual(tree, model);
  ASSERT_TRUE(tree.writer->Clear().ok());
  tree.Commit();
  EXPECT_LT(UsedPages(tree), 50u);
}

TEST(LargeValueTest, LimitsAreRefused) {
  TestTree tree(pager::KeyKind::kBytes);
  const std::string key(kMaxKeySize + 1, 'k');
  EXPECT_EQ(tree.writer->Put(std::string_view(key), "v").status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(*tree.writer->Put(std::string_view(key).substr(1), "v"));
  EXPECT_EQ(tree.writer->Put(int64_t{1}, "v").status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(LargeValueTest, DamageIsNoticed) {
  TestTree tree(pager::KeyKind::kInt64);
  const std::string value = Noise(150'000, 3);
  ASSERT_TRUE(*tree.writer->Put(int64_t{1}, value));
  ValueRef ref;
  ASSERT_EQ(tree.writer->Find(int64_t{1}, &ref), FindResult::kFound);
  std::vector<uint8_t> descriptor(ref.data, ref.data + ref.size);
  // A descriptor of several runs is verified at every read: cut the run in two, then name it wrongly.
  auto parsed = LoadLe<ExtentDescriptor>(descriptor.data());
  const pager::PageRun run = DescriptorRun(descriptor.data(), 0);
  parsed.runs = 2;
  StoreLe(descriptor.data(), parsed);
  descriptor.resize(sizeof(ExtentDescriptor) + 2 * kRunBytes);
  const auto set_runs = [&](uint32_t first_pages, uint32_t skew) {
    uint8_t* at = descriptor.data() + sizeof(ExtentDescriptor);
    StoreLe<uint32_t>(at, run.first);
    StoreLe<uint32_t>(at + 4, first_pages);
    StoreLe<uint32_t>(at + 8, run.first + first_pages - skew);
    StoreLe<uint32_t>(at + 12, run.pages - first_pages);
  };
  set_runs(10, 0);
  ASSERT_TRUE(ValidDescriptor(descriptor.data(), descriptor.data() + descriptor.size(), 4096));
  StatusOr<LargeValue> read = ReadExtent(*tree.txn, descriptor.data());
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->view(), value);
  set_runs(10, 1);
  EXPECT_EQ(ReadExtent(*tree.txn, descriptor.data()).status().code(), absl::StatusCode::kDataLoss);
}

}  // namespace
}  // namespace kvsql::btree
