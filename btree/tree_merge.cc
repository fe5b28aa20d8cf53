// What happens when a node has become poor or empty.
#include <algorithm>

#include "base/check.h"
#include "btree/writer_state.h"

namespace kvsql::btree {

template <typename Node>
void NodeWriter<Node>::RemoveChild(uint32_t level, uint32_t index, bool free_key) {
  uint8_t* page = path_[level].page;
  // Entry 1 loses its key when entry 0 goes.
  const uint8_t* at = nullptr;
  if (index != 0) {
    if (free_key) at = Node::KeyDescriptor(page, index, true);
  } else if (CountOf(page) > 1) {
    at = Node::KeyDescriptor(page, 1, true);
  }
  DescriptorBytes descriptor;
  if (at != nullptr) {
    descriptor.size = DescriptorSize(at);
    std::memcpy(descriptor.bytes, at, descriptor.size);
  }
  KV_CHECK(Node::RemoveAt(page, page_size_, index, true));
  if (descriptor.size != 0) FreeExtent(pages_, descriptor.bytes);
}

template <typename Node>
void NodeWriter<Node>::LowerRoot() {
  while (root_.height != 0) {
    const uint8_t* page = FetchNode<Node>(*pages_, tree_, root_.page, root_.height);
    if (page == nullptr || CountOf(page) != 1) return;
    const pager::PageId child = LoadChild(Node::ChildCell(page, 0, page_size_));
    pages_->Free(root_.page);
    root_.page = child;
    --root_.height;
    root_changed_ = true;
  }
}

template <typename Node>
void NodeWriter<Node>::Rebalance(bool whole_path) {
  FlushPending();
  pending_rows_ = 0;
  for (uint32_t level = 0;; ++level) {
    uint8_t* page = path_[level].page;
    if (level == root_.height) {
      if (CountOf(page) == 0) {
        pages_->Free(path_[level].id);
        root_.page = pager::kNoPage;
        root_.height = 0;
        root_changed_ = true;
      }
      break;
    }
    if (CountOf(page) == 0) {
      pages_->Free(path_[level].id);
      RemoveChild(level + 1, path_[level + 1].position, true);
      continue;
    }
    if (IsPoor(page)) {
      if (MergeAt(level)) continue;
    }
    if (!whole_path) break;
  }
  located_ = writable_ = false;
  if (root_.page != pager::kNoPage) LowerRoot();
}

template <typename Node>
bool NodeWriter<Node>::MergeAt(uint32_t level) {
  const uint32_t own = path_[level + 1].position;
  if (own + 1 < CountOf(path_[level + 1].page) && MergePair(level, own)) return true;
  return own > 0 && MergePair(level, own - 1);
}

// Merges the children `left` and `left` + 1 of the path's node above `level`; one of them is the path's own.
template <typename Node>
bool NodeWriter<Node>::MergePair(uint32_t level, uint32_t left) {
  uint8_t* parent = path_[level + 1].page;
  const bool branch = level != 0;
  const bool own_is_left = path_[level + 1].position == left;
  Step other;
  other.id = LoadChild(Node::ChildCell(parent, own_is_left ? left + 1 : left, page_size_));
  const uint8_t* page = FetchNode<Node>(*pages_, tree_, other.id, level);
  if (page == nullptr) return false;
  const size_t limit = page_size_ - page_size_ / 16;
  const uint8_t* own_page = path_[level].page;
  if (Node::UsedBytes(page, page_size_) + Node::UsedBytes(own_page, page_size_) >
      limit + kIntSlotsOffset) {
    return false;
  }
  entries_.clear();
  others_.clear();
  Node::Gather(own_is_left ? own_page : page, page_size_, branch, &buffers_[0], &entries_);
  Node::Gather(own_is_left ? page : own_page, page_size_, branch, &buffers_[1], &others_);
  OwnedKey key{};
  DescriptorBytes descriptor;
  if (branch && !others_.empty()) {
    // The separator comes down: the right node's first child needs its key again.
    Node::OwnKey(parent, left + 1, true, &key);
    others_[0].key = key;
    const uint8_t* at = Node::KeyDescriptor(parent, left + 1, true);
    if (at != nullptr) {
      descriptor.size = DescriptorSize(at);
      std::memcpy(descriptor.bytes, at, descriptor.size);
      others_[0].spilled = others_[0].extents = true;
      others_[0].body = descriptor.view();
    }
  }
  entries_.insert(entries_.end(), others_.begin(), others_.end());
  if (Node::SizeOf(entries_, branch, page_size_) > limit) return false;
  Step* const left_step = own_is_left ? &path_[level] : &other;
  const Step* const right_step = own_is_left ? &other : &path_[level];
  if (!own_is_left && !MakeWritable(&other).ok()) return false;
  Node::Build(left_step->page, page_size_, entries_, branch);
  SetChild(level + 1, left, left_step->id, left_step->page);
  pages_->Free(right_step->id);
  RemoveChild(level + 1, left + 1, !branch);
  return true;
}

template class NodeWriter<BytesNode>;
template class NodeWriter<IntNode>;

}  // namespace kvsql::btree
