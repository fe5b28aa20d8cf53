// The records of the catalog tree: definitions in binary form, with the SQL text beside them.
//
//    table     version, shape and flags, trees, name, columns, primary key, indexes, SQL text
//    index     version, name of its table
//    keyspace  version, tree, name
//
// Numbers are varints, texts have their length before them, values have a type byte before them. A
// reader that meets a version it does not know answers FAILED_PRECONDITION; one that meets
// nonsense, DATA_LOSS.
//
// Thread safety: free functions without state.
#ifndef KVSQL_KV_CATALOG_CODEC_H_
#define KVSQL_KV_CATALOG_CODEC_H_

#include <string>
#include <string_view>

#include "base/status.h"
#include "kv/schema.h"

namespace kvsql::kv {

// The key of an object in the catalog tree.
std::string CatalogKey(ObjectKind kind, std::string_view name);

std::string EncodeTable(const TableDef& table);
std::string EncodeIndexEntry(std::string_view table);
std::string EncodeKeyspace(const KeyspaceDef& keyspace);

// The derived members of the table are filled in.
StatusOr<TableDef> DecodeTable(std::string_view record);
StatusOr<std::string> DecodeIndexEntry(std::string_view record);
StatusOr<KeyspaceDef> DecodeKeyspace(std::string_view record);

}  // namespace kvsql::kv

#endif  // KVSQL_KV_CATALOG_CODEC_H_
