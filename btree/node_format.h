// How the nodes of a B+tree stand in their pages. Constants, structs and their pictures; no logic.
//
// Every node starts with the PageHeader (pager/page_header.h) and a NodeHeader. The PageHeader's `count` is
// the number of entries, `free_offset` the lowest byte of the heap (0 stands for 65536), and
// `prefix_length` the length of the common key prefix (bytes nodes only). Cells are allocated downwards from the
// page's end; NodeHeader::dead counts the bytes in the heap that belong to no cell.
//
// Bytes leaf and bytes branch
//
//    0            32           40          104      104+P              +8*count      free_offset    page end
//    +------------+------------+-----------+--------+------------------+-------------+--------------+
//    | PageHeader | NodeHeader | hints[16] | prefix | BytesSlot[count] |  free       | cells        |
//    +------------+------------+-----------+--------+------------------+-------------+--------------+
//
//    hints: in a node of at least kMinHinted entries, hint i (u32) is the head of slot (i+1) * (count / 17):
//    one line of memory that leaves a search a seventeenth of the slots. In smaller nodes they mean nothing.
//
//    P is the prefix's length rounded up to a multiple of 8. A key is prefix + suffix; the suffix's first four
//    bytes are the slot's head (zero-padded, as a number whose order is the bytes' order), what follows them
//    (the tail) stands in the cell:
//
//    leaf cell:    tail | [key descriptor] | value
//    branch cell:  child u32 | rows u48 | tail | [key descriptor]
//    value:        varint n > 0, then n-1 bytes;  or a byte 0, then an ExtentDescriptor (large value)
//
//    A key longer than a quarter page is spilled: the node has its first page/8 bytes as if they were the
//    key, kSpilledKey in the slot's key_length, and the descriptor of an extent with the whole key. No prefix is
//    longer than page/8 - 4 bytes, so a spilled key's head is always four bytes of the key.
//
// Integer leaf
//
//    32           40         48                                free_offset      page end
//    +------------+----------+---------------------------------+----------------+
//    | NodeHeader | base i64 | {delta, offset u16}[count] free | cells: value   |
//    +------------+----------+---------------------------------+----------------+
//
//    key i = base + delta i; delta has NodeHeader::width bytes: 1, 2, 4 or 8, or none: then key i = base + i.
//
// Integer branch, of capacity C = (page size - 48) / (width + 10)
//
//    32           40         48            48 + C*width                      48 + C*(width+10)
//    +------------+----------+-------------+-----------------------------------+
//    | NodeHeader | base i64 | delta[C]    | {child u32, rows u48}[C]          |
//    +------------+----------+-------------+-----------------------------------+
//
// Branches: entry i's child has the keys from key i on and below key i+1. Entry 0's key is not
// stored (an empty key, or delta 0) and means "from the beginning". `rows` is the number of entries in the subtree,
// with kSubtreeHasExtents added if a leaf or branch in it may hold a descriptor.
#ifndef KVSQL_BTREE_NODE_FORMAT_H_
#define KVSQL_BTREE_NODE_FORMAT_H_

#include <cstddef>
#include <cstdint>

#include "pager/page_header.h"

namespace kvsql::btree {

// More levels than any tree of 2^32 pages can have: branches have at least two children on the average.
inline constexpr uint32_t kMaxHeight = 40;

inline constexpr uint32_t kMinPageSize = 4096;
inline constexpr uint32_t kMaxPageSize = 65536;

enum NodeFlags : uint8_t {
  kNodeHasExtents =
      1,  // a cell of this page may hold a descriptor, or a child's rows the extents bit
  kKnownNodeFlags = kNodeHasExtents,
};

struct NodeHeader {
  uint16_t dead;         // heap bytes outside every cell
  uint16_t last_insert;  // position of the last insert (a hint for splits)
  int8_t run;            // inserts in a row at rising (> 0) or falling (< 0) places; a hint
  uint8_t flags;         // NodeFlags
  uint8_t width;         // integer nodes: bytes of a delta
  uint8_t reserved;
};
static_assert(sizeof(NodeHeader) == 8);
static_assert(offsetof(NodeHeader, run) == 4);
static_assert(offsetof(NodeHeader, width) == 6);

inline constexpr uint32_t kNodeHeaderOffset = 32;
inline constexpr uint32_t kHintsOffset = 40;
inline constexpr uint32_t kHints = 16;
inline constexpr uint32_t kPrefixOffset = kHintsOffset + kHints * 4;
// Entries from which on a bytes node has hints: fewer are searched as fast without.
inline constexpr uint32_t kMinHinted = 2 * (kHints + 1);
// From one slot with a hint to the next.
constexpr uint32_t HintStride(uint32_t count) { return count / (kHints + 1); }
inline constexpr uint32_t kIntBaseOffset = 40;
inline constexpr uint32_t kIntSlotsOffset = 48;
static_assert(kNodeHeaderOffset == sizeof(pager::PageHeader));

struct BytesSlot {
  uint32_t head;
  uint16_t offset;      // of the cell in the page
  uint16_t key_length;  // of the suffix, head included; kSpilledKey may be added
};
static_assert(sizeof(BytesSlot) == 8);

inline constexpr uint16_t kSpilledKey = 0x8000;
inline constexpr uint32_t kHeadBytes = 4;

// child u32, rows u48.
inline constexpr uint32_t kChildBytes = 10;
inline constexpr uint64_t kSubtreeHasExtents = uint64_t{1} << 47;
inline constexpr uint64_t kRowsMask = kSubtreeHasExtents - 1;

// Where the bytes of a large value or spilled key are. Followed by `runs` times {first page u32, pages u32}.
// Unaligned in the cell: copy it out.
struct ExtentDescriptor {
  uint64_t birth;       // transaction that wrote the extent
  uint64_t hash;        // of the trailer, or of the stored bytes if there is no trailer
  uint32_t length;      // of the value
  uint32_t stored;      // bytes as stored, without trailer
  uint16_t dictionary;  // zstd dictionary; 0: none
  uint8_t codec;        // ExtentCodec
  uint8_t runs;         // 1 to kMaxExtentRuns
  uint32_t reserved;
};
static_assert(sizeof(ExtentDescriptor) == 32);
static_assert(offsetof(ExtentDescriptor, runs) == 27);

enum class ExtentCodec : uint8_t { kRaw = 0, kZstd = 1 };

inline constexpr uint32_t kMaxExtentRuns = 8;
inline constexpr uint32_t kRunBytes = 8;
inline constexpr uint32_t kMaxDescriptorBytes =
    sizeof(ExtentDescriptor) + kMaxExtentRuns * kRunBytes;
inline constexpr uint32_t kExtentHashChunk = 64 * 1024;

// A key up to this size stands whole in its cell.
constexpr uint32_t MaxWholeKey(uint32_t page_size) {
  return page_size / 4 < 0x3fff ? page_size / 4 : 0x3fff;
}
// What stands in the cell of a longer one.
constexpr uint32_t SpilledKeyInline(uint32_t page_size) { return page_size / 8; }
constexpr uint32_t MaxPrefix(uint32_t page_size) { return page_size / 8 - kHeadBytes; }
// A key (its inline part) and a value together over this: the value goes to an extent.
constexpr uint32_t MaxInlineCell(uint32_t page_size) { return page_size / 4; }

// Whether a value goes to an extent. `key_size`: what the cell holds of the key, descriptor included. A
// value that is no larger than a descriptor stays.
constexpr bool NeedsExtent(size_t key_size, size_t value_size, uint32_t page_size) {
  return key_size + value_size + 3 > MaxInlineCell(page_size) && value_size > kMaxDescriptorBytes;
}

// Three of the largest cells always fit in a page, so a full page can always be split.
static_assert(3 * (MaxInlineCell(kMinPageSize) + 2 * kMaxDescriptorBytes + sizeof(BytesSlot) +
                   kChildBytes) <=
              kMinPageSize - kPrefixOffset - 8);

}  // namespace kvsql::btree

#endif  // KVSQL_BTREE_NODE_FORMAT_H_
