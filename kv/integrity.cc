// The check of a whole database: pages, trees, catalog, rows and indexes.
#include <chrono>
#include <set>
#include <thread>
#include <utility>

#include "btree/check.h"
#include "btree/cursor.h"
#include "kv/catalog_codec.h"
#include "kv/index_entries.h"
#include "kv/store.h"
#include "kv/table_ops.h"
#include "kv/write_scratch.h"
#include "kv/write_txn.h"

namespace kvsql::kv {
namespace {

using pager::PageId;

// What a page was found to be.
enum class PageUse : uint8_t { kUnknown, kTree, kOwn, kFree, kPending };

class Findings {
 public:
  explicit Findings(size_t limit) : limit_(limit) {}
  bool full() const { return texts_.size() >= limit_; }
  template <typename... Args>
  void Add(const Args&... args) {
    if (!full()) texts_.push_back(absl::StrCat(args...));
  }
  void Add(const Status& status) { Add(std::string(status.message())); }
  std::vector<std::string> Take() { return std::move(texts_); }

 private:
  size_t limit_;
  std::vector<std::string> texts_;
};

// Marks what trees use, and finds pages that two of them do.
class PageCensus : public btree::TreeVisitor {
 public:
  PageCensus(uint32_t page_count, Findings* findings)
      : uses_(page_count, PageUse::kUnknown), findings_(findings) {}

  Status VisitPage(PageId page) override {
    Mark(page, PageUse::kTree);
    return absl::OkStatus();
  }
  Status VisitRun(pager::PageRun run, pager::TxId) override {
    for (uint32_t i = 0; i < run.pages; ++i) Mark(run.first + i, PageUse::kTree);
    return absl::OkStatus();
  }

  void Mark(PageId page, PageUse use) {
    // A free page may lie beyond the snapshot's end.
    if (page >= uses_.size()) {
      if (use == PageUse::kTree) findings_->Add("page ", page, " is beyond the end of the file");
      return;
    }
    if (uses_[page] == PageUse::kUnknown) {
      uses_[page] = use;
    } else if (uses_[page] == PageUse::kTree && use == PageUse::kTree) {
      findings_->Add("page ", page, " is used twice");
    } else if (uses_[page] == PageUse::kTree &&
               (use == PageUse::kFree || use == PageUse::kPending)) {
      findings_->Add("page ", page, " is used by a tree and ",
                     use == PageUse::kFree ? "free" : "freed");
    } else if (uses_[page] == PageUse::kOwn && use == PageUse::kFree) {
      findings_->Add("page ", page, " is used by the allocation map and free");
    }
  }

  // `page_count`: of the file now, which may have been cut since the state was made.
  void FindLost(PageId page_count) {
    for (PageId page = 0; page < uses_.size() && !findings_->full(); ++page) {
      if (uses_[page] == PageUse::kUnknown && page < page_count) {
        findings_->Add("page ", page, " is never used");
      } else if (uses_[page] == PageUse::kTree && page >= page_count) {
        findings_->Add("page ", page, " is used by a tree and was cut off the file");
      }
    }
  }

 private:
  std::vector<PageUse> uses_;
  Findings* findings_;
};

class Checker {
 public:
  Checker(const ReadTxn& txn, size_t limit)
      : txn_(txn), findings_(limit), census_(txn.pages().page_count(), &findings_) {}

  // True if all trees could be walked, so that the census of pages is complete.
  bool CheckTrees() {
    bool complete = true;
    const pager::TreeId trees = txn_.tree_limit();
    for (pager::TreeId tree = 1; tree < trees && !findings_.full(); ++tree) {
      if (!txn_.root(tree).exists) continue;
      existing_.insert(tree);
      if (const Status checked = btree::CheckTree(txn_.View(tree), &census_); !checked.ok()) {
        findings_.Add(checked);
        broken_.insert(tree);
        complete = false;
      }
    }
    return complete;
  }

  void CheckCatalog() {
    if (broken_.contains(pager::kCatalogTree)) return;
    Claim(pager::kCatalogTree, KeyKind::kBytes, "the catalog", /*may_be_missing=*/true);
    const StatusOr<std::vector<const KeyspaceDef*>> keyspaces = txn_.Keyspaces();
    if (!keyspaces.ok()) {
      findings_.Add(keyspaces.status());
      return;
    }
    for (const KeyspaceDef* keyspace : *keyspaces) {
      const bool sound =
          Claim(keyspace->tree, KeyKind::kBytes, "keyspace " + keyspace->name, false);
      dictionaries_ += keyspace->compression.dictionaries.size();
      if (sound && keyspace->compression.codec != nullptr) CheckValues(*keyspace);
    }
    const StatusOr<std::vector<const TableDef*>> tables = txn_.Tables();
    if (!tables.ok()) {
      findings_.Add(tables.status());
      return;
    }
    if (const auto views = txn_.Views(); !views.ok()) findings_.Add(views.status());
    size_t indexes = 0;
    for (const TableDef* table : *tables) {
      indexes += table->indexes.size();
      dictionaries_ += table->compression.dictionaries.size();
      bool sound = Claim(table->tree, table->key_kind(), "table " + table->name, false);
      sound = Claim(table->overflow_tree, KeyKind::kInt64,
                    "the large values of table " + table->name, false) &&
              sound;
      for (const IndexDef& index : table->indexes) {
        sound = Claim(index.tree, KeyKind::kBytes, "index " + index.name, false) && sound;
        const StatusOr<const TableDef*> owner = txn_.FindTableOfIndex(index.name);
        if (!owner.ok()) {
          findings_.Add(owner.status());
        } else if (*owner != table) {
          findings_.Add("catalog: index ", index.name, " does not lead to table ", table->name);
        }
      }
      if (sound) CheckTable(*table);
    }
    CheckRecords(ObjectKind::kIndex, indexes, "indexes");
    // Each was read with its table or keyspace.
    CheckRecords(ObjectKind::kDictionary, dictionaries_, "dictionaries");
    for (const pager::TreeId tree : existing_) {
      if (!claimed_.contains(tree)) findings_.Add("tree ", tree, " belongs to nothing");
    }
  }

  void CheckPages(pager::Pager& pager) {
    const Status visited =
        pager.VisitOwnPages([this](PageId page) { census_.Mark(page, PageUse::kOwn); },
                            [this](PageId page) { census_.Mark(page, PageUse::kFree); },
                            [this](PageId page) { census_.Mark(page, PageUse::kPending); });
    if (!visited.ok()) {
      findings_.Add(visited);
      return;
    }
    census_.FindLost(static_cast<PageId>(pager.stats().page_count));
  }

  std::vector<std::string> Take() { return findings_.Take(); }

 private:
  // The tree is named by `owner`: does it exist, and is it nobody else's? False if it cannot be
  // read.
  bool Claim(pager::TreeId tree, KeyKind kind, const std::string& owner, bool may_be_missing) {
    if (!existing_.contains(tree)) {
      if (!may_be_missing) findings_.Add(owner, ": tree ", tree, " does not exist");
      return false;
    }
    if (!claimed_.insert(tree).second) {
      findings_.Add(owner, ": tree ", tree, " belongs to something else, too");
    }
    if (txn_.root(tree).kind != kind) {
      findings_.Add(owner, ": tree ", tree, " has keys of the wrong kind");
      return false;
    }
    return !broken_.contains(tree);
  }

  // Each has its record in the catalog; here, that there are no more than that.
  void CheckRecords(ObjectKind kind, size_t expected, std::string_view what) {
    const std::string first = CatalogKey(kind, "");
    const std::string end(1, static_cast<char>(first.front() + 1));
    if (!txn_.root(pager::kCatalogTree).exists) return;
    const StatusOr<uint64_t> count = btree::CountRange(
        txn_.View(pager::kCatalogTree), std::string_view(first), std::string_view(end));
    if (!count.ok()) {
      findings_.Add(count.status());
    } else if (*count != expected) {
      findings_.Add("catalog: ", *count, " records of ", std::string(what), " for ", expected, " ",
                    std::string(what));
    }
  }

  // That every value of a compressed keyspace can be had.
  void CheckValues(const KeyspaceDef& keyspace) {
    uint64_t damaged = 0;
    btree::Cursor cursor(txn_.View(keyspace.tree));
    for (cursor.SeekFirst(); cursor.Valid(); cursor.Next()) {
      StatusOr<btree::LargeValue> value = btree::ReadValue(txn_.pages(), cursor.value());
      if (value.ok()) value = keyspace.compression.codec->ReadValue(*std::move(value));
      damaged += value.ok() ? 0 : 1;
    }
    if (!cursor.status().ok()) findings_.Add(cursor.status());
    if (damaged != 0) {
      findings_.Add("keyspace ", keyspace.name, ": ", damaged, " values cannot be read");
    }
  }

  void CheckTable(const TableDef& table) {
    uint64_t large_columns = 0;
    std::unique_ptr<RowRules> rules;
    if (table.index_rules || !table.checks.empty()) {
      StatusOr<std::unique_ptr<RowRules>> made = MakeRules(*txn_.store(), table, Reader(txn_));
      if (!made.ok()) return findings_.Add(made.status());
      rules = *std::move(made);
    }
    std::vector<uint64_t> entries(table.indexes.size(), 0);
    std::vector<ValueView> values(table.columns.size());
    TableScan scan;
    Status status = scan.Start(txn_, table);
    while (status.ok() && scan.Valid() && !findings_.full()) {
      const Row& row = scan.row();
      row.Columns(values.data());
      for (uint32_t i = 0; i < table.columns.size(); ++i) {
        if (row.overflow_key(i) != 0) ++large_columns;
        if (values[i].is_null() && table.columns[i].not_null && table.rowid_alias != i) {
          findings_.Add("NULL value in ", table.name, ".", table.columns[i].name);
        }
      }
      if (!table.has_rowid()) CheckPrimaryKey(table, row, values);
      if (!table.checks.empty()) {
        const StatusOr<const CheckDef*> failed = rules->FailedCheck(values, row.rowid());
        if (!failed.ok()) {
          findings_.Add(failed.status());
        } else if (*failed != nullptr) {
          findings_.Add("CHECK constraint failed in ", table.name);
        }
      }
      for (size_t i = 0; i < table.indexes.size(); ++i) {
        entries[i] += CheckEntry(table, i, row, values, rules.get()) ? 1 : 0;
      }
      status = scan.Next();
    }
    if (!status.ok()) findings_.Add(status);
    if (!status.ok() || findings_.full()) return;
    // Each row has its entry, and there are no more entries than rows: each entry has its row.
    for (size_t i = 0; i < table.indexes.size(); ++i) {
      if (txn_.root(table.indexes[i].tree).count != entries[i]) {
        findings_.Add("wrong # of entries in index ", table.indexes[i].name);
      }
    }
    if (txn_.root(table.overflow_tree).count != large_columns) {
      findings_.Add("table ", table.name, ": ", txn_.root(table.overflow_tree).count,
                    " large values for ", large_columns, " columns that have one");
    }
  }

  std::string NameOf(const TableDef& table, const Row& row) {
    if (table.has_rowid()) return absl::StrCat("row ", row.rowid());
    std::string hex;
    for (const char c : row.key().substr(0, 16)) {
      static constexpr char kDigits[] = "0123456789abcdef";
      hex += kDigits[static_cast<uint8_t>(c) >> 4];
      hex += kDigits[static_cast<uint8_t>(c) & 15];
    }
    return "row with key x'" + hex + "'";
  }

  void CheckPrimaryKey(const TableDef& table, const Row& row, std::span<const ValueView> values) {
    tuple_.clear();
    for (const IndexColumn& column : table.primary_key) tuple_.push_back(values[column.column]);
    key_.clear();
    AppendTuple(tuple_, table.key_parts, &key_, table.max_tuple_bytes());
    if (key_ != row.key()) {
      findings_.Add(NameOf(table, row), " of table ", table.name, " does not have its key");
    }
  }

  // Whether the index should have the row.
  bool CheckEntry(const TableDef& table, size_t index_number, const Row& row,
                  std::span<const ValueView> values, RowRules* rules) {
    const IndexDef& index = table.indexes[index_number];
    key_.clear();
    AppendRowKey(table, RowKey{row.rowid(), row.key()}, &key_);
    const Status made =
        MakeIndexEntry(table, index_number, values, row.rowid(), key_, rules, &tuple_, &entry_);
    if (!made.ok()) findings_.Add(made);
    if (!made.ok() || entry_.absent) return false;
    btree::ValueRef value;
    const std::string_view key = entry_.key;
    switch (txn_.Find(index.tree, key, &value)) {
      case btree::FindResult::kError:
        findings_.Add(btree::FindError(txn_.View(index.tree), key));
        return true;
      case btree::FindResult::kNotFound:
        findings_.Add(NameOf(table, row), " missing from index ", index.name);
        return true;
      case btree::FindResult::kFound:
        break;
    }
    const StatusOr<btree::LargeValue> bytes = btree::ReadValue(txn_.pages(), value);
    if (!bytes.ok()) {
      findings_.Add(bytes.status());
    } else if (bytes->view() != entry_.value) {
      findings_.Add(NameOf(table, row), " has another value in index ", index.name);
    }
    return true;
  }

  const ReadTxn& txn_;
  Findings findings_;
  PageCensus census_;
  std::set<pager::TreeId> existing_;
  std::set<pager::TreeId> broken_;
  std::set<pager::TreeId> claimed_;
  size_t dictionaries_ = 0;
  std::vector<ValueView> tuple_;
  std::string key_;
  IndexEntry entry_;
};

}  // namespace

StatusOr<std::vector<std::string>> Store::CheckIntegrity(size_t limit) {
  // Held only to keep writers away: what is free does not change meanwhile.
  std::unique_ptr<pager::WriteTransaction> quiet;
  const bool exclusive = !options_.read_only && pager_->health().ok();
  if (exclusive) {
    KV_ASSIGN_OR_RETURN(quiet, pager_->BeginWrite(options_.busy_timeout));
  }
  ReadTxn txn(shared_from_this());
  if (!txn.Begin()) return txn.BeginError();
  // Commits before it may still wait for the flush that makes their state the published one.
  const auto deadline = std::chrono::steady_clock::now() + options_.busy_timeout;
  while (exclusive && txn.txid() + 1 < quiet->txid() &&
         std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (!txn.Begin()) return txn.BeginError();
  }
  Checker checker(txn, limit);
  const bool complete = checker.CheckTrees();
  checker.CheckCatalog();
  if (complete && exclusive) checker.CheckPages(*pager_);
  txn.End();
  if (quiet != nullptr) quiet->Rollback();
  return checker.Take();
}

}  // namespace kvsql::kv
