// Schema changes of a write transaction.
#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "kv/catalog_codec.h"
#include "kv/index_entries.h"
#include "kv/log_record.h"
#include "kv/reader.h"
#include "kv/row_rules.h"
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

StatusOr<const ViewDef*> WriteTxn::FindView(std::string_view name) {
  Source source(*this);
  return schema_->FindView(name, source);
}

StatusOr<std::vector<const ViewDef*>> WriteTxn::Views() {
  Source source(*this);
  return schema_->Views(source);
}

StatusOr<std::vector<const TableDef*>> WriteTxn::Tables() {
  Source source(*this);
  return schema_->Tables(source);
}

StatusOr<std::vector<const KeyspaceDef*>> WriteTxn::Keyspaces() {
  Source source(*this);
  return schema_->Keyspaces(source);
}

Status WriteTxn::EnsureCatalog() {
  if (txn_->root(pager::kCatalogTree).exists) return absl::OkStatus();
  KV_RETURN_IF_ERROR(txn_->CreateTreeAs(pager::kCatalogTree, KeyKind::kBytes));
  if (!record_dropped_) LogCreateTree(pager::kCatalogTree, KeyKind::kBytes, &scratch_->record);
  ++operations_;
  return absl::OkStatus();
}

Status WriteTxn::BeginSchemaChange(ObjectKind kind, std::string_view name) {
  KV_RETURN_IF_ERROR(EnsureCatalog());
  BeginPrivateSchema(kind, name);
  KV_ASSIGN_OR_RETURN(const int64_t version, Reader(*this).ReadProperty(kSchemaVersion));
  return WriteProperty(kSchemaVersion, version + 1);
}

void WriteTxn::BeginPrivateSchema(ObjectKind kind, std::string_view name) {
  auto changed = std::make_shared<Schema>(*schema_);
  changed->Forget(kind, name);
  former_schemas_.push_back(std::move(schema_));
  schema_ = std::move(changed);
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
  KV_ASSIGN_OR_RETURN(const ViewDef* view, FindView(name));
  if (view != nullptr) return AlreadyThere("view ", name, " already exists");
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
  if (def.compression.kind != Compression::kNone) store_->PostponeTraining(def.tree, 0);
  def.overflow_tree = CreateTree(KeyKind::kInt64);
  for (IndexDef& index : def.indexes) {
    index.tree = CreateTree(KeyKind::kBytes);
    KV_RETURN_IF_ERROR(WriteCatalog(ObjectKind::kIndex, index.name, EncodeIndexEntry(def.name)));
  }
  KV_RETURN_IF_ERROR(WriteCatalog(ObjectKind::kTable, def.name, EncodeTable(def)));
  if (def.autoincrement) KV_RETURN_IF_ERROR(NoteSystemTable(kHasSequences));
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
  KV_RETURN_IF_ERROR(EraseStatistics(name));
  KV_RETURN_IF_ERROR(EraseDictionaries(table->tree, table->compression));
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
  KV_ASSIGN_OR_RETURN(const std::optional<int64_t> largest, Reader(*this).ReadSequence(table));
  return largest.value_or(0);
}

Status WriteTxn::EraseSequence(const TableDef& table) {
  const StatusOr<bool> erased =
      Delete(pager::kCatalogTree, std::string_view(CatalogKey(ObjectKind::kSequence, table.name)));
  return erased.status();
}

Status WriteTxn::WriteProperty(std::string_view name, int64_t value) {
  KV_RETURN_IF_ERROR(CheckUsable());
  KV_RETURN_IF_ERROR(EnsureCatalog());
  char bytes[sizeof(value)];
  StoreLe(bytes, value);
  return WriteCatalog(ObjectKind::kProperty, name, {bytes, sizeof(bytes)});
}

// Trees have ids below this.
TreeId WriteTxn::TreesInUse() const {
  TreeId trees = txn_->tree_limit();
  while (trees > 0 && !txn_->root(trees - 1).exists) --trees;
  return trees;
}

Status WriteTxn::NoteSystemTable(std::string_view property) {
  KV_ASSIGN_OR_RETURN(const int64_t noted, Reader(*this).ReadProperty(property));
  if (noted != 0) return absl::OkStatus();
  KV_ASSIGN_OR_RETURN(const int64_t version, Reader(*this).ReadProperty(kSchemaVersion));
  const int64_t trees = std::max<int64_t>(1, int64_t{TreesInUse()});
  return WriteProperty(property, (version & INT32_MAX) << 32 | trees);
}

StatusOr<RowRules*> WriteTxn::RulesOf(const TableDef& table) {
  std::vector<WriteScratch::CompiledRules>& all = scratch_->rules;
  for (const WriteScratch::CompiledRules& each : all) {
    if (each.table == &table) return each.rules.get();
  }
  KV_ASSIGN_OR_RETURN(std::unique_ptr<RowRules> rules, MakeRules(*store_, table, Reader(*this)));
  all.push_back({&table, schema_, std::move(rules)});
  return all.back().rules.get();
}

StatusOr<std::unique_ptr<RowRules>> MakeRules(const Store& store, const TableDef& table,
                                              Reader reader) {
  if (store.options().make_row_rules == nullptr) {
    return absl::FailedPreconditionError(
        absl::StrCat("table ", table.name, " has expressions, and nothing here can evaluate them"));
  }
  return store.options().make_row_rules(table, reader);
}

Status WriteTxn::EraseStatistics(std::string_view table) {
  const StatusOr<bool> erased =
      Delete(pager::kCatalogTree, std::string_view(CatalogKey(ObjectKind::kStatistics, table)));
  return erased.ok() ? absl::OkStatus() : Break(erased.status());
}

Status WriteTxn::StoreStatistics(const TableDef& analyzed) {
  KV_RETURN_IF_ERROR(CheckUsable());
  KV_RETURN_IF_ERROR(BeginSchemaChange(ObjectKind::kTable, analyzed.name));
  if (!analyzed.analyzed_rows.has_value()) return EraseStatistics(analyzed.name);
  return WriteCatalog(ObjectKind::kStatistics, analyzed.name, EncodeStatistics(analyzed));
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
  KV_ASSIGN_OR_RETURN(const ViewDef* view, FindView(def.name));
  if (same_name != nullptr || view != nullptr) {
    return AlreadyThere("there is already a table named ", def.name, "");
  }
  KV_ASSIGN_OR_RETURN(const TableDef* indexed, FindTableOfIndex(def.name));
  if (indexed != nullptr) return AlreadyThere("index ", def.name, " already exists");

  TableDef changed = *table;
  def.tree = pager::kNoTree;
  changed.indexes.push_back(std::move(def));
  changed.Derive();
  IndexDef& index = changed.indexes.back();
  // Read and checked before anything is changed.
  std::unique_ptr<RowRules> rules;
  if (index.partial() || index.has_expressions) {
    KV_ASSIGN_OR_RETURN(rules, MakeRules(*store_, changed, Reader(*this)));
  }
  IndexFill fill(changed, index);
  KV_RETURN_IF_ERROR(fill.Collect(*this, rules.get()));

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

Status WriteTxn::RebuildIndex(const TableDef& table, const IndexDef& index) {
  KV_RETURN_IF_ERROR(CheckUsable());
  RowRules* rules = nullptr;
  if (index.partial() || index.has_expressions) {
    KV_ASSIGN_OR_RETURN(rules, RulesOf(table));
  }
  IndexFill fill(table, index);
  KV_RETURN_IF_ERROR(fill.Collect(*this, rules));
  if (const StatusOr<uint64_t> cleared = Clear(index.tree); !cleared.ok()) {
    return Break(cleared.status());
  }
  if (Status filled = fill.Store(*this, index.tree); !filled.ok()) return Break(std::move(filled));
  return absl::OkStatus();
}

StatusOr<const ViewDef*> WriteTxn::CreateView(ViewDef def) {
  KV_RETURN_IF_ERROR(CheckUsable());
  KV_RETURN_IF_ERROR(CheckTableName(def.name));
  KV_RETURN_IF_ERROR(BeginSchemaChange(ObjectKind::kView, def.name));
  KV_ASSIGN_OR_RETURN(const int64_t version, Reader(*this).ReadProperty(kSchemaVersion));
  def.made_at = static_cast<uint64_t>(version);
  def.trees_before = TreesInUse();
  KV_RETURN_IF_ERROR(WriteCatalog(ObjectKind::kView, def.name, EncodeView(def)));
  return FindView(def.name);
}

Status WriteTxn::DropView(std::string_view name) {
  KV_RETURN_IF_ERROR(CheckUsable());
  KV_ASSIGN_OR_RETURN(const ViewDef* view, FindView(name));
  if (view == nullptr) return NoSuch("view", name);
  KV_RETURN_IF_ERROR(BeginSchemaChange(ObjectKind::kView, name));
  return EraseCatalog(ObjectKind::kView, name);
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

StatusOr<const KeyspaceDef*> WriteTxn::CreateKeyspace(std::string_view name,
                                                      Compression compression) {
  KV_RETURN_IF_ERROR(CheckUsable());
  if (name.empty()) return absl::InvalidArgumentError("a keyspace needs a name");
  KV_ASSIGN_OR_RETURN(const KeyspaceDef* present, FindKeyspace(name));
  if (present != nullptr) return AlreadyThere("keyspace ", name, " already exists");
  KV_RETURN_IF_ERROR(BeginSchemaChange(ObjectKind::kKeyspace, name));
  KeyspaceDef def;
  def.name = std::string(name);
  def.tree = CreateTree(KeyKind::kBytes);
  def.compression.kind = compression;
  store_->PostponeTraining(def.tree, 0);
  KV_RETURN_IF_ERROR(WriteCatalog(ObjectKind::kKeyspace, name, EncodeKeyspace(def)));
  return FindKeyspace(name);
}

Status WriteTxn::DropKeyspace(std::string_view name) {
  KV_RETURN_IF_ERROR(CheckUsable());
  KV_ASSIGN_OR_RETURN(const KeyspaceDef* keyspace, FindKeyspace(name));
  if (keyspace == nullptr) return NoSuch("keyspace", name);
  KV_RETURN_IF_ERROR(BeginSchemaChange(ObjectKind::kKeyspace, name));
  KV_RETURN_IF_ERROR(EraseDictionaries(keyspace->tree, keyspace->compression));
  KV_RETURN_IF_ERROR(DropTree(keyspace->tree));
  return EraseCatalog(ObjectKind::kKeyspace, name);
}

}  // namespace kvsql::kv
