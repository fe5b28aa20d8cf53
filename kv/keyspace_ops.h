// What the key door does in a keyspace: a tree of byte strings whose values are raw bytes.
//
// Keys and values of a put must not be views into the tree it changes, as read through the same transaction
// (api/ copies them); those of the other calls may.
//
// Thread safety: that of the transaction given.
#ifndef KVSQL_KV_KEYSPACE_OPS_H_
#define KVSQL_KV_KEYSPACE_OPS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "btree/large_value.h"
#include "btree/tree.h"
#include "kv/reader.h"
#include "kv/schema.h"
#include "kv/write_txn.h"

namespace kvsql::kv {

// Longest key of a keyspace.
inline constexpr size_t kMaxKeyspaceKey = 64 * 1024 - 1;
// Longest value.
inline constexpr uint64_t kMaxValueBytes = uint64_t{1} << 30;

// A value as found: a view into the pages, or owned where it had to be put together.
class FoundValue {
 public:
  // Valid as long as this object, and the transaction (until its next change).
  std::string_view view() const { return view_; }
  // Whether the bytes are this object's own, and therefore outlive the transaction.
  bool owned() const { return owned_; }

  Status Set(const pager::PageReader& pages, const btree::ValueRef& value) {
    if (!value.is_large) [[likely]] {
      view_ = value.view();
      owned_ = false;
      return absl::OkStatus();
    }
    return SetLarge(pages, value);
  }

 private:
  Status SetLarge(const pager::PageReader& pages, const btree::ValueRef& value);

  std::string_view view_;
  btree::LargeValue large_;
  bool owned_ = false;
};

// False: no such key.
StatusOr<bool> GetValue(Reader reader, TreeId keyspace, std::string_view key, FoundValue* value);
StatusOr<bool> Contains(Reader reader, TreeId keyspace, std::string_view key);
// Keys in [lo, hi), where nullopt is unbounded. Exact, in O(height).
StatusOr<uint64_t> CountKeys(Reader reader, TreeId keyspace, btree::BytesBound lo,
                             btree::BytesBound hi);

Status PutValue(WriteTxn& txn, TreeId keyspace, std::string_view key, std::string_view value);
// False: there was one already, and it stays.
StatusOr<bool> PutIfAbsent(WriteTxn& txn, TreeId keyspace, std::string_view key,
                           std::string_view value);
// Puts `value` if the present one is `expected` (none: if there is no such key). False: it is not.
StatusOr<bool> CompareAndPut(WriteTxn& txn, TreeId keyspace, std::string_view key,
                             std::optional<std::string_view> expected, std::string_view value);
// False: there was none.
StatusOr<bool> DeleteKey(WriteTxn& txn, TreeId keyspace, std::string_view key);
StatusOr<uint64_t> DeleteKeys(WriteTxn& txn, TreeId keyspace, btree::BytesBound lo,
                              btree::BytesBound hi);

// The first key after all that begin with `prefix`; nullopt if there can be none.
std::optional<std::string> PrefixEnd(std::string_view prefix);

}  // namespace kvsql::kv

#endif  // KVSQL_KV_KEYSPACE_OPS_H_
