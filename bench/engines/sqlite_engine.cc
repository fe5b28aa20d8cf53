#include "bench/engines/sqlite_engine.h"

#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "bench/clock.h"
#include "bench/engines/sink.h"
#include "bench/fatal.h"

namespace kvsql::bench {
namespace {

// More than any file of the benchmark; mapping costs address space only.
constexpr int64_t kMmapBytes = int64_t{16} << 30;

constexpr char kPointSelect[] = "SELECT id, name, score FROM t WHERE id = ?1";

constexpr int kBusyMillis = 60'000;

// SQLite's own busy timeout waits 1, 2, 5, ... 100 ms between tries. Among constant waits this one
// did best with eight writers on a quiet machine; much shorter ones get in the working writer's
// way.
int SleepSteadily(void*, int tries) {
  constexpr int kWaitMicros = 1'600;
  if (tries > kBusyMillis * 1'000 / kWaitMicros) return 0;
  usleep(kWaitMicros);
  return 1;
}

}  // namespace

SqliteConnection::SqliteConnection(const std::string& path, const SqliteSettings& settings) {
  const int code =
      sqlite3_open_v2(path.c_str(), &db_,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  Expect(code, SQLITE_OK, "open");
  if (settings.steady_waits) {
    sqlite3_busy_handler(db_, SleepSteadily, nullptr);
  } else {
    sqlite3_busy_timeout(db_, kBusyMillis);
  }
  Execute("PRAGMA journal_mode=WAL");
  Execute(settings.durability == Durability::kFull ? "PRAGMA synchronous=FULL"
                                                   : "PRAGMA synchronous=NORMAL");
  Execute(absl::StrCat("PRAGMA cache_size=", settings.cache_pages).c_str());
  Execute(absl::StrCat("PRAGMA mmap_size=", settings.mmap ? kMmapBytes : 0).c_str());
}

SqliteConnection::~SqliteConnection() { sqlite3_close(db_); }

void SqliteConnection::Execute(const char* sql) {
  Expect(sqlite3_exec(db_, sql, nullptr, nullptr, nullptr), SQLITE_OK, sql);
}

void SqliteConnection::Fail(int code, const char* what) const {
  Fatal(absl::StrCat("SQLite: ", what, ": code ", code, ": ", sqlite3_errmsg(db_)));
}

SqliteStatement::SqliteStatement(SqliteConnection& connection, const char* sql) {
  connection.Expect(sqlite3_prepare_v3(connection.get(), sql, -1, SQLITE_PREPARE_PERSISTENT,
                                       &statement_, nullptr),
                    SQLITE_OK, sql);
}

void SqliteEngine::Open(const std::string& path, Durability durability) {
  path_ = path;
  settings_.durability = durability;
  connection_ = std::make_unique<SqliteConnection>(path, settings_);
  connection_->Execute(
      "CREATE TABLE IF NOT EXISTS t(id INTEGER PRIMARY KEY, name TEXT, score INTEGER);"
      "CREATE TABLE IF NOT EXISTS kv(k BLOB PRIMARY KEY, v BLOB) WITHOUT ROWID");
}

void SqliteEngine::Close() { connection_.reset(); }

std::unique_ptr<Session> SqliteEngine::NewSession() { return NewSqliteSession(path_, settings_); }

double SqliteEngine::LoadRows(std::span<const Probe> probes) {
  const TextColumn names = TextColumn::Names(probes);
  SqliteConnection& db = *connection_;
  SqliteStatement insert(db, "INSERT INTO t(id, name, score) VALUES(?1, ?2, ?3)");
  sqlite3_stmt* statement = insert.get();
  const Stopwatch watch;
  db.Execute("BEGIN IMMEDIATE");
  for (size_t i = 0; i < probes.size(); ++i) {
    sqlite3_bind_int64(statement, 1, probes[i].id);
    sqlite3_bind_text(statement, 2, names[i].data(), static_cast<int>(names[i].size()),
                      SQLITE_STATIC);
    sqlite3_bind_int64(statement, 3, ScoreOf(probes[i].id));
    db.Expect(sqlite3_step(statement), SQLITE_DONE, "INSERT");
    sqlite3_reset(statement);
  }
  db.Execute("COMMIT");
  return watch.seconds();
}

double SqliteEngine::LoadKeys(std::span<const Probe> probes, bool) {
  const TextColumn values = TextColumn::Values(probes);
  SqliteConnection& db = *connection_;
  SqliteStatement insert(db, "INSERT INTO kv(k, v) VALUES(?1, ?2)");
  sqlite3_stmt* statement = insert.get();
  const Stopwatch watch;
  db.Execute("BEGIN IMMEDIATE");
  for (size_t i = 0; i < probes.size(); ++i) {
    sqlite3_bind_blob(statement, 1, probes[i].key, sizeof(probes[i].key), SQLITE_STATIC);
    sqlite3_bind_blob(statement, 2, values[i].data(), static_cast<int>(values[i].size()),
                      SQLITE_STATIC);
    db.Expect(sqlite3_step(statement), SQLITE_DONE, "INSERT");
    sqlite3_reset(statement);
  }
  db.Execute("COMMIT");
  return watch.seconds();
}

void SqliteEngine::Checkpoint() {
  // PASSIVE leaves the WAL file as long as it is, so that later commits find it warm.
  connection_->Expect(sqlite3_wal_checkpoint_v2(connection_->get(), nullptr,
                                                SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr),
                      SQLITE_OK, "checkpoint");
}

uint64_t SqliteEngine::OpenReadRowClose(const std::string& path, uint32_t id) {
  // No pragma: the journal mode is in the file, and the rest changes nothing for one read.
  sqlite3* db = nullptr;
  sqlite3_stmt* statement = nullptr;
  Sink<Digest::kExact> sink;
  if (sqlite3_open_v2(path.c_str(), &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr) !=
          SQLITE_OK ||
      sqlite3_prepare_v2(db, kPointSelect, sizeof(kPointSelect), &statement, nullptr) !=
          SQLITE_OK ||
      sqlite3_bind_int64(statement, 1, id) != SQLITE_OK || sqlite3_step(statement) != SQLITE_ROW) {
    Fatal(absl::StrCat("SQLite: first read of ", path, ": ", sqlite3_errmsg(db)));
  }
  sink.Row(sqlite3_column_int64(statement, 0), sqlite3_column_text(statement, 1),
           static_cast<size_t>(sqlite3_column_bytes(statement, 1)),
           sqlite3_column_int64(statement, 2));
  sqlite3_finalize(statement);
  if (sqlite3_close(db) != SQLITE_OK) Fatal("SQLite: close");
  return sink.sum();
}

void UseRollbackJournal(const std::string& path) {
  SqliteConnection connection(path, SqliteSettings{});
  connection.Execute("PRAGMA journal_mode=DELETE");
}

}  // namespace kvsql::bench
