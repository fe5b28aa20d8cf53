// Inserting, updating and deleting rows, with their index entries.
#include <algorithm>
#include <random>
#include <utility>

#include "kv/index_entries.h"
#include "kv/row_lookup.h"
#include "kv/table_ops.h"
#include "kv/write_scratch.h"

namespace kvsql::kv {
namespace {

// One row's change: everything is computed and checked before anything is changed, and what is
// computed stands in buffers of its own, since the values given may be views into pages that
// change.
class RowChange {
 public:
  RowChange(WriteTxn& txn, const TableDef& table)
      : txn_(txn), table_(table), scratch_(txn.scratch().row) {}

  // Applies affinity and checks NOT NULL and types. False: the row is ignored.
  StatusOr<bool> TakeValues(std::span<const ValueView> values, OnConflict on_conflict) {
    if (values.size() != table_.columns.size()) {
      return WrongColumnCount("table " + table_.name, values.size(), table_.columns.size());
    }
    const size_t columns = values.size();
    scratch_.values.assign(values.begin(), values.end());
    if (scratch_.texts.size() < columns) scratch_.texts.resize(columns);
    for (uint32_t i = 0; i < columns; ++i) {
      const ColumnDef& column = table_.columns[i];
      ValueView& value = scratch_.values[i];
      if (value.is_null()) {
        if (table_.rowid_alias == i) continue;
        if (!column.not_null && table_.in_key[i] == 0) continue;
        if (on_conflict == OnConflict::kIgnore) return false;
        if (on_conflict == OnConflict::kReplace) value = column.default_value.view();
        if (value.is_null()) {
          return absl::InvalidArgumentError(
              absl::StrCat("NOT NULL constraint failed: ", table_.name, ".", column.name));
        }
      }
      if (table_.strict && column.any) continue;
      value = ApplyAffinity(value, column.affinity, &scratch_.texts[i]);
      if (table_.strict) KV_RETURN_IF_ERROR(CheckStrictType(column, value));
    }
    return true;
  }

  // The rowid that the values, `given` or the table itself decide on. `fallback`: of an update.
  Status ChooseRowid(std::optional<int64_t> given, std::optional<int64_t> fallback) {
    if (!table_.has_rowid()) return absl::OkStatus();
    if (table_.rowid_alias.has_value()) {
      ValueView& value = scratch_.values[*table_.rowid_alias];
      if (value.is_null() && given.has_value()) value = ValueView::Integer(*given);
      if (value.type == ValueType::kInteger) {
        rowid_ = value.integer;
        return absl::OkStatus();
      }
      if (!value.is_null() || fallback.has_value()) {
        return absl::InvalidArgumentError("datatype mismatch");
      }
    } else if (given.has_value() || fallback.has_value()) {
      rowid_ = given.has_value() ? *given : *fallback;
      return absl::OkStatus();
    }
    KV_RETURN_IF_ERROR(NextRowid());
    if (table_.rowid_alias.has_value()) {
      scratch_.values[*table_.rowid_alias] = ValueView::Integer(rowid_);
    }
    return absl::OkStatus();
  }

  // The row's key and its index entries.
  Status MakeKeys() {
    scratch_.key.clear();
    if (table_.has_rowid()) {
      if (!table_.indexes.empty()) AppendKeyInteger(rowid_, &scratch_.key);
    } else {
      scratch_.tuple.clear();
      for (const IndexColumn& column : table_.primary_key) {
        scratch_.tuple.push_back(scratch_.values[column.column]);
      }
      const TupleShape shape =
          AppendTuple(scratch_.tuple, table_.key_parts, &scratch_.key, table_.max_tuple_bytes());
      if (shape.truncated) {
        return absl::InvalidArgumentError(absl::StrCat("the primary key of a row of table ",
                                                       table_.name, " is over ",
                                                       table_.max_tuple_bytes(), " bytes"));
      }
    }
    MakeEntries(scratch_.values, rowid_, scratch_.key, &scratch_.entries);
    return absl::OkStatus();
  }

  void MakeEntries(std::span<const ValueView> values, int64_t rowid, std::string_view row_key,
                   std::vector<IndexEntry>* out) {
    if (out->size() < table_.indexes.size()) out->resize(table_.indexes.size());
    for (size_t i = 0; i < table_.indexes.size(); ++i) {
      MakeIndexEntry(table_, table_.indexes[i], values, rowid, row_key, &scratch_.tuple,
                     &(*out)[i]);
    }
  }

  // Is there a row with this row's own key?
  StatusOr<bool> KeyIsTaken() {
    btree::ValueRef ignored;
    const btree::FindResult result = table_.has_rowid()
                                         ? txn_.Find(table_.tree, rowid_, &ignored)
                                         : txn_.Find(table_.tree, tree_key(), &ignored);
    if (result == btree::FindResult::kError) {
      return table_.has_rowid() ? txn_.FindError(table_.tree, rowid_)
                                : txn_.FindError(table_.tree, tree_key());
    }
    return result == btree::FindResult::kFound;
  }

  Status KeyError() const {
    if (!table_.primary_key.empty()) return UniqueError(table_, table_.primary_key);
    const IndexColumn rowid{kRowidColumn, Collation::kBinary, false};
    return UniqueError(table_, {&rowid, 1});
  }

  // The key of the row that a UNIQUE index has under the new row's values; nullopt: none.
  StatusOr<std::optional<RowKey>> Conflict(size_t index_number) {
    const IndexDef& index = table_.indexes[index_number];
    const IndexEntry& entry = scratch_.entries[index_number];
    if (!index.unique || entry.shape.has_null) return std::nullopt;
    if (!entry.shape.truncated) return FindUniqueEntry(txn_, table_, index, entry.key);
    scratch_.tuple.clear();
    for (const IndexColumn& column : index.columns) {
      scratch_.tuple.push_back(column.column == kRowidColumn ? ValueView::Integer(rowid_)
                                                             : scratch_.values[column.column]);
    }
    const std::string cut_tuple = entry.key.substr(0, entry.tuple_size);
    KV_ASSIGN_OR_RETURN(const bool found, FindTruncated(txn_, table_, index, scratch_.tuple,
                                                        cut_tuple, &scratch_.other));
    if (!found) return std::nullopt;
    return RowKey{scratch_.other.rowid(), scratch_.other.key()};
  }

  // Encodes the row; large columns get keys in the overflow tree and are put there by StoreLarge.
  // `old`: of an update, whose large columns are kept where they have not changed.
  Status EncodeRowBytes(const Row* old) {
    const size_t limit = txn_.pages().page_size() / 4;
    scratch_.fields.clear();
    large_.clear();
    std::optional<int64_t> last;
    for (uint32_t i = 0; i < table_.columns.size(); ++i) {
      if (table_.rowid_alias == i) continue;
      RowField field{scratch_.values[i], RowField::Place::kHere, 0};
      const ValueView& value = field.value;
      if (table_.in_key[i] != 0) {
        if (!KeyLoses(value, table_.key_parts[table_.in_key[i] - 1u])) {
          field.place = RowField::Place::kInKey;
        }
      } else if ((value.type == ValueType::kText || value.type == ValueType::kBlob) &&
                 value.size > limit) [[unlikely]] {
        field.place = RowField::Place::kOverflow;
        if (old != nullptr && IsSame(*old, i, value)) {
          field.overflow_key = old->overflow_key(i);
        } else {
          if (!last.has_value()) {
            const StatusOr<int64_t> found = txn_.LastIntKey(table_.overflow_tree);
            if (!found.ok() && !absl::IsNotFound(found.status())) return found.status();
            last = found.ok() ? *found : 0;
          }
          field.overflow_key = static_cast<uint64_t>(++*last);
          if (field.overflow_key >> 48 != 0) {
            return absl::ResourceExhaustedError(
                absl::StrCat("table ", table_.name, " has no key left for a large value"));
          }
          large_.push_back({*last, std::string(value.bytes())});
        }
      }
      scratch_.fields.push_back(field);
    }
    scratch_.row.clear();
    EncodeRow(std::span<const RowField>(scratch_.fields), &scratch_.row);
    return absl::OkStatus();
  }

  Status StoreLarge() {
    for (const auto& [key, bytes] : large_) {
      KV_RETURN_IF_ERROR(txn_.Put(table_.overflow_tree, key, bytes).status());
    }
    return absl::OkStatus();
  }

  // Remembers the row's rowid as the largest ever, if it is.
  Status StoreSequence() {
    if (!table_.autoincrement) return absl::OkStatus();
    KV_ASSIGN_OR_RETURN(const int64_t largest, txn_.ReadSequence(table_));
    return rowid_ > largest ? txn_.WriteSequence(table_, rowid_) : absl::OkStatus();
  }

  StatusOr<bool> StoreRow(PutMode mode) {
    return table_.has_rowid() ? txn_.Put(table_.tree, rowid_, scratch_.row, mode)
                              : txn_.Put(table_.tree, tree_key(), scratch_.row, mode);
  }

  Status StoreEntry(size_t index_number) {
    const IndexEntry& entry = scratch_.entries[index_number];
    KV_ASSIGN_OR_RETURN(const bool stored,
                        txn_.Put(table_.indexes[index_number].tree, std::string_view(entry.key),
                                 entry.value, PutMode::kInsertOnly));
    return stored ? absl::OkStatus() : DamagedIndex(table_, table_.indexes[index_number]);
  }

  bool has_large() const { return !large_.empty(); }
  std::string_view tree_key() const { return scratch_.key; }
  int64_t rowid() const { return rowid_; }
  RowScratch& scratch() { return scratch_; }

 private:
  static bool IsSame(const Row& old, uint32_t column, const ValueView& value) {
    const ValueView before = old.column(column);
    return old.overflow_key(column) != 0 && before.type == value.type &&
           before.size == value.size && before.data == value.data;
  }

  Status CheckStrictType(const ColumnDef& column, const ValueView& value) const {
    bool fits = value.is_null();
    switch (column.affinity) {
      case Affinity::kInteger:
      case Affinity::kNumeric:
        fits = fits || value.type == ValueType::kInteger;
        break;
      case Affinity::kReal:
        fits = fits || value.type == ValueType::kReal;
        break;
      case Affinity::kText:
        fits = fits || value.type == ValueType::kText;
        break;
      case Affinity::kBlob:
        fits = fits || value.type == ValueType::kBlob;
        break;
    }
    if (fits) return absl::OkStatus();
    std::string type(ValueTypeName(value.type));
    for (char& c : type) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
    return absl::InvalidArgumentError(absl::StrCat("cannot store ", type, " value in ",
                                                   column.declared_type, " column ", table_.name,
                                                   ".", column.name));
  }

  // The largest rowid plus one; where that is the largest number there is, a random one that is
  // free.
  Status NextRowid() {
    const StatusOr<int64_t> last = txn_.LastIntKey(table_.tree);
    if (!last.ok() && !absl::IsNotFound(last.status())) return last.status();
    if (table_.autoincrement) {
      KV_ASSIGN_OR_RETURN(int64_t largest, txn_.ReadSequence(table_));
      if (last.ok()) largest = std::max(largest, *last);
      if (largest == INT64_MAX) {
        return absl::ResourceExhaustedError("database or disk is full: no rowid is left");
      }
      rowid_ = largest + 1;
      return absl::OkStatus();
    }
    if (!last.ok()) {
      rowid_ = 1;
      return absl::OkStatus();
    }
    if (*last < INT64_MAX) {
      rowid_ = *last + 1;
      return absl::OkStatus();
    }
    thread_local std::mt19937_64 random(std::random_device{}());
    for (int attempt = 0; attempt < 100; ++attempt) {
      // Half of the range, as large tables that count up from 1 leave it free.
      rowid_ = static_cast<int64_t>(random() >> 2) + 1;
      KV_ASSIGN_OR_RETURN(const bool taken, KeyIsTaken());
      if (!taken) return absl::OkStatus();
    }
    return absl::ResourceExhaustedError("database or disk is full: no rowid is free");
  }

  WriteTxn& txn_;
  const TableDef& table_;
  RowScratch& scratch_;
  int64_t rowid_ = 0;
  std::vector<std::pair<int64_t, std::string>> large_;
};

// Deletes a row whose values are `old`; `scratch` is not the one in which they stand.
Status Erase(WriteTxn& txn, const TableDef& table, const Row& old, RowScratch& scratch) {
  const int64_t rowid = old.rowid();
  scratch.old_key.clear();
  AppendRowKey(table, RowKey{rowid, old.key()}, &scratch.old_key);
  scratch.dropped_overflow.clear();
  for (uint32_t i = 0; i < table.columns.size(); ++i) {
    if (const uint64_t key = old.overflow_key(i); key != 0) scratch.dropped_overflow.push_back(key);
  }
  if (!table.indexes.empty()) {
    scratch.old_values.resize(table.columns.size());
    old.Columns(scratch.old_values.data());
    if (scratch.old_entries.size() < table.indexes.size()) {
      scratch.old_entries.resize(table.indexes.size());
    }
    for (size_t i = 0; i < table.indexes.size(); ++i) {
      MakeIndexEntry(table, table.indexes[i], scratch.old_values, rowid, scratch.old_key,
                     &scratch.tuple, &scratch.old_entries[i]);
    }
  }
  // From here on `old` must not be read.
  const StatusOr<bool> erased = table.has_rowid()
                                    ? txn.Delete(table.tree, rowid)
                                    : txn.Delete(table.tree, std::string_view(scratch.old_key));
  KV_RETURN_IF_ERROR(erased.status());
  if (!*erased) return absl::NotFoundError(absl::StrCat("table ", table.name, ": no such row"));
  for (size_t i = 0; i < table.indexes.size(); ++i) {
    const StatusOr<bool> deleted =
        txn.Delete(table.indexes[i].tree, std::string_view(scratch.old_entries[i].key));
    if (!deleted.ok()) return txn.Break(deleted.status());
    if (!*deleted) return txn.Break(DamagedIndex(table, table.indexes[i]));
  }
  for (const uint64_t key : scratch.dropped_overflow) {
    const StatusOr<bool> deleted = txn.Delete(table.overflow_tree, static_cast<int64_t>(key));
    if (!deleted.ok()) return txn.Break(deleted.status());
  }
  return absl::OkStatus();
}

// Deletes the row that stands in the way, if it is still there.
Status EraseConflict(WriteTxn& txn, const TableDef& table, const RowKey& key, uint32_t* replaced) {
  RowScratch& scratch = txn.scratch().conflict;
  KV_ASSIGN_OR_RETURN(const bool found, GetByRowKey(txn, table, key, &scratch.other));
  if (!found) return absl::OkStatus();
  KV_RETURN_IF_ERROR(Erase(txn, table, scratch.other, scratch));
  ++*replaced;
  return absl::OkStatus();
}

}  // namespace

StatusOr<WriteResult> InsertRow(WriteTxn& txn, const TableDef& table,
                                std::span<const ValueView> values, OnConflict on_conflict,
                                std::optional<int64_t> rowid) {
  KV_RETURN_IF_ERROR(txn.CheckUsable());
  RowChange change(txn, table);
  WriteResult result;
  KV_ASSIGN_OR_RETURN(const bool taken, change.TakeValues(values, on_conflict));
  if (!taken) return result;
  KV_RETURN_IF_ERROR(change.ChooseRowid(rowid, std::nullopt));
  result.rowid = change.rowid();
  KV_RETURN_IF_ERROR(change.MakeKeys());
  KV_RETURN_IF_ERROR(change.EncodeRowBytes(nullptr));

  if (table.indexes.empty() && !change.has_large() && !table.autoincrement &&
      on_conflict != OnConflict::kReplace) {
    // The put itself checks the only constraint there is.
    KV_ASSIGN_OR_RETURN(result.stored, change.StoreRow(PutMode::kInsertOnly));
    if (!result.stored && on_conflict == OnConflict::kAbort) return change.KeyError();
    return result;
  }

  KV_ASSIGN_OR_RETURN(const bool key_taken, change.KeyIsTaken());
  if (key_taken) {
    if (on_conflict == OnConflict::kAbort) return change.KeyError();
    if (on_conflict == OnConflict::kIgnore) return result;
  }
  // All checks before any change; what is in the way is remembered by a key of its own.
  std::vector<std::pair<int64_t, std::string>> in_the_way;
  for (size_t i = 0; i < table.indexes.size(); ++i) {
    KV_ASSIGN_OR_RETURN(const std::optional<RowKey> conflict, change.Conflict(i));
    if (!conflict.has_value()) continue;
    if (on_conflict == OnConflict::kAbort) return UniqueError(table, table.indexes[i].columns);
    if (on_conflict == OnConflict::kIgnore) return result;
    in_the_way.emplace_back(conflict->rowid, conflict->key);
  }

  const auto apply = [&]() -> Status {
    if (key_taken) {
      const RowKey own{change.rowid(), change.tree_key()};
      KV_RETURN_IF_ERROR(EraseConflict(txn, table, own, &result.replaced));
    }
    for (const auto& [other_rowid, other_key] : in_the_way) {
      KV_RETURN_IF_ERROR(
          EraseConflict(txn, table, RowKey{other_rowid, other_key}, &result.replaced));
    }
    KV_RETURN_IF_ERROR(change.StoreLarge());
    KV_ASSIGN_OR_RETURN(const bool stored, change.StoreRow(PutMode::kInsertOnly));
    if (!stored) return DataLoss("table ", table.name, ": a key was free and is not");
    KV_RETURN_IF_ERROR(change.StoreSequence());
    for (size_t i = 0; i < table.indexes.size(); ++i) KV_RETURN_IF_ERROR(change.StoreEntry(i));
    return absl::OkStatus();
  };
  if (Status applied = apply(); !applied.ok()) return txn.Break(std::move(applied));
  result.stored = true;
  return result;
}

StatusOr<WriteResult> UpdateRow(WriteTxn& txn, const TableDef& table, const Row& old,
                                std::span<const ValueView> values, OnConflict on_conflict,
                                std::optional<int64_t> rowid) {
  KV_RETURN_IF_ERROR(txn.CheckUsable());
  RowChange change(txn, table);
  RowScratch& scratch = change.scratch();
  WriteResult result;
  result.rowid = old.rowid();
  KV_ASSIGN_OR_RETURN(const bool taken, change.TakeValues(values, on_conflict));
  if (!taken) return result;
  KV_RETURN_IF_ERROR(change.ChooseRowid(rowid, old.rowid()));
  KV_RETURN_IF_ERROR(change.MakeKeys());
  KV_RETURN_IF_ERROR(change.EncodeRowBytes(&old));

  // The old row, as far as it will be needed after the first change.
  const int64_t old_rowid = old.rowid();
  scratch.old_key.clear();
  AppendRowKey(table, RowKey{old_rowid, old.key()}, &scratch.old_key);
  scratch.dropped_overflow.clear();
  for (uint32_t i = 0; i < table.columns.size(); ++i) {
    const uint64_t key = old.overflow_key(i);
    if (key == 0) continue;
    bool kept = false;
    for (const RowField& field : scratch.fields) {
      kept = kept || (field.place == RowField::Place::kOverflow && field.overflow_key == key);
    }
    if (!kept) scratch.dropped_overflow.push_back(key);
  }
  if (!table.indexes.empty()) {
    scratch.old_values.resize(table.columns.size());
    old.Columns(scratch.old_values.data());
    change.MakeEntries(scratch.old_values, old_rowid, scratch.old_key, &scratch.old_entries);
  }

  const bool moves = table.has_rowid() ? change.rowid() != old_rowid
                                       : change.tree_key() != std::string_view(scratch.old_key);
  bool key_taken = false;
  if (moves) {
    KV_ASSIGN_OR_RETURN(key_taken, change.KeyIsTaken());
    if (key_taken && on_conflict == OnConflict::kAbort) return change.KeyError();
    if (key_taken && on_conflict == OnConflict::kIgnore) return result;
  }
  std::vector<std::pair<int64_t, std::string>> in_the_way;
  for (size_t i = 0; i < table.indexes.size(); ++i) {
    if (!table.indexes[i].unique) continue;
    const IndexEntry& before = scratch.old_entries[i];
    const IndexEntry& after = scratch.entries[i];
    if (RowKeyInValue(table.indexes[i], after.shape) && before.key == after.key) continue;
    KV_ASSIGN_OR_RETURN(const std::optional<RowKey> conflict, change.Conflict(i));
    if (!conflict.has_value()) continue;
    if (table.has_rowid() ? conflict->rowid == old_rowid : conflict->key == scratch.old_key) {
      continue;
    }
    if (on_conflict == OnConflict::kAbort) return UniqueError(table, table.indexes[i].columns);
    if (on_conflict == OnConflict::kIgnore) return result;
    in_the_way.emplace_back(conflict->rowid, conflict->key);
  }

  const auto apply = [&]() -> Status {
    if (key_taken) {
      const RowKey own{change.rowid(), change.tree_key()};
      KV_RETURN_IF_ERROR(EraseConflict(txn, table, own, &result.replaced));
    }
    for (const auto& [other_rowid, other_key] : in_the_way) {
      KV_RETURN_IF_ERROR(
          EraseConflict(txn, table, RowKey{other_rowid, other_key}, &result.replaced));
    }
    for (size_t i = 0; i < table.indexes.size(); ++i) {
      if (scratch.old_entries[i].key == scratch.entries[i].key) continue;
      KV_ASSIGN_OR_RETURN(
          const bool deleted,
          txn.Delete(table.indexes[i].tree, std::string_view(scratch.old_entries[i].key)));
      if (!deleted) return DamagedIndex(table, table.indexes[i]);
    }
    if (moves) {
      const StatusOr<bool> deleted =
          table.has_rowid() ? txn.Delete(table.tree, old_rowid)
                            : txn.Delete(table.tree, std::string_view(scratch.old_key));
      KV_RETURN_IF_ERROR(deleted.status());
      if (!*deleted)
        return absl::NotFoundError(absl::StrCat("table ", table.name, ": no such row"));
    }
    for (const uint64_t key : scratch.dropped_overflow) {
      KV_RETURN_IF_ERROR(txn.Delete(table.overflow_tree, static_cast<int64_t>(key)).status());
    }
    KV_RETURN_IF_ERROR(change.StoreLarge());
    KV_ASSIGN_OR_RETURN(const bool stored,
                        change.StoreRow(moves ? PutMode::kInsertOnly : PutMode::kUpdateOnly));
    if (!stored) return absl::NotFoundError(absl::StrCat("table ", table.name, ": no such row"));
    for (size_t i = 0; i < table.indexes.size(); ++i) {
      if (scratch.old_entries[i].key != scratch.entries[i].key) {
        KV_RETURN_IF_ERROR(change.StoreEntry(i));
      } else if (scratch.old_entries[i].value != scratch.entries[i].value) {
        // Only what the key loses, or the row's own key, has changed.
        KV_RETURN_IF_ERROR(txn.Put(table.indexes[i].tree, std::string_view(scratch.entries[i].key),
                                   scratch.entries[i].value)
                               .status());
      }
    }
    return absl::OkStatus();
  };
  if (Status applied = apply(); !applied.ok()) return txn.Break(std::move(applied));
  result.stored = true;
  result.rowid = change.rowid();
  return result;
}

Status DeleteRow(WriteTxn& txn, const TableDef& table, const Row& old) {
  KV_RETURN_IF_ERROR(txn.CheckUsable());
  return Erase(txn, table, old, txn.scratch().conflict);
}

StatusOr<uint64_t> DeleteRowids(WriteTxn& txn, const TableDef& table,
                                std::span<const int64_t> rowids) {
  KV_RETURN_IF_ERROR(txn.CheckUsable());
  // With nothing but the row to delete, its content does not matter.
  if (table.indexes.empty() && txn.Count(table.overflow_tree) == 0) {
    return txn.DeleteRising(table.tree, rowids);
  }
  RowScratch& scratch = txn.scratch().conflict;
  uint64_t deleted = 0;
  for (const int64_t rowid : rowids) {
    KV_ASSIGN_OR_RETURN(const bool found, GetByRowid(txn, table, rowid, &scratch.other));
    if (!found) continue;
    KV_RETURN_IF_ERROR(Erase(txn, table, scratch.other, scratch));
    ++deleted;
  }
  return deleted;
}

StatusOr<uint64_t> DeleteAllRows(WriteTxn& txn, const TableDef& table) {
  KV_RETURN_IF_ERROR(txn.CheckUsable());
  for (const IndexDef& index : table.indexes) {
    const StatusOr<uint64_t> cleared = txn.Clear(index.tree);
    if (!cleared.ok()) return txn.Break(cleared.status());
  }
  const StatusOr<uint64_t> large = txn.Clear(table.overflow_tree);
  if (!large.ok()) return txn.Break(large.status());
  const StatusOr<uint64_t> rows = txn.Clear(table.tree);
  if (!rows.ok()) return txn.Break(rows.status());
  return rows;
}

}  // namespace kvsql::kv
