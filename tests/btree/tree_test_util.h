// A tree in an in-memory pager, inside one open write transaction, beside a std::map that says what the tree
// must hold.
#ifndef KVSQL_TESTS_BTREE_TREE_TEST_UTIL_H_
#define KVSQL_TESTS_BTREE_TREE_TEST_UTIL_H_

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "btree/check.h"
#include "btree/cursor.h"
#include "btree/large_value.h"
#include "btree/tree.h"
#include "btree/tree_writer.h"
#include "pager/pager.h"

namespace kvsql::btree {

// Counts pages and runs, and fails on what is named twice.
class CountingVisitor : public TreeVisitor {
 public:
  Status VisitPage(pager::PageId page) override { return Add(page); }
  Status VisitRun(pager::PageRun run, pager::TxId) override {
    for (uint32_t i = 0; i < run.pages; ++i) KV_RETURN_IF_ERROR(Add(run.first + i));
    ++runs;
    return absl::OkStatus();
  }

  std::set<pager::PageId> pages;
  size_t runs = 0;

 private:
  Status Add(pager::PageId page) {
    if (!pages.insert(page).second) return DataLoss("page ", page, " is named twice");
    return absl::OkStatus();
  }
};

class TestTree {
 public:
  explicit TestTree(pager::KeyKind kind, WriterOptions options = {}, uint32_t page_size = 4096) {
    pager::PagerOptions pager_options;
    pager_options.page_size = page_size;
    pager_options.background = false;
    pager_options.validator = ValidatePage;
    auto opened = pager::Pager::Open(pager_options);
    EXPECT_TRUE(opened.ok()) << opened.status();
    pager = *opened;
    Begin();
    id = txn->CreateTree(kind);
    writer = std::make_unique<TreeWriter>(txn.get(), id, options);
    writer_options = options;
  }
  ~TestTree() {
    writer.reset();
    txn.reset();
  }

  void Begin() {
    auto begun = pager->BeginWrite();
    EXPECT_TRUE(begun.ok()) << begun.status();
    txn = std::move(*begun);
  }
  // Commits and begins the next transaction.
  void Commit() {
    EXPECT_TRUE(writer->Sync().ok());
    writer.reset();
    EXPECT_TRUE(txn->Commit({}, pager::Durability::kFull).ok());
    Begin();
    writer = std::make_unique<TreeWriter>(txn.get(), id, writer_options);
  }

  Status Check(CountingVisitor* visitor = nullptr) {
    KV_RETURN_IF_ERROR(writer->Sync());
    CountingVisitor own;
    return CheckTree(writer->View(), visitor != nullptr ? visitor : &own);
  }

  std::shared_ptr<pager::Pager> pager;
  std::unique_ptr<pager::WriteTransaction> txn;
  std::unique_ptr<TreeWriter> writer;
  WriterOptions writer_options;
  pager::TreeId id = 0;
};

// Pages that no commit, present or to come, may reuse.
inline uint64_t UsedPages(TestTree& tree) {
  const pager::PagerStats stats = tree.pager->stats();
  return stats.page_count - stats.free_pages - stats.pending_pages;
}

// A value's bytes, wherever they stand.
inline std::string ValueOf(const pager::PageReader& pages, ValueRef ref) {
  StatusOr<LargeValue> value = ReadValue(pages, ref);
  EXPECT_TRUE(value.ok()) << value.status();
  return value.ok() ? std::string(value->view()) : std::string();
}

// The tree holds exactly what the model holds, forwards, backwards and by rank.
template <typename Key>
void ExpectEqual(TestTree& tree, const std::map<Key, std::string>& model) {
  ASSERT_TRUE(tree.writer->Sync().ok());
  const TreeView view = tree.writer->View();
  ASSERT_EQ(view.root.count, model.size());
  Cursor cursor(view);
  const auto key_of = [&cursor]() -> Key {
    if constexpr (std::is_same_v<Key, int64_t>) {
      return cursor.int_key();
    } else {
      return std::string(cursor.key());
    }
  };
  auto at = model.begin();
  for (bool more = cursor.SeekFirst(); more; more = cursor.Next(), ++at) {
    ASSERT_NE(at, model.end());
    ASSERT_EQ(key_of(), at->first);
    ASSERT_EQ(ValueOf(*view.pages, cursor.value()), at->second);
  }
  ASSERT_TRUE(cursor.status().ok()) << cursor.status();
  ASSERT_EQ(at, model.end());
  for (bool more = cursor.SeekLast(); more; more = cursor.Prev()) {
    ASSERT_NE(at, model.begin());
    ASSERT_EQ(key_of(), (--at)->first);
  }
  ASSERT_TRUE(cursor.status().ok()) << cursor.status();
  ASSERT_EQ(at, model.begin());
}

}  // namespace kvsql::btree

#endif  // KVSQL_TESTS_BTREE_TREE_TEST_UTIL_H_
