// One column of many rows, read straight from the cells of a table's tree (row_codec.h has the format).
//
// Thread safety: free functions without state.
//
// Invariants:
//   1. Nothing outside of a cell is taken for a value, whatever the cell's bytes. Up to 8 bytes in front of a cell are
//      read and thrown away: they belong to its page.
//   2. A function that answers false has found a row that it cannot read: damaged, with more columns than the table,
//      too large for its page, or whose value stands elsewhere (kv/row.h reads these), or a value of another kind than
//      asked for. What it has written is undefined then.
#ifndef KVSQL_KV_COLUMN_DECODE_H_
#define KVSQL_KV_COLUMN_DECODE_H_

#include <cstdint>

#include "btree/tree.h"
#include "kv/value.h"

namespace kvsql::kv {

// Which rows: cells[rows[0]], cells[rows[1]]..., or, without `rows`, cells[0], cells[1]...; `count` of them. The value of
// cells[i] goes to out[i].
struct CellRows {
  const btree::ValueRef* cells = nullptr;
  const uint16_t* rows = nullptr;
  uint32_t count = 0;
};

// Which column: its place in the row, out of `stored` that the table has.
struct CellColumn {
  uint32_t position = 0;
  uint32_t stored = 0;
};

// Of a column that is an integer in all rows.
bool DecodeIntegers(const CellRows& rows, CellColumn column, int64_t* out);
// Of a column that is a real in all rows.
bool DecodeReals(const CellRows& rows, CellColumn column, double* out);

// How many of the values were of a kind.
struct ValueCounts {
  uint32_t integers = 0;
  uint32_t reals = 0;
};
// Of any column; rows that are too short for it have `missing`.
bool DecodeValues(const CellRows& rows, CellColumn column, const ValueView& missing, ValueView* out,
                  ValueCounts* counts);

}  // namespace kvsql::kv

#endif  // KVSQL_KV_COLUMN_DECODE_H_
