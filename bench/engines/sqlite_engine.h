// SQLite as its manual recommends it for this work: WAL, statements prepared once and reused,
// connections without the mutex of the serialized mode, one connection per thread; with its page
// cache of 8 MiB alone, or with the whole file mapped as well.
//
// Thread safety: see engine.h.
#ifndef KVSQL_BENCH_ENGINES_SQLITE_ENGINE_H_
#define KVSQL_BENCH_ENGINES_SQLITE_ENGINE_H_

#include <sqlite3.h>

#include <memory>
#include <string>

#include "bench/engines/engine.h"

namespace kvsql::bench {

struct SqliteSettings {
  Durability durability = Durability::kFull;
  bool mmap = false;
  bool steady_waits = false;  // see Engine::SuitManyWriters
  int cache_pages = 2'048;    // 8 MiB
};

// An open connection with the benchmark's pragmas.
class SqliteConnection {
 public:
  SqliteConnection(const std::string& path, const SqliteSettings& settings);
  ~SqliteConnection();
  SqliteConnection(const SqliteConnection&) = delete;
  SqliteConnection& operator=(const SqliteConnection&) = delete;

  sqlite3* get() const { return db_; }
  void Execute(const char* sql);
  // Fatal with the connection's message unless `code` is `expected`.
  void Expect(int code, int expected, const char* what) const {
    if (code != expected) [[unlikely]]
      Fail(code, what);
  }

 private:
  [[noreturn]] void Fail(int code, const char* what) const;

  sqlite3* db_ = nullptr;
};

// A prepared statement.
class SqliteStatement {
 public:
  SqliteStatement(SqliteConnection& connection, const char* sql);
  ~SqliteStatement() { sqlite3_finalize(statement_); }
  SqliteStatement(const SqliteStatement&) = delete;
  SqliteStatement& operator=(const SqliteStatement&) = delete;

  sqlite3_stmt* get() const { return statement_; }

 private:
  sqlite3_stmt* statement_ = nullptr;
};

class SqliteEngine : public Engine {
 public:
  explicit SqliteEngine(bool mmap) { settings_.mmap = mmap; }

  EngineId id() const override {
    return settings_.mmap ? EngineId::kSqliteMmap : EngineId::kSqlite;
  }
  bool has_sql() const override { return true; }
  void Open(const std::string& path, Durability durability) override;
  void Close() override;
  std::unique_ptr<Session> NewSession() override;
  std::unique_ptr<SqlRunner> NewRunner() override;
  double LoadRows(std::span<const Probe> probes) override;
  double LoadKeys(std::span<const Probe> probes, bool ascending) override;
  int64_t Settle() override { return 0; }  // its checkpoints run inside commits
  void Checkpoint() override;
  void SuitManyWriters(bool on) override { settings_.steady_waits = on; }
  uint64_t OpenReadRowClose(const std::string& path, uint32_t id) override;

 private:
  std::string path_;
  SqliteSettings settings_;
  std::unique_ptr<SqliteConnection> connection_;
};

// Turns the closed database at `path` from WAL to SQLite's rollback journal, for OpenReadRowClose.
void UseRollbackJournal(const std::string& path);

std::unique_ptr<Session> NewSqliteSession(const std::string& path, const SqliteSettings& settings);

}  // namespace kvsql::bench

#endif  // KVSQL_BENCH_ENGINES_SQLITE_ENGINE_H_
