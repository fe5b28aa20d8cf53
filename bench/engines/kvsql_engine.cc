#include "bench/engines/kvsql_engine.h"

#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "bench/clock.h"
#include "bench/engines/kvsql_check.h"
#include "bench/engines/kvsql_session.h"
#include "bench/engines/sink.h"
#include "bench/process_io.h"

namespace kvsql::bench {

void KvsqlEngine::Open(const std::string& path, Durability durability) {
  Options options;
  options.durability =
      durability == Durability::kFull ? ::kvsql::Durability::kFull : ::kvsql::Durability::kNormal;
  database_ = Take(Database::Open(path, options), "open");
  Connection connection = Take(database_->connect(), "connect");
  Expect(connection.execute("CREATE TABLE IF NOT EXISTS t(id INTEGER PRIMARY KEY, name TEXT, "
                            "score INTEGER)"),
         "CREATE TABLE");
  Take(database_->keyspace("keys"), "keyspace");
}

void KvsqlEngine::Close() {
  if (!database_) return;
  Expect(database_->close(), "close");
  database_.reset();
}

std::unique_ptr<Session> KvsqlEngine::NewSession() { return NewKvsqlSession(*database_); }

double KvsqlEngine::LoadRows(std::span<const Probe> probes) {
  const TextColumn names = TextColumn::Names(probes);
  const Stopwatch watch;
  WriteTransaction transaction = Take(database_->begin(), "begin");
  Statement insert =
      Take(transaction.prepare("INSERT INTO t(id, name, score) VALUES(?1, ?2, ?3)"), "prepare");
  for (size_t i = 0; i < probes.size(); ++i) {
    Expect(insert.bind_all({probes[i].id, names[i], ScoreOf(probes[i].id)}), "bind");
    Expect(insert.execute(), "INSERT");
  }
  Expect(transaction.commit(::kvsql::Durability::kFull), "commit");
  return watch.seconds();
}

double KvsqlEngine::LoadKeys(std::span<const Probe> probes, bool) {
  const TextColumn values = TextColumn::Values(probes);
  const Stopwatch watch;
  WriteTransaction transaction = Take(database_->begin(), "begin");
  Keyspace keys = Take(transaction.keyspace("keys"), "keyspace");
  for (size_t i = 0; i < probes.size(); ++i) {
    Expect(keys.put(probes[i].key_view(), values[i], transaction), "put");
  }
  Expect(transaction.commit(::kvsql::Durability::kFull), "commit");
  return watch.seconds();
}

int64_t KvsqlEngine::Settle() {
  // A checkpoint in the background shows in the bytes written; between two of its writes lies a
  // sync, far shorter than the quiet that is asked for here.
  constexpr int64_t kQuietNanos = 10'000'000;
  const int64_t begin = NowNanos();
  int64_t last_change = begin;
  uint64_t written = ProcessWriteBytes();
  while (NowNanos() - last_change < kQuietNanos) {
    usleep(200);
    const uint64_t now_written = ProcessWriteBytes();
    if (now_written != written) last_change = NowNanos();
    written = now_written;
  }
  return last_change - begin;
}

void KvsqlEngine::Checkpoint() { Expect(database_->checkpoint(), "checkpoint"); }

uint64_t KvsqlEngine::OpenReadRowClose(const std::string& path, uint32_t id) {
  Database database = Take(Database::Open(path), "open");
  Sink<Digest::kExact> sink;
  {
    Table table = Take(database.table("t"), "table");
    const Row row = Take(table.get_row(id), "get_row");
    if (!row.exists()) Fatal("kvsql: get_row: a row is missing");
    const std::string_view name = row.text(1);
    sink.Row(row.integer(0), name.data(), name.size(), row.integer(2));
  }
  Expect(database.close(), "close");
  return sink.sum();
}

std::vector<std::pair<std::string, std::string>> KvsqlConditions() {
  return {
      {"kvsql", std::string(version())},
      {"kvsql settings",
       "the defaults: level full (put_normal: normal), page size 4096, commit log up to 8 MiB, "
       "checkpoints in "
       "the background, checksums verified at first touch; get copies into the caller's buffer; "
       "statements "
       "prepared once; a handle per thread"},
      {"kvsql sync calls",
       "commit: one O_DIRECT+O_DSYNC write to the log (RWF_DSYNC where the filesystem refuses "
       "direct "
       "writes); large commit and checkpoint: fdatasync of the file, then an O_DIRECT+O_DSYNC "
       "write of the meta page"},
  };
}

}  // namespace kvsql::bench
