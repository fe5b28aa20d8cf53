#include "btree/int_node.h"

#include <algorithm>
#include <limits>

#include "base/check.h"

namespace kvsql::btree {
namespace {

// Narrowest delta for a range of keys; `dense` says that they are consecutive.
uint32_t WidthFor(uint64_t range) {
  if (range <= 0xff) return 1;
  if (range <= 0xffff) return 2;
  if (range <= 0xffffffff) return 4;
  return 8;
}

struct Shape {
  int64_t base = 0;
  uint32_t width = 0;
};

// Base and width of a node of these entries.
Shape ShapeOf(std::span<const IntEntry> entries, bool branch) {
  if (branch) {
    if (entries.size() < 2) return {.base = 0, .width = 1};
    const int64_t base = entries[1].key;
    return {.base = base, .width = WidthFor(IntNode::Distance(entries.back().key, base))};
  }
  if (entries.empty()) return {};
  const int64_t base = entries.front().key;
  const uint64_t range = IntNode::Distance(entries.back().key, base);
  if (range == entries.size() - 1) return {.base = base, .width = 0};
  return {.base = base, .width = WidthFor(range)};
}

}  // namespace

namespace {

template <uint32_t kWidth>
void EntriesOf(const uint8_t* page, uint32_t first, uint32_t n, int64_t* keys, ValueRef* values) {
  constexpr uint32_t kStride = kWidth + 2;
  const uint8_t* const slots = page + kIntSlotsOffset + first * kStride;
  for (uint32_t i = 0; i < n; ++i) {
    // Member by member: a struct copied whole would be put together in memory first.
    const ValueRef value = DecodeValue(page + LoadLe<uint16_t>(slots + i * kStride + kWidth));
    values[i].data = value.data;
    values[i].size = value.size;
    values[i].is_large = value.is_large;
  }
  if (keys == nullptr) return;
  const int64_t base = IntNode::Base(page);
  for (uint32_t i = 0; i < n; ++i) {
    const uint64_t delta =
        kWidth == 0 ? first + i : IntNode::LoadDelta(slots + i * kStride, kWidth);
    keys[i] = IntNode::Advance(base, delta);
  }
}

}  // namespace

void IntNode::LeafEntries(const uint8_t* page, uint32_t first, uint32_t n, int64_t* keys,
                          ValueRef* values) {
  switch (Width(page)) {
    case 0:
      return EntriesOf<0>(page, first, n, keys, values);
    case 1:
      return EntriesOf<1>(page, first, n, keys, values);
    case 2:
      return EntriesOf<2>(page, first, n, keys, values);
    case 4:
      return EntriesOf<4>(page, first, n, keys, values);
    default:
      return EntriesOf<8>(page, first, n, keys, values);
  }
}

void IntNode::Init(uint8_t* page, uint32_t page_size, bool branch) {
  pager::PageHeader* header = pager::HeaderOf(page);
  header->count = 0;
  header->prefix_length = 0;
  SetHeapStart(page, page_size);
  // All of it, the node header first: what the memory held before is nobody's business in the file.
  std::memset(page + kNodeHeaderOffset, 0, page_size - kNodeHeaderOffset);
  NodeHeaderOf(page)->width = branch ? 1 : 0;
}

uint32_t IntNode::UsedBytes(const uint8_t* page, uint32_t page_size) {
  if (pager::HeaderOf(page)->level != 0) {
    return kIntSlotsOffset + CountOf(page) * (Width(page) + kChildBytes);
  }
  return SlotsEnd(page) + (page_size - HeapStart(page)) - NodeHeaderOf(page)->dead;
}

uint32_t IntNode::CellSize(const uint8_t* page, uint32_t index) {
  const uint8_t* start = page + LeafOffset(page, index);
  const uint8_t* end;
  DecodeValue(start, &end);
  return static_cast<uint32_t>(end - start);
}

bool IntNode::Recode(uint8_t* page, int64_t base, uint32_t width, uint32_t spare, uint32_t cell) {
  const uint32_t count = CountOf(page);
  const uint32_t old_width = Width(page);
  if (kIntSlotsOffset + (count + spare) * Stride(width) + cell > HeapStart(page)) return false;
  const uint64_t shift = Distance(Base(page), base);
  uint8_t* slots = page + kIntSlotsOffset;
  // From the end: a slot's new place is not before its old one.
  for (uint32_t i = count; i-- > 0;) {
    const uint8_t* from = slots + i * Stride(old_width);
    const uint64_t delta = (old_width == 0 ? i : LoadDelta(from, old_width)) + shift;
    const uint16_t offset = LoadLe<uint16_t>(from + old_width);
    uint8_t* to = slots + i * Stride(width);
    StoreDelta(to, width, delta);
    StoreLe<uint16_t>(to + width, offset);
  }
  StoreLe<int64_t>(page + kIntBaseOffset, base);
  NodeHeaderOf(page)->width = static_cast<uint8_t>(width);
  return true;
}

bool IntNode::InsertAt(uint8_t* page, uint32_t page_size, uint32_t index, bool branch,
                       const Entry& entry) {
  pager::PageHeader* header = pager::HeaderOf(page);
  NodeHeader* node = NodeHeaderOf(page);
  const uint32_t count = header->count;
  if (branch) {
    const uint32_t width = node->width;
    if (count >= BranchCapacity(width, page_size)) return false;
    if (index == 0 && count != 0) return false;  // the old entry 0 would need its key
    uint64_t delta = 0;
    if (index != 0) {
      if (entry.key < Base(page)) return false;
      delta = Distance(entry.key, Base(page));
      if (delta > MaxDelta(width)) return false;
    }
    uint8_t* key = page + kIntSlotsOffset + index * width;
    std::memmove(key + width, key, (count - index) * width);
    StoreDelta(key, width, delta);
    uint8_t* child = ChildCell(page, index, page_size);
    std::memmove(child + kChildBytes, child, (count - index) * kChildBytes);
    std::memcpy(child, entry.head.data(), kChildBytes);
    ++header->count;
    if (entry.extents) node->flags |= kNodeHasExtents;
    return true;
  }

  const uint32_t cell = static_cast<uint32_t>(entry.payload_size());
  if (count == 0) {
    // Any base will do, and the slot array is empty.
    if (kIntSlotsOffset + 2 + cell > HeapStart(page)) return false;
    StoreLe<int64_t>(page + kIntBaseOffset, entry.key);
    node->width = 0;
  } else if (node->width == 0) {
    if (index != count || Distance(entry.key, Base(page)) != count) {
      // Keys have to be stored from now on.
      const int64_t low = std::min(Base(page), entry.key);
      const int64_t high = std::max(LeafKey(page, count - 1), entry.key);
      if (!Recode(page, low, WidthFor(Distance(high, low)), 1, cell)) return false;
    }
  } else if (entry.key < Base(page)) {
    const int64_t last = LeafKey(page, count - 1);
    const uint32_t width = std::max<uint32_t>(node->width, WidthFor(Distance(last, entry.key)));
    // As far down as the width reaches, so that a falling sequence does not come here each time.
    const uint64_t room = Distance(last, std::numeric_limits<int64_t>::min());
    const int64_t base = Advance(last, ~std::min(MaxDelta(width), room) + 1);
    if (!Recode(page, base, width, 1, cell)) return false;
  } else if (Distance(entry.key, Base(page)) > MaxDelta(node->width)) {
    if (!Recode(page, Base(page), WidthFor(Distance(entry.key, Base(page))), 1, cell)) return false;
  }
  const uint32_t width = node->width;
  const uint32_t stride = Stride(width);
  const uint32_t heap = HeapStart(page);
  if (kIntSlotsOffset + (count + 1) * stride + cell > heap) return false;
  const uint32_t offset = heap - cell;
  CopyPayload(page + offset, entry);
  uint8_t* slot = page + kIntSlotsOffset + index * stride;
  if (index < count) std::memmove(slot + stride, slot, (count - index) * stride);
  if (width != 0) StoreDelta(slot, width, Distance(entry.key, Base(page)));
  StoreLe<uint16_t>(slot + width, static_cast<uint16_t>(offset));
  ++header->count;
  SetHeapStart(page, offset);
  if (entry.extents) node->flags |= kNodeHasExtents;
  return true;
}

bool IntNode::RemoveAt(uint8_t* page, uint32_t page_size, uint32_t index, bool branch) {
  pager::PageHeader* header = pager::HeaderOf(page);
  NodeHeader* node = NodeHeaderOf(page);
  const uint32_t count = header->count;
  if (branch) {
    const uint32_t width = node->width;
    uint8_t* key = page + kIntSlotsOffset + index * width;
    std::memmove(key, key + width, (count - index - 1) * width);
    uint8_t* child = ChildCell(page, index, page_size);
    std::memmove(child, child + kChildBytes, (count - index - 1) * kChildBytes);
    if (index == 0) StoreDelta(page + kIntSlotsOffset, width, 0);
    --header->count;
    return true;
  }
  const uint32_t cell = CellSize(page, index);
  const uint32_t offset = LeafOffset(page, index);
  if (node->width == 0 && index != count - 1) {
    if (index == 0) {
      StoreLe<int64_t>(page + kIntBaseOffset, Advance(Base(page), 1));
    } else if (!Recode(page, Base(page), WidthFor(count - 1), 0, 0)) {
      return false;
    }
  }
  if (offset == HeapStart(page)) {
    SetHeapStart(page, offset + cell);
  } else {
    node->dead = static_cast<uint16_t>(node->dead + cell);
  }
  const uint32_t stride = Stride(node->width);
  uint8_t* slot = page + kIntSlotsOffset + index * stride;
  std::memmove(slot, slot + stride, (count - index - 1) * stride);
  --header->count;
  return true;
}

bool IntNode::ReplaceAt(uint8_t* page, uint32_t index, const Entry& entry) {
  NodeHeader* node = NodeHeaderOf(page);
  const uint32_t old_cell = CellSize(page, index);
  const uint32_t new_cell = static_cast<uint32_t>(entry.payload_size());
  uint32_t offset = LeafOffset(page, index);
  if (new_cell <= old_cell) {
    node->dead = static_cast<uint16_t>(node->dead + old_cell - new_cell);
  } else {
    const uint32_t heap = HeapStart(page);
    if (SlotsEnd(page) + new_cell > heap) return false;
    offset = heap - new_cell;
    const uint32_t width = node->width;
    StoreLe<uint16_t>(page + kIntSlotsOffset + index * Stride(width) + width,
                      static_cast<uint16_t>(offset));
    node->dead = static_cast<uint16_t>(node->dead + old_cell);
    SetHeapStart(page, offset);
  }
  CopyPayload(page + offset, entry);
  if (entry.extents) node->flags |= kNodeHasExtents;
  return true;
}

void IntNode::Gather(const uint8_t* page, uint32_t page_size, bool branch, GatherBuffer* buffer,
                     std::vector<Entry>* entries) {
  buffer->page.assign(page, page + page_size);
  page = buffer->page.data();
  const uint32_t count = CountOf(page);
  entries->reserve(entries->size() + count + 1);
  for (uint32_t i = 0; i < count; ++i) {
    Entry& entry = entries->emplace_back();
    if (branch) {
      const uint8_t* cell = ChildCell(page, i, page_size);
      entry.key = i == 0 ? 0 : BranchKey(page, i);
      entry.head = AsView(cell, kChildBytes);
      entry.extents = (LoadRows(cell) & kSubtreeHasExtents) != 0;
    } else {
      const uint8_t* cell = page + LeafOffset(page, i);
      const uint8_t* end;
      entry.key = LeafKey(page, i);
      entry.extents = DecodeValue(cell, &end).is_large;
      entry.head = AsView(cell, static_cast<size_t>(end - cell));
    }
  }
}

size_t IntNode::SizeOf(std::span<const Entry> entries, bool branch, uint32_t page_size) {
  const Shape shape = ShapeOf(entries, branch);
  if (branch) {
    const size_t size = kIntSlotsOffset + entries.size() * (shape.width + kChildBytes);
    return entries.size() <= BranchCapacity(shape.width, page_size) ? size : size + page_size;
  }
  size_t size = kIntSlotsOffset + entries.size() * Stride(shape.width);
  for (const Entry& entry : entries) size += entry.payload_size();
  return size;
}

void IntNode::Build(uint8_t* page, uint32_t page_size, std::span<const Entry> entries,
                    bool branch) {
  const Shape shape = ShapeOf(entries, branch);
  Init(page, page_size, branch);
  const uint32_t width = shape.width;
  NodeHeaderOf(page)->width = static_cast<uint8_t>(width);
  StoreLe<int64_t>(page + kIntBaseOffset, shape.base);
  pager::HeaderOf(page)->count = static_cast<uint16_t>(entries.size());
  bool extents = false;
  if (branch) {
    KV_CHECK(entries.size() <= BranchCapacity(width, page_size));
    for (uint32_t i = 0; i < entries.size(); ++i) {
      StoreDelta(page + kIntSlotsOffset + i * width, width,
                 i == 0 ? 0 : Distance(entries[i].key, shape.base));
      std::memcpy(ChildCell(page, i, page_size), entries[i].head.data(), kChildBytes);
      extents |= entries[i].extents;
    }
  } else {
    uint32_t heap = page_size;
    uint8_t* slot = page + kIntSlotsOffset;
    for (const Entry& entry : entries) {
      heap -= static_cast<uint32_t>(entry.payload_size());
      CopyPayload(page + heap, entry);
      if (width != 0) StoreDelta(slot, width, Distance(entry.key, shape.base));
      StoreLe<uint16_t>(slot + width, static_cast<uint16_t>(heap));
      slot += Stride(width);
      extents |= entry.extents;
    }
    KV_CHECK(heap >= SlotsEnd(page));
    SetHeapStart(page, heap);
  }
  if (extents) NodeHeaderOf(page)->flags |= kNodeHasExtents;
}

bool IntNode::CanShrink(const uint8_t* page, uint32_t page_size) {
  const uint32_t count = CountOf(page);
  const uint32_t width = Width(page);
  if (pager::HeaderOf(page)->level != 0) {
    if (count < 2) return false;
    return WidthFor(Distance(BranchKey(page, count - 1), BranchKey(page, 1))) < width;
  }
  (void)page_size;
  if (NodeHeaderOf(page)->dead != 0) return true;
  if (count == 0 || width == 0) return false;
  const uint64_t range = Distance(LeafKey(page, count - 1), LeafKey(page, 0));
  return range == count - 1 || WidthFor(range) < width;
}

}  // namespace kvsql::btree
