// How full leaves are after the usual ways of loading a tree, and after churn.
#include <algorithm>
#include <numeric>

#include "btree/bulk_loader.h"
#include "btree/bytes_node.h"
#include "btree/int_node.h"
#include "tests/btree/tree_test_util.h"

namespace kvsql::btree {
namespace {

constexpr int kRows = 20'000;

std::string KeyOf(int id) {
  char text[16];
  std::snprintf(text, sizeof(text), "key:%08d", id);
  return text;
}

std::vector<int> Shuffled(int count) {
  std::vector<int> ids(static_cast<size_t>(count));
  std::iota(ids.begin(), ids.end(), 0);
  std::shuffle(ids.begin(), ids.end(), std::mt19937_64(3));
  return ids;
}

size_t PagesOf(TestTree& tree) {
  CountingVisitor visitor;
  const Status status = tree.Check(&visitor);
  EXPECT_TRUE(status.ok()) << status;
  return visitor.pages.size();
}

size_t BulkPages(pager::KeyKind kind, std::string_view value, int rows = kRows) {
  TestTree tree(kind);
  BulkLoader loader(tree.txn.get(), tree.id);
  for (int id = 0; id < rows; ++id) {
    const Status added = kind == pager::KeyKind::kBytes ? loader.Add(KeyOf(id), value)
                                                        : loader.Add(int64_t{id}, value);
    EXPECT_TRUE(added.ok()) << added;
  }
  EXPECT_EQ(*loader.Finish(), static_cast<uint64_t>(rows));
  tree.writer->Invalidate();
  return PagesOf(tree);
}

TEST(TreeFillTest, IntegerRowsTakeThreeBytesMoreThanTheirValue) {
  const std::string value(17, 'v');
  const size_t pages = BulkPages(pager::KeyKind::kInt64, value);
  const double per_row = static_cast<double>(pages) * 4096 / kRows;
  EXPECT_LE(per_row, 17 + 3 + 0.75);
}

TEST(TreeFillTest, RisingPutsFillLeavesAsABulkLoadDoes) {
  for (const auto kind : {pager::KeyKind::kBytes, pager::KeyKind::kInt64}) {
    TestTree tree(kind);
    for (int id = 0; id < kRows; ++id) {
      ASSERT_TRUE((kind == pager::KeyKind::kBytes
                       ? tree.writer->Put(std::string_view(KeyOf(id)), "value-123456")
                       : tree.writer->Put(int64_t{id}, "value-123456"))
                      .ok());
    }
    const size_t bulk = BulkPages(kind, "value-123456");
    EXPECT_LE(PagesOf(tree), bulk + bulk / 50);
  }
}

TEST(TreeFillTest, FallingPutsFillLeaves) {
  for (const auto kind : {pager::KeyKind::kBytes, pager::KeyKind::kInt64}) {
    TestTree tree(kind);
    for (int id = kRows; id-- > 0;) {
      ASSERT_TRUE((kind == pager::KeyKind::kBytes
                       ? tree.writer->Put(std::string_view(KeyOf(id)), "value-123456")
                       : tree.writer->Put(int64_t{id}, "value-123456"))
                      .ok());
    }
    const size_t bulk = BulkPages(kind, "value-123456");
    EXPECT_LE(PagesOf(tree), bulk + bulk / 8) << static_cast<int>(kind);
  }
}

TEST(TreeFillTest, InterleavedSequencesFillLeaves) {
  for (const auto kind : {pager::KeyKind::kBytes, pager::KeyKind::kInt64}) {
    TestTree tree(kind);
    constexpr int kSequences = 10;
    for (int i = 0; i < kRows / kSequences; ++i) {
      for (int sequence = 0; sequence < kSequences; ++sequence) {
        const int id = sequence * 1'000'000 + i;
        ASSERT_TRUE((kind == pager::KeyKind::kBytes
                         ? tree.writer->Put(std::string_view(KeyOf(id)), "value-123456")
                         : tree.writer->Put(int64_t{id}, "value-123456"))
                        .ok());
      }
    }
    const size_t bulk = BulkPages(kind, "value-123456");
    // Each sequence may leave one leaf half empty at either end.
    EXPECT_LE(PagesOf(tree), bulk + 2 * kSequences) << static_cast<int>(kind);
  }
}

TEST(TreeFillTest, ShuffledPutsFillLeavesByThreeQuarters) {
  for (const auto kind : {pager::KeyKind::kBytes, pager::KeyKind::kInt64}) {
    TestTree tree(kind);
    for (const int id : Shuffled(kRows)) {
      ASSERT_TRUE((kind == pager::KeyKind::kBytes
                       ? tree.writer->Put(std::string_view(KeyOf(id)), "value-123456")
                       : tree.writer->Put(int64_t{id}, "value-123456"))
                      .ok());
    }
    const size_t bulk = BulkPages(kind, "value-123456");
    EXPECT_LE(PagesOf(tree), bulk * 4 / 3) << static_cast<int>(kind);
  }
}

TEST(TreeFillTest, ChurnOfAFullTreeKeepsItSmall) {
  for (const auto kind : {pager::KeyKind::kBytes, pager::KeyKind::kInt64}) {
    const std::string value = "value-123456";
    const size_t bulk = BulkPages(kind, value);
    TestTree tree(kind);
    for (int id = 0; id < kRows; ++id) {
      ASSERT_TRUE((kind == pager::KeyKind::kBytes
                       ? tree.writer->Put(std::string_view(KeyOf(id)), value)
                       : tree.writer->Put(int64_t{id}, value))
                      .ok());
    }
    // Twenty changes for each leaf: values of another length, deletes, and the same keys again.
    std::mt19937_64 random(9);
    for (size_t i = 0; i < bulk * 20; ++i) {
      const int id = static_cast<int>(random() % kRows);
      const std::string key = KeyOf(id);
      const std::string other(10 + random() % 5, 'o');
      if (random() % 5 == 0) {
        ASSERT_TRUE((kind == pager::KeyKind::kBytes ? tree.writer->Delete(std::string_view(key))
                                                    : tree.writer->Delete(int64_t{id}))
                        .ok());
      }
      ASSERT_TRUE((kind == pager::KeyKind::kBytes ? tree.writer->Put(std::string_view(key), other)
                                                  : tree.writer->Put(int64_t{id}, other))
                      .ok());
    }
    EXPECT_LE(PagesOf(tree), bulk * 130 / 100) << static_cast<int>(kind);
  }
}

// What a file of rows meets: each leaf is full to the last byte, and rows grow by a byte now and then.
TEST(TreeFillTest, RowsThatGrowByAByteDoNotHalveFullLeaves) {
  TestTree tree(pager::KeyKind::kInt64);
  for (int64_t id = 0; id < kRows; ++id) ASSERT_TRUE(tree.writer->Put(id, "value-1234567890").ok());
  const size_t before = PagesOf(tree);
  std::mt19937_64 random(9);
  for (size_t i = 0; i < before * 20; ++i) {
    const auto id = static_cast<int64_t>(random() % kRows);
    ASSERT_TRUE(tree.writer->Put(id, "value-12345678901").ok());
  }
  EXPECT_LE(PagesOf(tree), before * 120 / 100);
}

TEST(TreeFillTest, DeletingMostRowsGivesPagesBack) {
  TestTree tree(pager::KeyKind::kInt64);
  for (int64_t id = 0; id < kRows; ++id) ASSERT_TRUE(tree.writer->Put(id, "value-123456").ok());
  const size_t before = PagesOf(tree);
  for (const int id : Shuffled(kRows)) {
    if (id % 20 != 0) {
      ASSERT_TRUE(*tree.writer->Delete(int64_t{id}));
    }
  }
  EXPECT_LE(PagesOf(tree), before / 5);
  EXPECT_EQ(tree.writer->count(), static_cast<uint64_t>(kRows / 20));
}

}  // namespace
}  // namespace kvsql::btree
