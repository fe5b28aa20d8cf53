// One row's change on its way into the trees: values, keys, index entries, conflicts.
//
// Everything is computed and checked before anything is changed, and what is computed stands in buffers of
// its own, since the values given may be views into pages that change.
//
// Thread safety: none; belongs to one call of table_ops.
#ifndef KVSQL_KV_ROW_CHANGE_H_
#define KVSQL_KV_ROW_CHANGE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "kv/index_entries.h"
#include "kv/table_ops.h"
#include "kv/write_scratch.h"
#include "kv/write_txn.h"

namespace kvsql::kv {

class RowChange {
 public:
  // `on_conflict`: of the statement.
  RowChange(WriteTxn& txn, const TableDef& table, OnConflict on_conflict)
      : txn_(txn), table_(table), on_conflict_(on_conflict), scratch_(txn.scratch().row) {}

  // Applies affinity and checks NOT NULL. False: the row is ignored.
  StatusOr<bool> TakeValues(std::span<const ValueView> values);
  // The rowid that the values, `given` or the table itself decide on. `fallback`: of an update.
  Status ChooseRowid(std::optional<int64_t> given, std::optional<int64_t> fallback);
  // False: the row is ignored.
  StatusOr<bool> Check();
  // The row's key and its index entries.
  Status MakeKeys() {
    if (table_.has_rowid() && table_.indexes.empty()) {
      scratch_.key.clear();
      return absl::OkStatus();
    }
    return MakeAllKeys();
  }
  Status MakeEntries(std::span<const ValueView> values, int64_t rowid, std::string_view row_key,
                     std::vector<IndexEntry>* out);
  // Encodes the row; large columns get keys in the overflow tree and are put there by StoreLarge.
  // `old`: of an update, whose large columns are kept where they have not changed.
  Status EncodeRowBytes(const Row* old);

  // What stands in the way of the row's keys. `old_rowid` and scratch().old_key: of an update, where
  // scratch().old_entries are made. False: the row is ignored.
  StatusOr<bool> FindConflicts(bool moves, std::optional<int64_t> old_rowid);
  bool key_taken() const { return key_taken_; }
  const std::vector<std::pair<int64_t, std::string>>& in_the_way() const { return in_the_way_; }

  // What happens if the row's own key is taken.
  OnConflict key_action() const { return ActionFor(table_.key_conflict); }
  // A value does not fit its column of a STRICT table. FindConflicts answers so; what is found before, CHECK
  // excepted, comes first.
  bool has_type_error() const { return !type_error_.ok(); }
  Status KeyError() const;

  Status StoreLarge();
  // Remembers the row's rowid as the largest ever, if it is.
  Status StoreSequence();
  StatusOr<bool> StoreRow(PutMode mode);
  Status StoreEntry(size_t index_number);

  bool has_large() const { return !large_.empty(); }
  std::string_view tree_key() const { return scratch_.key; }
  int64_t rowid() const { return rowid_; }
  RowScratch& scratch() { return scratch_; }

 private:
  OnConflict ActionFor(OnConflict of_constraint) const {
    if (on_conflict_ != OnConflict::kDefault) return on_conflict_;
    return of_constraint == OnConflict::kDefault ? OnConflict::kAbort : of_constraint;
  }
  static bool IsSame(const Row& old, uint32_t column, const ValueView& value);
  Status MakeAllKeys();
  StatusOr<bool> StoreCell(std::string_view cell, PutMode mode);
  StatusOr<bool> StorePacked(PutMode mode);
  StatusOr<bool> KeyIsTaken();
  // The key of the row that a UNIQUE index has under the new row's values; nullopt: none.
  StatusOr<std::optional<RowKey>> Conflict(size_t index_number);
  bool IsUnchanged(size_t index_number) const;
  Status CheckStrictType(const ColumnDef& column, const ValueView& value) const;
  Status NextRowid();

  WriteTxn& txn_;
  const TableDef& table_;
  const OnConflict on_conflict_;
  RowScratch& scratch_;
  int64_t rowid_ = 0;
  Status type_error_;
  bool key_taken_ = false;
  std::vector<std::pair<int64_t, std::string>> in_the_way_;
  std::vector<std::pair<int64_t, std::string>> large_;
};

// The error with what is to be done about it (ActionOfError).
Status WithAction(Status error, OnConflict action);

}  // namespace kvsql::kv

#endif  // KVSQL_KV_ROW_CHANGE_H_
