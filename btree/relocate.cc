#include "btree/relocate.h"

#include "btree/bytes_node.h"
#include "btree/descend.h"
#include "btree/int_node.h"

namespace kvsql::btree {
namespace {

template <typename Node>
class Relocator {
 public:
  Relocator(pager::PageWriter* pages, pager::TreeId tree, pager::PageId cutoff, uint64_t limit)
      : pages_(pages), tree_(tree), cutoff_(cutoff), limit_(limit) {}

  uint64_t moved() const { return moved_; }

  // Moves what has to move in the subtree; *id is its root's new number.
  Status Visit(pager::PageId* id, uint32_t level) {
    const uint8_t* page = FetchNode<Node>(*pages_, tree_, *id, level);
    if (page == nullptr) return NodeError(*pages_, tree_, *id, level, Node::kKind);
    const uint32_t page_size = pages_->page_size();
    const uint32_t count = CountOf(page);
    for (uint32_t i = 0; i < count && !done_; ++i) {
      const pager::PageId before = LoadChild(Node::ChildCell(page, i, page_size));
      pager::PageId child = before;
      if (level > 1) {
        KV_RETURN_IF_ERROR(Visit(&child, level - 1));
      } else if (child >= cutoff_) {
        KV_RETURN_IF_ERROR(Move(&child));
      }
      if (child == before) continue;
      KV_ASSIGN_OR_RETURN(uint8_t * writable, pages_->Modify(id));
      StoreChild(Node::ChildCell(writable, i, page_size), child);
      page = writable;
    }
    if (*id >= cutoff_ && !done_) return Move(id);
    return absl::OkStatus();
  }

  Status Move(pager::PageId* id) {
    KV_RETURN_IF_ERROR(pages_->Modify(id).status());
    // The allocator hands out the lowest page first: nothing is free before the cutoff any more.
    done_ = *id >= cutoff_ || ++moved_ >= limit_;
    return absl::OkStatus();
  }

 private:
  pager::PageWriter* const pages_;
  const pager::TreeId tree_;
  const pager::PageId cutoff_;
  const uint64_t limit_;
  uint64_t moved_ = 0;
  bool done_ = false;
};

template <typename Node>
StatusOr<uint64_t> RelocateIn(pager::PageWriter* pages, pager::TreeId tree, pager::PageId cutoff,
                              uint64_t limit) {
  pager::TreeRoot root = pages->root(tree);
  if (root.page == pager::kNoPage || limit == 0) return uint64_t{0};
  if (root.height >= kMaxHeight)
    return DataLoss("tree ", tree, ": impossible height ", int{root.height});
  Relocator<Node> relocator(pages, tree, cutoff, limit);
  const pager::PageId before = root.page;
  if (root.height > 0) {
    KV_RETURN_IF_ERROR(relocator.Visit(&root.page, root.height));
  } else if (root.page >= cutoff) {
    KV_RETURN_IF_ERROR(relocator.Move(&root.page));
  }
  if (root.page != before) pages->SetRoot(tree, root);
  return relocator.moved();
}

}  // namespace

StatusOr<uint64_t> RelocateNodes(pager::PageWriter* pages, pager::TreeId tree, pager::PageId cutoff,
                                 uint64_t limit) {
  const pager::TreeRoot& root = pages->root(tree);
  if (!root.exists) return uint64_t{0};
  return root.kind == pager::KeyKind::kBytes ? RelocateIn<BytesNode>(pages, tree, cutoff, limit)
                                             : RelocateIn<IntNode>(pages, tree, cutoff, limit);
}

}  // namespace kvsql::btree
