// Index entries: how a row stands in its table's indexes, and how an entry leads back to the row.
//
// The format is drawn in table_ops.h. An entry whose tuple was cut at the limit has the one-byte
// value FF.
//
// Thread safety: free functions; IndexFill belongs to the write transaction's thread.
#ifndef KVSQL_KV_INDEX_ENTRIES_H_
#define KVSQL_KV_INDEX_ENTRIES_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "kv/reader.h"
#include "kv/row.h"
#include "kv/row_rules.h"
#include "kv/schema.h"
#include "kv/write_scratch.h"
#include "kv/write_txn.h"

namespace kvsql::kv {

// Where a row is: its rowid, or the key in the tree of a table without rowids.
struct RowKey {
  int64_t rowid = 0;
  std::string_view key;
};

// Appends the row's key as it stands in index entries.
void AppendRowKey(const TableDef& table, const RowKey& row, std::string* out);

// The values that an index has of the row with `values` (one per column of the table). `rules` is needed
// where the index has expressions.
Status MakeIndexTuple(const TableDef& table, size_t index_number, std::span<const ValueView> values,
                      int64_t rowid, RowRules* rules, std::vector<ValueView>* tuple);
Status MakeIndexTuple(WriteTxn& txn, const TableDef& table, size_t index_number,
                      std::span<const ValueView> values, int64_t rowid,
                      std::vector<ValueView>* tuple);

// The row's entry in an index. `row_key` is the row's key in the form of AppendRowKey, `tuple` is scratch.
Status MakeIndexEntry(const TableDef& table, size_t index_number, std::span<const ValueView> values,
                      int64_t rowid, std::string_view row_key, RowRules* rules,
                      std::vector<ValueView>* tuple, IndexEntry* out);
// Those in all indexes.
Status MakeIndexEntries(WriteTxn& txn, const TableDef& table, std::span<const ValueView> values,
                        int64_t rowid, std::string_view row_key, std::vector<ValueView>* tuple,
                        std::vector<IndexEntry>* out);

// Whether entries of this shape have the row's key in the value (else it is the key's end).
inline bool RowKeyInValue(const IndexDef& index, const TupleShape& shape) {
  return index.unique && !shape.has_null && !shape.truncated;
}

// The row's key in an entry of a UNIQUE index that has it in its value, and the rest of the value.
// False if the bytes are wrong.
bool ReadRowKeyInValue(const TableDef& table, std::string_view value, RowKey* out,
                       std::string_view* loss);

// An entry taken apart.
struct DecodedEntry {
  DecodedTuple tuple;  // the indexed columns' values, as in the row; empty if truncated
  RowKey row;
  bool truncated = false;  // the tuple is only in the row
};
// False if the bytes are no entry of this index.
bool DecodeIndexEntry(const TableDef& table, const IndexDef& index, std::string_view key,
                      std::string_view value, DecodedEntry* out);

// Only the row's rowid, of a table that has them, and whether the tuple was truncated.
bool ReadEntryRowid(const TableDef& table, const IndexDef& index, std::string_view key,
                    std::string_view value, int64_t* rowid, bool* truncated);

// "UNIQUE constraint failed: t.a, t.b".
Status UniqueError(const TableDef& table, std::span<const IndexColumn> columns);
// The same, or "UNIQUE constraint failed: index 'i'" where the index has expressions.
Status UniqueError(const TableDef& table, const IndexDef& index);

// The column's name for messages.
std::string_view ColumnName(const TableDef& table, uint32_t column);

// Fills a new index from the rows there are.
class IndexFill {
 public:
  IndexFill(const TableDef& table, const IndexDef& index) : table_(table), index_(index) {}

  // Reads all rows; fails if they are not unique where they should be. `index` is one of the table's.
  Status Collect(WriteTxn& txn, RowRules* rules);
  // Puts the entries into the index's tree, which is new.
  Status Store(WriteTxn& txn, TreeId tree);

 private:
  const TableDef& table_;
  const IndexDef& index_;
  std::vector<std::pair<std::string, std::string>> entries_;
};

}  // namespace kvsql::kv

#endif  // KVSQL_KV_INDEX_ENTRIES_H_
