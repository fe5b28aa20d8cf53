#include "kv/row_change.h"

#include <algorithm>
#include <random>

#include "kv/row_lookup.h"
#include "kv/row_rules.h"
#include "kv/training.h"

namespace kvsql::kv {
namespace {

constexpr std::string_view kActionPayload = "kvsql.on_conflict";

// Assignment member by member. Of a value that comes in registers GCC 12 makes two overlapping copies through the stack
// otherwise, and the processor waits for the first to arrive there: a dozen cycles for each value.
void Assign(const ValueView& from, ValueView* to) {
  to->integer = from.integer;
  to->size = from.size;
  to->type = from.type;
}

}  // namespace

Status WithAction(Status error, OnConflict action) {
  if (action == OnConflict::kFail || action == OnConflict::kRollback) {
    const char byte = static_cast<char>(action);
    error.SetPayload({kActionPayload.data(), kActionPayload.size()}, absl::Cord({&byte, 1}));
  }
  return error;
}

OnConflict ActionOfError(const Status& error) {
  const auto payload = error.GetPayload({kActionPayload.data(), kActionPayload.size()});
  return payload.has_value() && payload->size() == 1 ? static_cast<OnConflict>((*payload)[0])
                                                     : OnConflict::kAbort;
}

StatusOr<bool> RowChange::TakeValues(std::span<const ValueView> values) {
  if (values.size() != table_.columns.size()) {
    return WrongColumnCount("table " + table_.name, values.size(), table_.columns.size());
  }
  const size_t columns = values.size();
  scratch_.values.assign(values.begin(), values.end());
  if (scratch_.texts.size() < columns) scratch_.texts.resize(columns);
  if (table_.rowid_alias.has_value()) {
    // Looked at first of all, as in SQLite: needed even for a row that is left out below.
    ValueView& rowid = scratch_.values[*table_.rowid_alias];
    if (rowid.type != ValueType::kInteger && !rowid.is_null()) [[unlikely]] {
      rowid = ApplyAffinity(rowid, Affinity::kInteger, &scratch_.texts[*table_.rowid_alias]);
      if (rowid.type != ValueType::kInteger) {
        return absl::InvalidArgumentError("datatype mismatch");
      }
    }
  }
  for (uint32_t i = 0; i < columns; ++i) {
    const ColumnDef& column = table_.columns[i];
    ValueView& value = scratch_.values[i];
    if (value.is_null()) {
      if (table_.rowid_alias == i) continue;
      if (!column.not_null && table_.in_key[i] == 0) continue;
      const OnConflict action = ActionFor(column.not_null_conflict);
      if (action == OnConflict::kIgnore) return false;
      if (action == OnConflict::kReplace) {
        KV_ASSIGN_OR_RETURN(value, DefaultOf(txn_, table_, i));
      }
      if (value.is_null()) {
        return WithAction(absl::InvalidArgumentError(absl::StrCat(
                              "NOT NULL constraint failed: ", table_.name, ".", column.name)),
                          action);
      }
    }
    if (table_.strict && column.any) continue;
    Assign(ApplyAffinity(value, column.affinity, &scratch_.texts[i]), &value);
    if (table_.strict && type_error_.ok()) type_error_ = CheckStrictType(column, value);
  }
  return true;
}

StatusOr<bool> RowChange::Check() {
  if (table_.checks.empty()) [[likely]]
    return true;
  KV_RETURN_IF_ERROR(type_error_);
  KV_ASSIGN_OR_RETURN(RowRules * rules, txn_.RulesOf(table_));
  KV_ASSIGN_OR_RETURN(const CheckDef* failed, rules->FailedCheck(scratch_.values, rowid_));
  if (failed == nullptr) return true;
  const OnConflict action = ActionFor(OnConflict::kDefault);
  if (action == OnConflict::kIgnore) return false;
  return WithAction(
      absl::InvalidArgumentError(absl::StrCat("CHECK constraint failed: ", failed->label())),
      action);
}

Status RowChange::ChooseRowid(std::optional<int64_t> given, std::optional<int64_t> fallback) {
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

Status RowChange::MakeAllKeys() {
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
  return MakeEntries(scratch_.values, rowid_, scratch_.key, &scratch_.entries);
}

Status RowChange::MakeEntries(std::span<const ValueView> values, int64_t rowid,
                              std::string_view row_key, std::vector<IndexEntry>* out) {
  return MakeIndexEntries(txn_, table_, values, rowid, row_key, &scratch_.tuple, out);
}

StatusOr<bool> RowChange::KeyIsTaken() {
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

Status RowChange::KeyError() const {
  if (!table_.primary_key.empty()) {
    return WithAction(UniqueError(table_, table_.primary_key), key_action());
  }
  const IndexColumn rowid{kRowidColumn, Collation::kBinary, false};
  return WithAction(UniqueError(table_, {&rowid, 1}), key_action());
}

StatusOr<std::optional<RowKey>> RowChange::Conflict(size_t index_number) {
  const IndexDef& index = table_.indexes[index_number];
  const IndexEntry& entry = scratch_.entries[index_number];
  if (!index.unique || entry.absent || entry.shape.has_null) return std::nullopt;
  if (!entry.shape.truncated) return FindUniqueEntry(txn_, table_, index, entry.key);
  KV_RETURN_IF_ERROR(
      MakeIndexTuple(txn_, table_, index_number, scratch_.values, rowid_, &scratch_.tuple));
  const std::string cut_tuple = entry.key.substr(0, entry.tuple_size);
  KV_ASSIGN_OR_RETURN(const bool found, FindTruncated(txn_, table_, index, scratch_.tuple,
                                                      cut_tuple, &scratch_.other));
  if (!found) return std::nullopt;
  return RowKey{scratch_.other.rowid(), scratch_.other.key()};
}

Status RowChange::EncodeRowBytes(const Row* old) {
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

Status RowChange::StoreLarge() {
  const ValueCodec* const codec = txn_.CodecOf(table_.tree, table_.compression);
  for (const auto& [key, bytes] : large_) {
    std::string_view stored = bytes;
    if (codec != nullptr) {
      codec->PackValue(bytes, &scratch_.packed);
      stored = scratch_.packed;
    }
    KV_RETURN_IF_ERROR(txn_.Put(table_.overflow_tree, key, stored).status());
  }
  return absl::OkStatus();
}

Status RowChange::StoreSequence() {
  if (!table_.autoincrement) return absl::OkStatus();
  KV_ASSIGN_OR_RETURN(const std::optional<int64_t> largest, Reader(txn_).ReadSequence(table_));
  if (largest.has_value() && *largest >= rowid_) return absl::OkStatus();
  return txn_.WriteSequence(table_, std::max<int64_t>(rowid_, 0));
}

StatusOr<bool> RowChange::StoreRow(PutMode mode) {
  if (table_.compression.kind != Compression::kNone) [[unlikely]]
    return StorePacked(mode);
  return StoreCell(scratch_.row, mode);
}

StatusOr<bool> RowChange::StoreCell(std::string_view cell, PutMode mode) {
  return table_.has_rowid() ? txn_.Put(table_.tree, rowid_, cell, mode)
                            : txn_.Put(table_.tree, tree_key(), cell, mode);
}

StatusOr<bool> RowChange::StorePacked(PutMode mode) {
  const ValueCodec* const codec = txn_.CodecOf(table_.tree, table_.compression);
  const bool packed = codec->PackRow(scratch_.row, &scratch_.packed);
  KV_ASSIGN_OR_RETURN(const bool stored, StoreCell(packed ? scratch_.packed : scratch_.row, mode));
  if (stored) KV_RETURN_IF_ERROR(TrainIfDue(txn_, CompressedTree(table_)));
  return stored;
}

Status RowChange::StoreEntry(size_t index_number) {
  const IndexEntry& entry = scratch_.entries[index_number];
  if (entry.absent) return absl::OkStatus();
  KV_ASSIGN_OR_RETURN(const bool stored,
                      txn_.Put(table_.indexes[index_number].tree, std::string_view(entry.key),
                               entry.value, PutMode::kInsertOnly));
  return stored ? absl::OkStatus() : DamagedIndex(table_, table_.indexes[index_number]);
}

Status RowChange::CheckStrictType(const ColumnDef& column, const ValueView& value) const {
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
                                                 column.declared_type, " column ", table_.name, ".",
                                                 column.name));
}

Status RowChange::NextRowid() {
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

bool RowChange::IsSame(const Row& old, uint32_t column, const ValueView& value) {
  const ValueView before = old.column(column);
  return old.overflow_key(column) != 0 && before.type == value.type && before.size == value.size &&
         before.data == value.data;
}

// Whether an update leaves the row's place in a UNIQUE index as it was.
bool RowChange::IsUnchanged(size_t index_number) const {
  const IndexEntry& before = scratch_.old_entries[index_number];
  const IndexEntry& after = scratch_.entries[index_number];
  return !before.absent && !after.absent &&
         RowKeyInValue(table_.indexes[index_number], after.shape) && before.key == after.key;
}

// Constraints that replace come last: nothing is replaced if another one fails. As in SQLite the rowid is
// looked at first, then the indexes from the newest to the oldest, which is what a primary key mostly is. The
// types of a STRICT table are looked at in between.
StatusOr<bool> RowChange::FindConflicts(bool moves, std::optional<int64_t> old_rowid) {
  key_taken_ = false;
  in_the_way_.clear();
  for (const bool replacing : {false, true}) {
    const bool look_at_key = moves && (key_action() == OnConflict::kReplace) == replacing;
    const auto check_key = [&]() -> StatusOr<bool> {
      KV_ASSIGN_OR_RETURN(key_taken_, KeyIsTaken());
      if (key_taken_ && key_action() == OnConflict::kIgnore) return false;
      if (key_taken_ && !replacing) return KeyError();
      return true;
    };
    if (look_at_key && table_.has_rowid()) {
      KV_ASSIGN_OR_RETURN(const bool go_on, check_key());
      if (!go_on) return false;
    }
    KV_RETURN_IF_ERROR(type_error_);
    // Those that say REPLACE themselves stand behind the others.
    for (const bool declared : {false, true}) {
      for (size_t i = table_.indexes.size() + 1; i-- > 0;) {
        if (look_at_key && !table_.has_rowid() && i == table_.key_rank &&
            (table_.key_conflict == OnConflict::kReplace) == declared) {
          KV_ASSIGN_OR_RETURN(const bool go_on, check_key());
          if (!go_on) return false;
        }
        if (i == 0) break;
        const IndexDef& index = table_.indexes[i - 1];
        if (!index.unique || (index.conflict == OnConflict::kReplace) != declared) continue;
        const OnConflict action = ActionFor(index.conflict);
        if ((action == OnConflict::kReplace) != replacing) continue;
        if (old_rowid.has_value() && IsUnchanged(i - 1)) continue;
        KV_ASSIGN_OR_RETURN(const std::optional<RowKey> conflict, Conflict(i - 1));
        if (!conflict.has_value()) continue;
        if (old_rowid.has_value() && (table_.has_rowid() ? conflict->rowid == *old_rowid
                                                         : conflict->key == scratch_.old_key)) {
          continue;
        }
        if (action == OnConflict::kIgnore) return false;
        if (!replacing) return WithAction(UniqueError(table_, index), action);
        in_the_way_.emplace_back(conflict->rowid, conflict->key);
      }
    }
  }
  return true;
}

}  // namespace kvsql::kv
