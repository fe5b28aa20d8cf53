// Schema changes of a write transaction.
#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "kv/catalog_codec.h"
#include "kv/index_entries.h"
#include "kv/log_record.h"
#include "kv/table_ops.h"
#include "kv/write_scratch.h"
#include "kv/write_txn.h"

namespace kvsql::kv {
namespace {

// SQLite's own limit.
constexpr size_t kMaxTableColumns = 2000;

Status AlreadyThere(std::string_view before, std::string_view name, std::string_view after) {
  return absl::AlreadyExistsError(
      absl::StrCat(std::string(before), std::string(name), std::string(after)));
}

Status NoSuch(std::string_view what, std::string_view name) {
  return absl::NotFoundError(absl::StrCat("no such ", std::string(what), ": ", std::string(name)));
}

Status CheckTableShape(const TableDef& def) {
  if (def.columns.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("table ", def.name, " has no columns"));
  }
  if (def.columns.size() > kMaxTableColumns) {
    return absl::InvalidArgumentError(absl::StrCat("too many columns on ", def.name));
  }
  std::set<std::string> names;
  for (const ColumnDef& column : def.columns) {
    if (!names.insert(LowerAscii(column.name)).second) {
      return absl::InvalidArgumentError(absl::StrCat("duplicate column name: ", column.name));
    }
  }
  if (!def.has_rowid() && def.primary_key.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("PRIMARY KEY missing on table ", def.name));
  }
  return absl::OkStatus();
}

}  // namespace

// The catalog as the transaction has it.
class WriteTxn::Source : public CatalogSource {
 public:
  explicit Source(const WriteTxn& txn) : txn_(txn) {}
  btree::TreeView catalog() override { return txn_.RawView(pager::kCatalogTree); }

 private:
  const WriteTxn& txn_;
};

StatusOr<const TableDef*> WriteTxn::FindTable(std::string_view name) {
  Source source(*this);
  return schema_->FindTable(name, source);
}

StatusOr<const KeyspaceDef*> WriteTxn::FindKeyspace(std::string_view name) {
  Source source(*this);
  return schema_->FindKeyspace(name, source);
}

StatusOr<const TableDef*> WriteTxn::FindTableOfIndex(std::string_view index) {
  Source source(*this);
  return schema_->FindTableOfIndex(index, source);
}

StatusOr<std::vector<const TableDef*>> WriteTxn::Tables() {
  Source source(*this);
  return schema_->Tables(source);
}

StatusOr<std::vector<const KeyspaceDef*>> WriteTxn::Keyspaces() {
  Source source(*this);
  return schema_->Keyspaces(source);
}

Status WriteTxn::BeginSchemaChange(ObjectKind kind, std::string_view name) {
  if (!txn_->root(pager::kCatalogTree).exists) {
    KV_RETURN_IF_ERROR(txn_->CreateTreeAs(pager::kCatalogTree, KeyKind::kBytes));
    if (!record_dropped_) {
      LogCreateTree(pager::kCatalogTree, KeyKind::kBytes, &scratch_->record);
    }
    ++operations_;
  }
  auto changed = std::make_shared<Schema>(*schema_);
  changed->Forget(kind, name);
  former_schemas_.push_back(std::move(schema_));
  schema_ = std::move(changed);
  return absl::OkStatus();
}

Status WriteTxn::WriteCatalog(ObjectKind kind, std::string_view name, std::string_view record) {
  const StatusOr<bool> stored =
      Put(pager::kCatalogTree, std::string_view(CatalogKey(kind, name)), record);
  return stored.ok() ? absl::OkStatus() : Break(stored.status());
}

Status WriteTxn::EraseCatalog(ObjectKind kind, std::string_view name) {
  const StatusOr<bool> erased =
      Delete(pager::kCatalogTree, std::string_view(CatalogKey(kind, name)));
  if (!erased.ok()) return Break(erased.status());
  if (!*erased) return Break(DataLoss("catalog: '", std::string(name), "' has no record"));
  return absl::OkStatus();
}

Status WriteTxn::CheckTableName(std::string_view name) {
  if (name.empty()) return absl::InvalidArgumentError("a table needs a name");
  KV_ASSIGN_OR_RETURN(const TableDef* table, FindTable(name));
  if (table != nullptr) return AlreadyThere("table ", name, " already exists");
  KV_ASSIGN_OR_RETURN(const TableDef* indexed, FindTableOfIndex(name));
  if (indexed != nullptr) return AlreadyThere("there is already an index named ", name, "");
  return absl::OkStatus();
}

StatusOr<const TableDef*> WriteTxn::CreateTable(TableDef def) {
  KV_RETURN_IF_ERROR(CheckUsable());
  KV_RETURN_IF_ERROR(CheckTableShape(def));
  KV_RETURN_IF_ERROR(CheckTableName(def.name));
  for (const IndexDef& index : def.indexes) KV_RETURN_IF_ERROR(CheckTableName(index.name));
  KV_RETURN_IF_ERROR(BeginSchemaChange(ObjectKind::kTable, def.name));
  def.Derive();
  def.tree = CreateTree(def.key_kind());
  def.overflow_tree = CreateTree(KeyKind::kInt64);
  for (IndexDef& index : def.indexes) {
    index.tree = CreateTree(KeyKind::kBytes);
    KV_RETURN_IF_ERROR(WriteCatalog(ObjectKind::kIndex, index.name, EncodeIndexEntry(def.name)));
  }
  KV_RETURN_IF_ERROR(WriteCatalog(ObjectKind::kTable, def.name, EncodeTable(def)));
  return FindTable(def.name);
}

Status WriteTxn::DropTable(std::string_view name) {
  KV_RETURN_IF_ERROR(CheckUsable());
  KV_ASSIGN_OR_RETURN(const TableDef* table, FindTable(name));
  if (table == nullptr) return NoSuch("table", name);
  KV_RETURN_IF_ERROR(BeginSchemaChange(ObjectKind::kTable, name));
  for (const IndexDef& index : table->indexes) {
    KV_RETURN_IF_ERROR(DropTree(index.tree));
    KV_RETURN_IF_ERROR(EraseCatalog(ObjectKind::kIndex, index.name));
  }
  KV_RETURN_IF_ERROR(DropTree(table->overflow_tree));
  KV_RETURN_IF_ERROR(DropTree(table->tree));
  if (table->autoincrement) {
    const std::string sequence = CatalogKey(ObjectKind::kSequence, name);
    const StatusOr<bool> erased = Delete(pager::kCatalogTree, std::string_view(sequence));
    if (!erased.ok()) return Break(erased.status());
  }
  return EraseCatalog(ObjectKind::kTable, name);
}

StatusOr<int64_t> WriteTxn::ReadSequence(const TableDef& table) {
  const std::string key = CatalogKey(ObjectKind::kSequence, table.name);
  btree::ValueRef value;
  switch (Find(pager::kCatalogTree, std::string_view(key), &value)) {
    case btree::FindResult::kNotFound:
      return 0;
    case btree::FindResult::kError:
      return FindError(pager::kCatalogTree, std::string_view(key));
    case btree::FindResult::kFound:
      break;
  }
  if (value.is_large || value.size != sizeof(int64_t)) {
    return DataLoss("catalog: the sequence of table '", table.name, "' is damaged");
  }
  return LoadLe<int64_t>(value.data);
}

Status WriteTxn::WriteSequence(const TableDef& table, int64_t rowid) {
  char bytes[sizeof(rowid)];
  StoreLe(bytes, rowid);
  return WriteCatalog(ObjectKind::kSequence, table.name, {bytes, sizeof(bytes)});
}

StatusOr<const IndexDef*> WriteTxn::CreateIndex(IndexDef def) {
  KV_RETURN_IF_ERROR(CheckUsable());
  KV_ASSIGN_OR_RETURN(const TableDef* table, FindTable(def.table));
  if (table == nullptr) return NoSuch("table", def.table);
  if (def.name.empty() || def.columns.empty()) {
    return absl::InvalidArgumentError("an index needs a name and columns");
  }
  KV_ASSIGN_OR_RETURN(const TableDef* same_name, FindTable(def.name));
  if (same_name != nullptr) return AlreadyThere("there is already a table named ", def.name, "");
  KV_ASSIGN_OR_RETURN(const TableDef* indexed, FindTableOfIndex(def.name));
  if (indexed != nullptr) return AlreadyThere("index ", def.name, " already exists");

  TableDef changed = *table;
  def.tree = pager::kNoTree;
  changed.indexes.push_back(std::move(def));
  changed.Derive();
  IndexDef& index = changed.indexes.back();
  // Read and checked before anything is changed.
  IndexFill fill(changed, index);
  KV_RETURN_IF_ERROR(fill.Collect(*this));

  KV_RETURN_IF_ERROR(BeginSchemaChange(ObjectKind::kTable, changed.name));
  index.tree = CreateTree(KeyKind::kBytes);
  if (Status filled = fill.Store(*this, index.tree); !filled.ok()) {
    return Break(std::move(filled));
  }
  KV_RETURN_IF_ERROR(WriteCatalog(ObjectKind::kIndex, index.name, EncodeIndexEntry(changed.name)));
  KV_RETURN_IF_ERROR(WriteCatalog(ObjectKind::kTable, changed.name, EncodeTable(changed)));
  KV_ASSIGN_OR_RETURN(table, FindTable(changed.name));
  return &table->indexes.back();
}

Status WriteTxn::DropIndex(std::string_view name) {
  KV_RETURN_IF_ERROR(CheckUsable());
  KV_ASSIGN_OR_RETURN(const TableDef* table, FindTableOfIndex(name));
  if (table == nullptr) return NoSuch("index", name);
  const IndexDef* index = table->FindIndex(name);
  if (index->origin != IndexOrigin::kCreateIndex) {
    return absl::InvalidArgumentError(
        "index associated with UNIQUE or PRIMARY KEY constraint cannot be dropped");
  }
  TableDef changed = *table;
  changed.indexes.erase(changed.indexes.begin() + (index - table->indexes.data()));
  changed.Derive();
  KV_RETURN_IF_ERROR(BeginSchemaChange(ObjectKind::kTable, changed.name));
  KV_RETURN_IF_ERROR(DropTree(index->tree));
  KV_RETURN_IF_ERROR(EraseCatalog(ObjectKind::kIndex, name));
  return WriteCatalog(ObjectKind::kTable, changed.name, EncodeTable(changed));
}

StatusOr<const KeyspaceDef*> WriteTxn::CreateKeyspace(std::string_view name) {
  KV_RETURN_IF_ERROR(CheckUsable());
  if (name.empty()) return absl::InvalidArgumentError("a keyspace needs a name");
  KV_ASSIGN_OR_RETURN(const KeyspaceDef* present, FindKeyspace(name));
  if (present != nullptr) return AlreadyThere("keyspace ", name, " already exists");
  KV_RETURN_IF_ERROR(BeginSchemaChange(ObjectKind::kKeyspace, name));
  KeyspaceDef def;
  def.name = std::string(name);
  def.tree = CreateTree(KeyKind::kBytes);
  KV_RETURN_IF_ERROR(WriteCatalog(ObjectKind::kKeyspace, name, EncodeKeyspace(def)));
  return FindKeyspace(name);
}

Status WriteTxn::DropKeyspace(std::string_view name) {
  KV_RETURN_IF_ERROR(CheckUsable());
  KV_ASSIGN_OR_RETURN(const KeyspaceDef* keyspace, FindKeyspace(name));
  if (keyspace == nullptr) return NoSuch("keyspace", name);
  KV_RETURN_IF_ERROR(BeginSchemaChange(ObjectKind::kKeyspace, name));
  KV_RETURN_IF_ERROR(DropTree(keyspace->tree));
  return EraseCatalog(ObjectKind::kKeyspace, name);
}

}  // namespace kvsql::kv
