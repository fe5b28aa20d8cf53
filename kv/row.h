// A table's row as read: columns by their number in the table.
//
// A Row is filled by the functions of table_ops.h and is best kept and filled again: then reading
// rows allocates nothing. Its values are views into the transaction's pages (or into the Row
// itself), and end with the read transaction, with the next change of the write transaction, or
// when the Row is filled again. The TableDef must outlive its use.
//
// Thread safety: none.
#ifndef KVSQL_KV_ROW_H_
#define KVSQL_KV_ROW_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "btree/large_value.h"
#include "btree/tree.h"
#include "kv/key_codec.h"
#include "kv/reader.h"
#include "kv/row_codec.h"
#include "kv/schema.h"

namespace kvsql::kv {

class Row {
 public:
  const TableDef& table() const { return *table_; }
  // Of a table that has rowids.
  int64_t rowid() const { return rowid_; }
  // The tree key of a row of a table without rowids.
  std::string_view key() const { return key_; }

  // The value of the table's column `i`; defaults and large columns included.
  ValueView column(uint32_t i) const {
    if (i == alias_) return ValueView::Integer(rowid_);
    const uint32_t position = i > alias_ ? i - 1 : i;
    if (position < view_.count()) [[likely]] {
      const ColumnCode code = view_.code(position);
      if (code < ColumnCode::kLargeText) [[likely]]
        return view_.column(position);
      return Elsewhere(position, code);
    }
    return table_->columns[i].default_value.view();
  }
  // All columns into `out`, which has one place per column of the table.
  void Columns(ValueView* out) const;

  // The column's key in the table's overflow tree, where it is large; else 0.
  uint64_t overflow_key(uint32_t i) const;

  // The place for a key that the caller encodes for SetOwningKey.
  std::string* key_buffer() { return &owned_key_; }

  // Fills the Row from a cell. Copies neither the cell nor the key: both must stay where they are.
  Status Set(const Reader& reader, const TableDef& table, int64_t rowid,
             const btree::ValueRef& cell);
  Status Set(const Reader& reader, const TableDef& table, std::string_view key,
             const btree::ValueRef& cell);
  // The same, but the Row keeps the key: for callers whose key does not stay.
  Status SetOwningKey(const Reader& reader, const TableDef& table, std::string_view key,
                      const btree::ValueRef& cell);

 private:
  struct LargeColumn {
    uint32_t position = 0;
    btree::LargeValue storage;
  };

  ValueView Elsewhere(uint32_t position, ColumnCode code) const;
  Status SetCell(const Reader& reader, const btree::ValueRef& cell);
  Status SetPacked(const Reader& reader, std::string_view cell);
  Status LoadElsewhere(const Reader& reader);
  Status Damaged() const;

  const TableDef* table_ = nullptr;
  uint32_t alias_ = kRowidColumn;
  int64_t rowid_ = 0;
  RowView view_;
  std::string_view key_;
  std::string owned_key_;
  DecodedTuple decoded_key_;
  btree::LargeValue cell_;  // the row itself, if it is a large value
  std::string plain_;       // the row itself, if it is compressed
  std::vector<LargeColumn> large_;
};

}  // namespace kvsql::kv

#endif  // KVSQL_KV_ROW_H_
