// CheckTree: everything that must hold between the pages of a tree.
#include "btree/check.h"

#include <optional>
#include <string>
#include <unordered_set>

#include "btree/bytes_node.h"
#include "btree/descend.h"
#include "btree/extent.h"
#include "btree/int_node.h"
#include "btree/large_value.h"

namespace kvsql::btree {
namespace {

template <typename Node>
class Checker {
 public:
  using OwnedKey = typename Node::OwnedKey;
  using Bound = std::optional<OwnedKey>;

  Checker(const TreeView& tree, TreeVisitor* visitor, const CheckOptions& options)
      : tree_(tree), pages_(*tree.pages), visitor_(visitor), options_(options) {}

  // Checks the subtree whose keys lie in [lo, hi).
  Status CheckNode(pager::PageId id, uint32_t level, const Bound& lo, const Bound& hi,
                   uint64_t* rows, bool* extents) {
    if (!seen_.insert(id).second) return Bad(id, "is reached twice");
    const uint8_t* page = FetchNode<Node>(pages_, tree_.id, id, level);
    if (page == nullptr) {
      Status status = NodeError(pages_, tree_.id, id, level, Node::kKind);
      return status.ok() ? Bad(id, "cannot be read") : status;
    }
    if (pager::HeaderOf(page)->page != id) {
      return Bad(id, absl::StrCat("says that it is page ", pager::HeaderOf(page)->page));
    }
    if (visitor_ != nullptr) KV_RETURN_IF_ERROR(visitor_->VisitPage(id));
    KV_RETURN_IF_ERROR(ValidatePage(page, pages_.page_size()));
    *extents = HasExtents(page);
    return level == 0 ? CheckLeaf(id, page, lo, hi, rows)
                      : CheckBranch(id, page, level, lo, hi, rows);
  }

 private:
  Status Bad(pager::PageId id, std::string_view what) const {
    return DataLoss("tree ", tree_.id, ": page ", id, " ", std::string(what));
  }

  Status KeyOf(pager::PageId id, const uint8_t* page, uint32_t index, bool branch, OwnedKey* key) {
    if constexpr (Node::kKind == pager::KeyKind::kInt64) {
      *key = Node::KeyAt(page, index, branch);
    } else if (!Node::WholeKey(pages_, page, index, branch, key)) {
      return SpilledKeyError(pages_, tree_.id, id);
    }
    return absl::OkStatus();
  }

  Status CheckExtent(const uint8_t* descriptor, bool read) {
    const auto extent = LoadLe<ExtentDescriptor>(descriptor);
    if (visitor_ != nullptr) {
      for (uint32_t i = 0; i < extent.runs; ++i) {
        KV_RETURN_IF_ERROR(visitor_->VisitRun(DescriptorRun(descriptor, i), extent.birth));
      }
    }
    return read ? ReadExtent(pages_, descriptor).status() : absl::OkStatus();
  }

  // The entries' keys rise, lie in the node's range, and spilled ones can be read.
  Status CheckKeys(pager::PageId id, const uint8_t* page, bool branch, const Bound& lo,
                   const Bound& hi) {
    const uint32_t count = CountOf(page);
    OwnedKey key{};
    OwnedKey last{};
    const uint32_t first = branch ? 1 : 0;
    for (uint32_t i = first; i < count; ++i) {
      KV_RETURN_IF_ERROR(KeyOf(id, page, i, branch, &key));
      if (i > first && !(last < key)) {
        return Bad(id, absl::StrCat("slot ", i, ": keys are out of order"));
      }
      if (i == first && lo && key < *lo) {
        return Bad(id, absl::StrCat("slot ", i, ": key lies before the parent's"));
      }
      if (hi && !(key < *hi)) {
        return Bad(id, absl::StrCat("slot ", i, ": key lies behind the parent's next"));
      }
      std::swap(last, key);
    }
    return absl::OkStatus();
  }

  Status CheckLeaf(pager::PageId id, const uint8_t* page, const Bound& lo, const Bound& hi,
                   uint64_t* rows) {
    KV_RETURN_IF_ERROR(CheckKeys(id, page, false, lo, hi));
    const uint32_t count = CountOf(page);
    *rows = count;
    if (!HasExtents(page)) return absl::OkStatus();
    for (uint32_t i = 0; i < count; ++i) {
      if (const uint8_t* key = Node::KeyDescriptor(page, i, false); key != nullptr) {
        KV_RETURN_IF_ERROR(CheckExtent(key, false));  // CheckKeys has read it
      }
      const ValueRef value = Node::Value(page, i);
      if (value.is_large) {
        KV_RETURN_IF_ERROR(CheckExtent(value.data, options_.read_large_values));
      }
    }
    return absl::OkStatus();
  }

  Status CheckBranch(pager::PageId id, const uint8_t* page, uint32_t level, const Bound& lo,
                     const Bound& hi, uint64_t* rows) {
    KV_RETURN_IF_ERROR(CheckKeys(id, page, true, lo, hi));
    const uint32_t count = CountOf(page);
    *rows = 0;
    Bound from = lo;
    for (uint32_t i = 0; i < count; ++i) {
      if (const uint8_t* key = Node::KeyDescriptor(page, i, true); key != nullptr) {
        KV_RETURN_IF_ERROR(CheckExtent(key, false));
      }
      Bound to = hi;
      if (i + 1 < count) {
        OwnedKey next{};
        KV_RETURN_IF_ERROR(KeyOf(id, page, i + 1, true, &next));
        to = std::move(next);
      }
      const uint8_t* cell = Node::ChildCell(page, i, pages_.page_size());
      const uint64_t said = LoadRows(cell);
      uint64_t child_rows = 0;
      bool child_extents = false;
      KV_RETURN_IF_ERROR(
          CheckNode(LoadChild(cell), level - 1, from, to, &child_rows, &child_extents));
      if (child_rows != (said & kRowsMask)) {
        return Bad(id, absl::StrCat("slot ", i, ": says ", said & kRowsMask,
                                    " rows, the subtree has ", child_rows));
      }
      if (child_extents && (said & kSubtreeHasExtents) == 0) {
        return Bad(id, absl::StrCat("slot ", i, ": does not know of its subtree's extents"));
      }
      *rows += child_rows;
      from = std::move(to);
    }
    return absl::OkStatus();
  }

  const TreeView& tree_;
  const pager::PageReader& pages_;
  TreeVisitor* const visitor_;
  const CheckOptions options_;
  std::unordered_set<pager::PageId> seen_;
};

template <typename Node>
Status CheckTreeOf(const TreeView& tree, TreeVisitor* visitor, const CheckOptions& options) {
  uint64_t rows = 0;
  if (tree.root.page != pager::kNoPage) {
    if (!HeightOk(tree.root)) {
      return DataLoss("tree ", tree.id, ": impossible height ", static_cast<int>(tree.root.height));
    }
    bool extents = false;
    Checker<Node> checker(tree, visitor, options);
    KV_RETURN_IF_ERROR(
        checker.CheckNode(tree.root.page, tree.root.height, {}, {}, &rows, &extents));
  }
  if (rows != tree.root.count) {
    return DataLoss("tree ", tree.id, ": the root table says ", tree.root.count,
                    " entries, the tree has ", rows);
  }
  return absl::OkStatus();
}

}  // namespace

Status CheckTree(const TreeView& tree, TreeVisitor* visitor, const CheckOptions& options) {
  if (tree.root.kind == pager::KeyKind::kInt64) {
    return CheckTreeOf<IntNode>(tree, visitor, options);
  }
  return CheckTreeOf<BytesNode>(tree, visitor, options);
}

}  // namespace kvsql::btree
