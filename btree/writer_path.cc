// The writer's path from the root to a leaf: finding it, making it writable, keeping the branches' counts.
#include "base/check.h"
#include "btree/writer_state.h"

namespace kvsql::btree {

void WriterState::Invalidate() {
  root_ = pages_->root(tree_);
  root_changed_ = false;
  located_ = writable_ = false;
  pending_rows_ = 0;
  spares_.clear();  // went with the rollback
  ++changes_;
}

Status WriterState::MakeWritable(Step* step) {
  KV_ASSIGN_OR_RETURN(step->page, pages_->Modify(&step->id));
  return absl::OkStatus();
}

Status WriterState::EnsureSpares(size_t count) {
  while (spares_.size() < count) {
    // Type and level are settled when the page is taken.
    KV_ASSIGN_OR_RETURN(const pager::NewPage page,
                        pages_->Allocate(pager::PageType::kNone, 0, tree_));
    spares_.push_back(page);
  }
  return absl::OkStatus();
}

pager::NewPage WriterState::TakeSpare(pager::PageType type, uint32_t level) {
  KV_CHECK(!spares_.empty());
  const pager::NewPage page = spares_.back();
  spares_.pop_back();
  pager::HeaderOf(page.data)->type = type;
  pager::HeaderOf(page.data)->level = static_cast<uint8_t>(level);
  return page;
}

void WriterState::FreeSpares() {
  for (const pager::NewPage& page : spares_) pages_->Free(page.id);
  spares_.clear();
}

void WriterState::FreeWaste(const Waste& waste) {
  for (const DescriptorBytes& extent : waste.extents) FreeExtent(pages_, extent.bytes);
  for (const pager::PageId page : waste.pages) pages_->Free(page);
}

template <typename Node>
Status NodeWriter<Node>::Locate(Key key) {
  DropPath();
  if (!HeightOk(root_)) {
    return DataLoss("tree ", tree_, ": impossible height ", static_cast<int>(root_.height));
  }
  pager::PageId id = root_.page;
  bool rightmost = true;
  for (uint32_t level = root_.height;; --level) {
    const uint8_t* page = FetchNode<Node>(*pages_, tree_, id, level);
    if (page == nullptr) [[unlikely]]
      return NodeError(*pages_, tree_, id, level, Node::kKind);
    Step& step = path_[level];
    step.id = id;
    step.page = const_cast<uint8_t*>(page);  // written only once it is writable
    if (level == 0) break;
    const NodePosition at = Node::SearchBranch(*pages_, page, key);
    if (at.error) [[unlikely]]
      return SpilledKeyError(*pages_, tree_, id);
    step.position = at.index;
    rightmost &= at.index + 1 == CountOf(page);
    id = LoadChild(Node::ChildCell(page, at.index, page_size_));
  }
  rightmost_ = rightmost;
  located_ = true;
  return absl::OkStatus();
}

template <typename Node>
Status NodeWriter<Node>::LocateEdge(bool last) {
  DropPath();
  if (!HeightOk(root_)) {
    return DataLoss("tree ", tree_, ": impossible height ", static_cast<int>(root_.height));
  }
  pager::PageId id = root_.page;
  rightmost_ = true;
  for (uint32_t level = root_.height;; --level) {
    const uint8_t* page = FetchNode<Node>(*pages_, tree_, id, level);
    if (page == nullptr) return NodeError(*pages_, tree_, id, level, Node::kKind);
    Step& step = path_[level];
    step.id = id;
    step.page = const_cast<uint8_t*>(page);
    if (level == 0) break;
    step.position = last ? CountOf(page) - 1 : 0;
    rightmost_ &= step.position + 1 == CountOf(page);
    id = LoadChild(Node::ChildCell(page, step.position, page_size_));
  }
  located_ = true;
  return absl::OkStatus();
}

template <typename Node>
Status NodeWriter<Node>::WritablePath() {
  ++changes_;
  for (uint32_t level = root_.height;; --level) {
    Step& step = path_[level];
    const pager::PageId old = step.id;
    Status status = MakeWritable(&step);
    if (!status.ok()) [[unlikely]] {
      located_ = writable_ = false;
      return status;
    }
    if (step.id != old) {
      if (level == root_.height) {
        root_.page = step.id;
        root_changed_ = true;
      } else {
        Step& parent = path_[level + 1];
        StoreChild(Node::ChildCell(parent.page, parent.position, page_size_), step.id);
      }
    }
    if (level == 0) break;
  }
  writable_ = true;
  return absl::OkStatus();
}

template <typename Node>
bool NodeWriter<Node>::Covers(const NodePosition& at, Key key) const {
  const uint32_t count = CountOf(path_[0].page);
  if (at.exact || (at.index != 0 && at.index < count)) return true;
  bool error = false;
  if (at.index == 0) {
    for (uint32_t level = 1; level <= root_.height; ++level) {
      const Step& step = path_[level];
      if (step.position == 0) continue;
      return Node::CompareEntry(*pages_, step.page, step.position, true, key, &error) <= 0 &&
             !error;
    }
    return true;
  }
  if (rightmost_) return true;
  for (uint32_t level = 1; level <= root_.height; ++level) {
    const Step& step = path_[level];
    if (step.position + 1 == CountOf(step.page)) continue;
    return Node::CompareEntry(*pages_, step.page, step.position + 1, true, key, &error) > 0 &&
           !error;
  }
  return true;
}

template <typename Node>
void NodeWriter<Node>::AddToBranchRows(uint32_t from_level, int64_t rows) {
  if (rows == 0) return;
  for (uint32_t level = from_level; level <= root_.height; ++level) {
    uint8_t* cell = Node::ChildCell(path_[level].page, path_[level].position, page_size_);
    const uint64_t old = LoadRows(cell);
    StoreRows(cell, ((old + static_cast<uint64_t>(rows)) & kRowsMask) | (old & kSubtreeHasExtents));
  }
}

template <typename Node>
void NodeWriter<Node>::FlushPending() {
  if (!writable_) return;
  AddToBranchRows(1, pending_rows_);
  pending_rows_ = 0;
  if (!HasExtents(path_[0].page)) return;
  for (uint32_t level = 1; level <= root_.height; ++level) {
    uint8_t* page = path_[level].page;
    uint8_t* cell = Node::ChildCell(page, path_[level].position, page_size_);
    StoreRows(cell, LoadRows(cell) | kSubtreeHasExtents);
    NodeHeaderOf(page)->flags |= kNodeHasExtents;
  }
}

template <typename Node>
Status NodeWriter<Node>::Sync() {
  DropPath();
  FreeSpares();
  if (root_changed_) {
    pages_->SetRoot(tree_, root_);
    root_changed_ = false;
  }
  return absl::OkStatus();
}

template <typename Node>
StatusOr<const uint8_t*> NodeWriter<Node>::LastLeaf() {
  if (root_.page == pager::kNoPage) return nullptr;
  if (!located_ || !rightmost_) KV_RETURN_IF_ERROR(LocateEdge(true));
  return path_[0].page;
}

template class NodeWriter<BytesNode>;
template class NodeWriter<IntNode>;

}  // namespace kvsql::btree
