// The records of the catalog tree: definitions in binary form, with the SQL text beside them.
//
//    table       version, shape and flags, trees, name, columns, primary key, its conflict clause,
//                CHECKs, indexes, SQL text, [compression]
//    index       version, name of its table
//    keyspace    version, tree, name, [compression]
//    view        version, tree limit, schema version, name, names of columns, SQL text
//    statistics  version, rows of the table, per analyzed index: name, numbers
//    dictionary  version, bytes
//
//    compression = codec, rows when the last dictionary was trained, numbers of dictionaries; only in records
//                  of version 3
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
std::string EncodeView(const ViewDef& view);
std::string EncodeDictionary(std::string_view bytes);
// Of the table and its indexes.
std::string EncodeStatistics(const TableDef& table);

// The derived members of the table are filled in, but for its codec.
StatusOr<TableDef> DecodeTable(std::string_view record);
StatusOr<std::string> DecodeIndexEntry(std::string_view record);
StatusOr<KeyspaceDef> DecodeKeyspace(std::string_view record);
StatusOr<std::string> DecodeDictionary(std::string_view record);
StatusOr<ViewDef> DecodeView(std::string_view record);
// Into the table and those of its indexes that are still there.
Status DecodeStatistics(std::string_view record, TableDef* table);

}  // namespace kvsql::kv

#endif  // KVSQL_KV_CATALOG_CODEC_H_
