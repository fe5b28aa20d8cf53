#include "btree/tree.h"

#include <string>

#include "btree/bytes_node.h"
#include "btree/descend.h"
#include "btree/int_node.h"

namespace kvsql::btree {
namespace {

template <typename Node>
inline FindResult FindIn(const TreeView& tree, typename Node::Key key, ValueRef* out) {
  const pager::PageReader& pages = *tree.pages;
  pager::PageId id = tree.root.page;
  if (id == pager::kNoPage) [[unlikely]]
    return FindResult::kNotFound;
  const uint32_t page_size = pages.page_size();
  uint32_t level = tree.root.height;
  const uint8_t* page = FetchNode<Node>(pages, tree.id, id, level);
  while (level != 0) {
    if (page == nullptr) [[unlikely]]
      return FindResult::kError;
    const NodePosition at = Node::template SearchBranch<true>(pages, page, key);
    if (at.error) [[unlikely]]
      return FindResult::kError;
    id = LoadChild(Node::ChildCell(page, at.index, page_size));
    --level;
    page = FetchNode<Node>(pages, tree.id, id, level);
  }
  if (page == nullptr) [[unlikely]]
    return FindResult::kError;
  const NodePosition at = Node::template SearchLeaf<true>(pages, page, key);
  if (!at.exact) {
    return at.error ? FindResult::kError : FindResult::kNotFound;
  }
  *out = Node::Value(page, at.index);
  return FindResult::kFound;
}

template <typename Node>
Status FindErrorIn(const TreeView& tree, typename Node::Key key) {
  const pager::PageReader& pages = *tree.pages;
  pager::PageId id = tree.root.page;
  if (id == pager::kNoPage) return absl::OkStatus();
  for (uint32_t level = tree.root.height;; --level) {
    const uint8_t* page = FetchNode<Node>(pages, tree.id, id, level);
    if (page == nullptr) return NodeError(pages, tree.id, id, level, Node::kKind);
    const NodePosition at =
        level == 0 ? Node::SearchLeaf(pages, page, key) : Node::SearchBranch(pages, page, key);
    if (at.error) return SpilledKeyError(pages, tree.id, id);
    if (level == 0) return absl::OkStatus();
    id = LoadChild(Node::ChildCell(page, at.index, pages.page_size()));
  }
}

template <typename Node>
StatusOr<uint64_t> RankIn(const TreeView& tree, typename Node::Key key) {
  const pager::PageReader& pages = *tree.pages;
  const uint32_t page_size = pages.page_size();
  pager::PageId id = tree.root.page;
  if (id == pager::kNoPage) return uint64_t{0};
  uint64_t rank = 0;
  for (uint32_t level = tree.root.height;; --level) {
    const uint8_t* page = FetchNode<Node>(pages, tree.id, id, level);
    if (page == nullptr) return NodeError(pages, tree.id, id, level, Node::kKind);
    const NodePosition at =
        level == 0 ? Node::SearchLeaf(pages, page, key) : Node::SearchBranch(pages, page, key);
    if (at.error) return SpilledKeyError(pages, tree.id, id);
    if (level == 0) return rank + at.index;
    for (uint32_t i = 0; i < at.index; ++i) {
      rank += LoadRows(Node::ChildCell(page, i, page_size)) & kRowsMask;
    }
    id = LoadChild(Node::ChildCell(page, at.index, page_size));
  }
}

template <typename Node, typename Bound>
StatusOr<uint64_t> CountRangeIn(const TreeView& tree, Bound lo, Bound hi) {
  if (lo && hi && *hi <= *lo) return uint64_t{0};
  uint64_t from = 0;
  uint64_t to = tree.root.count;
  if (lo) {
    KV_ASSIGN_OR_RETURN(from, RankIn<Node>(tree, *lo));
  }
  if (hi) {
    KV_ASSIGN_OR_RETURN(to, RankIn<Node>(tree, *hi));
  }
  return to > from ? to - from : 0;
}

}  // namespace

Status NodeError(const pager::PageReader& pages, pager::TreeId tree, pager::PageId id,
                 uint32_t level, pager::KeyKind kind) {
  const uint8_t* page = pages.Fetch(id);
  if (page == nullptr) {
    Status status = pages.FetchError(id);
    if (!status.ok()) return status;
    return DataLoss("tree ", tree, ": page ", id, " cannot be read");
  }
  const pager::PageHeader* header = pager::HeaderOf(page);
  const bool bytes = kind == pager::KeyKind::kBytes;
  const auto type = bytes
                        ? (level == 0 ? pager::PageType::kBytesLeaf : pager::PageType::kBytesBranch)
                        : (level == 0 ? pager::PageType::kIntLeaf : pager::PageType::kIntBranch);
  if (header->tree != tree) {
    return DataLoss("tree ", tree, ": page ", id, " belongs to tree ", header->tree);
  }
  if (header->type != type) {
    return DataLoss("tree ", tree, ": page ", id, " has type ", static_cast<int>(header->type),
                    ", expected ", static_cast<int>(type));
  }
  if (header->level != level) {
    return DataLoss("tree ", tree, ": page ", id, " has level ", static_cast<int>(header->level),
                    ", expected ", level);
  }
  if (header->birth > pages.txid()) {
    return DataLoss("tree ", tree, ": page ", id, " was born in transaction ", header->birth,
                    ", after its reader's ", pages.txid());
  }
  return absl::OkStatus();
}

Status SpilledKeyError(const pager::PageReader&, pager::TreeId tree, pager::PageId id) {
  return DataLoss("tree ", tree, ": page ", id,
                  ": a long key's extent cannot be read or its hash does not match");
}

FindResult Find(const TreeView& tree, std::string_view key, ValueRef* out) {
  return FindIn<BytesNode>(tree, key, out);
}
FindResult Find(const TreeView& tree, int64_t key, ValueRef* out) {
  return FindIn<IntNode>(tree, key, out);
}

Status FindError(const TreeView& tree, std::string_view key) {
  return FindErrorIn<BytesNode>(tree, key);
}
Status FindError(const TreeView& tree, int64_t key) { return FindErrorIn<IntNode>(tree, key); }

StatusOr<uint64_t> Rank(const TreeView& tree, std::string_view key) {
  return RankIn<BytesNode>(tree, key);
}
StatusOr<uint64_t> Rank(const TreeView& tree, int64_t key) { return RankIn<IntNode>(tree, key); }

StatusOr<uint64_t> CountRange(const TreeView& tree, BytesBound lo, BytesBound hi) {
  return CountRangeIn<BytesNode>(tree, lo, hi);
}
StatusOr<uint64_t> CountRange(const TreeView& tree, IntBound lo, IntBound hi) {
  return CountRangeIn<IntNode>(tree, lo, hi);
}

}  // namespace kvsql::btree
