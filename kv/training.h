// Training the dictionaries of compressed tables and keyspaces on a sample of what is in them.
//
// The first is trained as soon as the tree has enough to learn from, by the write that made it so, and what the
// tree had until then is stored anew; when the tree has grown many times over, another is trained, which
// replaces the first for what is written from then on if it is better; VACUUM trains one and stores everything
// anew with it.
//
// Thread safety: that of the transaction given.
//
// Invariants:
//  1. A dictionary is in the catalog before a cell names it, in the same transaction; it leaves it in the
//     transaction that has stored every cell anew.
//  2. The same entries are found before and after.
#ifndef KVSQL_KV_TRAINING_H_
#define KVSQL_KV_TRAINING_H_

#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "kv/schema.h"
#include "kv/write_txn.h"

namespace kvsql::kv {

// A table or keyspace whose values are compressed. Views the definition.
struct CompressedTree {
  explicit CompressedTree(const TableDef& table)
      : kind(ObjectKind::kTable),
        key_kind(table.key_kind()),
        name(table.name),
        tree(table.tree),
        overflow_tree(table.overflow_tree),
        compression(&table.compression) {}
  explicit CompressedTree(const KeyspaceDef& keyspace)
      : kind(ObjectKind::kKeyspace),
        key_kind(KeyKind::kBytes),
        name(keyspace.name),
        tree(keyspace.tree),
        compression(&keyspace.compression) {}

  ObjectKind kind;
  KeyKind key_kind;
  std::string_view name;
  TreeId tree;
  TreeId overflow_tree = pager::kNoTree;  // of a table
  const CompressionDef* compression;
};

namespace training_internal {
// The first look at a tree without a dictionary, and how far one with a dictionary must have grown since.
inline constexpr uint64_t kFirstLook = 256;
inline constexpr uint64_t kGrowth = 32;
Status Train(WriteTxn& txn, const CompressedTree& of);
}  // namespace training_internal

// Trains a dictionary if the tree has come to have enough entries; to be called after a value was stored. Views
// into the tree's pages end. An error leaves the transaction broken.
inline Status TrainIfDue(WriteTxn& txn, const CompressedTree& of) {
  const ValueCodec* const codec = txn.CodecOf(of.tree, *of.compression);
  const uint64_t due = codec->current() == nullptr
                           ? training_internal::kFirstLook
                           : codec->trained_rows() * training_internal::kGrowth;
  if (txn.Count(of.tree) < due) [[likely]]
    return absl::OkStatus();
  return training_internal::Train(txn, of);
}

// Trains dictionaries for all compressed tables and keyspaces, and stores their values anew with them; each in a
// transaction of its own. One that would gain nothing is left alone.
Status RetrainAll(Store& store);

}  // namespace kvsql::kv

#endif  // KVSQL_KV_TRAINING_H_
