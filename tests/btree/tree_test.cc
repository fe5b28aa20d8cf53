// What a tree promises, one behaviour at a time.
#include "btree/tree.h"

#include "tests/btree/tree_test_util.h"

namespace kvsql::btree {
namespace {

TEST(TreeTest, EmptyTreeHasNothing) {
  TestTree tree(pager::KeyKind::kBytes);
  ValueRef ref;
  EXPECT_EQ(tree.writer->Find("a", &ref), FindResult::kNotFound);
  EXPECT_FALSE(*tree.writer->Delete("a"));
  EXPECT_EQ(*tree.writer->DeleteRange("a", "z"), 0u);
  EXPECT_EQ(*tree.writer->Clear(), 0u);
  EXPECT_EQ(*Rank(tree.writer->View(), "a"), 0u);
  Cursor cursor(tree.writer.get());
  EXPECT_FALSE(cursor.SeekFirst());
  EXPECT_FALSE(cursor.SeekLast());
  EXPECT_FALSE(cursor.SeekGE(""));
  EXPECT_FALSE(cursor.SeekLE("z"));
  EXPECT_FALSE(cursor.SeekToRank(0));
  EXPECT_TRUE(cursor.status().ok());
}

TEST(TreeTest, PutModesKeepTheirWord) {
  TestTree tree(pager::KeyKind::kBytes);
  EXPECT_FALSE(*tree.writer->Put("k", "1", PutMode::kUpdateOnly));
  EXPECT_TRUE(*tree.writer->Put("k", "1", PutMode::kInsertOnly));
  EXPECT_FALSE(*tree.writer->Put("k", "2", PutMode::kInsertOnly));
  ValueRef ref;
  ASSERT_EQ(tree.writer->Find("k", &ref), FindResult::kFound);
  EXPECT_EQ(ref.view(), "1");
  EXPECT_TRUE(*tree.writer->Put("k", "3", PutMode::kUpdateOnly));
  ASSERT_EQ(tree.writer->Find("k", &ref), FindResult::kFound);
  EXPECT_EQ(ref.view(), "3");
}

TEST(TreeTest, RefusedPutAndMissedDeleteDirtyNothing) {
  TestTree tree(pager::KeyKind::kInt64);
  for (int64_t key = 0; key < 5000; ++key) ASSERT_TRUE(tree.writer->Put(key, "value").ok());
  tree.Commit();
  EXPECT_FALSE(*tree.writer->Put(int64_t{77}, "x", PutMode::kInsertOnly));
  EXPECT_FALSE(*tree.writer->Put(int64_t{7777}, "x", PutMode::kUpdateOnly));
  EXPECT_FALSE(*tree.writer->Delete(int64_t{7777}));
  EXPECT_EQ(tree.txn->dirty_pages(), 0u);
  EXPECT_TRUE(*tree.writer->Put(int64_t{77}, "x"));
  EXPECT_EQ(tree.txn->dirty_pages(), 2u);  // the leaf and the root
}

TEST(TreeTest, SnapshotsKeepTheirState) {
  TestTree tree(pager::KeyKind::kInt64);
  for (int64_t key = 0; key < 5000; ++key) ASSERT_TRUE(tree.writer->Put(key, "old").ok());
  tree.Commit();
  pager::Snapshot snapshot(tree.pager);
  ASSERT_TRUE(snapshot.Begin());
  for (int64_t key = 0; key < 5000; key += 2) ASSERT_TRUE(tree.writer->Put(key, "new").ok());
  for (int64_t key = 1; key < 5000; key += 4) ASSERT_TRUE(*tree.writer->Delete(key));
  tree.Commit();
  const TreeView view{&snapshot.pages(), tree.id, snapshot.root(tree.id)};
  ASSERT_TRUE(CheckTree(view, nullptr).ok());
  Cursor cursor(view);
  int64_t key = 0;
  for (bool more = cursor.SeekFirst(); more; more = cursor.Next()) {
    ASSERT_EQ(cursor.int_key(), key++);
    ASSERT_EQ(cursor.value().view(), "old");
  }
  EXPECT_EQ(key, 5000);
}

TEST(TreeTest, AppendedIntegersKnowTheirLast) {
  TestTree tree(pager::KeyKind::kInt64);
  EXPECT_EQ(tree.writer->LastIntKey().status().code(), absl::StatusCode::kNotFound);
  for (int64_t key = 1; key < 3000; ++key) {
    ASSERT_TRUE(tree.writer->Put(key, "v").ok());
    ASSERT_EQ(*tree.writer->LastIntKey(), key);
  }
  ASSERT_TRUE(*tree.writer->Delete(int64_t{2999}));
  ASSERT_TRUE(tree.writer->Put(int64_t{-5}, "v").ok());
  EXPECT_EQ(*tree.writer->LastIntKey(), 2998);
}

TEST(TreeTest, ExtremeIntegers) {
  TestTree tree(pager::KeyKind::kInt64);
  std::map<int64_t, std::string> model;
  for (const int64_t key :
       {int64_t{0}, std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min(),
        int64_t{-1}, std::numeric_limits<int64_t>::max() - 1,
        std::numeric_limits<int64_t>::min() + 1}) {
    model[key] = std::to_string(key);
    ASSERT_TRUE(*tree.writer->Put(key, model[key]));
  }
  ASSERT_TRUE(tree.Check().ok());
  ExpectEqual(tree, model);
  EXPECT_EQ(*tree.writer->DeleteRange(int64_t{0}, std::nullopt), 3u);
  EXPECT_EQ(tree.writer->count(), 3u);
}

TEST(TreeTest, KeysThatDifferInZerosOnly) {
  TestTree tree(pager::KeyKind::kBytes);
  std::map<std::string, std::string> model;
  for (const std::string stem : {"", "a", "abc", "abcd", "abcde", "prefix-abcd"}) {
    for (size_t zeros = 0; zeros < 12; ++zeros) {
      const std::string key = stem + std::string(zeros, '\0');
      model[key] = std::to_string(zeros);
      ASSERT_TRUE(tree.writer->Put(std::string_view(key), model[key]).ok());
    }
  }
  ASSERT_TRUE(tree.Check().ok());
  ExpectEqual(tree, model);
}

TEST(TreeTest, ManyKeysWithOneHead) {
  TestTree tree(pager::KeyKind::kBytes);
  std::map<std::string, std::string> model;
  model["a"] = "first";
  model["z"] = "last";
  for (int i = 0; i < 500; ++i) model["same" + std::to_string(i * 37 % 500)] = std::to_string(i);
  for (const auto& [key, value] : model) {
    ASSERT_TRUE(tree.writer->Put(std::string_view(key), value).ok());
  }
  ASSERT_TRUE(tree.Check().ok());
  ExpectEqual(tree, model);
  ValueRef ref;
  EXPECT_EQ(tree.writer->Find("same", &ref), FindResult::kNotFound);
  EXPECT_EQ(tree.writer->Find("same37x", &ref), FindResult::kNotFound);
  EXPECT_EQ(tree.writer->Find("same37", &ref), FindResult::kFound);
}

TEST(TreeTest, RanksAndCountsAreExact) {
  TestTree tree(pager::KeyKind::kInt64);
  for (int64_t key = 0; key < 30'000; key += 3) ASSERT_TRUE(tree.writer->Put(key, "v").ok());
  ASSERT_TRUE(tree.writer->Sync().ok());
  const TreeView view = tree.writer->View();
  EXPECT_EQ(*Rank(view, int64_t{-1}), 0u);
  EXPECT_EQ(*Rank(view, int64_t{9999}), 3333u);
  EXPECT_EQ(*Rank(view, int64_t{10'000}), 3334u);
  EXPECT_EQ(*Rank(view, int64_t{40'000}), 10'000u);
  EXPECT_EQ(*CountRange(view, IntBound(300), IntBound(600)), 100u);
  EXPECT_EQ(*CountRange(view, IntBound(), IntBound(600)), 200u);
  EXPECT_EQ(*CountRange(view, IntBound(600), IntBound()), 9800u);
  EXPECT_EQ(*CountRange(view, IntBound(600), IntBound(300)), 0u);
  Cursor cursor(view);
  for (const uint64_t rank : {0u, 1u, 777u, 9999u}) {
    ASSERT_TRUE(cursor.SeekToRank(rank));
    EXPECT_EQ(cursor.int_key(), static_cast<int64_t>(rank * 3));
  }
  EXPECT_FALSE(cursor.SeekToRank(10'000));
}

TEST(TreeTest, DeleteRangeReadsNoLeafInside) {
  TestTree tree(pager::KeyKind::kInt64);
  for (int64_t key = 0; key < 100'000; ++key) ASSERT_TRUE(tree.writer->Put(key, "value").ok());
  tree.Commit();
  EXPECT_EQ(*tree.writer->DeleteRange(int64_t{10}, int64_t{99'990}), 99'980u);
  EXPECT_LT(tree.txn->dirty_pages(), 8u);
  ASSERT_TRUE(tree.Check().ok());
  EXPECT_EQ(tree.writer->count(), 20u);
  EXPECT_EQ(tree.writer->View().root.height, 0);
}

TEST(TreeTest, WrongTreeIsRefused) {
  TestTree tree(pager::KeyKind::kBytes);
  for (int i = 0; i < 3000; ++i) {
    ASSERT_TRUE(tree.writer->Put(std::string_view(std::to_string(i)), "v").ok());
  }
  ASSERT_TRUE(tree.writer->Sync().ok());
  TreeView view = tree.writer->View();
  ValueRef ref;
  ++view.id;
  EXPECT_EQ(Find(view, "1", &ref), FindResult::kError);
  EXPECT_EQ(FindError(view, "1").code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(CheckTree(view, nullptr).code(), absl::StatusCode::kDataLoss);
  Cursor cursor(view);
  EXPECT_FALSE(cursor.SeekFirst());
  EXPECT_EQ(cursor.status().code(), absl::StatusCode::kDataLoss);
  --view.id;
  --view.root.height;
  EXPECT_EQ(Find(view, "1", &ref), FindResult::kError);
  EXPECT_EQ(FindError(view, "1").code(), absl::StatusCode::kDataLoss);
  ++view.root.height;
  ++view.root.count;
  EXPECT_EQ(CheckTree(view, nullptr).code(), absl::StatusCode::kDataLoss);
}

}  // namespace
}  // namespace kvsql::btree
