// Nodes whose keys are 64-bit signed integers (node_format.h has the picture). Leaves and branches.
//
// Keys stand as unsigned distances from the node's base, as narrow as the node's range allows; a leaf of
// consecutive keys stores none at all.
//
// Thread safety: plain functions over a page's bytes; the caller owns the page.
//
// Invariants:
//  1. The page has passed ValidatePage, or was made by these functions: accessors check nothing.
//  2. Entry 0 of a branch has delta 0, which is not its key.
//  3. A function that answers false has changed nothing.
#ifndef KVSQL_BTREE_INT_NODE_H_
#define KVSQL_BTREE_INT_NODE_H_

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "btree/node.h"
#include "pager/page_reader.h"

namespace kvsql::btree {

struct IntNode {
  using Key = int64_t;
  using OwnedKey = int64_t;
  using Entry = IntEntry;

  static constexpr pager::KeyKind kKind = pager::KeyKind::kInt64;
  static constexpr pager::PageType kLeafType = pager::PageType::kIntLeaf;
  static constexpr pager::PageType kBranchType = pager::PageType::kIntBranch;

  // --- reading ---------------------------------------------------------------------------------

  static int64_t Base(const uint8_t* page) { return LoadLe<int64_t>(page + kIntBaseOffset); }
  static uint32_t Width(const uint8_t* page) { return NodeHeaderOf(page)->width; }

  // Bytes from one leaf slot to the next.
  static uint32_t Stride(uint32_t width) { return width + 2; }
  // Entries that a branch has room for.
  static uint32_t BranchCapacity(uint32_t width, uint32_t page_size) {
    return (page_size - kIntSlotsOffset) / (width + kChildBytes);
  }

  static uint64_t LoadDelta(const uint8_t* at, uint32_t width) {
    switch (width) {
      case 1:
        return *at;
      case 2:
        return LoadLe<uint16_t>(at);
      case 4:
        return LoadLe<uint32_t>(at);
      default:
        return LoadLe<uint64_t>(at);
    }
  }
  static void StoreDelta(uint8_t* at, uint32_t width, uint64_t delta) {
    switch (width) {
      case 1:
        *at = static_cast<uint8_t>(delta);
        return;
      case 2:
        StoreLe(at, static_cast<uint16_t>(delta));
        return;
      case 4:
        StoreLe(at, static_cast<uint32_t>(delta));
        return;
      default:
        StoreLe(at, delta);
        return;
    }
  }
  static uint64_t MaxDelta(uint32_t width) {
    return width == 8 ? ~uint64_t{0} : (uint64_t{1} << (8 * width)) - 1;
  }
  static uint64_t Distance(int64_t key, int64_t base) {
    return static_cast<uint64_t>(key) - static_cast<uint64_t>(base);
  }
  static int64_t Advance(int64_t base, uint64_t distance) {
    return static_cast<int64_t>(static_cast<uint64_t>(base) + distance);
  }

  static int64_t LeafKey(const uint8_t* page, uint32_t index) {
    const uint32_t width = Width(page);
    if (width == 0) return Advance(Base(page), index);
    return Advance(Base(page), LoadDelta(page + kIntSlotsOffset + index * Stride(width), width));
  }
  static int64_t BranchKey(const uint8_t* page, uint32_t index) {
    const uint32_t width = Width(page);
    return Advance(Base(page), LoadDelta(page + kIntSlotsOffset + index * width, width));
  }
  static int64_t KeyAt(const uint8_t* page, uint32_t index, bool branch) {
    return branch ? BranchKey(page, index) : LeafKey(page, index);
  }

  // First entry with a key >= `key`. With kFetchCell the cell of an entry that is found is on its way from memory.
  template <bool kFetchCell = false>
  static NodePosition SearchLeaf([[maybe_unused]] const pager::PageReader& pages,
                                 const uint8_t* page, int64_t key) {
    const uint32_t count = CountOf(page);
    const int64_t base = Base(page);
    if (key < base) return {.index = 0};
    const uint64_t distance = Distance(key, base);
    const uint32_t width = Width(page);
    if (width == 0) {
      if (distance < count) {
        const auto index = static_cast<uint32_t>(distance);
        if constexpr (kFetchCell) {
          PrefetchCells(page, pages.page_size(), index, index + 1, count);
        }
        return {.index = index, .exact = true};
      }
      return {.index = count};
    }
    if (distance > MaxDelta(width)) return {.index = count};
    const uint8_t* slots = page + kIntSlotsOffset;
    const uint32_t index = LowerDelta(slots, Stride(width), width, 0, count, distance);
    return {.index = index,
            .exact = index < count && LoadDelta(slots + index * Stride(width), width) == distance};
  }

  // The child that has `key`: index only.
  template <bool kFetchCell = false>
  static NodePosition SearchBranch(const pager::PageReader&, const uint8_t* page, int64_t key) {
    const uint32_t count = CountOf(page);
    const int64_t base = Base(page);
    if (key < base) return {.index = 0};
    const uint64_t distance = Distance(key, base);
    const uint32_t width = Width(page);
    if (distance >= MaxDelta(width)) return {.index = count - 1};
    // The first entry beyond the key, less one.
    return {.index = LowerDelta(page + kIntSlotsOffset, width, width, 1, count, distance + 1) - 1};
  }

  static uint32_t LeafOffset(const uint8_t* page, uint32_t index) {
    const uint32_t width = Width(page);
    return LoadLe<uint16_t>(page + kIntSlotsOffset + index * Stride(width) + width);
  }
  static ValueRef Value(const uint8_t* page, uint32_t index) {
    return DecodeValue(page + LeafOffset(page, index));
  }

  // The values of the entries [first, first + n) of a leaf, and their keys if `keys` is not null.
  static void LeafEntries(const uint8_t* page, uint32_t first, uint32_t n, int64_t* keys,
                          ValueRef* values);

  // The page's size decides where a branch's children stand.
  static const uint8_t* ChildCell(const uint8_t* page, uint32_t index, uint32_t page_size) {
    const uint32_t width = Width(page);
    return page + kIntSlotsOffset + BranchCapacity(width, page_size) * width + index * kChildBytes;
  }
  static uint8_t* ChildCell(uint8_t* page, uint32_t index, uint32_t page_size) {
    return const_cast<uint8_t*>(ChildCell(static_cast<const uint8_t*>(page), index, page_size));
  }

  static uint32_t UsedBytes(const uint8_t* page, uint32_t page_size);

  // --- changing: as in BytesNode -----------------------------------------------------------------

  static void Init(uint8_t* page, uint32_t page_size, bool branch);
  static bool InsertAt(uint8_t* page, uint32_t page_size, uint32_t index, bool branch,
                       const Entry& entry);
  // False in a leaf of consecutive keys that has no room to store the rest's keys.
  static bool RemoveAt(uint8_t* page, uint32_t page_size, uint32_t index, bool branch);
  static bool ReplaceAt(uint8_t* page, uint32_t index, const Entry& entry);
  static void Gather(const uint8_t* page, uint32_t page_size, bool branch, GatherBuffer* buffer,
                     std::vector<Entry>* entries);
  static size_t SizeOf(std::span<const Entry> entries, bool branch, uint32_t page_size);
  static void Build(uint8_t* page, uint32_t page_size, std::span<const Entry> entries, bool branch);
  static bool CanShrink(const uint8_t* page, uint32_t page_size);
  static bool StartLeaf(uint8_t* page, uint32_t page_size, const uint8_t* /*neighbour*/,
                        const Entry& entry) {
    Init(page, page_size, false);
    return InsertAt(page, page_size, 0, false, entry);
  }
  // Whether the node's deltas can express the key as they are, or could if there were room.
  static bool SharesPrefix(const uint8_t* page, int64_t key) {
    if (pager::HeaderOf(page)->level == 0) return true;
    return key >= Base(page) && Distance(key, Base(page)) <= MaxDelta(Width(page));
  }
  static bool IsBehindLast(const uint8_t* page, int64_t key) {
    return key > LeafKey(page, CountOf(page) - 1);
  }
  // Whether a branch surely has room for one more entry, whatever its key.
  static bool BranchHasRoom(const uint8_t* page, uint32_t page_size) {
    return CountOf(page) < BranchCapacity(8, page_size);
  }
  static size_t SeparatorLength(const Entry&, const Entry&) { return 1; }
  static size_t Weight(const Entry& entry) { return 3 + entry.payload_size(); }
  static void OwnKey(const uint8_t* page, uint32_t index, bool branch, OwnedKey* out) {
    *out = KeyAt(page, index, branch);
  }

  static int CompareEntry(const pager::PageReader&, const uint8_t* page, uint32_t index,
                          bool branch, int64_t key, bool* /*error*/) {
    const int64_t own = KeyAt(page, index, branch);
    return own < key ? -1 : own > key;
  }
  static const uint8_t* KeyDescriptor(const uint8_t*, uint32_t, bool) { return nullptr; }

 private:
  template <typename T>
  static uint32_t LowerDeltaOf(const uint8_t* slots, uint32_t stride, uint32_t first,
                               uint32_t count, T delta) {
    if (first >= count) return count;
    const uint8_t* base = slots + first * stride;
    uint32_t n = count - first;
    uint32_t index = first;
    // A mask instead of a branch: which half it is cannot be foretold.
    while (n > 1) {
      const uint32_t half = n / 2;
      const uint32_t mask =
          0u - static_cast<uint32_t>(LoadLe<T>(base + (half - 1) * stride) < delta);
      base += (half * stride) & mask;
      index += half & mask;
      n -= half;
    }
    return index + (LoadLe<T>(base) < delta);
  }
  // First slot of [first, count) with a delta >= `delta`, which fits the width.
  static uint32_t LowerDelta(const uint8_t* slots, uint32_t stride, uint32_t width, uint32_t first,
                             uint32_t count, uint64_t delta) {
    switch (width) {
      case 1:
        return LowerDeltaOf<uint8_t>(slots, stride, first, count, static_cast<uint8_t>(delta));
      case 2:
        return LowerDeltaOf<uint16_t>(slots, stride, first, count, static_cast<uint16_t>(delta));
      case 4:
        return LowerDeltaOf<uint32_t>(slots, stride, first, count, static_cast<uint32_t>(delta));
      default:
        return LowerDeltaOf<uint64_t>(slots, stride, first, count, delta);
    }
  }

  static uint32_t SlotsEnd(const uint8_t* page) {
    return kIntSlotsOffset + CountOf(page) * Stride(Width(page));
  }
  static uint32_t CellSize(const uint8_t* page, uint32_t index);
  // Gives a leaf another base and a width that is not smaller, if there is room for `spare` more slots
  // and `cell` heap bytes as well.
  static bool Recode(uint8_t* page, int64_t base, uint32_t width, uint32_t spare, uint32_t cell);
};

}  // namespace kvsql::btree

#endif  // KVSQL_BTREE_INT_NODE_H_
