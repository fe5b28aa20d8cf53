// Files whose checksums are right and whose nodes and descriptors name the wrong pages: each answer is a
// status or right, and nothing is read out of bounds (the sanitizers watch).
#include <functional>

#include "base/hash.h"
#include "btree/extent.h"
#include "btree/int_node.h"
#include "btree/node.h"
#include "tests/btree/tree_test_util.h"
#include "tests/support/sim_file.h"

namespace kvsql::btree {
namespace {

using kvsql::testing::SimFileSystem;

constexpr const char* kPath = "/damage/db";
constexpr uint32_t kPageSize = 4096;
constexpr pager::TreeId kTree = pager::kCatalogTree;
constexpr int64_t kRows = 20'000;
constexpr int64_t kLargeKey = kRows * 2;

// Pages read from the file so far.
uint64_t pages_validated = 0;

Status CountingValidator(const uint8_t* page, uint32_t page_size) {
  ++pages_validated;
  return ValidatePage(page, page_size);
}

std::string RowOf(int64_t key) { return "row " + std::to_string(key) + std::string(100, '.'); }

class DamageTest : public ::testing::Test {
 protected:
  // A tree of kRows rows and a large value behind them, in a closed file.
  void SetUp() override {
    Open();
    auto txn = BeginWrite();
    ASSERT_EQ(txn->CreateTree(pager::KeyKind::kInt64), kTree);
    TreeWriter writer(txn.get(), kTree);
    for (int64_t key = 0; key < kRows; ++key) ASSERT_TRUE(*writer.Put(key, RowOf(key)));
    ASSERT_TRUE(*writer.Put(kLargeKey, std::string(30'000, '\xff')));
    ASSERT_TRUE(writer.Sync().ok());
    ASSERT_TRUE(txn->Commit({}, pager::Durability::kFull).ok());
    txn.reset();

    pager::Snapshot snapshot(pager_);
    ASSERT_TRUE(snapshot.Begin());
    const TreeView view = View(snapshot);
    ASSERT_GE(view.root.height, 1);
    root_page_ = view.root.page;
    height_ = view.root.height;
    ValueRef ref;
    ASSERT_EQ(Find(view, kLargeKey, &ref), FindResult::kFound);
    ASSERT_TRUE(ref.is_large);
    run_ = DescriptorRun(ref.data, 0);
    ASSERT_EQ(run_.pages, 8u);
    // The first leaf and its parent.
    leaf_ = root_page_;
    for (uint32_t level = height_; level > 0; --level) {
      parent_ = leaf_;
      leaf_ = LoadChild(IntNode::ChildCell(snapshot.pages().Fetch(parent_), 0, kPageSize));
    }
    // The leaf with the large value.
    last_leaf_ = root_page_;
    for (uint32_t level = height_; level > 0; --level) {
      const uint8_t* page = snapshot.pages().Fetch(last_leaf_);
      last_leaf_ = LoadChild(IntNode::ChildCell(page, CountOf(page) - 1, kPageSize));
    }
    snapshot.End();
    Close();
  }

  void Open() {
    pager::PagerOptions options;
    options.file_system = &file_system_;
    options.path = kPath;
    options.background = false;
    options.map_size = 64u << 20;
    options.validator = CountingValidator;
    auto opened = pager::Pager::Open(options);
    ASSERT_TRUE(opened.ok()) << opened.status();
    pager_ = *opened;
    pages_validated = 0;
  }
  void Close() {
    ASSERT_TRUE(pager_->Close().ok());
    pager_.reset();
  }
  std::unique_ptr<pager::WriteTransaction> BeginWrite() {
    auto txn = pager_->BeginWrite();
    EXPECT_TRUE(txn.ok()) << txn.status();
    return std::move(*txn);
  }
  static TreeView View(const pager::Snapshot& snapshot) {
    return {&snapshot.pages(), kTree, snapshot.root(kTree)};
  }

  std::vector<uint8_t> PageOf(pager::PageId page) const {
    const std::vector<uint8_t> file = file_system_.Contents(kPath);
    const auto begin = file.begin() + static_cast<ptrdiff_t>(page) * kPageSize;
    return {begin, begin + kPageSize};
  }
  void PutPage(pager::PageId page, std::vector<uint8_t> bytes) {
    file_system_.Corrupt(kPath, uint64_t{page} * kPageSize, bytes);
  }
  // With the checksum of a page that the pager wrote.
  void PutNode(pager::PageId page, std::vector<uint8_t> bytes) {
    Open();
    const uint64_t salt = pager_->salt();
    Close();
    pager::HeaderOf(bytes.data())->page = page;
    pager::HeaderOf(bytes.data())->checksum = Hash64(bytes.data() + 8, kPageSize - 8, salt);
    PutPage(page, bytes);
  }
  void PointFirstChildAt(pager::PageId child) {
    std::vector<uint8_t> parent = PageOf(parent_);
    auto* cell = const_cast<uint8_t*>(IntNode::ChildCell(parent.data(), 0, kPageSize));
    StoreLe<uint32_t>(cell, child);
    PutNode(parent_, parent);
  }
  // Changes the descriptor of the large value.
  void ChangeDescriptor(const std::function<void(uint8_t* descriptor)>& change) {
    std::vector<uint8_t> leaf = PageOf(last_leaf_);
    const ValueRef ref = IntNode::Value(leaf.data(), CountOf(leaf.data()) - 1);
    ASSERT_TRUE(ref.is_large);
    change(const_cast<uint8_t*>(ref.data));
    PutNode(last_leaf_, leaf);
  }
  static void SetRun(uint8_t* descriptor, pager::PageRun run) {
    StoreLe<uint32_t>(descriptor + sizeof(ExtentDescriptor), run.first);
    StoreLe<uint32_t>(descriptor + sizeof(ExtentDescriptor) + 4, run.pages);
  }

  static Status ReadRow(const TreeView& view, int64_t key) {
    ValueRef ref;
    const FindResult found = Find(view, key, &ref);
    if (found == FindResult::kError) return FindError(view, key);
    if (found == FindResult::kNotFound) return absl::NotFoundError("");
    return ReadValue(*view.pages, ref).status();
  }
  static bool IsDataLoss(const Status& status) {
    return status.code() == absl::StatusCode::kDataLoss;
  }

  SimFileSystem file_system_;
  std::shared_ptr<pager::Pager> pager_;
  pager::PageId root_page_ = 0;
  uint32_t height_ = 0;
  pager::PageId parent_ = 0;
  pager::PageId leaf_ = 0;
  pager::PageId last_leaf_ = 0;
  pager::PageRun run_;
};

TEST_F(DamageTest, ANodeThatNamesAPageOfALargeValue) {
  for (const uint32_t index : {0u, 3u}) {
    PointFirstChildAt(run_.first + index);
    for (const bool value_first : {false, true}) {
      Open();
      pager::Snapshot snapshot(pager_);
      ASSERT_TRUE(snapshot.Begin());
      const TreeView view = View(snapshot);
      if (value_first) {
        EXPECT_TRUE(ReadRow(view, kLargeKey).ok());
      }
      EXPECT_TRUE(IsDataLoss(ReadRow(view, 1))) << ReadRow(view, 1);
      EXPECT_TRUE(ReadRow(view, kLargeKey).ok());
      EXPECT_TRUE(IsDataLoss(ReadRow(view, 1)));
      snapshot.End();
      Close();
    }
  }
}

// The value's bytes are even those of a node.
TEST_F(DamageTest, APageIsANodeOrOfALargeValueButNotBoth) {
  PointFirstChildAt(run_.first);
  PutNode(run_.first, PageOf(leaf_));
  ChangeDescriptor([this](uint8_t* descriptor) {
    const std::vector<uint8_t> file = file_system_.Contents(kPath);
    auto parsed = LoadLe<ExtentDescriptor>(descriptor);
    ASSERT_EQ(parsed.stored, 30'000u);
    parsed.hash = Hash64(file.data() + uint64_t{run_.first} * kPageSize, 30'000, parsed.birth);
    StoreLe(descriptor, parsed);
  });
  for (const bool value_first : {false, true}) {
    Open();
    pager::Snapshot snapshot(pager_);
    ASSERT_TRUE(snapshot.Begin());
    const TreeView view = View(snapshot);
    const int64_t keys[] = {1, kLargeKey};
    EXPECT_TRUE(ReadRow(view, keys[value_first ? 1 : 0]).ok());
    EXPECT_TRUE(IsDataLoss(ReadRow(view, keys[value_first ? 0 : 1])));
    snapshot.End();
    Close();
  }
}

TEST_F(DamageTest, ANodeThatNamesAPageWhichALargeValueTakes) {
  // Free in the file, so that the next large value gets it; where, a rehearsal tells.
  pager::PageRun taken;
  Open();
  {
    auto txn = BeginWrite();
    TreeWriter writer(txn.get(), kTree);
    ASSERT_TRUE(*writer.Put(kLargeKey + 1, std::string(30'000, '\xfe')));
    ValueRef ref;
    ASSERT_EQ(writer.Find(kLargeKey + 1, &ref), FindResult::kFound);
    taken = DescriptorRun(ref.data, 0);
  }
  Close();
  PointFirstChildAt(taken.first);
  Open();
  auto txn = BeginWrite();
  {
    TreeWriter writer(txn.get(), kTree);
    ASSERT_TRUE(*writer.Put(kLargeKey + 1, std::string(30'000, '\xfe')));
    ValueRef ref;
    ASSERT_EQ(writer.Find(kLargeKey + 1, &ref), FindResult::kFound);
    ASSERT_EQ(DescriptorRun(ref.data, 0), taken);
    EXPECT_TRUE(IsDataLoss(ReadRow(writer.View(), 1)));
    EXPECT_TRUE(IsDataLoss(writer.Put(int64_t{1}, "new").status()));
    EXPECT_TRUE(IsDataLoss(writer.Delete(int64_t{1}).status()));
    ASSERT_TRUE(writer.Sync().ok());
  }
  ASSERT_TRUE(txn->Commit({}, pager::Durability::kFull).ok());  // by a checkpoint
  txn.reset();
  pager::Snapshot snapshot(pager_);
  ASSERT_TRUE(snapshot.Begin());
  EXPECT_TRUE(IsDataLoss(ReadRow(View(snapshot), 1)));
  EXPECT_TRUE(ReadRow(View(snapshot), kLargeKey + 1).ok());
  snapshot.End();
  Close();
}

TEST_F(DamageTest, ALargeValueThatNamesANode) {
  // Its hash is right, so only what is known of the pages can tell.
  ChangeDescriptor([this](uint8_t* descriptor) {
    const std::vector<uint8_t> file = file_system_.Contents(kPath);
    auto parsed = LoadLe<ExtentDescriptor>(descriptor);
    parsed.stored = parsed.length = kPageSize;
    parsed.hash = Hash64(file.data() + uint64_t{leaf_} * kPageSize, kPageSize, parsed.birth);
    StoreLe(descriptor, parsed);
    SetRun(descriptor, {leaf_, 1});
  });
  Open();
  pager::Snapshot snapshot(pager_);
  ASSERT_TRUE(snapshot.Begin());
  EXPECT_TRUE(ReadRow(View(snapshot), 1).ok());
  EXPECT_TRUE(IsDataLoss(ReadRow(View(snapshot), kLargeKey)));
  EXPECT_TRUE(ReadRow(View(snapshot), 1).ok());
  snapshot.End();
  Close();
}

TEST_F(DamageTest, ALargeValueWhoseRunIsLongerThanTheFrame) {
  for (const pager::KeyKind kind : {pager::KeyKind::kInt64, pager::KeyKind::kBytes}) {
    TestTree tree(kind);  // in memory: extents stay in frames
    const std::string value(30'000, 'v');
    ValueRef ref;
    if (kind == pager::KeyKind::kInt64) {
      ASSERT_TRUE(*tree.writer->Put(int64_t{1}, value));
      ASSERT_EQ(tree.writer->Find(int64_t{1}, &ref), FindResult::kFound);
    } else {
      ASSERT_TRUE(*tree.writer->Put("key", value));
      ASSERT_EQ(tree.writer->Find("key", &ref), FindResult::kFound);
    }
    const pager::PageRun run = DescriptorRun(ref.data, 0);
    std::vector<uint8_t> descriptor(ref.data, ref.data + ref.size);
    for (const pager::PageRun wrong :
         {pager::PageRun{run.first, run.pages + 20}, pager::PageRun{run.first + 1, run.pages},
          pager::PageRun{run.first - 1, run.pages}, pager::PageRun{run.first, 0x8000'0000},
          pager::PageRun{0xffff'fffe, 8}, pager::PageRun{0xffff'fff8, 8}}) {
      auto parsed = LoadLe<ExtentDescriptor>(descriptor.data());
      parsed.stored = parsed.length = wrong.pages < 100 ? wrong.pages * kPageSize : 1u << 30;
      StoreLe(descriptor.data(), parsed);
      SetRun(descriptor.data(), wrong);
      EXPECT_TRUE(IsDataLoss(ReadExtent(*tree.txn, descriptor.data()).status())) << wrong.first;
      // Nothing is freed by it, and nothing breaks.
      FreeExtent(tree.txn.get(), descriptor.data());
    }
    EXPECT_TRUE(ReadLarge(*tree.txn, ref)->view() == value);
    tree.Commit();
    EXPECT_TRUE(tree.Check().ok()) << tree.Check();
  }
}

TEST_F(DamageTest, DeletingALargeValueOutsideTheFile) {
  for (const pager::PageRun run :
       {pager::PageRun{0x7fff'fff0, 8}, pager::PageRun{1, 8}, pager::PageRun{0xffff'fffc, 8}}) {
    ChangeDescriptor([run](uint8_t* descriptor) { SetRun(descriptor, run); });
    Open();
    {
      auto txn = BeginWrite();
      TreeWriter writer(txn.get(), kTree);
      EXPECT_TRUE(IsDataLoss(ReadRow(writer.View(), kLargeKey)));
      ASSERT_TRUE(writer.Delete(kLargeKey).ok());
      ASSERT_TRUE(writer.Put(kLargeKey, std::string(20'000, 'n')).ok());
      EXPECT_TRUE(ReadRow(writer.View(), kLargeKey).ok());
    }
    EXPECT_FALSE(pager_->IsFree(1));
    Close();
  }
}

TEST_F(DamageTest, CuttingLeavesThatAreNamedWrongly) {
  std::vector<uint8_t> parent = PageOf(parent_);
  const pager::PageId second = LoadChild(IntNode::ChildCell(parent.data(), 1, kPageSize));
  for (const pager::PageId child :
       {second, pager::PageId{0x7fff'ffff}, pager::PageId{0xffff'fffe}}) {
    PointFirstChildAt(child);
    Open();
    {
      auto txn = BeginWrite();
      TreeWriter writer(txn.get(), kTree);
      EXPECT_TRUE(IsDataLoss(writer.DeleteRange(std::nullopt, kRows - 10).status()));
      EXPECT_TRUE(IsDataLoss(writer.Clear().status()));
    }
    Close();
  }
}

// What is cut away need not be read.
TEST_F(DamageTest, ColdSubtreesAreCutUnread) {
  Open();
  {
    auto txn = BeginWrite();
    TreeWriter writer(txn.get(), kTree);
    EXPECT_EQ(*writer.DeleteRange(int64_t{100}, kRows - 100), static_cast<uint64_t>(kRows - 200));
    EXPECT_LT(pages_validated, 30u);
    ASSERT_TRUE(writer.Sync().ok());
    ASSERT_TRUE(CheckTree(writer.View(), nullptr).ok());
    ASSERT_TRUE(txn->Commit({}, pager::Durability::kFull).ok());
  }
  Close();
  Open();
  EXPECT_LT(pager_->stats().page_count - pager_->stats().free_pages, 60u);
  {
    auto txn = BeginWrite();
    TreeWriter writer(txn.get(), kTree);
    EXPECT_EQ(*writer.Clear(), 201u);
    ASSERT_TRUE(writer.Sync().ok());
    ASSERT_TRUE(txn->Commit({}, pager::Durability::kFull).ok());
  }
  Close();
}

// A leaf whose birth was not looked up is held for a snapshot that needs it.
TEST_F(DamageTest, SnapshotsKeepWhatWasCutUnread) {
  Open();
  pager::Snapshot snapshot(pager_);
  ASSERT_TRUE(snapshot.Begin());
  {
    auto txn = BeginWrite();
    TreeWriter writer(txn.get(), kTree);
    ASSERT_TRUE(writer.Clear().ok());
    ASSERT_TRUE(writer.Sync().ok());
    ASSERT_TRUE(txn->Commit({}, pager::Durability::kFull).ok());
  }
  for (int round = 0; round < 3; ++round) {
    auto txn = BeginWrite();
    TreeWriter writer(txn.get(), kTree);
    for (int64_t key = 0; key < kRows; ++key) ASSERT_TRUE(writer.Put(key, "other").ok());
    ASSERT_TRUE(writer.Sync().ok());
    ASSERT_TRUE(txn->Commit({}, pager::Durability::kFull).ok());
  }
  const TreeView view = View(snapshot);
  for (int64_t key = 0; key < kRows; ++key) {
    ValueRef ref;
    ASSERT_EQ(Find(view, key, &ref), FindResult::kFound) << key;
    ASSERT_EQ(ref.view(), RowOf(key));
  }
  snapshot.End();
  Close();
}

}  // namespace
}  // namespace kvsql::btree
