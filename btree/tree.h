// Reading one B+tree of one state of the database: point lookup, rank and counts.
//
// A tree maps keys to values. Keys are byte strings in memcmp order (KeyKind::kBytes, up to 64 KiB) or
// 64-bit signed integers (KeyKind::kInt64); every function has an overload for each, and the caller must
// use the one that fits the tree. Values are bytes up to 1 GiB; those too large for a leaf stand in
// extents and are read with ReadLarge (large_value.h).
//
// Thread safety: the functions here only read; any number of threads may call them.
//
// Invariants:
//  1. No function allocates, locks or calls the system where all pages have been touched before
//     (except to build an error, or to compare with a key that is too long for its page).
//  2. Wrong bytes in the file give kError or DATA_LOSS, never a crash, a loop or another tree's entry (S3).
#ifndef KVSQL_BTREE_TREE_H_
#define KVSQL_BTREE_TREE_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/bytes.h"
#include "base/status.h"
#include "pager/page_reader.h"
#include "pager/types.h"

namespace kvsql::btree {

// Longest key and value that a tree takes.
inline constexpr size_t kMaxKeySize = 64 * 1024;
inline constexpr size_t kMaxValueSize = size_t{1} << 30;

// A value where it stands in its leaf. Valid as long as the page's bytes are: for a snapshot's reader, as
// long as the snapshot; within a write transaction, until its next write.
struct ValueRef {
  const uint8_t* data = nullptr;
  uint32_t size = 0;
  bool is_large = false;  // data is a descriptor: use LargeSize and ReadLarge

  std::string_view view() const { return AsView(data, size); }
};

// One tree in one state. `pages` is borrowed.
struct TreeView {
  const pager::PageReader* pages = nullptr;
  pager::TreeId id = pager::kNoTree;
  pager::TreeRoot root;
};

enum class FindResult : uint8_t {
  kFound,
  kNotFound,
  kError,  // FindError says why
};

FindResult Find(const TreeView& tree, std::string_view key, ValueRef* out);
FindResult Find(const TreeView& tree, int64_t key, ValueRef* out);

// Finds many keys of a tree of integers: keys[order[0]], keys[order[1]]..., which must not fall; `count` of them. The
// value of keys[i] goes to out[i]. Stops at the first that is not there or cannot be read: that one's place in `keys`
// goes to *failed.
FindResult FindRising(const TreeView& tree, const int64_t* keys, const uint32_t* order,
                      uint32_t count, ValueRef* out, uint32_t* failed);

// Why Find answered kError. Repeats the search; DATA_LOSS naming tree and page, or the read error.
Status FindError(const TreeView& tree, std::string_view key);
Status FindError(const TreeView& tree, int64_t key);

// Ends of a range of keys; nullopt is unbounded.
using BytesBound = std::optional<std::string_view>;
using IntBound = std::optional<int64_t>;

// Number of entries with a key < `key`. Exact, O(height).
StatusOr<uint64_t> Rank(const TreeView& tree, std::string_view key);
StatusOr<uint64_t> Rank(const TreeView& tree, int64_t key);

// Number of entries with lo <= key < hi. Exact, O(height).
StatusOr<uint64_t> CountRange(const TreeView& tree, BytesBound lo, BytesBound hi);
StatusOr<uint64_t> CountRange(const TreeView& tree, IntBound lo, IntBound hi);

}  // namespace kvsql::btree

#endif  // KVSQL_BTREE_TREE_H_
