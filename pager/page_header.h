// The header that starts every page of a tree, of the allocation map and of the root table.
//
//    0        8        16    20    24   25   26     28      30      32
//    +--------+--------+-----+-----+----+----+------+-------+-------+----------------
//    |checksum| birth  |page |tree |type|lvl |count |prefix | free  | body ...
//    +--------+--------+-----+-----+----+----+------+-------+-------+----------------
//
// checksum covers the bytes from `birth` to the page's end, seeded with the database's salt. It is
// computed in the copy that goes to the file (S4); in memory it may be stale.
#ifndef KVSQL_PAGER_PAGE_HEADER_H_
#define KVSQL_PAGER_PAGE_HEADER_H_

#include <cstddef>
#include <cstdint>

#include "pager/types.h"

namespace kvsql::pager {

enum class PageType : uint8_t {
  kNone = 0,
  kBytesLeaf = 1,
  kBytesBranch = 2,
  kIntLeaf = 3,
  kIntBranch = 4,
  kMapDirectory = 5,  // names the bitmap pages and the root table pages
  kBitmap = 6,        // one bit per page: allocated
  kRootTable = 7,     // tree id -> TreeRoot
};

struct PageHeader {
  uint64_t checksum;
  TxId birth;
  PageId page;
  TreeId tree;
  PageType type;
  uint8_t level;           // 0: leaf
  uint16_t count;          // entries
  uint16_t prefix_length;  // meaning is the node's
  uint16_t free_offset;    // meaning is the node's
};
static_assert(sizeof(PageHeader) == 32);
static_assert(offsetof(PageHeader, birth) == 8);
static_assert(offsetof(PageHeader, page) == 16);
static_assert(offsetof(PageHeader, type) == 24);
static_assert(offsetof(PageHeader, free_offset) == 30);

inline const PageHeader* HeaderOf(const uint8_t* page) {
  return reinterpret_cast<const PageHeader*>(page);
}
inline PageHeader* HeaderOf(uint8_t* page) { return reinterpret_cast<PageHeader*>(page); }

}  // namespace kvsql::pager

#endif  // KVSQL_PAGER_PAGE_HEADER_H_
