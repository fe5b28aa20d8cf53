// Sharing: before a leaf splits, its siblings are asked for room. A tree that was loaded in order has full leaves
// only; if each of them were halved at its first change that needs a byte more, the file would double.
#include <algorithm>
#include <vector>

#include "base/check.h"
#include "btree/writer_state.h"

namespace kvsql::btree {

template <typename Node>
bool NodeWriter<Node>::HasRoom(uint32_t sibling, uint32_t least) const {
  const pager::PageId id = LoadChild(Node::ChildCell(path_[1].page, sibling, page_size_));
  const uint8_t* page = FetchNode<Node>(*pages_, tree_, id, 0);
  return page != nullptr && Node::UsedBytes(page, page_size_) <= page_size_ - least;
}

template <typename Node>
StatusOr<bool> NodeWriter<Node>::Redistribute(LeafChange change, int64_t rows_delta) {
  if (root_.height == 0) return false;
  const uint32_t own = path_[1].position;
  const uint32_t count = CountOf(path_[1].page);
  // Inserts go on, so there must be room worth the work, and near: with a third of a page, a load in random order takes
  // 0.84 of the time that it takes with an eighth, and its file is 1.03 times as large. Values that grow and integers that are no
  // longer consecutive are satisfied with little.
  const bool insert = change == LeafChange::kInsert;
  const uint32_t reach = insert ? 1 : kReach;
  for (uint32_t distance = 1; distance <= reach; ++distance) {
    const uint32_t least = insert ? page_size_ / 3 : distance * page_size_ / 24;
    if (own + distance < count && HasRoom(own + distance, least)) {
      KV_ASSIGN_OR_RETURN(const bool done, Spread(own, own + distance, rows_delta));
      if (done) return true;
    }
    if (own >= distance && HasRoom(own - distance, least)) {
      KV_ASSIGN_OR_RETURN(const bool done, Spread(own - distance, own, rows_delta));
      if (done) return true;
    }
  }
  return false;
}

// Chooses where to cut the entries into cuts.size() + 1 leaves of about one size: at the shortest separator near
// each ideal place. False if one of the leaves would not fit.
template <typename Node>
bool NodeWriter<Node>::CutEvenly(std::span<const Entry> entries, std::span<size_t> cuts) const {
  const size_t leaves = cuts.size() + 1;
  size_t total = 0;
  for (const Entry& entry : entries) total += Node::Weight(entry);
  const size_t window = total / leaves / 16;
  size_t before = 0;
  size_t i = 0;
  for (size_t k = 0; k < cuts.size(); ++k) {
    const size_t target = total * (k + 1) / leaves;
    size_t best = 0;
    size_t best_length = ~size_t{0};
    size_t nearest = 0;
    size_t nearest_distance = ~size_t{0};
    while (i + 1 < entries.size() && before <= target + window) {
      before += Node::Weight(entries[i++]);
      const size_t distance = before > target ? before - target : target - before;
      if (distance < nearest_distance) {
        nearest_distance = distance;
        nearest = i;
      }
      if (distance > window) continue;
      const size_t length = Node::SeparatorLength(entries[i - 1], entries[i]);
      if (length < best_length) {
        best_length = length;
        best = i;
      }
    }
    cuts[k] = best != 0 ? best : nearest;
  }
  size_t from = 0;
  for (size_t k = 0; k < leaves; ++k) {
    const size_t to = k < cuts.size() ? cuts[k] : entries.size();
    if (to <= from || !Fits(entries.subspan(from, to - from), false)) return false;
    from = to;
  }
  return true;
}

// Spreads the entries of the children `first` to `last` of the path's lowest branch evenly over them; the path's
// leaf is one of them.
template <typename Node>
StatusOr<bool> NodeWriter<Node>::Spread(uint32_t first, uint32_t last, int64_t rows_delta) {
  uint8_t* parent = path_[1].page;
  const uint32_t own = path_[1].position;
  const uint32_t leaves = last - first + 1;
  Step steps[kReach + 1];
  others_.clear();
  for (uint32_t i = 0; i < leaves; ++i) {
    if (first + i == own) {
      steps[i] = path_[0];
      others_.insert(others_.end(), entries_.begin(), entries_.end());
      continue;
    }
    steps[i].id = LoadChild(Node::ChildCell(parent, first + i, page_size_));
    const uint8_t* page = FetchNode<Node>(*pages_, tree_, steps[i].id, 0);
    if (page == nullptr) return false;
    // Buffer 0 holds the own leaf, 1 the parent.
    Node::Gather(page, page_size_, false, &buffers_[2 + (first + i < own ? i : i - 1)], &others_);
  }
  const std::span<const Entry> all(others_);
  size_t cuts[kReach + 1];
  if (!CutEvenly(all, std::span(cuts, leaves - 1))) return false;
  cuts[leaves - 1] = all.size();

  parents_.clear();
  Node::Gather(parent, page_size_, true, &buffers_[1], &parents_);
  Rising separators[kReach];
  std::vector<DescriptorBytes> old_keys;
  for (uint32_t i = 1; i < leaves; ++i) {
    const Entry& left = all[cuts[i - 1] - 1];
    const Entry& right = all[cuts[i - 1]];
    if (left.spilled || right.spilled) return false;  // the separator may need an extent
    KV_ASSIGN_OR_RETURN(separators[i - 1], MakeSeparator(left, right));
    Entry& entry = parents_[first + i];
    if (entry.spilled) {
      DescriptorBytes& old = old_keys.emplace_back();
      old.size = static_cast<uint32_t>(entry.body.size());
      std::memcpy(old.bytes, entry.body.data(), entry.body.size());
    }
    entry.key = separators[i - 1].key;
    entry.spilled = false;
    entry.body = {};
  }
  if (!Fits(parents_, true)) return false;
  for (uint32_t i = 0; i < leaves; ++i) {
    if (first + i == own) continue;
    KV_RETURN_IF_ERROR(MakeWritable(&steps[i]));
    // At once: if the next one fails, this copy stays where the old page was.
    StoreChild(Node::ChildCell(parent, first + i, page_size_), steps[i].id);
  }
  // Nothing fails from here on.
  Node::Build(parent, page_size_, parents_, true);
  size_t from = 0;
  for (uint32_t i = 0; i < leaves; ++i) {
    Node::Build(steps[i].page, page_size_, all.subspan(from, cuts[i] - from), false);
    SetChild(1, first + i, steps[i].id, steps[i].page);
    from = cuts[i];
  }
  AddToBranchRows(2, rows_delta);
  if (HasExtents(parent)) MarkExtents(2);
  for (const DescriptorBytes& key : old_keys) FreeExtent(pages_, key.bytes);
  located_ = writable_ = false;
  return true;
}

template class NodeWriter<BytesNode>;
template class NodeWriter<IntNode>;

}  // namespace kvsql::btree
