// Nodes whose keys are byte strings (node_format.h has the picture). Leaves and branches.
//
// Thread safety: plain functions over a page's bytes; the caller owns the page.
//
// Invariants:
//  1. The page has passed ValidatePage, or was made by these functions: accessors check nothing.
//  2. Entry 0 of a branch has an empty key, no head and no descriptor.
//  3. A function that answers false has changed nothing.
#ifndef KVSQL_BTREE_BYTES_NODE_H_
#define KVSQL_BTREE_BYTES_NODE_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "btree/node.h"
#include "pager/page_reader.h"

namespace kvsql::btree {

struct BytesNode {
  using Key = std::string_view;
  using OwnedKey = std::string;
  using Entry = BytesEntry;

  static constexpr pager::KeyKind kKind = pager::KeyKind::kBytes;
  static constexpr pager::PageType kLeafType = pager::PageType::kBytesLeaf;
  static constexpr pager::PageType kBranchType = pager::PageType::kBytesBranch;

  // --- reading ---------------------------------------------------------------------------------

  static std::string_view Prefix(const uint8_t* page) {
    return AsView(page + kPrefixOffset, pager::HeaderOf(page)->prefix_length);
  }
  static uint32_t SlotsOffset(uint32_t prefix_length) {
    return kPrefixOffset + ((prefix_length + 7) & ~7u);
  }
  static const BytesSlot* Slots(const uint8_t* page) {
    return reinterpret_cast<const BytesSlot*>(page +
                                              SlotsOffset(pager::HeaderOf(page)->prefix_length));
  }
  static BytesSlot* Slots(uint8_t* page) {
    return reinterpret_cast<BytesSlot*>(page + SlotsOffset(pager::HeaderOf(page)->prefix_length));
  }

  // The first four bytes of `rest`, zero-padded, as a number that orders as the bytes do.
  static uint32_t HeadOf(const char* rest, size_t size) {
    if (size >= kHeadBytes) [[likely]]
      return LoadBe<uint32_t>(rest);
    uint32_t head = 0;
    for (size_t i = 0; i < size; ++i) {
      head |= uint32_t{static_cast<uint8_t>(rest[i])} << (24 - 8 * i);
    }
    return head;
  }

  static uint32_t KeyLength(const BytesSlot& slot) {
    return slot.key_length & static_cast<uint16_t>(~kSpilledKey);
  }
  static bool IsSpilled(const BytesSlot& slot) { return (slot.key_length & kSpilledKey) != 0; }
  static uint32_t TailLength(const BytesSlot& slot) {
    const uint32_t length = KeyLength(slot);
    return length > kHeadBytes ? length - kHeadBytes : 0;
  }

  // First entry of [first, count) with a key >= `key`.
  template <bool kFetchCell>
  static NodePosition Search(const pager::PageReader& pages, const uint8_t* page, uint32_t first,
                             std::string_view key) {
    const pager::PageHeader* header = pager::HeaderOf(page);
    const uint32_t count = header->count;
    const size_t prefix_length = header->prefix_length;
    const BytesSlot* slots = Slots(page);
    if (!StartsWith(key, page + kPrefixOffset, prefix_length)) [[unlikely]] {
      const size_t common = std::min(prefix_length, key.size());
      const int order = std::memcmp(key.data(), page + kPrefixOffset, common);
      return {.index = order > 0 ? count : first};
    }
    const char* rest = key.data() + prefix_length;
    const size_t rest_size = key.size() - prefix_length;
    const uint32_t head = HeadOf(rest, rest_size);
    const uint32_t index = LowerHead<kFetchCell>(pages, page, slots, first, count, head);
    if (index == count || slots[index].head != head) return {.index = index};
    if (slots[index].key_length == rest_size && rest_size <= kHeadBytes) {
      return {.index = index, .exact = true};
    }
    return SearchTies(pages, page, index, key, {rest, rest_size}, head);
  }

  static uint32_t Hint(const uint8_t* page, uint32_t i) {
    return LoadLe<uint32_t>(page + kHintsOffset + 4 * i);
  }

  // As IntNode's.
  template <bool kFetchCell = false>
  static NodePosition SearchLeaf(const pager::PageReader& pages, const uint8_t* page,
                                 std::string_view key) {
    return Search<kFetchCell>(pages, page, 0, key);
  }

  // The child that has `key`: index only.
  template <bool kFetchCell = false>
  static NodePosition SearchBranch(const pager::PageReader& pages, const uint8_t* page,
                                   std::string_view key) {
    NodePosition at = Search<kFetchCell>(pages, page, 1, key);
    at.index -= !at.exact;
    return at;
  }

  static ValueRef Value(const uint8_t* page, uint32_t index) {
    const BytesSlot& slot = Slots(page)[index];
    const uint8_t* at = page + slot.offset + TailLength(slot);
    if (IsSpilled(slot)) [[unlikely]]
      at += DescriptorSize(at);
    return DecodeValue(at);
  }

  // Where a branch's entry keeps child and rows.
  static uint8_t* ChildCell(uint8_t* page, uint32_t index, uint32_t /*page_size*/) {
    return page + Slots(page)[index].offset;
  }
  static const uint8_t* ChildCell(const uint8_t* page, uint32_t index, uint32_t /*page_size*/) {
    return page + Slots(page)[index].offset;
  }

  // The inline part of a key, prefix included, put in place of `*out`.
  static void InlineKey(const uint8_t* page, uint32_t index, bool branch, std::string* out);
  static void OwnKey(const uint8_t* page, uint32_t index, bool branch, OwnedKey* out) {
    InlineKey(page, index, branch, out);
  }
  // The key's descriptor, or nullptr if it is whole.
  static const uint8_t* KeyDescriptor(const uint8_t* page, uint32_t index, bool branch);
  // The whole key, read from its extent if it is spilled. False if that fails.
  static bool WholeKey(const pager::PageReader& pages, const uint8_t* page, uint32_t index,
                       bool branch, std::string* out);

  // The entries [first, first + n) of a leaf: whole keys appended to *keys, ends[i] being where key i ends there, and
  // values. False if a spilled key cannot be read.
  static bool LeafEntries(const pager::PageReader& pages, const uint8_t* page, uint32_t first,
                          uint32_t n, std::string* keys, uint32_t* ends, ValueRef* values);

  // <0, 0, >0 as entry `index`'s key orders against `key`; *error if a spilled key could not be read.
  static int CompareEntry(const pager::PageReader& pages, const uint8_t* page, uint32_t index,
                          bool branch, std::string_view key, bool* error);

  // Bytes of the page in use: all but the free and the dead ones.
  static uint32_t UsedBytes(const uint8_t* page, uint32_t page_size) {
    const uint32_t slots_end = SlotsEnd(page);
    return slots_end + (page_size - HeapStart(page)) - NodeHeaderOf(page)->dead;
  }

  // --- changing --------------------------------------------------------------------------------

  // Makes a page with a valid PageHeader an empty node.
  static void Init(uint8_t* page, uint32_t page_size, bool branch);

  // Adds an entry at `index` if the key has the node's prefix and there is room without moving cells.
  static bool InsertAt(uint8_t* page, uint32_t page_size, uint32_t index, bool branch,
                       const Entry& entry);
  // Takes the entry out. In a branch, if it was entry 0, the next one becomes the one without a key.
  // Always true here; IntNode's may lack room.
  static bool RemoveAt(uint8_t* page, uint32_t page_size, uint32_t index, bool branch);
  // Gives a leaf's entry another payload (everything of it but the key) if there is room.
  static bool ReplaceAt(uint8_t* page, uint32_t index, const Entry& entry);

  // Takes all entries out of the node, appending them to `*entries`. They point into `buffer`, so the
  // page may be built anew.
  static void Gather(const uint8_t* page, uint32_t page_size, bool branch, GatherBuffer* buffer,
                     std::vector<Entry>* entries);
  // What a node of these entries would use of a page.
  static size_t SizeOf(std::span<const Entry> entries, bool branch, uint32_t page_size);
  // Makes the page a node of these entries, which fit. Identity in the PageHeader stays.
  static void Build(uint8_t* page, uint32_t page_size, std::span<const Entry> entries, bool branch);

  // Makes the page a leaf with one entry, with the prefix that the entry shares with `neighbour`'s keys:
  // a guess at what the keys to come will share.
  static bool StartLeaf(uint8_t* page, uint32_t page_size, const uint8_t* neighbour,
                        const Entry& entry);

  static bool SharesPrefix(const uint8_t* page, std::string_view key) {
    return StartsWith(key, page + kPrefixOffset, pager::HeaderOf(page)->prefix_length);
  }

  // Whether `key` is known to lie behind the last entry of a leaf that has one. False may be wrong.
  static bool IsBehindLast(const uint8_t* page, std::string_view key) {
    const pager::PageHeader* header = pager::HeaderOf(page);
    const size_t prefix_length = header->prefix_length;
    if (!StartsWith(key, page + kPrefixOffset, prefix_length)) return false;
    const BytesSlot& last = Slots(page)[header->count - 1];
    const std::string_view rest = key.substr(prefix_length);
    const uint32_t head = HeadOf(rest.data(), rest.size());
    if (head != last.head) return head > last.head;
    if (IsSpilled(last) || rest.size() <= kHeadBytes) return false;
    const std::string_view tail = AsView(page + last.offset, TailLength(last));
    return rest.substr(kHeadBytes) > tail;
  }

  // True if building the node anew could make room.
  static bool CanShrink(const uint8_t* page, uint32_t page_size);

  // Whether a branch surely has room for one more entry, whatever its key.
  static bool BranchHasRoom(const uint8_t* page, uint32_t page_size) {
    return HeapStart(page) - SlotsEnd(page) + pager::HeaderOf(page)->prefix_length >=
               sizeof(BytesSlot) + kChildBytes + MaxWholeKey(page_size) + kMaxDescriptorBytes &&
           pager::HeaderOf(page)->prefix_length == 0;
  }

  // Length of the shortest key that parts two neighbours.
  static size_t SeparatorLength(const Entry& left, const Entry& right) {
    return CommonPrefix(left.key, right.key) + 1;
  }

  // What an entry uses of a page, about: for choosing where to cut.
  static size_t Weight(const Entry& entry) {
    return sizeof(BytesSlot) + entry.key.size() + entry.payload_size();
  }

  static size_t CommonPrefix(std::string_view a, std::string_view b) {
    const size_t limit = std::min(a.size(), b.size());
    size_t i = 0;
    while (i < limit && a[i] == b[i]) ++i;
    return i;
  }

 private:
  static uint32_t SlotsEnd(const uint8_t* page) {
    const pager::PageHeader* header = pager::HeaderOf(page);
    return SlotsOffset(header->prefix_length) +
           header->count * static_cast<uint32_t>(sizeof(BytesSlot));
  }

  // Without a call for prefixes of the usual lengths.
  static bool StartsWith(std::string_view key, const uint8_t* prefix, size_t size) {
    if (key.size() < size) [[unlikely]]
      return false;
    const char* at = key.data();
    if (size >= 8) {
      uint64_t differ = LoadLe<uint64_t>(at + size - 8) ^ LoadLe<uint64_t>(prefix + size - 8);
      for (size_t i = 0; i + 8 < size; i += 8) {
        differ |= LoadLe<uint64_t>(at + i) ^ LoadLe<uint64_t>(prefix + i);
      }
      return differ == 0;
    }
    if (size >= 4) {
      return ((LoadLe<uint32_t>(at) ^ LoadLe<uint32_t>(prefix)) |
              (LoadLe<uint32_t>(at + size - 4) ^ LoadLe<uint32_t>(prefix + size - 4))) == 0;
    }
    for (size_t i = 0; i < size; ++i) {
      if (static_cast<uint8_t>(at[i]) != prefix[i]) return false;
    }
    return true;
  }

  // memcmp, without a call for a few bytes.
  static int CompareBytes(const void* a, const void* b, size_t size) {
    if (size > 8) return std::memcmp(a, b, size);
    if (size >= 4) {
      const size_t last = size - 4;
      const uint64_t x = uint64_t{LoadBe<uint32_t>(a)} << 32 |
                         LoadBe<uint32_t>(static_cast<const char*>(a) + last);
      const uint64_t y = uint64_t{LoadBe<uint32_t>(b)} << 32 |
                         LoadBe<uint32_t>(static_cast<const char*>(b) + last);
      return x < y ? -1 : x > y;
    }
    for (size_t i = 0; i < size; ++i) {
      const int order = static_cast<const uint8_t*>(a)[i] - static_cast<const uint8_t*>(b)[i];
      if (order != 0) return order;
    }
    return 0;
  }

  // First slot of [first, count) with a head >= `head`.
  template <bool kFetchCell>
  static uint32_t LowerHead(const pager::PageReader& pages, const uint8_t* page,
                            const BytesSlot* slots, uint32_t first, uint32_t count, uint32_t head) {
    uint32_t end = count;
    if (count >= kMinHinted) [[likely]] {
      uint32_t smaller = 0;
      for (uint32_t i = 0; i < kHints; ++i) smaller += Hint(page, i) < head;
      const uint32_t stride = HintStride(count);
      if (smaller != 0) first = smaller * stride + 1;
      if (smaller != kHints) end = (smaller + 1) * stride;
      if constexpr (kFetchCell) PrefetchCells(page, pages.page_size(), first, end, count);
    }
    if (first >= end) return end;
    // A mask instead of a branch: which half it is cannot be foretold. The lines are asked for together.
    const BytesSlot* base = slots + first;
    uint32_t n = end - first;
    for (uint32_t i = 0; i < n; i += 8) __builtin_prefetch(base + i);
    while (n > 1) {
      const uint32_t half = n / 2;
      base += half & (0u - static_cast<uint32_t>(base[half - 1].head < head));
      n -= half;
    }
    return static_cast<uint32_t>(base - slots) + (base->head < head);
  }

  // Makes the hints right after a change of the slots from `index` on, whose number was `old_count`.
  static void UpdateHints(uint8_t* page, uint32_t old_count, uint32_t index);

  // Decides among the slots from `index` on whose head is `head`.
  static NodePosition SearchTies(const pager::PageReader& pages, const uint8_t* page,
                                 uint32_t index, std::string_view key, std::string_view rest,
                                 uint32_t head) {
    const BytesSlot* slots = Slots(page);
    const uint32_t count = CountOf(page);
    const bool branch = pager::HeaderOf(page)->level != 0;
    for (; index < count && slots[index].head == head; ++index) {
      bool error = false;
      const int order = CompareTail(pages, page, slots[index], branch, key, rest, &error);
      if (error) [[unlikely]]
        return {.index = index, .error = true};
      if (order >= 0) return {.index = index, .exact = order == 0};
      if (index + 16 < count && slots[index + 16].head == head) [[unlikely]] {
        return SearchManyTies(pages, page, index + 1, key, rest, head);
      }
    }
    return {.index = index};
  }
  static NodePosition SearchManyTies(const pager::PageReader& pages, const uint8_t* page,
                                     uint32_t index, std::string_view key, std::string_view rest,
                                     uint32_t head);

  // Orders a slot's key against a key with the same prefix and head.
  static int CompareTail(const pager::PageReader& pages, const uint8_t* page, const BytesSlot& slot,
                         bool branch, std::string_view key, std::string_view rest, bool* error) {
    const uint32_t length = KeyLength(slot);
    if (!IsSpilled(slot)) [[likely]] {
      if (length > kHeadBytes && rest.size() > kHeadBytes) {
        const uint8_t* tail = page + slot.offset + (branch ? kChildBytes : 0);
        const size_t common = std::min<size_t>(length, rest.size()) - kHeadBytes;
        const int order = CompareBytes(tail, rest.data() + kHeadBytes, common);
        if (order != 0) return order;
      }
      return length < rest.size() ? -1 : length > rest.size();
    }
    return CompareSpilled(pages, page, slot, branch, key, rest, error);
  }
  static int CompareSpilled(const pager::PageReader& pages, const uint8_t* page,
                            const BytesSlot& slot, bool branch, std::string_view key,
                            std::string_view rest, bool* error);

  static uint32_t CellSize(const uint8_t* page, const BytesSlot& slot, bool branch);
  static void WriteCell(uint8_t* at, const Entry& entry, std::string_view tail, bool branch);
};

}  // namespace kvsql::btree

#endif  // KVSQL_BTREE_BYTES_NODE_H_
