// Counting what the planner's estimates rest on (ANALYZE).
#ifndef KVSQL_KV_ANALYZE_H_
#define KVSQL_KV_ANALYZE_H_

#include "base/status.h"
#include "kv/schema.h"
#include "kv/write_txn.h"

namespace kvsql::kv {

// Counts the rows of the table, and in each index (or only in `only`) the rows that share a prefix of its
// columns on average, and stores that. A table without rows has no statistics.
Status Analyze(WriteTxn& txn, const TableDef& table, const IndexDef* only = nullptr);

}  // namespace kvsql::kv

#endif  // KVSQL_KV_ANALYZE_H_
