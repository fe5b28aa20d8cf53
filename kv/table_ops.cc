#include "kv/table_ops.h"

#include "btree/cursor.h"
#include "kv/index_entries.h"
#include "kv/row_lookup.h"

namespace kvsql::kv {
namespace {

StatusOr<bool> GetByTreeKey(Reader reader, const TableDef& table, std::string_view key, Row* row) {
  btree::ValueRef cell;
  switch (reader.Find(table.tree, key, &cell)) {
    case btree::FindResult::kFound:
      KV_RETURN_IF_ERROR(row->SetOwningKey(reader, table, key, cell));
      return true;
    case btree::FindResult::kNotFound:
      return false;
    case btree::FindResult::kError:
      break;
  }
  return reader.FindError(table.tree, key);
}

Affinity AffinityOf(const TableDef& table, uint32_t column) {
  return column == kRowidColumn ? Affinity::kInteger : table.columns[column].affinity;
}

// The tuple's key with the columns' affinity applied to its values.
TupleShape MakeKey(const TableDef& table, std::span<const IndexColumn> columns,
                   std::span<const KeyPart> parts, std::span<const ValueView> values,
                   std::string* out) {
  TupleShape shape;
  NumberText text;
  for (size_t i = 0; i < values.size(); ++i) {
    const ValueView value = ApplyAffinity(values[i], AffinityOf(table, columns[i].column), &text);
    shape.has_null = shape.has_null || value.is_null();
    AppendKeyElement(value, parts[i], out);
  }
  if (out->size() > table.max_tuple_bytes()) {
    shape.truncated = true;
    out->resize(table.max_tuple_bytes());
  }
  return shape;
}

}  // namespace

StatusOr<bool> GetByRowKey(Reader reader, const TableDef& table, const RowKey& key, Row* row) {
  return table.has_rowid() ? GetByRowid(reader, table, key.rowid, row)
                           : GetByTreeKey(reader, table, key.key, row);
}

Status WrongColumnCount(std::string_view what, size_t given, size_t expected) {
  return absl::InvalidArgumentError(absl::StrCat(std::string(what), " has ", expected,
                                                 " columns, but ", given, " values were given"));
}

Status DamagedIndex(const TableDef& table, const IndexDef& index) {
  return DataLoss("index ", index.name, " of table ", table.name,
                  ": an entry does not fit the table's rows");
}

StatusOr<bool> FindTruncated(Reader reader, const TableDef& table, const IndexDef& index,
                             std::span<const ValueView> tuple, std::string_view cut_tuple,
                             Row* row) {
  KV_ASSIGN_OR_RETURN(const btree::TreeView view, reader.View(index.tree));
  btree::Cursor cursor(view);
  DecodedEntry entry;
  for (cursor.SeekGE(cut_tuple); cursor.Valid(); cursor.Next()) {
    const std::string_view key = cursor.key();
    if (key.substr(0, cut_tuple.size()) != cut_tuple) break;
    KV_ASSIGN_OR_RETURN(const btree::LargeValue value,
                        btree::ReadValue(reader.pages(), cursor.value()));
    if (!DecodeIndexEntry(table, index, key, value.view(), &entry)) {
      return DamagedIndex(table, index);
    }
    if (!entry.truncated) continue;
    KV_ASSIGN_OR_RETURN(const bool found, GetByRowKey(reader, table, entry.row, row));
    if (!found) return DamagedIndex(table, index);
    bool equal = true;
    for (size_t i = 0; i < tuple.size() && equal; ++i) {
      const uint32_t column = index.columns[i].column;
      const ValueView present =
          column == kRowidColumn ? ValueView::Integer(row->rowid()) : row->column(column);
      equal = CompareValues(present, tuple[i], index.columns[i].collation) == 0;
    }
    if (equal) return true;
  }
  KV_RETURN_IF_ERROR(cursor.status());
  return false;
}

StatusOr<std::optional<RowKey>> FindUniqueEntry(Reader reader, const TableDef& table,
                                                const IndexDef& index, std::string_view key) {
  btree::ValueRef value;
  switch (reader.Find(index.tree, key, &value)) {
    case btree::FindResult::kNotFound:
      return std::nullopt;
    case btree::FindResult::kError:
      return reader.FindError(index.tree, key);
    case btree::FindResult::kFound:
      break;
  }
  RowKey row;
  std::string_view loss;
  // A value as long as a row key of 32,000 bytes stands in an extent.
  if (value.is_large) {
    KV_ASSIGN_OR_RETURN(const btree::LargeValue large, btree::ReadLarge(reader.pages(), value));
    thread_local std::string copy;
    copy.assign(large.view());
    if (!ReadRowKeyInValue(table, copy, &row, &loss)) return DamagedIndex(table, index);
    return row;
  }
  if (!ReadRowKeyInValue(table, value.view(), &row, &loss)) return DamagedIndex(table, index);
  return row;
}

StatusOr<bool> GetByRowid(Reader reader, const TableDef& table, int64_t rowid, Row* row) {
  btree::ValueRef cell;
  switch (reader.Find(table.tree, rowid, &cell)) {
    case btree::FindResult::kFound:
      KV_RETURN_IF_ERROR(row->Set(reader, table, rowid, cell));
      return true;
    case btree::FindResult::kNotFound:
      return false;
    case btree::FindResult::kError:
      break;
  }
  return reader.FindError(table.tree, rowid);
}

StatusOr<bool> GetByPrimaryKey(Reader reader, const TableDef& table, std::span<const ValueView> key,
                               Row* row) {
  if (table.rowid_alias.has_value()) {
    if (key.size() != 1) return WrongColumnCount("the primary key", key.size(), 1);
    ValueView value = key[0];
    if (value.type != ValueType::kInteger) {
      NumberText text;
      value = ApplyAffinity(value, Affinity::kInteger, &text);
      if (value.type != ValueType::kInteger) return false;
    }
    return GetByRowid(reader, table, value.integer, row);
  }
  if (!table.has_rowid()) {
    if (key.size() != table.primary_key.size()) {
      return WrongColumnCount("the primary key", key.size(), table.primary_key.size());
    }
    std::string* tree_key = row->key_buffer();
    tree_key->clear();
    const TupleShape shape = MakeKey(table, table.primary_key, table.key_parts, key, tree_key);
    if (shape.truncated || shape.has_null) return false;
    return GetByTreeKey(reader, table, *tree_key, row);
  }
  for (const IndexDef& index : table.indexes) {
    if (index.origin == IndexOrigin::kPrimaryKey) {
      return GetByUniqueIndex(reader, table, index, key, row);
    }
  }
  return absl::InvalidArgumentError(absl::StrCat("table ", table.name, " has no primary key"));
}

StatusOr<bool> GetByUniqueIndex(Reader reader, const TableDef& table, const IndexDef& index,
                                std::span<const ValueView> key, Row* row) {
  if (key.size() != index.columns.size()) {
    return WrongColumnCount("index " + index.name, key.size(), index.columns.size());
  }
  if (index.has_expressions) {
    return absl::InvalidArgumentError("index " + index.name + " is on expressions");
  }
  thread_local std::string index_key;
  index_key.clear();
  const TupleShape shape = MakeKey(table, index.columns, index.parts, key, &index_key);
  if (shape.has_null) return false;
  if (shape.truncated) {
    std::vector<NumberText> texts(key.size());
    std::vector<ValueView> tuple(key.begin(), key.end());
    for (size_t i = 0; i < tuple.size(); ++i) {
      tuple[i] = ApplyAffinity(tuple[i], AffinityOf(table, index.columns[i].column), &texts[i]);
    }
    return FindTruncated(reader, table, index, tuple, index_key, row);
  }
  KV_ASSIGN_OR_RETURN(const std::optional<RowKey> found,
                      FindUniqueEntry(reader, table, index, index_key));
  if (!found.has_value()) return false;
  KV_ASSIGN_OR_RETURN(const bool there, GetByRowKey(reader, table, *found, row));
  if (!there) return DamagedIndex(table, index);
  return true;
}

StatusOr<uint64_t> CountRows(Reader reader, const TableDef& table) {
  return reader.Count(table.tree);
}

Status TableScan::Start(Reader reader, const TableDef& table, std::optional<int64_t> from) {
  reader_ = reader;
  table_ = &table;
  KV_ASSIGN_OR_RETURN(const btree::TreeView view, reader.View(table.tree));
  cursor_.Reset(view);
  if (from.has_value() && table.has_rowid()) {
    cursor_.SeekGE(*from);
  } else {
    cursor_.SeekFirst();
  }
  return Load();
}

Status TableScan::Next() {
  cursor_.Next();
  return Load();
}

Status TableScan::Load() {
  valid_ = cursor_.Valid();
  if (!valid_) return cursor_.status();
  const Status set = table_->has_rowid()
                         ? row_.Set(*reader_, *table_, cursor_.int_key(), cursor_.value())
                         : row_.Set(*reader_, *table_, cursor_.key(), cursor_.value());
  valid_ = set.ok();
  return set;
}

}  // namespace kvsql::kv
