// Values (and keys) too large for a page: bytes in extents of their own, named by a descriptor that
// stands in the cell in the value's place.
//
// An extent holds the stored bytes (raw, or one zstd frame), and, when they are longer than 64 KiB, behind
// them, at the next multiple of 8, its trailer: one XXH3-64 for each 64 KiB of stored bytes. The
// descriptor (node_format.h) has the trailer's hash, or the hash of the bytes where there is no trailer.
//
// Thread safety: functions that take a PageReader may be called by any thread; those that take a
// PageWriter belong to its thread.
#ifndef KVSQL_BTREE_LARGE_VALUE_H_
#define KVSQL_BTREE_LARGE_VALUE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "btree/tree.h"
#include "pager/page_reader.h"
#include "pager/page_writer.h"

namespace kvsql::btree {

// A large value's bytes: a view into the database where it is one uncompressed run, else owned memory.
// A view lives as long as the ValueRef it was read from.
class LargeValue {
 public:
  LargeValue() = default;
  explicit LargeValue(std::string_view view) : view_(view) {}
  LargeValue(std::unique_ptr<char[]> owned, size_t size)
      : owned_(std::move(owned)), view_(owned_.get(), size) {}

  std::string_view view() const { return view_; }
  bool is_owned() const { return owned_ != nullptr; }
  // Leaves out the first `n` bytes of view().
  void RemovePrefix(size_t n) { view_.remove_prefix(n); }
  // Hands the owned memory over; view() goes on to point into it.
  std::unique_ptr<char[]> TakeOwned() { return std::move(owned_); }

 private:
  std::unique_ptr<char[]> owned_;
  std::string_view view_;
};

// The value's size in bytes, without reading it. `ref.is_large` must hold.
uint64_t LargeSize(ValueRef ref);

// Reads and verifies the value. DATA_LOSS where a hash does not match.
StatusOr<LargeValue> ReadLarge(const pager::PageReader& pages, ValueRef ref);

// Any value as bytes: an inline one as a view, a large one by ReadLarge.
StatusOr<LargeValue> ReadValue(const pager::PageReader& pages, ValueRef ref);

}  // namespace kvsql::btree

#endif  // KVSQL_BTREE_LARGE_VALUE_H_
