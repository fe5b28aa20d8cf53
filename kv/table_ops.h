// What both doors do to rows: read by a key, insert, update, delete, with uniqueness and indexes
// kept.
//
// An index entry's key is the tuple of its columns; in a UNIQUE index without NULL the row's own
// key stands in the entry's value, otherwise it is the end of the entry's key, so that entries
// never collide. Behind it, the value has what the key lost (key_codec.h).
//
//    unique, no NULL:   tuple                  ->  row key, loss
//    otherwise:         tuple, row key         ->  loss
//    row key:           a rowid as key element; or the primary key (in a value: length as varint,
//                       bytes)
//
// Thread safety: that of the transaction given.
//
// Errors: ALREADY_EXISTS "UNIQUE constraint failed: t.a, t.b"; INVALID_ARGUMENT "NOT NULL
// constraint failed: t.a", "datatype mismatch", "cannot store TEXT value in INTEGER column t.a",
// "CHECK constraint failed: x > 0". All leave everything unchanged. What the statement is
// to do about a broken constraint stands in the error: ActionOfError.
#ifndef KVSQL_KV_TABLE_OPS_H_
#define KVSQL_KV_TABLE_OPS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"
#include "btree/cursor.h"
#include "kv/reader.h"
#include "kv/row.h"
#include "kv/schema.h"
#include "kv/value.h"
#include "kv/write_txn.h"

namespace kvsql::kv {

// False: there is no such row. No allocation on the way once *row has been used for the table.
StatusOr<bool> GetByRowid(Reader reader, const TableDef& table, int64_t rowid, Row* row);
// By the primary key, whatever its shape; `key` has its columns' values in key order. Values are
// compared after the columns' affinity. INVALID_ARGUMENT if the table has no primary key or another
// number of columns.
StatusOr<bool> GetByPrimaryKey(Reader reader, const TableDef& table, std::span<const ValueView> key,
                               Row* row);
// By a UNIQUE index; NULL finds nothing.
StatusOr<bool> GetByUniqueIndex(Reader reader, const TableDef& table, const IndexDef& index,
                                std::span<const ValueView> key, Row* row);

struct WriteResult {
  bool stored = false;    // false: ignored
  int64_t rowid = 0;      // of the row now, where the table has rowids
  uint32_t replaced = 0;  // rows deleted to make way
};

// `values` has one value per column of the table; affinity is applied here. A NULL for the INTEGER
// PRIMARY KEY takes the next rowid; `rowid` gives one to a table without such a column. The values
// may be views into the transaction's pages.
StatusOr<WriteResult> InsertRow(WriteTxn& txn, const TableDef& table,
                                std::span<const ValueView> values,
                                OnConflict on_conflict = OnConflict::kDefault,
                                std::optional<int64_t> rowid = std::nullopt);

// kFail or kRollback where the statement, or the constraint's clause, said so; else kAbort.
OnConflict ActionOfError(const Status& error);

// The default of a column; an expression is evaluated anew, and lives until the next time.
StatusOr<ValueView> DefaultOf(WriteTxn& txn, const TableDef& table, uint32_t column);

// Gives the row `old`, just read in this transaction, new values for all columns (and `rowid` where
// the table has no column for it).
StatusOr<WriteResult> UpdateRow(WriteTxn& txn, const TableDef& table, const Row& old,
                                std::span<const ValueView> values,
                                OnConflict on_conflict = OnConflict::kDefault,
                                std::optional<int64_t> rowid = std::nullopt);

// UpdateRow in short, for the row with this rowid: gives these columns these values. False: the row is not there, or
// there is more to do than writing numbers over others; nothing has been changed then.
StatusOr<bool> PatchRow(WriteTxn& txn, const TableDef& table, int64_t rowid,
                        std::span<const uint32_t> columns, std::span<const ValueView> values);

// Deletes the row `old`, just read in this transaction.
Status DeleteRow(WriteTxn& txn, const TableDef& table, const Row& old);

// Deletes the rows with these rowids, which rise; those that do not exist are passed over. Returns how many there were.
StatusOr<uint64_t> DeleteRowids(WriteTxn& txn, const TableDef& table,
                                std::span<const int64_t> rowids);

// Deletes all rows; returns how many there were.
StatusOr<uint64_t> DeleteAllRows(WriteTxn& txn, const TableDef& table);

// Rows in the table, exactly, in O(1).
StatusOr<uint64_t> CountRows(Reader reader, const TableDef& table);

// Scans a table in the order of its key; rows may not be changed while a scan of a WriteTxn stands
// (collect first), but a scan may be reset at any key.
class TableScan {
 public:
  // At the first row, or at the first one whose rowid is not less than `from`.
  Status Start(Reader reader, const TableDef& table, std::optional<int64_t> from = std::nullopt);
  bool Valid() const { return valid_; }
  Status Next();
  const Row& row() const { return row_; }

 private:
  Status Load();

  std::optional<Reader> reader_;
  const TableDef* table_ = nullptr;
  btree::Cursor cursor_;
  Row row_;
  bool valid_ = false;
};

}  // namespace kvsql::kv

#endif  // KVSQL_KV_TABLE_OPS_H_
