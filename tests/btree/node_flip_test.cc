// ValidatePage and the accessors on damaged pages: a flip is either refused, or leaves a page on which every
// accessor stays inside the page (the sanitizers watch).
#include <cstring>
#include <memory>
#include <random>

#include "btree/bytes_node.h"
#include "btree/extent.h"
#include "btree/int_node.h"
#include "tests/btree/tree_test_util.h"

namespace kvsql::btree {
namespace {

// An exact allocation, so that a step outside is seen.
struct PageCopy {
  PageCopy(const uint8_t* page, uint32_t size) : bytes(new uint8_t[size]) {
    std::memcpy(bytes.get(), page, size);
  }
  std::unique_ptr<uint8_t[]> bytes;
};

uint64_t sink = 0;

void ReadAll(std::string_view bytes) {
  for (const char byte : bytes) sink += static_cast<uint8_t>(byte);
}

template <typename Node>
void UseEverything(uint8_t* page, uint32_t page_size,
                   const std::vector<typename Node::OwnedKey>& keys) {
  const pager::PageReader no_pages;  // spilled keys cannot be read: searches say so
  const bool branch = pager::HeaderOf(page)->level != 0;
  const uint32_t count = CountOf(page);
  for (uint32_t i = 0; i < count; ++i) {
    typename Node::OwnedKey key{};
    Node::OwnKey(page, i, branch, &key);
    if (const uint8_t* at = Node::KeyDescriptor(page, i, branch); at != nullptr) {
      ReadAll(AsView(at, DescriptorSize(at)));
    }
    if (branch) {
      sink += LoadChild(Node::ChildCell(page, i, page_size));
      sink += LoadRows(Node::ChildCell(page, i, page_size));
    } else {
      ReadAll(Node::Value(page, i).view());
    }
  }
  for (const auto& key : keys) {
    const NodePosition at =
        branch ? Node::SearchBranch(no_pages, page, key) : Node::SearchLeaf(no_pages, page, key);
    ASSERT_LE(at.index, count);
    if (branch && !at.error) {
      ASSERT_LT(at.index, count);
    }
    if (at.exact && !branch) ReadAll(Node::Value(page, at.index).view());
  }
  sink += Node::UsedBytes(page, page_size);
  sink += Node::CanShrink(page, page_size);
  GatherBuffer buffer;
  std::vector<typename Node::Entry> entries;
  Node::Gather(page, page_size, branch, &buffer, &entries);
  for (const auto& entry : entries) {
    ReadAll(entry.head);
    ReadAll(entry.body);
  }
  // Change it until it is empty.
  if (!branch) {
    typename Node::Entry entry;
    const uint8_t small[2] = {2, 'x'};
    entry.head = AsView(small, 2);
    for (uint32_t i = 0; i < count; i += 3) Node::ReplaceAt(page, i, entry);
  }
  while (CountOf(page) > 1 && Node::RemoveAt(page, page_size, CountOf(page) / 2, branch)) {
  }
}

class NodeFlipTest : public ::testing::Test {
 protected:
  // Flips each bit of each byte (or some bits of each), and walks over what is still accepted.
  template <typename Node>
  void FlipEverything(const uint8_t* page, uint32_t page_size,
                      const std::vector<typename Node::OwnedKey>& keys) {
    ASSERT_TRUE(ValidatePage(page, page_size).ok()) << ValidatePage(page, page_size);
    size_t refused = 0;
    for (uint32_t at = 8; at < page_size; ++at) {
      for (const uint8_t mask : {0x01, 0x80, 0xff}) {
        PageCopy copy(page, page_size);
        copy.bytes[at] ^= mask;
        if (!ValidatePage(copy.bytes.get(), page_size).ok()) {
          ++refused;
          continue;
        }
        UseEverything<Node>(copy.bytes.get(), page_size, keys);
        if (HasFatalFailure()) return;
      }
    }
    EXPECT_GT(refused, 50u);
  }

  // Random bytes behind a plausible header are refused or harmless.
  template <typename Node>
  void RandomPages(const uint8_t* page, uint32_t page_size,
                   const std::vector<typename Node::OwnedKey>& keys) {
    std::mt19937_64 random(11);
    for (int i = 0; i < 3000; ++i) {
      PageCopy copy(page, page_size);
      const int flips = 1 + static_cast<int>(random() % 12);
      for (int flip = 0; flip < flips; ++flip) {
        // Mostly where the structure is.
        const uint32_t range = random() % 3 == 0 ? page_size : 400;
        copy.bytes[26 + random() % (range - 26)] = static_cast<uint8_t>(random());
      }
      if (ValidatePage(copy.bytes.get(), page_size).ok()) {
        UseEverything<Node>(copy.bytes.get(), page_size, keys);
      }
      if (HasFatalFailure()) return;
    }
  }
};

const uint8_t* RootPage(TestTree& tree) { return tree.txn->Fetch(tree.writer->View().root.page); }

const uint8_t* FirstLeaf(TestTree& tree) {
  const TreeView view = tree.writer->View();
  const uint8_t* page = tree.txn->Fetch(view.root.page);
  for (uint32_t level = view.root.height; level > 0; --level) {
    const uint8_t* cell = view.root.kind == pager::KeyKind::kBytes
                              ? BytesNode::ChildCell(page, 0, 4096)
                              : IntNode::ChildCell(page, 0, 4096);
    page = tree.txn->Fetch(LoadChild(cell));
  }
  return page;
}

TEST_F(NodeFlipTest, BytesLeafAndBranch) {
  TestTree tree(pager::KeyKind::kBytes);
  std::vector<std::string> keys;
  for (int i = 0; i < 2000; ++i) {
    keys.push_back("key:" + std::to_string(i * 7919 % 100'000) + (i % 5 == 0 ? "/longer" : ""));
    const std::string value(static_cast<size_t>(i % 40), 'v');
    ASSERT_TRUE(tree.writer->Put(std::string_view(keys.back()), value).ok());
  }
  ASSERT_TRUE(tree.writer->Sync().ok());
  keys.resize(50);
  keys.push_back("");
  keys.push_back("zzz");
  FlipEverything<BytesNode>(FirstLeaf(tree), 4096, keys);
  RandomPages<BytesNode>(FirstLeaf(tree), 4096, keys);
  FlipEverything<BytesNode>(RootPage(tree), 4096, keys);
  RandomPages<BytesNode>(RootPage(tree), 4096, keys);
}

TEST_F(NodeFlipTest, BytesLeafWithExtents) {
  TestTree tree(pager::KeyKind::kBytes);
  std::vector<std::string> keys;
  for (int i = 0; i < 6; ++i) {
    keys.push_back(std::string(static_cast<size_t>(i % 2 == 0 ? 20 : 3000), 'k') +
                   std::to_string(i));
    const std::string value(static_cast<size_t>(i % 3 == 0 ? 5000 : 50), 'v');
    ASSERT_TRUE(tree.writer->Put(std::string_view(keys.back()), value).ok());
  }
  ASSERT_TRUE(tree.writer->Sync().ok());
  FlipEverything<BytesNode>(FirstLeaf(tree), 4096, keys);
  RandomPages<BytesNode>(FirstLeaf(tree), 4096, keys);
}

TEST_F(NodeFlipTest, IntegerLeavesAndBranch) {
  for (const int64_t step : {1, 3, 1000, 100'000'000}) {
    TestTree tree(pager::KeyKind::kInt64);
    std::vector<int64_t> keys;
    for (int64_t i = 0; i < 2000; ++i) {
      keys.push_back(i * step);
      const std::string value(static_cast<size_t>(i % 30), 'v');
      ASSERT_TRUE(tree.writer->Put(keys.back(), value).ok());
    }
    ASSERT_TRUE(tree.writer->Sync().ok());
    keys.resize(50);
    keys.push_back(std::numeric_limits<int64_t>::min());
    keys.push_back(std::numeric_limits<int64_t>::max());
    FlipEverything<IntNode>(FirstLeaf(tree), 4096, keys);
    RandomPages<IntNode>(FirstLeaf(tree), 4096, keys);
    FlipEverything<IntNode>(RootPage(tree), 4096, keys);
  }
}

TEST_F(NodeFlipTest, CellsBehindThePageAreRefused) {
  TestTree tree(pager::KeyKind::kBytes);
  for (int i = 0; i < 3000; ++i) {
    ASSERT_TRUE(tree.writer->Put(std::string_view(std::to_string(i)), "v").ok());
  }
  ASSERT_TRUE(tree.writer->Sync().ok());
  for (const uint8_t* page : {FirstLeaf(tree), RootPage(tree)}) {
    PageCopy copy(page, 4096);
    ASSERT_TRUE(ValidatePage(copy.bytes.get(), 4096).ok());
    BytesNode::Slots(copy.bytes.get())[1].offset = 4096 + 64;
    EXPECT_FALSE(ValidatePage(copy.bytes.get(), 4096).ok());
  }
}

TEST_F(NodeFlipTest, PureNoiseIsRefused) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 2000; ++i) {
    std::vector<uint8_t> page(4096);
    for (uint8_t& byte : page) byte = static_cast<uint8_t>(random());
    pager::PageHeader* header = pager::HeaderOf(page.data());
    header->type = static_cast<pager::PageType>(1 + i % 4);
    header->level = i % 2 == 0 ? 1 : 0;
    EXPECT_FALSE(ValidatePage(page.data(), 4096).ok());
  }
}

}  // namespace
}  // namespace kvsql::btree
