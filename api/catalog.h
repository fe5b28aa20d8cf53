// Lists and makes keyspaces, in either kind of transaction.
#ifndef KVSQL_API_CATALOG_H_
#define KVSQL_API_CATALOG_H_

#include <kvsql/options.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "kv/reader.h"
#include "kv/write_txn.h"

namespace kvsql::internal {

StatusOr<std::vector<std::string>> ListKeyspaces(kv::Reader reader);

// Makes the keyspace if there is none; the schema then has it.
Status EnsureKeyspace(kv::WriteTxn& txn, std::string_view name, const KeyspaceOptions& options);

}  // namespace kvsql::internal

#endif  // KVSQL_API_CATALOG_H_
