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

// A keyspace as these functions take it: its tree, and its definition if its values are compressed.
struct KeyspaceRef {
  KeyspaceRef(TreeId the_tree) : tree(the_tree) {}  // NOLINT: of one that is not compressed
  KeyspaceRef(const KeyspaceDef& def)               // NOLINT
      : tree(def.tree), compressed(def.compression.codec == nullptr ? nullptr : &def) {}

  // Null: values stand as they are.
  const ValueCodec* Codec(const Reader& reader) const {
    if (compressed == nullptr) [[likely]]
      return nullptr;
    return reader.CodecOf(tree, compressed->compression);
  }

  TreeId tree;
  const KeyspaceDef* compressed = nullptr;
};

// A value as found: a view into the pages, or owned where it had to be put together or decompressed.
class FoundValue {
 public:
  // Valid as long as this object, and the transaction (until its next change).
  std::string_view view() const { return view_; }
  // Whether the bytes are this object's own, and therefore outlive the transaction.
  bool owned() const { return owned_; }

  // `codec`: of a compressed keyspace.
  Status Set(const pager::PageReader& pages, const btree::ValueRef& value,
             const ValueCodec* codec = nullptr) {
    if (!value.is_large && codec == nullptr) [[likely]] {
      view_ = value.view();
      owned_ = false;
      return absl::OkStatus();
    }
    return SetSlowly(pages, value, codec);
  }

 private:
  Status SetSlowly(const pager::PageReader& pages, const btree::ValueRef& value,
                   const ValueCodec* codec);

  std::string_view view_;
  btree::LargeValue large_;
  bool owned_ = false;
};

// False: no such key.
StatusOr<bool> GetValue(Reader reader, KeyspaceRef keyspace, std::string_view key,
                        FoundValue* value);
StatusOr<bool> Contains(Reader reader, KeyspaceRef keyspace, std::string_view key);
// Keys in [lo, hi), where nullopt is unbounded. Exact, in O(height).
StatusOr<uint64_t> CountKeys(Reader reader, KeyspaceRef keyspace, btree::BytesBound lo,
                             btree::BytesBound hi);

Status PutValue(WriteTxn& txn, KeyspaceRef keyspace, std::string_view key, std::string_view value);
// False: there was one already, and it stays.
StatusOr<bool> PutIfAbsent(WriteTxn& txn, KeyspaceRef keyspace, std::string_view key,
                           std::string_view value);
// Puts `value` if the present one is `expected` (none: if there is no such key). False: it is not.
StatusOr<bool> CompareAndPut(WriteTxn& txn, KeyspaceRef keyspace, std::string_view key,
                             std::optional<std::string_view> expected, std::string_view value);
// False: there was none.
StatusOr<bool> DeleteKey(WriteTxn& txn, KeyspaceRef keyspace, std::string_view key);
StatusOr<uint64_t> DeleteKeys(WriteTxn& txn, KeyspaceRef keyspace, btree::BytesBound lo,
                              btree::BytesBound hi);

// The first key after all that begin with `prefix`; nullopt if there can be none.
std::optional<std::string> PrefixEnd(std::string_view prefix);

}  // namespace kvsql::kv

#endif  // KVSQL_KV_KEYSPACE_OPS_H_
