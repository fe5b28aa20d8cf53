// The dictionaries of compressed tables and keyspaces, in a write transaction.
#include <algorithm>
#include <utility>

#include "kv/catalog_codec.h"
#include "kv/write_txn.h"

namespace kvsql::kv {

const ValueCodec* WriteTxn::RetrainedCodec(TreeId tree, const CompressionDef& compression) const {
  for (size_t i = retrained_.size(); i-- > 0;) {
    if (retrained_[i].first == tree) return retrained_[i].second.get();
  }
  return compression.codec.get();
}

Status WriteTxn::EraseDictionaries(TreeId tree, const CompressionDef& compression) {
  for (const uint32_t number : compression.dictionaries) {
    KV_RETURN_IF_ERROR(EraseCatalog(ObjectKind::kDictionary, DictionaryName(tree, number)));
  }
  return absl::OkStatus();
}

Status WriteTxn::AddDictionary(ObjectKind kind, std::string_view name, std::string_view bytes,
                               bool alone) {
  KV_RETURN_IF_ERROR(CheckUsable());
  const auto change = [&](TreeId tree, CompressionDef* compression) -> Status {
    // The smallest number that no cell can have.
    uint32_t number = 1;
    const auto taken = [&] {
      return std::find(compression->dictionaries.begin(), compression->dictionaries.end(),
                       number) != compression->dictionaries.end();
    };
    while (taken()) ++number;
    KV_RETURN_IF_ERROR(WriteCatalog(ObjectKind::kDictionary, DictionaryName(tree, number),
                                    EncodeDictionary(bytes)));
    if (alone) {
      KV_RETURN_IF_ERROR(EraseDictionaries(tree, *compression));
      compression->dictionaries.clear();
    }
    compression->dictionaries.push_back(number);
    compression->trained_rows = Count(tree);
    return absl::OkStatus();
  };
  const auto note = [&](TreeId tree, const CompressionDef& compression) {
    retrained_.emplace_back(tree, compression.codec);
  };
  if (kind == ObjectKind::kKeyspace) {
    KV_ASSIGN_OR_RETURN(const KeyspaceDef* keyspace, FindKeyspace(name));
    if (keyspace == nullptr) return absl::NotFoundError("no such keyspace");
    KeyspaceDef changed = *keyspace;
    BeginPrivateSchema(kind, name);
    KV_RETURN_IF_ERROR(change(changed.tree, &changed.compression));
    KV_RETURN_IF_ERROR(WriteCatalog(kind, name, EncodeKeyspace(changed)));
    KV_ASSIGN_OR_RETURN(keyspace, FindKeyspace(name));
    note(keyspace->tree, keyspace->compression);
    return absl::OkStatus();
  }
  KV_ASSIGN_OR_RETURN(const TableDef* table, FindTable(name));
  if (table == nullptr) return absl::NotFoundError("no such table");
  TableDef changed = *table;
  BeginPrivateSchema(kind, name);
  KV_RETURN_IF_ERROR(change(changed.tree, &changed.compression));
  KV_RETURN_IF_ERROR(WriteCatalog(kind, name, EncodeTable(changed)));
  KV_ASSIGN_OR_RETURN(table, FindTable(name));
  note(table->tree, table->compression);
  return absl::OkStatus();
}

}  // namespace kvsql::kv
