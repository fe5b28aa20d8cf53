// SQLite, with either schema, with its page cache alone or with the file mapped as well.
#include <sqlite3.h>

#include <memory>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "bench/agent_memory/stores.h"
#include "bench/engines/sqlite_engine.h"
#include "bench/fatal.h"

namespace kvsql::bench::agent_memory {
namespace {

constexpr int kCachePages = 131'072;  // 512 MiB

const char* Level(Sync sync) {
  switch (sync) {
    case Sync::kOff:
      return "OFF";
    case Sync::kNormal:
      return "NORMAL";
    case Sync::kFull:
      return "FULL";
  }
  return "";
}

class SqliteStore : public Store {
 public:
  SqliteStore(const Schema& schema, bool mmap) : schema_(schema), mmap_(mmap) {}

  void Open(const std::string& path, Sync sync) override {
    db_.emplace(
        path,
        SqliteSettings{.durability = Durability::kFull, .mmap = mmap_, .cache_pages = kCachePages});
    db_->Execute(absl::StrCat("PRAGMA synchronous=", Level(sync)).c_str());
    db_->Execute("PRAGMA wal_autocheckpoint=1000");
    db_->Execute("PRAGMA temp_store=MEMORY");
    if (!HasTable()) {
      db_->Execute(absl::StrCat(schema_.create, " ", schema_.options).c_str());
    }
    insert_.emplace(*db_, schema_.insert);
    update_.emplace(*db_, schema_.update);
    recall_.emplace(*db_, schema_.recall);
    latest_.emplace(*db_, schema_.latest);
  }

  void Close() override {
    insert_.reset();
    update_.reset();
    recall_.reset();
    latest_.reset();
    db_->Execute("PRAGMA synchronous=FULL");
    db_->Expect(sqlite3_wal_checkpoint_v2(db_->get(), nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr,
                                          nullptr),
                SQLITE_OK, "checkpoint");
    db_.reset();
  }

  Order order() const override { return schema_.order; }

  void BulkLoad(const Population& population) override {
    db_->Execute("PRAGMA synchronous=FULL");
    db_->Execute("BEGIN IMMEDIATE");
    for (size_t i = 0; i < population.size(); ++i) {
      Insert(population.id(i), population.value(i));
    }
    MakeIndex();
    db_->Execute("COMMIT");
  }
  void MakeIndex() override { db_->Execute(schema_.index); }
  void AfterLoad() override { db_->Execute("ANALYZE"); }

  void Insert(MemoryId id, std::string_view value) override { Run(*insert_, id, value); }
  void Update(MemoryId id, std::string_view value) override {
    Run(*update_, id, value);
    if (sqlite3_changes(db_->get()) != 1) [[unlikely]]
      Fatal("SQLite: an update found no memory");
  }

  void Recall(MemoryId id, ValueBuffer* value) override {
    sqlite3_stmt* const recall = recall_->get();
    sqlite3_bind_int64(recall, 1, id.sequence);
    if (schema_.recall_takes_agent) sqlite3_bind_int64(recall, 2, id.agent);
    db_->Expect(sqlite3_step(recall), SQLITE_ROW, "recall");
    Take(recall, 0, value);
    // Not a second step: reset ends the read as well, and costs less.
    sqlite3_reset(recall);
  }

  void Latest(uint32_t agent, LatestBuffer* latest) override {
    sqlite3_stmt* const statement = latest_->get();
    sqlite3_bind_int64(statement, 1, agent);
    sqlite3_bind_int64(statement, 2, kLatest);
    latest->count = 0;
    int code = SQLITE_DONE;
    while (latest->count < kLatest && (code = sqlite3_step(statement)) == SQLITE_ROW) {
      Take(statement, 0, &latest->values[latest->count++]);
    }
    if (code != SQLITE_ROW) db_->Expect(code, SQLITE_DONE, "latest");
    sqlite3_reset(statement);
  }

  void ForEach(const Visitor& visit) override {
    const SqliteStatement all(*db_, schema_.all);
    int code;
    while ((code = sqlite3_step(all.get())) == SQLITE_ROW) {
      const void* const value = sqlite3_column_blob(all.get(), 2);
      visit({static_cast<uint32_t>(sqlite3_column_int64(all.get(), 0)),
             static_cast<uint32_t>(sqlite3_column_int64(all.get(), 1))},
            {static_cast<const char*>(value),
             static_cast<size_t>(sqlite3_column_bytes(all.get(), 2))});
    }
    db_->Expect(code, SQLITE_DONE, "walk");
  }

  void CheckIntegrity() override {
    const SqliteStatement check(*db_, "PRAGMA integrity_check");
    db_->Expect(sqlite3_step(check.get()), SQLITE_ROW, "integrity_check");
    const auto* const answer = reinterpret_cast<const char*>(sqlite3_column_text(check.get(), 0));
    if (std::string_view(answer) != "ok") {
      Fatal(absl::StrCat("SQLite: integrity_check: ", answer));
    }
  }

 private:
  bool HasTable() {
    const SqliteStatement select(*db_, "SELECT 1 FROM sqlite_schema WHERE name = 'memories'");
    return sqlite3_step(select.get()) == SQLITE_ROW;
  }

  void Run(const SqliteStatement& statement, MemoryId id, std::string_view value) {
    sqlite3_bind_int64(statement.get(), 1, id.sequence);
    sqlite3_bind_int64(statement.get(), 2, id.agent);
    sqlite3_bind_blob(statement.get(), 3, value.data(), static_cast<int>(value.size()),
                      SQLITE_STATIC);
    db_->Expect(sqlite3_step(statement.get()), SQLITE_DONE, "write");
    sqlite3_reset(statement.get());
  }

  static void Take(sqlite3_stmt* statement, int column, ValueBuffer* value) {
    const void* const data = sqlite3_column_blob(statement, column);
    value->Assign(data, static_cast<size_t>(sqlite3_column_bytes(statement, column)));
  }

  const Schema& schema_;
  const bool mmap_;
  std::optional<SqliteConnection> db_;
  std::optional<SqliteStatement> insert_;
  std::optional<SqliteStatement> update_;
  std::optional<SqliteStatement> recall_;
  std::optional<SqliteStatement> latest_;
};

}  // namespace

std::unique_ptr<Store> NewSqliteStore(const Schema& schema, bool mmap) {
  return std::make_unique<SqliteStore>(schema, mmap);
}

}  // namespace kvsql::bench::agent_memory
