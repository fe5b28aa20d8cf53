// ValidatePage: everything that the nodes' accessors rely on, proved of bytes that may be anything.
#include <algorithm>
#include <cstring>
#include <limits>

#include "btree/bytes_node.h"
#include "btree/check.h"
#include "btree/extent.h"
#include "btree/int_node.h"

namespace kvsql::btree {
namespace {

template <typename... Args>
Status BadNode(const uint8_t* page, const Args&... args) {
  return DataLoss("page ", pager::HeaderOf(page)->page, ": node: ", args...);
}

// The bytes of the heap that belong to cells.
class HeapMap {
 public:
  // Claims [from, to); false if a byte of it has been claimed before.
  bool Claim(uint32_t from, uint32_t to) {
    while (from < to) {
      const uint32_t word = from / 64;
      const uint32_t end = std::min(to, (word + 1) * 64);
      const uint32_t bits = end - from;
      const uint64_t mask = (bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1) << (from % 64);
      if ((used_[word] & mask) != 0) return false;
      used_[word] |= mask;
      from = end;
    }
    return true;
  }

  explicit HeapMap(uint32_t page_size) { std::memset(used_, 0, page_size / 8); }

 private:
  uint64_t used_[kMaxPageSize / 64];
};

// Checks a value in [at, end) as DecodeValue will read it; returns the byte after it, or nullptr.
const uint8_t* CheckValue(const uint8_t* at, const uint8_t* end, uint32_t page_size,
                          bool* is_large) {
  if (at >= end) return nullptr;
  uint64_t n = *at++;
  if (n >= 0x80) {
    if (at >= end) return nullptr;
    n = (n & 0x7f) | (uint64_t{*at & 0x7fu} << 7);
    if ((*at++ & 0x80) != 0) {
      if (at >= end) return nullptr;
      n |= uint64_t{*at++} << 14;
    }
  }
  *is_large = n == 0;
  if (n == 0) {
    if (!ValidDescriptor(at, end, page_size)) return nullptr;
    return at + DescriptorSize(at);
  }
  if (n - 1 > static_cast<uint64_t>(end - at)) return nullptr;
  return at + (n - 1);
}

// Two neighbours' keys, whose cells have been checked. Spilled ones may be undecided: that counts as right.
bool InOrder(const uint8_t* page, const BytesSlot& a, const BytesSlot& b, uint32_t tail_offset) {
  if (a.head != b.head) return a.head < b.head;
  const uint32_t a_length = BytesNode::KeyLength(a);
  const uint32_t b_length = BytesNode::KeyLength(b);
  const uint32_t a_tail = BytesNode::TailLength(a);
  const uint32_t b_tail = BytesNode::TailLength(b);
  const int order = std::memcmp(page + a.offset + tail_offset, page + b.offset + tail_offset,
                                std::min(a_tail, b_tail));
  if (order != 0) return order < 0;
  // What is spilled goes on beyond what stands here.
  if (BytesNode::IsSpilled(a) && a_tail <= b_tail) return true;
  if (BytesNode::IsSpilled(b) && b_tail <= a_tail) return true;
  return a_length < b_length;
}

Status CheckBytesNode(const uint8_t* page, uint32_t page_size, bool branch) {
  const pager::PageHeader* header = pager::HeaderOf(page);
  const NodeHeader* node = NodeHeaderOf(page);
  const uint32_t count = header->count;
  const uint32_t prefix = header->prefix_length;
  if (prefix > MaxPrefix(page_size)) return BadNode(page, "prefix of ", prefix, " bytes");
  const uint32_t slots_end =
      BytesNode::SlotsOffset(prefix) + count * static_cast<uint32_t>(sizeof(BytesSlot));
  const uint32_t heap = HeapStart(page);
  if (heap > page_size || slots_end > heap) {
    return BadNode(page, count, " slots end at ", slots_end, ", the heap begins at ", heap);
  }
  if (node->width != 0) return BadNode(page, "key width ", int{node->width});
  const bool has_extents = HasExtents(page);
  const uint8_t* end = page + page_size;
  const BytesSlot* slots = BytesNode::Slots(page);
  const uint32_t tail_offset = branch ? kChildBytes : 0;
  HeapMap cells(page_size);
  uint32_t used = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const BytesSlot& slot = slots[i];
    const uint32_t length = BytesNode::KeyLength(slot);
    const bool spilled = BytesNode::IsSpilled(slot);
    const bool keyless = branch && i == 0;
    if (keyless && (slot.key_length != 0 || slot.head != 0)) {
      return BadNode(page, "the first child has a key");
    }
    if (!keyless && (spilled ? prefix + length != SpilledKeyInline(page_size)
                             : prefix + length > MaxWholeKey(page_size))) {
      return BadNode(page, "slot ", i, ": key of ", prefix, "+", length, " bytes",
                     spilled ? ", spilled" : "");
    }
    if (length < kHeadBytes && (slot.head & (~uint32_t{0} >> (8 * length))) != 0) {
      return BadNode(page, "slot ", i, ": head does not fit a key of ", length, " bytes");
    }
    if (slot.offset < heap || slot.offset >= page_size) {
      return BadNode(page, "slot ", i, ": cell at ", int{slot.offset});
    }
    const uint8_t* cell = page + slot.offset;
    const uint64_t fixed = uint64_t{tail_offset} + BytesNode::TailLength(slot);
    if (fixed > static_cast<uint64_t>(end - cell)) {
      return BadNode(page, "slot ", i, ": cell at ", int{slot.offset}, " leaves the page");
    }
    const uint8_t* at = cell + fixed;
    bool extents = spilled;
    if (spilled) {
      if (!ValidDescriptor(at, end, page_size)) {
        return BadNode(page, "slot ", i, ": long key's descriptor is malformed");
      }
      at += DescriptorSize(at);
    }
    if (branch) {
      if (LoadChild(cell) == pager::kNoPage) return BadNode(page, "slot ", i, ": no child");
      extents |= (LoadRows(cell) & kSubtreeHasExtents) != 0;
    } else {
      bool is_large = false;
      at = CheckValue(at, end, page_size, &is_large);
      if (at == nullptr) return BadNode(page, "slot ", i, ": value is malformed");
      extents |= is_large;
    }
    if (extents && !has_extents)
      return BadNode(page, "slot ", i, ": extents, but no flag for them");
    const auto cell_end = static_cast<uint32_t>(at - page);
    if (!cells.Claim(slot.offset, cell_end)) return BadNode(page, "slot ", i, ": cells overlap");
    used += cell_end - slot.offset;
    if (i > (branch ? 1u : 0u) && !InOrder(page, slots[i - 1], slot, tail_offset)) {
      return BadNode(page, "slot ", i, ": keys are out of order");
    }
  }
  for (uint32_t i = 0; count >= kMinHinted && i < kHints; ++i) {
    const uint32_t at = (i + 1) * HintStride(count);
    if (BytesNode::Hint(page, i) != slots[at].head) {
      return BadNode(page, "hint ", i, " is not the head of slot ", at);
    }
  }
  if (used + node->dead != page_size - heap) {
    return BadNode(page, used, " bytes in cells and ", int{node->dead}, " dead ones in a heap of ",
                   page_size - heap);
  }
  return absl::OkStatus();
}

// `count` deltas from `first` on must rise and stay within 64 bits.
Status CheckDeltas(const uint8_t* page, const uint8_t* slots, uint32_t stride, uint32_t width,
                   uint32_t first, uint32_t count) {
  const uint64_t limit =
      IntNode::Distance(std::numeric_limits<int64_t>::max(), IntNode::Base(page));
  uint64_t last = 0;
  for (uint32_t i = first; i < count; ++i) {
    const uint64_t delta = IntNode::LoadDelta(slots + i * stride, width);
    if (delta > limit) return BadNode(page, "slot ", i, ": key beyond 64 bits");
    if (i > first && delta <= last) return BadNode(page, "slot ", i, ": keys are out of order");
    last = delta;
  }
  return absl::OkStatus();
}

Status CheckIntLeaf(const uint8_t* page, uint32_t page_size) {
  const NodeHeader* node = NodeHeaderOf(page);
  const uint32_t count = CountOf(page);
  const uint32_t width = node->width;
  if (width != 0 && width != 1 && width != 2 && width != 4 && width != 8) {
    return BadNode(page, "key width ", width);
  }
  const uint32_t stride = IntNode::Stride(width);
  const uint32_t slots_end = kIntSlotsOffset + count * stride;
  const uint32_t heap = HeapStart(page);
  if (heap > page_size || slots_end > heap) {
    return BadNode(page, count, " slots end at ", slots_end, ", the heap begins at ", heap);
  }
  if (width == 0) {
    const uint64_t limit =
        IntNode::Distance(std::numeric_limits<int64_t>::max(), IntNode::Base(page));
    if (count - 1 > limit) return BadNode(page, "keys beyond 64 bits");
  } else {
    KV_RETURN_IF_ERROR(CheckDeltas(page, page + kIntSlotsOffset, stride, width, 0, count));
  }
  HeapMap cells(page_size);
  uint32_t used = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t offset = IntNode::LeafOffset(page, i);
    if (offset < heap || offset >= page_size)
      return BadNode(page, "slot ", i, ": cell at ", offset);
    bool is_large = false;
    const uint8_t* end = CheckValue(page + offset, page + page_size, page_size, &is_large);
    if (end == nullptr) return BadNode(page, "slot ", i, ": value is malformed");
    if (is_large && !HasExtents(page)) {
      return BadNode(page, "slot ", i, ": extents, but no flag for them");
    }
    const auto cell_end = static_cast<uint32_t>(end - page);
    if (!cells.Claim(offset, cell_end)) return BadNode(page, "slot ", i, ": cells overlap");
    used += cell_end - offset;
  }
  if (used + node->dead != page_size - heap) {
    return BadNode(page, used, " bytes in cells and ", int{node->dead}, " dead ones in a heap of ",
                   page_size - heap);
  }
  return absl::OkStatus();
}

Status CheckIntBranch(const uint8_t* page, uint32_t page_size) {
  const uint32_t count = CountOf(page);
  const uint32_t width = NodeHeaderOf(page)->width;
  if (width != 1 && width != 2 && width != 4 && width != 8) {
    return BadNode(page, "key width ", width);
  }
  const uint32_t capacity = IntNode::BranchCapacity(width, page_size);
  if (count > capacity) return BadNode(page, count, " children; there is room for ", capacity);
  if (IntNode::LoadDelta(page + kIntSlotsOffset, width) != 0) {
    return BadNode(page, "the first child has a key");
  }
  KV_RETURN_IF_ERROR(CheckDeltas(page, page + kIntSlotsOffset, width, width, 1, count));
  for (uint32_t i = 0; i < count; ++i) {
    const uint8_t* cell = IntNode::ChildCell(page, i, page_size);
    if (LoadChild(cell) == pager::kNoPage) return BadNode(page, "slot ", i, ": no child");
    if ((LoadRows(cell) & kSubtreeHasExtents) != 0 && !HasExtents(page)) {
      return BadNode(page, "slot ", i, ": extents, but no flag for them");
    }
  }
  return absl::OkStatus();
}

}  // namespace

Status ValidatePage(const uint8_t* page, uint32_t page_size) {
  const pager::PageHeader* header = pager::HeaderOf(page);
  const NodeHeader* node = NodeHeaderOf(page);
  if (page_size < kMinPageSize || page_size > kMaxPageSize) {
    return BadNode(page, "page size ", page_size);
  }
  const bool branch =
      header->type == pager::PageType::kBytesBranch || header->type == pager::PageType::kIntBranch;
  const bool bytes =
      header->type == pager::PageType::kBytesBranch || header->type == pager::PageType::kBytesLeaf;
  if (!branch && !bytes && header->type != pager::PageType::kIntLeaf) {
    return BadNode(page, "type ", static_cast<int>(header->type));
  }
  if (branch ? header->level == 0 || header->level >= kMaxHeight : header->level != 0) {
    return BadNode(page, "type ", static_cast<int>(header->type), " at level ",
                   static_cast<int>(header->level));
  }
  if (header->count == 0) return BadNode(page, "no entries");
  if ((node->flags & ~kKnownNodeFlags) != 0) return BadNode(page, "flags ", int{node->flags});
  if (node->reserved != 0) return BadNode(page, "reserved byte ", int{node->reserved});
  if (bytes) return CheckBytesNode(page, page_size, branch);
  if (header->prefix_length != 0) return BadNode(page, "a prefix of integers");
  return branch ? CheckIntBranch(page, page_size) : CheckIntLeaf(page, page_size);
}

}  // namespace kvsql::btree
