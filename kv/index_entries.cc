#include "kv/index_entries.h"

#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "kv/table_ops.h"

namespace kvsql::kv {
namespace {

constexpr std::string_view kTruncated = "\xff";

bool ReadRowid(std::string_view* from, int64_t* rowid) {
  KeyReader reader(*from);
  ValueView value;
  if (!reader.Next(KeyPart{}, &value, nullptr) || value.type != ValueType::kInteger) return false;
  *rowid = value.integer;
  *from = reader.rest();
  return true;
}

}  // namespace

void AppendRowKey(const TableDef& table, const RowKey& row, std::string* out) {
  if (table.has_rowid()) {
    AppendKeyInteger(row.rowid, out);
  } else {
    out->append(row.key);
  }
}

Status MakeIndexTuple(const TableDef& table, size_t index_number, std::span<const ValueView> values,
                      int64_t rowid, RowRules* rules, std::vector<ValueView>* tuple) {
  const IndexDef& index = table.indexes[index_number];
  tuple->clear();
  for (const IndexColumn& column : index.columns) {
    tuple->push_back(column.column == kRowidColumn        ? ValueView::Integer(rowid)
                     : column.column == kExpressionColumn ? ValueView()
                                                          : values[column.column]);
  }
  return index.has_expressions ? rules->IndexExpressions(index_number, values, rowid, *tuple)
                               : absl::OkStatus();
}

Status MakeIndexTuple(WriteTxn& txn, const TableDef& table, size_t index_number,
                      std::span<const ValueView> values, int64_t rowid,
                      std::vector<ValueView>* tuple) {
  RowRules* rules = nullptr;
  if (table.index_rules) {
    KV_ASSIGN_OR_RETURN(rules, txn.RulesOf(table));
  }
  return MakeIndexTuple(table, index_number, values, rowid, rules, tuple);
}

Status MakeIndexEntries(WriteTxn& txn, const TableDef& table, std::span<const ValueView> values,
                        int64_t rowid, std::string_view row_key, std::vector<ValueView>* tuple,
                        std::vector<IndexEntry>* out) {
  RowRules* rules = nullptr;
  if (table.index_rules) [[unlikely]] {
    KV_ASSIGN_OR_RETURN(rules, txn.RulesOf(table));
  }
  if (out->size() < table.indexes.size()) out->resize(table.indexes.size());
  for (size_t i = 0; i < table.indexes.size(); ++i) {
    KV_RETURN_IF_ERROR(MakeIndexEntry(table, i, values, rowid, row_key, rules, tuple, &(*out)[i]));
  }
  return absl::OkStatus();
}

Status MakeIndexEntry(const TableDef& table, size_t index_number, std::span<const ValueView> values,
                      int64_t rowid, std::string_view row_key, RowRules* rules,
                      std::vector<ValueView>* tuple, IndexEntry* out) {
  const IndexDef& index = table.indexes[index_number];
  out->absent = false;
  if (index.partial()) {
    KV_ASSIGN_OR_RETURN(const bool present, rules->InIndex(index_number, values, rowid));
    out->absent = !present;
    if (!present) return absl::OkStatus();
  }
  KV_RETURN_IF_ERROR(MakeIndexTuple(table, index_number, values, rowid, rules, tuple));
  out->key.clear();
  out->value.clear();
  out->shape = AppendTuple(*tuple, index.parts, &out->key, table.max_tuple_bytes());
  out->tuple_size = out->key.size();
  if (out->shape.truncated && index.has_expressions) {
    return absl::InvalidArgumentError(absl::StrCat("a value in index ", index.name, " is over ",
                                                   table.max_tuple_bytes(), " bytes"));
  }
  if (RowKeyInValue(index, out->shape)) {
    if (!table.has_rowid()) {
      uint8_t size[kMaxVarint64Bytes];
      const uint8_t* end = PutVarint64(size, row_key.size());
      out->value.append(reinterpret_cast<const char*>(size), static_cast<size_t>(end - size));
    }
    out->value.append(row_key);
  } else {
    out->key.append(row_key);
  }
  if (out->shape.truncated) {
    out->value.assign(1, kTruncated.front());
  } else {
    AppendLoss(*tuple, index.parts, &out->value);
  }
  return absl::OkStatus();
}

bool ReadRowKeyInValue(const TableDef& table, std::string_view value, RowKey* out,
                       std::string_view* loss) {
  if (table.has_rowid()) {
    if (!ReadRowid(&value, &out->rowid)) return false;
  } else {
    uint64_t size = 0;
    const uint8_t* begin = AsBytes(value);
    const uint8_t* end = GetVarint64(begin, begin + value.size(), &size);
    if (end == nullptr) return false;
    value.remove_prefix(static_cast<size_t>(end - begin));
    if (size > value.size()) return false;
    out->key = value.substr(0, size);
    value.remove_prefix(size);
  }
  *loss = value;
  return true;
}

bool DecodeIndexEntry(const TableDef& table, const IndexDef& index, std::string_view key,
                      std::string_view value, DecodedEntry* out) {
  out->truncated = value == kTruncated;
  if (out->truncated) {
    out->tuple.values.clear();
    if (key.size() <= table.max_tuple_bytes()) return false;
    out->row.key = key.substr(table.max_tuple_bytes());
    std::string_view rest = out->row.key;
    return !table.has_rowid() || (ReadRowid(&rest, &out->row.rowid) && rest.empty());
  }
  // Whether there is a NULL decides where the row's key is, so look at the tuple first.
  bool has_null = false;
  KeyReader reader(key);
  for (const KeyPart& part : index.parts) {
    ValueView element;
    if (!reader.Next(part, &element, nullptr)) return false;
    has_null = has_null || element.is_null();
  }
  std::string_view loss = value;
  std::string_view rest = reader.rest();
  if (index.unique && !has_null) {
    if (!rest.empty() || !ReadRowKeyInValue(table, value, &out->row, &loss)) return false;
  } else {
    out->row.key = rest;
    if (table.has_rowid() && (!ReadRowid(&rest, &out->row.rowid) || !rest.empty())) return false;
  }
  return DecodeTuple(key, index.parts, loss, &out->tuple, &rest);
}

bool ReadEntryRowid(const TableDef& table, const IndexDef& index, std::string_view key,
                    std::string_view value, int64_t* rowid, bool* truncated) {
  *truncated = value == kTruncated;
  if (*truncated) {
    if (key.size() <= table.max_tuple_bytes()) return false;
    key.remove_prefix(table.max_tuple_bytes());
    return ReadRowid(&key, rowid) && key.empty();
  }
  bool has_null = false;
  KeyReader reader(key);
  for (const KeyPart& part : index.parts) {
    bool is_null = false;
    if (!reader.Skip(part, &is_null)) return false;
    has_null |= is_null;
  }
  std::string_view rest = reader.rest();
  if (index.unique && !has_null) return rest.empty() && ReadRowid(&value, rowid);
  return ReadRowid(&rest, rowid) && rest.empty();
}

std::string_view ColumnName(const TableDef& table, uint32_t column) {
  return column == kRowidColumn ? std::string_view("rowid")
                                : std::string_view(table.columns[column].name);
}

Status UniqueError(const TableDef& table, std::span<const IndexColumn> columns) {
  std::string message = "UNIQUE constraint failed: ";
  for (size_t i = 0; i < columns.size(); ++i) {
    if (i > 0) message += ", ";
    message += table.name;
    message += '.';
    message += ColumnName(table, columns[i].column);
  }
  return absl::AlreadyExistsError(message);
}

Status UniqueError(const TableDef& table, const IndexDef& index) {
  if (!index.has_expressions) return UniqueError(table, index.columns);
  return absl::AlreadyExistsError("UNIQUE constraint failed: index '" + index.name + "'");
}

Status IndexFill::Collect(WriteTxn& txn, RowRules* rules) {
  const auto number = static_cast<size_t>(&index_ - table_.indexes.data());
  TableScan scan;
  std::vector<ValueView> values(table_.columns.size());
  std::vector<ValueView> tuple;
  std::string row_key;
  IndexEntry entry;
  // Of UNIQUE entries that are cut: the whole tuples, since what was cut away may tell them apart.
  std::vector<std::string> long_tuples;
  KV_RETURN_IF_ERROR(scan.Start(txn, table_));
  while (scan.Valid()) {
    scan.row().Columns(values.data());
    row_key.clear();
    AppendRowKey(table_, RowKey{scan.row().rowid(), scan.row().key()}, &row_key);
    KV_RETURN_IF_ERROR(
        MakeIndexEntry(table_, number, values, scan.row().rowid(), row_key, rules, &tuple, &entry));
    if (entry.absent) {
      KV_RETURN_IF_ERROR(scan.Next());
      continue;
    }
    if (index_.unique && entry.shape.truncated && !entry.shape.has_null) {
      AppendTuple(tuple, index_.parts, &long_tuples.emplace_back(), SIZE_MAX / 2);
    }
    entries_.emplace_back(entry.key, entry.value);
    KV_RETURN_IF_ERROR(scan.Next());
  }
  std::sort(entries_.begin(), entries_.end());
  std::sort(long_tuples.begin(), long_tuples.end());
  // Entries that the rowid keeps apart never collide.
  const bool same_key =
      std::adjacent_find(entries_.begin(), entries_.end(), [](const auto& a, const auto& b) {
        return a.first == b.first;
      }) != entries_.end();
  if (same_key || std::adjacent_find(long_tuples.begin(), long_tuples.end()) != long_tuples.end()) {
    return UniqueError(table_, index_);
  }
  return absl::OkStatus();
}

Status IndexFill::Store(WriteTxn& txn, TreeId tree) {
  for (const auto& [key, value] : entries_) {
    KV_RETURN_IF_ERROR(txn.Put(tree, std::string_view(key), value).status());
  }
  return absl::OkStatus();
}

}  // namespace kvsql::kv
