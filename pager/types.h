// Identifiers that every layer above the pager speaks of.
#ifndef KVSQL_PAGER_TYPES_H_
#define KVSQL_PAGER_TYPES_H_

#include <cstdint>

namespace kvsql::pager {

// A page's position in the file, in pages. 0 holds the meta slots and therefore also means "no page".
using PageId = uint32_t;
inline constexpr PageId kNoPage = 0;

// Transaction number. States of the database are ordered by it; a page's birth is the txid of the
// transaction that wrote it.
using TxId = uint64_t;

// Number of one B+tree in the file. 0 is no tree; 1 is the catalog.
using TreeId = uint32_t;
inline constexpr TreeId kNoTree = 0;
inline constexpr TreeId kCatalogTree = 1;

// How the keys of a tree are stored; fixed when the tree is created.
enum class KeyKind : uint8_t {
  kBytes = 1,  // memcomparable byte strings
  kInt64 = 2,  // 64-bit signed integers
};

// Where a tree starts, in one state of the database.
struct TreeRoot {
  PageId page = kNoPage;  // kNoPage: the tree is empty
  uint8_t height = 0;     // level of the root page (0: a leaf)
  KeyKind kind = KeyKind::kBytes;
  bool exists = false;
  uint64_t count = 0;  // entries in the tree

  friend bool operator==(const TreeRoot&, const TreeRoot&) = default;
};

// A run of pages in the file.
struct PageRun {
  PageId first = kNoPage;
  uint32_t pages = 0;
  friend bool operator==(const PageRun&, const PageRun&) = default;
};

// What a commit promises when it returns.
enum class Durability : uint8_t {
  kFull,    // survives power failure
  kNormal,  // survives death of the process; after power failure a prefix of the commits survives
};

}  // namespace kvsql::pager

#endif  // KVSQL_PAGER_TYPES_H_
