// The checker notices each kind of damage that leaves single pages well-formed.
#include "btree/check.h"

#include "btree/bytes_node.h"
#include "btree/int_node.h"
#include "tests/btree/tree_test_util.h"

namespace kvsql::btree {
namespace {

class CheckTest : public ::testing::Test {
 protected:
  CheckTest() : tree_(pager::KeyKind::kInt64) {
    for (int64_t key = 0; key < 5000; ++key) {
      EXPECT_TRUE(tree_.writer->Put(key * 3, "value").ok());
    }
    EXPECT_TRUE(tree_.writer->Sync().ok());
    EXPECT_TRUE(tree_.Check().ok());
    EXPECT_EQ(tree_.writer->View().root.height, 1);
  }

  uint8_t* Root() { return Writable(tree_.writer->View().root.page); }
  uint8_t* Leaf(uint32_t index) {
    return Writable(LoadChild(IntNode::ChildCell(Root(), index, 4096)));
  }
  uint8_t* Writable(pager::PageId id) {
    const pager::PageId before = id;
    uint8_t* page = *tree_.txn->Modify(&id);
    EXPECT_EQ(id, before);  // dirty already
    return page;
  }
  void ExpectFound(std::string_view what) {
    const Status status = CheckTree(tree_.writer->View(), nullptr);
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
    EXPECT_NE(std::string(status.message()).find(what), std::string::npos) << status;
  }

  TestTree tree_;
};

TEST_F(CheckTest, RowCounts) {
  uint8_t* cell = IntNode::ChildCell(Root(), 2, 4096);
  StoreRows(cell, LoadRows(cell) + 1);
  ExpectFound("rows");
}

TEST_F(CheckTest, KeyOutsideItsParentsRange) {
  uint8_t* leaf = Leaf(1);
  StoreLe<int64_t>(leaf + kIntBaseOffset, IntNode::Base(leaf) - 1000);
  ExpectFound("parent");
}

TEST_F(CheckTest, ChildNamedTwice) {
  uint8_t* root = Root();
  StoreChild(IntNode::ChildCell(root, 1, 4096), LoadChild(IntNode::ChildCell(root, 0, 4096)));
  ExpectFound("twice");
}

TEST_F(CheckTest, ChildOfAnotherTree) {
  pager::HeaderOf(Leaf(0))->tree = 77;
  ExpectFound("belongs to tree 77");
  ValueRef ref;
  EXPECT_EQ(Find(tree_.writer->View(), int64_t{0}, &ref), FindResult::kError);
}

TEST_F(CheckTest, ChildOfAnotherLevel) {
  pager::HeaderOf(Leaf(0))->level = 1;
  ExpectFound("level");
}

TEST_F(CheckTest, ChildFromTheFuture) {
  pager::HeaderOf(Leaf(0))->birth += 100;
  ExpectFound("born");
}

TEST_F(CheckTest, ChildThatIsNoPage) {
  StoreChild(IntNode::ChildCell(Root(), 3, 4096), 0x7fffffff);
  ExpectFound("outside");
  Cursor cursor(tree_.writer->View());
  bool more = cursor.SeekFirst();
  while (more) more = cursor.Next();
  EXPECT_EQ(cursor.status().code(), absl::StatusCode::kDataLoss);
}

TEST_F(CheckTest, PageThatGivesAnotherNumber) {
  pager::HeaderOf(Leaf(0))->page += 1;
  ExpectFound("says that it is page");
}

TEST_F(CheckTest, MissingExtentsBit) {
  ASSERT_TRUE(tree_.writer->Put(int64_t{30}, std::string(5000, 'x')).ok());
  ASSERT_TRUE(tree_.Check().ok());
  uint8_t* cell = IntNode::ChildCell(Root(), 0, 4096);
  ASSERT_NE(LoadRows(cell) & kSubtreeHasExtents, 0u);
  StoreRows(cell, LoadRows(cell) & kRowsMask);
  ExpectFound("extents");
}

TEST_F(CheckTest, VisitorIsToldOfEverythingOnce) {
  for (int64_t key = 0; key < 20; ++key) {
    ASSERT_TRUE(tree_.writer->Put(key * 100, std::string(5000, 'x')).ok());
  }
  CountingVisitor visitor;
  ASSERT_TRUE(tree_.Check(&visitor).ok());
  EXPECT_GE(visitor.runs, 20u);
  EXPECT_GT(visitor.pages.size(), 40u);
}

}  // namespace
}  // namespace kvsql::btree
