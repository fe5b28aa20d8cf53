#include "btree/bulk_loader.h"

#include "tests/btree/tree_test_util.h"

namespace kvsql::btree {
namespace {

TEST(BulkLoaderTest, LoadsWhatASortedMapHolds) {
  std::mt19937_64 random(4);
  for (const size_t rows : {0, 1, 2, 500, 5000, 40'000}) {
    std::map<std::string, std::string> model;
    while (model.size() < rows) {
      model[std::to_string(random() % 10'000'000)] = std::string(random() % 30, 'v');
    }
    TestTree tree(pager::KeyKind::kBytes);
    BulkLoader loader(tree.txn.get(), tree.id);
    for (const auto& [key, value] : model) {
      ASSERT_TRUE(loader.Add(std::string_view(key), value).ok());
    }
    StatusOr<uint64_t> loaded = loader.Finish();
    ASSERT_TRUE(loaded.ok()) << loaded.status();
    ASSERT_EQ(*loaded, rows);
    tree.writer->Invalidate();
    const Status status = tree.Check();
    ASSERT_TRUE(status.ok()) << status;
    ExpectEqual(tree, model);
  }
}

TEST(BulkLoaderTest, LoadsIntegersDenseAndSparse) {
  std::mt19937_64 random(4);
  for (const uint64_t range : {30'000u, 300'000u, 4'000'000'000u}) {
    std::map<int64_t, std::string> model;
    while (model.size() < 20'000) {
      model[static_cast<int64_t>(random() % range) - 10'000] = std::string(random() % 30, 'v');
    }
    TestTree tree(pager::KeyKind::kInt64);
    BulkLoader loader(tree.txn.get(), tree.id);
    for (const auto& [key, value] : model) ASSERT_TRUE(loader.Add(key, value).ok());
    ASSERT_TRUE(loader.Finish().ok());
    tree.writer->Invalidate();
    const Status status = tree.Check();
    ASSERT_TRUE(status.ok()) << status;
    ExpectEqual(tree, model);
    // And it is a tree like any other.
    for (int i = 0; i < 5000; ++i) {
      const auto key = static_cast<int64_t>(random() % range);
      ASSERT_TRUE(tree.writer->Put(key, "new").ok());
      model[key] = "new";
    }
    ASSERT_TRUE(tree.Check().ok());
    ExpectEqual(tree, model);
  }
}

TEST(BulkLoaderTest, LongKeysAndLargeValues) {
  std::map<std::string, std::string> model;
  for (int i = 0; i < 300; ++i) {
    std::string key(static_cast<size_t>(i % 3 == 0 ? 9000 : i * 11), 'k');
    key += std::to_string(1000 + i);
    model[key] =
        std::string(static_cast<size_t>(i % 7 == 0 ? 70'000 : 20), static_cast<char>('a' + i % 26));
  }
  TestTree tree(pager::KeyKind::kBytes);
  BulkLoader loader(tree.txn.get(), tree.id);
  for (const auto& [key, value] : model) {
    const Status added = loader.Add(std::string_view(key), value);
    ASSERT_TRUE(added.ok()) << added;
  }
  ASSERT_TRUE(loader.Finish().ok());
  tree.writer->Invalidate();
  CountingVisitor visitor;
  const Status status = tree.Check(&visitor);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_GT(visitor.runs, 100u);
  ExpectEqual(tree, model);
}

TEST(BulkLoaderTest, RefusesWhatIsOutOfOrder) {
  TestTree tree(pager::KeyKind::kBytes);
  BulkLoader loader(tree.txn.get(), tree.id);
  ASSERT_TRUE(loader.Add("b", "1").ok());
  EXPECT_EQ(loader.Add("b", "2").code(), absl::StatusCode::kInvalidArgument);
  EXPECT_FALSE(loader.Add("c", "3").ok());
  EXPECT_FALSE(loader.Finish().ok());
}

TEST(BulkLoaderTest, RefusesATreeThatIsNotEmpty) {
  TestTree tree(pager::KeyKind::kInt64);
  ASSERT_TRUE(tree.writer->Put(int64_t{1}, "x").ok());
  ASSERT_TRUE(tree.writer->Sync().ok());
  BulkLoader loader(tree.txn.get(), tree.id);
  EXPECT_EQ(loader.Add(int64_t{2}, "y").code(), absl::StatusCode::kFailedPrecondition);
}

TEST(BulkLoaderTest, AbandonedLoadGivesItsPagesBack) {
  TestTree tree(pager::KeyKind::kInt64);
  {
    BulkLoader loader(tree.txn.get(), tree.id);
    for (int64_t key = 0; key < 50'000; ++key) ASSERT_TRUE(loader.Add(key, "value").ok());
  }
  EXPECT_EQ(tree.txn->root(tree.id).page, pager::kNoPage);
  ASSERT_TRUE(tree.writer->Put(int64_t{1}, "v").ok());
  tree.Commit();
  EXPECT_LT(UsedPages(tree), 20u);
}

}  // namespace
}  // namespace kvsql::btree
