// Finding rows through their keys and through UNIQUE index entries: what reads and writes of rows
// share.
//
// Thread safety: that of the transaction given.
#ifndef KVSQL_KV_ROW_LOOKUP_H_
#define KVSQL_KV_ROW_LOOKUP_H_

#include <optional>
#include <span>
#include <string_view>

#include "base/status.h"
#include "kv/index_entries.h"
#include "kv/reader.h"
#include "kv/row.h"
#include "kv/schema.h"

namespace kvsql::kv {

// False: there is no such row.
StatusOr<bool> GetByRowKey(Reader reader, const TableDef& table, const RowKey& key, Row* row);

Status WrongColumnCount(std::string_view what, size_t given, size_t expected);
Status DamagedIndex(const TableDef& table, const IndexDef& index);

// The row whose indexed columns equal a tuple that is too long for a key, by reading the rows of
// all entries that begin with `cut_tuple`.
StatusOr<bool> FindTruncated(Reader reader, const TableDef& table, const IndexDef& index,
                             std::span<const ValueView> tuple, std::string_view cut_tuple,
                             Row* row);

// The row's key behind a UNIQUE entry without NULL that was not cut; nullopt: there is none. The
// view ends with the next change, and with the next call in this thread.
StatusOr<std::optional<RowKey>> FindUniqueEntry(Reader reader, const TableDef& table,
                                                const IndexDef& index, std::string_view key);

}  // namespace kvsql::kv

#endif  // KVSQL_KV_ROW_LOOKUP_H_
