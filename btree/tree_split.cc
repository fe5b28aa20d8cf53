// What happens when a change does not fit into its leaf: build it anew, share with siblings (tree_share.cc), split.
#include <algorithm>

#include "base/check.h"
#include "btree/writer_state.h"

namespace kvsql::btree {
namespace {

// So many inserts in a row at rising or falling places are a sequence.
constexpr int kSequence = 3;

}  // namespace

template <typename Node>
uint64_t NodeWriter<Node>::RowsOf(const uint8_t* page) const {
  const uint32_t count = CountOf(page);
  if (pager::HeaderOf(page)->level == 0) return count;
  uint64_t rows = 0;
  for (uint32_t i = 0; i < count; ++i) {
    rows += LoadRows(Node::ChildCell(page, i, page_size_)) & kRowsMask;
  }
  return rows & kRowsMask;
}

template <typename Node>
void NodeWriter<Node>::SetChild(uint32_t level, uint32_t index, pager::PageId child,
                                const uint8_t* page) {
  uint8_t* branch = path_[level].page;
  uint8_t* cell = Node::ChildCell(branch, index, page_size_);
  StoreChild(cell, child);
  StoreRows(cell, RowsOf(page) | (HasExtents(page) ? kSubtreeHasExtents : 0));
  if (HasExtents(page)) NodeHeaderOf(branch)->flags |= kNodeHasExtents;
}

template <typename Node>
void NodeWriter<Node>::MarkExtents(uint32_t level) {
  for (; level <= root_.height; ++level) {
    uint8_t* page = path_[level].page;
    uint8_t* cell = Node::ChildCell(page, path_[level].position, page_size_);
    StoreRows(cell, LoadRows(cell) | kSubtreeHasExtents);
    NodeHeaderOf(page)->flags |= kNodeHasExtents;
  }
}

template <typename Node>
Status NodeWriter<Node>::ChangeLeaf(LeafChange change, uint32_t index, const Entry& entry,
                                    uint32_t erased) {
  FlushPending();
  uint8_t* leaf = path_[0].page;
  NodeHeader hints = *NodeHeaderOf(leaf);
  int64_t rows_delta = 0;
  CutHint hint = CutHint::kMiddle;
  if (change == LeafChange::kInsert) {
    rows_delta = 1;
    NoteInsert(leaf, index);
    std::swap(hints, *NodeHeaderOf(leaf));
    const bool at_end = index == CountOf(leaf);
    if (hints.run >= kSequence || (at_end && rightmost_)) {
      hint = CutHint::kRising;
      // Unless a shorter prefix, or building the node anew, makes room.
      if (at_end && Node::SharesPrefix(leaf, entry.key) && !Node::CanShrink(leaf, page_size_)) {
        return AppendLeaf(entry);
      }
    } else if (hints.run <= -kSequence) {
      hint = CutHint::kFalling;
    }
  } else if (change == LeafChange::kErase) {
    rows_delta = -int64_t{erased};
    hints.run = 0;
  }

  entries_.clear();
  Node::Gather(leaf, page_size_, false, &buffers_[0], &entries_);
  switch (change) {
    case LeafChange::kInsert:
      entries_.insert(entries_.begin() + index, entry);
      break;
    case LeafChange::kReplace: {
      const Key key = entries_[index].key;
      entries_[index] = entry;
      entries_[index].key = key;
      break;
    }
    case LeafChange::kErase:
      entries_.erase(entries_.begin() + index, entries_.begin() + index + erased);
      break;
  }
  const auto restore_hints = [&hints](uint8_t* page, uint32_t last) {
    NodeHeaderOf(page)->last_insert = static_cast<uint16_t>(last);
    NodeHeaderOf(page)->run = hints.run;
  };
  if (Fits(entries_, false)) {
    Node::Build(leaf, page_size_, entries_, false);
    restore_hints(leaf, hints.last_insert);
    pending_rows_ = rows_delta;
    return absl::OkStatus();
  }
  if (hint == CutHint::kMiddle) {
    KV_ASSIGN_OR_RETURN(const bool shared, Redistribute(change, rows_delta));
    if (shared) return absl::OkStatus();
  }

  const size_t cut = ChooseCut(entries_, false, index, hint);
  KV_RETURN_IF_ERROR(PrepareSplit());
  KV_ASSIGN_OR_RETURN(Rising rising, MakeSeparator(entries_[cut - 1], entries_[cut]));
  // Nothing fails from here on.
  const pager::NewPage right = TakeSpare(Node::kLeafType, 0);
  const std::span<const Entry> all(entries_);
  Node::Build(right.data, page_size_, all.subspan(cut), false);
  Node::Build(leaf, page_size_, all.first(cut), false);
  if (index < cut) {
    restore_hints(leaf, index);
  } else {
    restore_hints(right.data, static_cast<uint32_t>(index - cut));
  }
  if (root_.height != 0) SetChild(1, path_[1].position, path_[0].id, leaf);
  StoreChild(rising.child, right.id);
  StoreRows(rising.child, RowsOf(right.data) | (HasExtents(right.data) ? kSubtreeHasExtents : 0));
  rising.extents = HasExtents(right.data);
  InsertChild(1, std::move(rising), hint, rows_delta);
  located_ = writable_ = false;
  return absl::OkStatus();
}

// A rising sequence leaves its full leaf as it is and goes on in a new one.
template <typename Node>
Status NodeWriter<Node>::AppendLeaf(const Entry& entry) {
  uint8_t* leaf = path_[0].page;
  KV_RETURN_IF_ERROR(PrepareSplit());
  const uint32_t last = CountOf(leaf) - 1;
  OwnedKey last_key;
  Node::OwnKey(leaf, last, false, &last_key);
  Entry left;
  left.key = last_key;
  if (const uint8_t* descriptor = Node::KeyDescriptor(leaf, last, false); descriptor != nullptr) {
    left.spilled = true;
    left.head = AsView(descriptor, DescriptorSize(descriptor));
  }
  KV_ASSIGN_OR_RETURN(Rising rising, MakeSeparator(left, entry));
  const pager::NewPage right = TakeSpare(Node::kLeafType, 0);
  KV_CHECK(Node::StartLeaf(right.data, page_size_, leaf, entry));
  NodeHeaderOf(right.data)->run = kSequence;
  StoreChild(rising.child, right.id);
  StoreRows(rising.child, 1 | (HasExtents(right.data) ? kSubtreeHasExtents : 0));
  rising.extents = HasExtents(right.data);
  InsertChild(1, std::move(rising), CutHint::kRising, 1);
  located_ = writable_ = false;
  return absl::OkStatus();
}

// Takes all pages that a split of the path's leaf may need.
template <typename Node>
Status NodeWriter<Node>::PrepareSplit() {
  size_t pages = 1;
  uint32_t level = 1;
  while (level <= root_.height && !Node::BranchHasRoom(path_[level].page, page_size_)) {
    ++pages;
    ++level;
  }
  if (level > root_.height) ++pages;
  return EnsureSpares(pages);
}

template <typename Node>
StatusOr<typename NodeWriter<Node>::Rising> NodeWriter<Node>::MakeSeparator(const Entry& left,
                                                                            const Entry& right) {
  Rising rising;
  if constexpr (Node::kKind == pager::KeyKind::kInt64) {
    rising.key = right.key;
  } else {
    size_t common = Node::CommonPrefix(left.key, right.key);
    const bool differ = common < right.key.size() && (common < left.key.size() || !left.spilled);
    if (differ) {
      rising.key = right.key.substr(0, common + 1);
      return rising;
    }
    // What stands in the page does not tell the keys apart.
    LargeValue left_whole(left.key);
    LargeValue right_whole(right.key);
    if (left.spilled) {
      KV_ASSIGN_OR_RETURN(left_whole, ReadExtent(*pages_, AsBytes(left.head)));
    }
    if (right.spilled) {
      KV_ASSIGN_OR_RETURN(right_whole, ReadExtent(*pages_, AsBytes(right.head)));
    }
    common = Node::CommonPrefix(left_whole.view(), right_whole.view());
    const std::string_view separator = right_whole.view().substr(0, common + 1);
    if (separator.size() <= MaxWholeKey(page_size_)) {
      rising.key = separator;
      return rising;
    }
    KV_ASSIGN_OR_RETURN(rising.descriptor, WriteExtent(pages_, separator, 0));
    rising.key = separator.substr(0, SpilledKeyInline(page_size_));
  }
  return rising;
}

template <typename Node>
size_t NodeWriter<Node>::MiddleCut(std::span<const Entry> entries, bool branch) const {
  const size_t n = entries.size();
  size_t total = 0;
  for (const Entry& entry : entries) total += Node::Weight(entry);
  // The shortest separator within an eighth of the middle; the nearest of several.
  size_t best = 0;
  size_t best_length = ~size_t{0};
  size_t best_distance = ~size_t{0};
  size_t middle = 1;
  size_t middle_distance = ~size_t{0};
  size_t before = 0;
  for (size_t i = 1; i < n; ++i) {
    before += Node::Weight(entries[i - 1]);
    const size_t distance = before > total / 2 ? before - total / 2 : total / 2 - before;
    if (distance < middle_distance) {
      middle_distance = distance;
      middle = i;
    }
    if (distance > total / 8) continue;
    const size_t length =
        branch ? entries[i].key_size() : Node::SeparatorLength(entries[i - 1], entries[i]);
    if (length < best_length || (length == best_length && distance < best_distance)) {
      best = i;
      best_length = length;
      best_distance = distance;
    }
  }
  const auto fits = [&](size_t cut) {
    return cut > 0 && cut < n && Fits(entries.first(cut), branch) &&
           Fits(entries.subspan(cut), branch);
  };
  if (best != 0 && fits(best)) return best;
  for (size_t step = 0; step < n; ++step) {
    if (fits(middle + step)) return middle + step;
    if (step < middle && fits(middle - step)) return middle - step;
  }
  return 0;
}

template <typename Node>
size_t NodeWriter<Node>::ChooseCut(std::span<const Entry> entries, bool branch, uint32_t index,
                                   CutHint hint) const {
  const size_t n = entries.size();
  const auto fits = [&](size_t cut) {
    return cut > 0 && cut < n && Fits(entries.first(cut), branch) &&
           Fits(entries.subspan(cut), branch);
  };
  // The side on which the sequence goes on gets the room: rising keys stay at the left node's end unless
  // nothing follows them, falling ones at the right node's beginning.
  if (hint == CutHint::kRising) {
    if (fits(index + 1)) return index + 1;
    if (fits(index)) return index;
  } else if (hint == CutHint::kFalling) {
    if (fits(index)) return index;
    if (fits(index + 1)) return index + 1;
  }
  const size_t cut = MiddleCut(entries, branch);
  KV_CHECK(cut != 0);
  return cut;
}

template <typename Node>
void NodeWriter<Node>::InsertChild(uint32_t level, Rising rising, CutHint hint,
                                   int64_t rows_delta) {
  for (;; ++level) {
    const Entry entry = rising.AsEntry();
    if (level > root_.height) {
      const pager::NewPage root = TakeSpare(Node::kBranchType, level);
      const uint8_t* old = path_[root_.height].page;
      uint8_t old_child[kChildBytes];
      StoreChild(old_child, root_.page);
      StoreRows(old_child, RowsOf(old) | (HasExtents(old) ? kSubtreeHasExtents : 0));
      Entry children[2];
      children[0].head = AsView(old_child, kChildBytes);
      children[0].extents = HasExtents(old);
      children[1] = entry;
      Node::Build(root.data, page_size_, children, true);
      root_.page = root.id;
      root_.height = static_cast<uint8_t>(level);
      root_changed_ = true;
      return;
    }
    Step& step = path_[level];
    const uint32_t index = step.position + 1;
    bool done = Node::InsertAt(step.page, page_size_, index, true, entry);
    if (!done) {
      parents_.clear();
      Node::Gather(step.page, page_size_, true, &buffers_[1], &parents_);
      parents_.insert(parents_.begin() + index, entry);
      if (Fits(parents_, true)) {
        Node::Build(step.page, page_size_, parents_, true);
        done = true;
      }
    }
    if (done) {
      AddToBranchRows(level + 1, rows_delta);
      if (HasExtents(step.page)) MarkExtents(level + 1);
      return;
    }
    const size_t cut = ChooseCut(parents_, true, index, hint);
    Rising up;
    Entry& first = parents_[cut];
    up.key = OwnedKey(first.key);
    if (first.spilled) {
      up.descriptor.size = static_cast<uint32_t>(first.body.size());
      std::memcpy(up.descriptor.bytes, first.body.data(), first.body.size());
    }
    first.key = {};
    first.spilled = false;
    first.body = {};
    const std::span<const Entry> all(parents_);
    const pager::NewPage right = TakeSpare(Node::kBranchType, level);
    Node::Build(right.data, page_size_, all.subspan(cut), true);
    Node::Build(step.page, page_size_, all.first(cut), true);
    if (level < root_.height) SetChild(level + 1, path_[level + 1].position, step.id, step.page);
    StoreChild(up.child, right.id);
    StoreRows(up.child, RowsOf(right.data) | (HasExtents(right.data) ? kSubtreeHasExtents : 0));
    up.extents = HasExtents(right.data);
    rising = std::move(up);
  }
}

template class NodeWriter<BytesNode>;
template class NodeWriter<IntNode>;

}  // namespace kvsql::btree
