// Inserting, updating and deleting rows, with their index entries.
#include <cstring>
#include <utility>

#include "kv/index_entries.h"
#include "kv/row_change.h"
#include "kv/row_lookup.h"
#include "kv/table_ops.h"
#include "kv/write_scratch.h"

namespace kvsql::kv {
namespace {

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
    KV_RETURN_IF_ERROR(MakeIndexEntries(txn, table, scratch.old_values, rowid, scratch.old_key,
                                        &scratch.tuple, &scratch.old_entries));
  }
  // From here on `old` must not be read.
  const StatusOr<bool> erased = table.has_rowid()
                                    ? txn.Delete(table.tree, rowid)
                                    : txn.Delete(table.tree, std::string_view(scratch.old_key));
  KV_RETURN_IF_ERROR(erased.status());
  if (!*erased) return absl::NotFoundError(absl::StrCat("table ", table.name, ": no such row"));
  for (size_t i = 0; i < table.indexes.size(); ++i) {
    if (scratch.old_entries[i].absent) continue;
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

StatusOr<ValueView> DefaultOf(WriteTxn& txn, const TableDef& table, uint32_t column) {
  const ColumnDef& def = table.columns[column];
  if (!def.default_expression) return def.default_value.view();
  KV_ASSIGN_OR_RETURN(RowRules * rules, txn.RulesOf(table));
  return rules->Default(column);
}

StatusOr<WriteResult> InsertRow(WriteTxn& txn, const TableDef& table,
                                std::span<const ValueView> values, OnConflict on_conflict,
                                std::optional<int64_t> rowid) {
  KV_RETURN_IF_ERROR(txn.CheckUsable());
  RowChange change(txn, table, on_conflict);
  WriteResult result;
  KV_ASSIGN_OR_RETURN(bool taken, change.TakeValues(values));
  if (!taken && !table.autoincrement) return result;
  KV_RETURN_IF_ERROR(change.ChooseRowid(rowid, std::nullopt));
  result.rowid = change.rowid();
  // A row that is left out has had its rowid all the same.
  const auto ignore = [&]() -> StatusOr<WriteResult> {
    KV_RETURN_IF_ERROR(change.StoreSequence());
    return result;
  };
  if (!taken) return ignore();
  if (!table.checks.empty()) {
    KV_ASSIGN_OR_RETURN(taken, change.Check());
    if (!taken) return ignore();
  }
  KV_RETURN_IF_ERROR(change.MakeKeys());
  KV_RETURN_IF_ERROR(change.EncodeRowBytes(nullptr));

  const OnConflict key_action = change.key_action();
  if (table.indexes.empty() && !change.has_large() && !table.autoincrement &&
      key_action != OnConflict::kReplace && !change.has_type_error()) {
    // The put itself checks the only constraint there is.
    KV_ASSIGN_OR_RETURN(const bool stored, change.StoreRow(PutMode::kInsertOnly));
    if (!stored && key_action != OnConflict::kIgnore) return change.KeyError();
    // Made where it is wanted: a copy of what has just been written would wait for it to arrive in memory.
    return StatusOr<WriteResult>(absl::in_place, stored, change.rowid(), 0u);
  }

  KV_ASSIGN_OR_RETURN(taken, change.FindConflicts(/*moves=*/true, std::nullopt));
  if (!taken) return ignore();

  const auto apply = [&]() -> Status {
    if (change.key_taken()) {
      const RowKey own{change.rowid(), change.tree_key()};
      KV_RETURN_IF_ERROR(EraseConflict(txn, table, own, &result.replaced));
    }
    for (const auto& [other_rowid, other_key] : change.in_the_way()) {
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

StatusOr<bool> PatchRow(WriteTxn& txn, const TableDef& table, int64_t rowid,
                        std::span<const uint32_t> columns, std::span<const ValueView> values) {
  if (!table.has_rowid() || !table.indexes.empty() || !table.checks.empty() || table.strict) {
    return false;
  }
  constexpr size_t kMost = 8;
  if (columns.size() > kMost) return false;
  for (const uint32_t column : columns) {
    if (column == kRowidColumn || column == table.rowid_alias) return false;
  }
  const StatusOr<std::span<uint8_t>> edited = txn.BeginEdit(table.tree, rowid);
  if (!edited.ok()) [[unlikely]]
    return edited.status();
  // Its halves on their own: a copy of the whole would wait for both to arrive in memory.
  uint8_t* const data = edited->data();
  const size_t size = edited->size();
  if (size == 0) return false;
  NumberText text;
  const auto find = [&](size_t i, RowPatch* patch) {
    const ValueView value = ApplyAffinity(values[i], table.columns[columns[i]].affinity, &text);
    return PatchNumber(AsView(data, size), table.StoredPosition(columns[i]), value, patch);
  };
  const auto write = [&](const RowPatch& patch) {
    StoreLowBytes(data + patch.offset, patch.bits, patch.size);
  };
  if (columns.size() == 1) {
    RowPatch patch;
    if (!find(0, &patch)) return false;
    write(patch);
  } else {
    RowPatch patches[kMost];
    for (size_t i = 0; i < columns.size(); ++i) {
      if (!find(i, &patches[i])) return false;
    }
    for (size_t i = 0; i < columns.size(); ++i) write(patches[i]);
  }
  KV_RETURN_IF_ERROR(txn.EndEdit(table.tree, rowid, {data, size}));
  return true;
}

StatusOr<WriteResult> UpdateRow(WriteTxn& txn, const TableDef& table, const Row& old,
                                std::span<const ValueView> values, OnConflict on_conflict,
                                std::optional<int64_t> rowid) {
  KV_RETURN_IF_ERROR(txn.CheckUsable());
  RowChange change(txn, table, on_conflict);
  RowScratch& scratch = change.scratch();
  WriteResult result;
  result.rowid = old.rowid();
  if (table.rowid_alias.has_value() && values.size() > *table.rowid_alias &&
      values[*table.rowid_alias].is_null() && !rowid.has_value()) {
    return absl::InvalidArgumentError("datatype mismatch");
  }
  KV_ASSIGN_OR_RETURN(bool taken, change.TakeValues(values));
  if (!taken) return result;
  KV_RETURN_IF_ERROR(change.ChooseRowid(rowid, old.rowid()));
  KV_ASSIGN_OR_RETURN(taken, change.Check());
  if (!taken) return result;
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
    KV_RETURN_IF_ERROR(
        change.MakeEntries(scratch.old_values, old_rowid, scratch.old_key, &scratch.old_entries));
  }

  const bool moves = table.has_rowid() ? change.rowid() != old_rowid
                                       : change.tree_key() != std::string_view(scratch.old_key);
  KV_ASSIGN_OR_RETURN(taken, change.FindConflicts(moves, old_rowid));
  if (!taken) return result;

  const auto apply = [&]() -> Status {
    if (change.key_taken()) {
      const RowKey own{change.rowid(), change.tree_key()};
      KV_RETURN_IF_ERROR(EraseConflict(txn, table, own, &result.replaced));
    }
    for (const auto& [other_rowid, other_key] : change.in_the_way()) {
      KV_RETURN_IF_ERROR(
          EraseConflict(txn, table, RowKey{other_rowid, other_key}, &result.replaced));
    }
    for (size_t i = 0; i < table.indexes.size(); ++i) {
      const IndexEntry& before = scratch.old_entries[i];
      const IndexEntry& after = scratch.entries[i];
      if (before.absent || (!after.absent && before.key == after.key)) continue;
      KV_ASSIGN_OR_RETURN(const bool deleted,
                          txn.Delete(table.indexes[i].tree, std::string_view(before.key)));
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
      const IndexEntry& before = scratch.old_entries[i];
      const IndexEntry& after = scratch.entries[i];
      if (after.absent) continue;
      if (before.absent || before.key != after.key) {
        KV_RETURN_IF_ERROR(change.StoreEntry(i));
      } else if (before.value != after.value) {
        // Only what the key loses, or the row's own key, has changed.
        KV_RETURN_IF_ERROR(
            txn.Put(table.indexes[i].tree, std::string_view(after.key), after.value).status());
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
