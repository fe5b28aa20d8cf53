#include "btree/cursor.h"

#include "tests/btree/tree_test_util.h"

namespace kvsql::btree {
namespace {

class CursorTest : public ::testing::Test {
 protected:
  // Keys 0, 10, 20, ... in several leaves.
  CursorTest() : tree_(pager::KeyKind::kInt64) {
    for (int64_t key = 0; key < 20'000; key += 10) {
      EXPECT_TRUE(tree_.writer->Put(key, std::to_string(key)).ok());
    }
    EXPECT_GT(tree_.writer->View().root.height, 0);
  }

  TestTree tree_;
};

TEST_F(CursorTest, SeeksLandOnTheNearestEntry) {
  Cursor cursor(tree_.writer.get());
  ASSERT_TRUE(cursor.SeekGE(int64_t{995}));
  EXPECT_EQ(cursor.int_key(), 1000);
  ASSERT_TRUE(cursor.SeekLE(int64_t{995}));
  EXPECT_EQ(cursor.int_key(), 990);
  ASSERT_TRUE(cursor.SeekGE(int64_t{990}));
  EXPECT_EQ(cursor.int_key(), 990);
  EXPECT_FALSE(cursor.SeekGE(int64_t{19'991}));
  EXPECT_FALSE(cursor.SeekLE(int64_t{-1}));
  EXPECT_TRUE(cursor.status().ok());
}

TEST_F(CursorTest, EveryNeighbourAcrossLeaves) {
  Cursor cursor(tree_.writer.get());
  for (int64_t key = 0; key + 10 < 20'000; key += 10) {
    ASSERT_TRUE(cursor.SeekGE(key));
    ASSERT_TRUE(cursor.Next());
    ASSERT_EQ(cursor.int_key(), key + 10);
    ASSERT_TRUE(cursor.Prev());
    ASSERT_EQ(cursor.int_key(), key);
  }
}

TEST_F(CursorTest, DeletedEntryKeepsThePlace) {
  Cursor forward(tree_.writer.get());
  Cursor backward(tree_.writer.get());
  ASSERT_TRUE(forward.SeekGE(int64_t{5000}));
  ASSERT_TRUE(backward.SeekGE(int64_t{5000}));
  ASSERT_TRUE(*tree_.writer->Delete(int64_t{5000}));
  EXPECT_TRUE(forward.Valid());
  EXPECT_EQ(forward.int_key(), 5000);
  EXPECT_EQ(forward.value().data, nullptr);
  ASSERT_TRUE(forward.Next());
  EXPECT_EQ(forward.int_key(), 5010);
  ASSERT_TRUE(backward.Prev());
  EXPECT_EQ(backward.int_key(), 4990);
}

TEST_F(CursorTest, SeesWhatIsInsertedAheadAndWhatIsReplacedUnderIt) {
  Cursor cursor(tree_.writer.get());
  ASSERT_TRUE(cursor.SeekGE(int64_t{5000}));
  ASSERT_TRUE(tree_.writer->Put(int64_t{5001}, "ahead").ok());
  ASSERT_TRUE(tree_.writer->Put(int64_t{5000}, "replaced").ok());
  EXPECT_EQ(cursor.value().view(), "replaced");
  ASSERT_TRUE(cursor.Next());
  EXPECT_EQ(cursor.int_key(), 5001);
  EXPECT_EQ(cursor.value().view(), "ahead");
}

TEST_F(CursorTest, DeletingEachEntryUnderACursorEmptiesTheTree) {
  for (const bool forward : {true, false}) {
    Cursor cursor(tree_.writer.get());
    size_t deleted = 0;
    for (bool more = forward ? cursor.SeekFirst() : cursor.SeekLast(); more;
         more = forward ? cursor.Next() : cursor.Prev()) {
      ASSERT_TRUE(*tree_.writer->Delete(cursor.int_key()));
      ++deleted;
    }
    EXPECT_TRUE(cursor.status().ok());
    EXPECT_EQ(deleted, 2000u);
    EXPECT_EQ(tree_.writer->count(), 0u);
    for (int64_t key = 0; key < 20'000; key += 10) ASSERT_TRUE(tree_.writer->Put(key, "v").ok());
  }
}

TEST_F(CursorTest, SurvivesRollbackToASavepoint) {
  Cursor cursor(tree_.writer.get());
  ASSERT_TRUE(cursor.SeekGE(int64_t{5000}));
  ASSERT_TRUE(tree_.writer->Sync().ok());
  const auto mark = tree_.txn->SetMark();
  EXPECT_EQ(*tree_.writer->DeleteRange(int64_t{4000}, int64_t{6000}), 200u);
  ASSERT_TRUE(tree_.writer->Sync().ok());
  tree_.txn->RollbackToMark(mark);
  tree_.writer->Invalidate();
  EXPECT_EQ(cursor.value().view(), "5000");
  ASSERT_TRUE(cursor.Next());
  EXPECT_EQ(cursor.int_key(), 5010);
}

TEST_F(CursorTest, ReadersCursorNeverMoves) {
  tree_.Commit();
  pager::Snapshot snapshot(tree_.pager);
  ASSERT_TRUE(snapshot.Begin());
  Cursor cursor(TreeView{&snapshot.pages(), tree_.id, snapshot.root(tree_.id)});
  ASSERT_TRUE(cursor.SeekGE(int64_t{5000}));
  ASSERT_TRUE(tree_.writer->Clear().ok());
  tree_.Commit();
  for (int64_t key = 5000; key < 20'000; key += 10) {
    ASSERT_TRUE(cursor.Valid());
    ASSERT_EQ(cursor.int_key(), key);
    ASSERT_EQ(cursor.value().view(), std::to_string(key));
    cursor.Next();
  }
  EXPECT_FALSE(cursor.Valid());
}

}  // namespace
}  // namespace kvsql::btree
