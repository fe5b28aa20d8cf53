// What all node kinds share: header access, the encoding of values in cells, entries on their way from
// one page to another.
//
// Thread safety: plain functions over a page's bytes; the caller owns the page.
#ifndef KVSQL_BTREE_NODE_H_
#define KVSQL_BTREE_NODE_H_

#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/bytes.h"
#include "btree/node_format.h"
#include "btree/tree.h"
#include "pager/page_header.h"

namespace kvsql::btree {

inline NodeHeader* NodeHeaderOf(uint8_t* page) {
  return reinterpret_cast<NodeHeader*>(page + kNodeHeaderOffset);
}
inline const NodeHeader* NodeHeaderOf(const uint8_t* page) {
  return reinterpret_cast<const NodeHeader*>(page + kNodeHeaderOffset);
}

inline uint32_t CountOf(const uint8_t* page) { return pager::HeaderOf(page)->count; }

inline uint32_t HeapStart(const uint8_t* page) {
  const uint32_t offset = pager::HeaderOf(page)->free_offset;
  return offset != 0 ? offset : kMaxPageSize;
}
inline void SetHeapStart(uint8_t* page, uint32_t offset) {
  pager::HeaderOf(page)->free_offset = static_cast<uint16_t>(offset);
}

// Asks for the cells of the slots [first, end) of a leaf, which then come side by side with the slots instead of
// after them. Where they stand is a guess that is right where a leaf was built, or filled in the order of its keys, with
// cells of about one size: they stand in that order from the page's end down. A wrong guess costs the lines' way.
// Inlined by force: GCC takes a function that only prefetches for one without effect, and drops its calls.
[[gnu::always_inline]] inline void PrefetchCells(const uint8_t* page, uint32_t page_size,
                                                 uint32_t first, uint32_t end, uint32_t count) {
  constexpr uint32_t kLine = 64;
  constexpr uint32_t kMostLines = 8;
  const uint32_t size =
      (page_size - HeapStart(page)) * 16 / count;  // of a cell, in 16ths of a byte
  const uint8_t* at = page + page_size - (end * size >> 4);
  uint32_t lines = ((end - first) * size >> 4) / kLine + 1;
  if (lines > kMostLines) return;
  for (; lines != 0; --lines, at += kLine) __builtin_prefetch(at);
}

inline bool HasExtents(const uint8_t* page) {
  return (NodeHeaderOf(page)->flags & kNodeHasExtents) != 0;
}

// Result of a search in a node.
struct NodePosition {
  uint32_t index = 0;  // first entry whose key is >= the sought one
  bool exact = false;  // that entry has the sought key
  bool error = false;  // a spilled key could not be read
};

// --- values in cells ---------------------------------------------------------------------------

inline uint32_t DescriptorSize(const uint8_t* descriptor) {
  return sizeof(ExtentDescriptor) + kRunBytes * descriptor[offsetof(ExtentDescriptor, runs)];
}

// Decodes the value at `at` in a validated cell. `*end`, if asked for, is the byte after it.
inline ValueRef DecodeValue(const uint8_t* at, const uint8_t** end = nullptr) {
  uint64_t n = *at++;
  if (n >= 0x80) [[unlikely]] {
    n = (n & 0x7f) | (uint64_t{*at & 0x7fu} << 7);
    if ((*at++ & 0x80) != 0) n |= uint64_t{*at++} << 14;
  }
  ValueRef ref;
  ref.data = at;
  if (n == 0) [[unlikely]] {
    ref.is_large = true;
    ref.size = DescriptorSize(at);
  } else {
    ref.size = static_cast<uint32_t>(n - 1);
  }
  if (end != nullptr) *end = at + ref.size;
  return ref;
}

inline constexpr uint32_t kMaxValueHeader = 3;

// What a cell holds besides its key: some bytes built on the spot, then some that are only pointed to.
struct CellPayload {
  uint8_t head[2 * kMaxDescriptorBytes + kMaxValueHeader + kChildBytes];
  uint32_t head_size = 0;
  std::string_view body;
  bool extents = false;

  std::string_view head_view() const { return AsView(head, head_size); }
  void AppendHead(const void* bytes, size_t size) {
    std::memcpy(head + head_size, bytes, size);
    head_size += static_cast<uint32_t>(size);
  }
  void SetInlineValue(std::string_view value) {
    head_size = static_cast<uint32_t>(PutVarint64(head + head_size, value.size() + 1) - head);
    body = value;
  }
  void SetLargeValue(std::string_view descriptor) {
    head[head_size++] = 0;
    AppendHead(descriptor.data(), descriptor.size());
    body = {};
    extents = true;
  }
};

// --- entries on their way from page to page -------------------------------------------------------

// One entry taken out of a node, or to be put into one. Leaf: head + body is the payload. Branch:
// head is child and rows, body the key descriptor if any.
template <typename KeyType>
struct NodeEntry {
  using Key = KeyType;

  Key key{};  // bytes: whole, with the prefix, without what is spilled
  bool spilled = false;
  bool extents = false;
  std::string_view head;
  std::string_view body;

  size_t payload_size() const { return head.size() + body.size(); }
  size_t key_size() const {
    if constexpr (std::is_same_v<KeyType, std::string_view>) {
      return key.size();
    } else {
      return 1;
    }
  }
};
using BytesEntry = NodeEntry<std::string_view>;
using IntEntry = NodeEntry<int64_t>;

// Memory that gathered entries point into; reused from one operation to the next.
struct GatherBuffer {
  std::vector<uint8_t> page;
  std::vector<char> keys;
};

// --- branch payloads -----------------------------------------------------------------------------

inline pager::PageId LoadChild(const uint8_t* at) { return LoadLe<uint32_t>(at); }
inline uint64_t LoadRows(const uint8_t* at) {
  return LoadLe<uint32_t>(at + 4) | uint64_t{LoadLe<uint16_t>(at + 8)} << 32;
}
inline void StoreChild(uint8_t* at, pager::PageId child) { StoreLe<uint32_t>(at, child); }
inline void StoreRows(uint8_t* at, uint64_t rows) {
  StoreLe<uint32_t>(at + 4, static_cast<uint32_t>(rows));
  StoreLe<uint16_t>(at + 8, static_cast<uint16_t>(rows >> 32));
}

// Writes an entry's payload and returns the byte after it.
template <typename Entry>
inline uint8_t* CopyPayload(uint8_t* to, const Entry& entry) {
  std::memcpy(to, entry.head.data(), entry.head.size());
  to += entry.head.size();
  if (!entry.body.empty()) std::memcpy(to, entry.body.data(), entry.body.size());
  return to + entry.body.size();
}

// Notes in the page where an insert happened, for the next split's sake.
inline void NoteInsert(uint8_t* page, uint32_t position) {
  NodeHeader* header = NodeHeaderOf(page);
  const uint32_t last = header->last_insert;
  auto run = static_cast<int>(header->run);
  if (position == last + 1) {
    run = run < 0 ? 1 : run + (run < 100);
  } else if (position == last) {
    run = run > 0 ? -1 : run - (run > -100);
  } else {
    run = 0;
  }
  header->run = static_cast<int8_t>(run);
  header->last_insert = static_cast<uint16_t>(position);
}

}  // namespace kvsql::btree

#endif  // KVSQL_BTREE_NODE_H_
