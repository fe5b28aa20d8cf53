#include "kv/schema.h"

#include <atomic>
#include <utility>

#include "btree/cursor.h"
#include "btree/large_value.h"
#include "kv/catalog_codec.h"

namespace kvsql::kv {
namespace {

uint64_t NextGeneration() {
  static std::atomic<uint64_t> counter{0};
  return counter.fetch_add(1, std::memory_order_relaxed) + 1;
}

// The record of an object, owned or in the pages; nullopt: there is none.
StatusOr<std::optional<btree::LargeValue>> ReadRecord(ObjectKind kind, std::string_view name,
                                                      CatalogSource& source) {
  const btree::TreeView catalog = source.catalog();
  if (!catalog.root.exists) return std::nullopt;
  const std::string key = CatalogKey(kind, name);
  btree::ValueRef value;
  switch (btree::Find(catalog, key, &value)) {
    case btree::FindResult::kNotFound:
      return std::nullopt;
    case btree::FindResult::kError:
      return btree::FindError(catalog, key);
    case btree::FindResult::kFound:
      break;
  }
  KV_ASSIGN_OR_RETURN(btree::LargeValue record, btree::ReadValue(*catalog.pages, value));
  return record;
}

// The names of all objects of a kind, lower-cased.
StatusOr<std::vector<std::string>> ListNames(ObjectKind kind, CatalogSource& source) {
  std::vector<std::string> names;
  const btree::TreeView catalog = source.catalog();
  if (!catalog.root.exists) return names;
  const std::string first = CatalogKey(kind, "");
  btree::Cursor cursor(catalog);
  for (cursor.SeekGE(std::string_view(first)); cursor.Valid(); cursor.Next()) {
    const std::string_view key = cursor.key();
    if (key.empty() || key.front() != first.front()) break;
    names.emplace_back(key.substr(1));
  }
  KV_RETURN_IF_ERROR(cursor.status());
  return names;
}

// Makes the codec of a compressed tree, with its dictionaries.
Status MakeCodec(TreeId tree, CompressionDef* compression, CatalogSource& source) {
  if (compression->kind == Compression::kNone) return absl::OkStatus();
  std::vector<std::shared_ptr<const Dictionary>> dictionaries;
  for (const uint32_t number : compression->dictionaries) {
    const std::string name = DictionaryName(tree, number);
    KV_ASSIGN_OR_RETURN(const std::optional<btree::LargeValue> record,
                        ReadRecord(ObjectKind::kDictionary, name, source));
    if (!record.has_value()) return DataLoss("catalog: dictionary ", name, " is missing");
    KV_ASSIGN_OR_RETURN(const std::string bytes, DecodeDictionary(record->view()));
    KV_ASSIGN_OR_RETURN(std::shared_ptr<const Dictionary> dictionary,
                        Dictionary::Make(number, bytes));
    dictionaries.push_back(std::move(dictionary));
  }
  compression->codec =
      std::make_shared<const ValueCodec>(std::move(dictionaries), compression->trained_rows);
  return absl::OkStatus();
}

KeyPart PartOf(const TableDef& table, const IndexColumn& column) {
  KeyPart part;
  part.collation = column.collation;
  part.descending = column.descending;
  part.real = column.column < table.columns.size() &&
              table.columns[column.column].affinity == Affinity::kReal;
  return part;
}

}  // namespace

std::string DictionaryName(TreeId tree, uint32_t number) { return absl::StrCat(tree, ".", number); }

std::optional<uint32_t> TableDef::FindColumn(std::string_view column) const {
  for (uint32_t i = 0; i < columns.size(); ++i) {
    if (EqualsIgnoreCase(columns[i].name, column)) return i;
  }
  return std::nullopt;
}

const IndexDef* TableDef::FindIndex(std::string_view index) const {
  for (const IndexDef& each : indexes) {
    if (EqualsIgnoreCase(each.name, index)) return &each;
  }
  return nullptr;
}

void TableDef::Derive() {
  key_parts.clear();
  in_key.assign(columns.size(), 0);
  if (!has_rowid()) {
    for (const IndexColumn& column : primary_key) {
      key_parts.push_back(PartOf(*this, column));
      if (in_key[column.column] == 0) {
        in_key[column.column] = static_cast<uint16_t>(key_parts.size());
      }
    }
  }
  // The number that no index has is the key's.
  key_rank = 0;
  while (!has_rowid() &&
         FindIndex(absl::StrCat("sqlite_autoindex_", name, "_", key_rank + 1)) != nullptr) {
    ++key_rank;
  }
  index_rules = false;
  for (IndexDef& index : indexes) {
    index.table = name;
    index.parts.clear();
    index.has_expressions = false;
    for (const IndexColumn& column : index.columns) {
      index.parts.push_back(PartOf(*this, column));
      if (column.column == kExpressionColumn) index.has_expressions = true;
    }
    index_rules |= index.partial() || index.has_expressions;
  }
}

Schema::Schema(bool temporary) : generation_(NextGeneration()), temporary_(temporary) {}

Schema::Schema(const Schema& base) : generation_(NextGeneration()), temporary_(base.temporary_) {
  const std::lock_guard lock(base.mutex_);
  tables_ = base.tables_;
  keyspaces_ = base.keyspaces_;
  views_ = base.views_;
}

StatusOr<const TableDef*> Schema::FindTable(std::string_view name, CatalogSource& source) const {
  std::string lower = LowerAscii(name);
  const std::lock_guard lock(mutex_);
  if (const auto found = tables_.find(lower); found != tables_.end()) return found->second.get();
  KV_ASSIGN_OR_RETURN(const std::optional<btree::LargeValue> record,
                      ReadRecord(ObjectKind::kTable, lower, source));
  if (!record.has_value()) return nullptr;
  KV_ASSIGN_OR_RETURN(TableDef decoded, DecodeTable(record->view()));
  decoded.temporary = temporary_;
  KV_ASSIGN_OR_RETURN(const std::optional<btree::LargeValue> statistics,
                      ReadRecord(ObjectKind::kStatistics, lower, source));
  if (statistics.has_value()) {
    KV_RETURN_IF_ERROR(DecodeStatistics(statistics->view(), &decoded));
  }
  KV_RETURN_IF_ERROR(MakeCodec(decoded.tree, &decoded.compression, source));
  auto table = std::make_shared<const TableDef>(std::move(decoded));
  return tables_.emplace(std::move(lower), std::move(table)).first->second.get();
}

StatusOr<const KeyspaceDef*> Schema::FindKeyspace(std::string_view name,
                                                  CatalogSource& source) const {
  std::string lower = LowerAscii(name);
  const std::lock_guard lock(mutex_);
  if (const auto found = keyspaces_.find(lower); found != keyspaces_.end()) {
    return found->second.get();
  }
  KV_ASSIGN_OR_RETURN(const std::optional<btree::LargeValue> record,
                      ReadRecord(ObjectKind::kKeyspace, lower, source));
  if (!record.has_value()) return nullptr;
  KV_ASSIGN_OR_RETURN(KeyspaceDef decoded, DecodeKeyspace(record->view()));
  KV_RETURN_IF_ERROR(MakeCodec(decoded.tree, &decoded.compression, source));
  auto keyspace = std::make_shared<const KeyspaceDef>(std::move(decoded));
  return keyspaces_.emplace(std::move(lower), std::move(keyspace)).first->second.get();
}

StatusOr<const ViewDef*> Schema::FindView(std::string_view name, CatalogSource& source) const {
  std::string lower = LowerAscii(name);
  const std::lock_guard lock(mutex_);
  if (const auto found = views_.find(lower); found != views_.end()) return found->second.get();
  KV_ASSIGN_OR_RETURN(const std::optional<btree::LargeValue> record,
                      ReadRecord(ObjectKind::kView, lower, source));
  if (!record.has_value()) return nullptr;
  KV_ASSIGN_OR_RETURN(ViewDef decoded, DecodeView(record->view()));
  auto view = std::make_shared<const ViewDef>(std::move(decoded));
  return views_.emplace(std::move(lower), std::move(view)).first->second.get();
}

StatusOr<const TableDef*> Schema::FindTableOfIndex(std::string_view index,
                                                   CatalogSource& source) const {
  KV_ASSIGN_OR_RETURN(const std::optional<btree::LargeValue> record,
                      ReadRecord(ObjectKind::kIndex, index, source));
  if (!record.has_value()) return nullptr;
  KV_ASSIGN_OR_RETURN(const std::string name, DecodeIndexEntry(record->view()));
  KV_ASSIGN_OR_RETURN(const TableDef* table, FindTable(name, source));
  if (table == nullptr || table->FindIndex(index) == nullptr) {
    return DataLoss("catalog: index '", std::string(index), "' is not in its table '", name, "'");
  }
  return table;
}

StatusOr<std::vector<const TableDef*>> Schema::Tables(CatalogSource& source) const {
  KV_ASSIGN_OR_RETURN(const std::vector<std::string> names, ListNames(ObjectKind::kTable, source));
  std::vector<const TableDef*> tables;
  for (const std::string& name : names) {
    KV_ASSIGN_OR_RETURN(const TableDef* table, FindTable(name, source));
    if (table != nullptr) tables.push_back(table);
  }
  return tables;
}

StatusOr<std::vector<const KeyspaceDef*>> Schema::Keyspaces(CatalogSource& source) const {
  KV_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                      ListNames(ObjectKind::kKeyspace, source));
  std::vector<const KeyspaceDef*> keyspaces;
  for (const std::string& name : names) {
    KV_ASSIGN_OR_RETURN(const KeyspaceDef* keyspace, FindKeyspace(name, source));
    if (keyspace != nullptr) keyspaces.push_back(keyspace);
  }
  return keyspaces;
}

StatusOr<std::vector<const ViewDef*>> Schema::Views(CatalogSource& source) const {
  KV_ASSIGN_OR_RETURN(const std::vector<std::string> names, ListNames(ObjectKind::kView, source));
  std::vector<const ViewDef*> views;
  for (const std::string& name : names) {
    KV_ASSIGN_OR_RETURN(const ViewDef* view, FindView(name, source));
    if (view != nullptr) views.push_back(view);
  }
  return views;
}

void Schema::Forget(ObjectKind kind, std::string_view name) {
  const std::lock_guard lock(mutex_);
  if (kind == ObjectKind::kKeyspace) {
    keyspaces_.erase(LowerAscii(name));
  } else if (kind == ObjectKind::kView) {
    views_.erase(LowerAscii(name));
  } else {
    tables_.erase(LowerAscii(name));
  }
}

}  // namespace kvsql::kv
