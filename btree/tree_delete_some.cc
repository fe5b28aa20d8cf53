// Deleting many keys of a tree of integers: a leaf that loses several entries is built anew once.
#include "btree/writer_state.h"

namespace kvsql::btree {

// As many of the first keys as surely lie in one leaf; returns how many these were. Falls back to one key at a time
// where a key is missing, for few keys, and where values stand outside of the leaf.
template <typename Node>
StatusOr<size_t> NodeWriter<Node>::DeleteSome(std::span<const Key> keys, size_t* deleted) {
  constexpr size_t kFew = 4;
  const auto one = [&]() -> StatusOr<size_t> {
    KV_ASSIGN_OR_RETURN(const bool found, Delete(keys[0]));
    *deleted = found ? 1 : 0;
    return size_t{1};
  };
  if (keys.size() < kFew || root_.page == pager::kNoPage) return one();
  NodePosition at;
  if (located_) at = Node::SearchLeaf(*pages_, path_[0].page, keys[0]);
  if (!located_ || at.error || !Covers(at, keys[0])) {
    KV_RETURN_IF_ERROR(Locate(keys[0]));
    at = Node::SearchLeaf(*pages_, path_[0].page, keys[0]);
  }
  const uint8_t* const leaf = path_[0].page;
  const uint32_t count = CountOf(leaf);
  if (at.error || !at.exact || HasExtents(leaf)) return one();
  // Entries and keys rise side by side. One entry stays, for Delete to empty the leaf.
  places_.clear();
  const size_t most = std::min<size_t>(keys.size(), count - 1);
  uint32_t place = at.index;
  for (size_t i = 0; i < most && place < count; ++i) {
    while (place < count && Node::LeafKey(leaf, place) < keys[i]) ++place;
    if (place == count || Node::LeafKey(leaf, place) != keys[i]) break;
    places_.push_back(place++);
  }
  if (places_.size() < kFew) return one();
  if (!writable_) KV_RETURN_IF_ERROR(WritablePath());
  uint8_t* const page = path_[0].page;
  const NodeHeader hints = *NodeHeaderOf(page);
  entries_.clear();
  Node::Gather(page, page_size_, false, &buffers_[0], &entries_);
  size_t kept = places_[0];
  size_t next = 0;
  for (size_t i = places_[0]; i < entries_.size(); ++i) {
    if (next < places_.size() && places_[next] == i) {
      ++next;
    } else {
      entries_[kept++] = entries_[i];
    }
  }
  entries_.resize(kept);
  Node::Build(page, page_size_, entries_, false);
  NodeHeaderOf(page)->last_insert = hints.last_insert;
  NodeHeaderOf(page)->run = 0;
  *deleted = places_.size();
  pending_rows_ -= static_cast<int64_t>(places_.size());
  root_.count -= places_.size();
  root_changed_ = true;
  ++changes_;
  if (IsPoor(page)) Rebalance(false);
  return places_.size();
}

template StatusOr<size_t> NodeWriter<IntNode>::DeleteSome(std::span<const int64_t> keys,
                                                          size_t* deleted);

}  // namespace kvsql::btree
