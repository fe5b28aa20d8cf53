// Statements that change many rows, with their synced commit.
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "bench/clock.h"
#include "bench/engines/sql_runner.h"
#include "bench/fatal.h"
#include "bench/rows/rows.h"

namespace kvsql::bench {
namespace {

constexpr EngineId kSqlEngines[] = {EngineId::kKvsql, EngineId::kSqlite, EngineId::kSqliteMmap};

// A new database with the table t, its data in its final place.
LoadedEngine MakeTable(Lab& lab, EngineId id) {
  LoadedEngine fresh{lab.scratch().NewDatabase(KeyOf(id)), MakeEngine(id)};
  fresh.engine->Open(fresh.path, Durability::kFull);
  fresh.engine->LoadRows(lab.data().in_order());
  fresh.engine->Close();
  fresh.engine->Open(fresh.path, Durability::kFull);
  return fresh;
}

uint64_t Answer(SqlRunner& runner, const char* sql, const char* columns) {
  if (const absl::Status status = runner.Prepare({sql, columns}); !status.ok()) {
    Fatal(absl::StrCat(sql, ": ", status.ToString()));
  }
  return runner.Run({}, Digest::kExact);
}

// Every engine runs the statement on a database of its own, a new one per round, and all must hold the same then.
void MeasureStatement(Lab& lab, const char* row, const SqlText& text,
                      const std::vector<SqlParameter>& parameters) {
  if (!lab.Wanted(row)) return;
  std::vector<Participant> participants;
  uint64_t expected = 0;
  for (const EngineId id : kSqlEngines) {
    {
      LoadedEngine fresh = MakeTable(lab, id);
      std::unique_ptr<SqlRunner> runner = fresh.engine->NewRunner();
      const absl::Status status = runner->Prepare(text);
      runner.reset();
      lab.Discard(fresh);
      if (!status.ok()) {
        lab.Refused(row, std::string(status.message()));
        continue;
      }
    }
    participants.push_back(Single(id, [&, id](uint32_t) {
      LoadedEngine fresh = MakeTable(lab, id);
      std::unique_ptr<SqlRunner> runner = fresh.engine->NewRunner();
      // The table is warm.
      Answer(*runner, "SELECT sum(score + length(name)) FROM t", "i");
      if (!runner->Prepare(text).ok()) Fatal(absl::StrCat(row, ": refused after all"));
      const Stopwatch watch;
      runner->Run(parameters, Digest::kFast);
      const double seconds = watch.seconds();
      const uint64_t answer = Answer(*runner, "SELECT id, name, score FROM t", "iti");
      if (expected == 0) expected = answer;
      if (answer != expected) Fatal(absl::StrCat(row, ": ", LabelOf(id), " holds other rows"));
      runner.reset();
      lab.Discard(fresh);
      return Sample{.figure = seconds * 1e3};
    }));
  }
  lab.RunRounds(row, participants);
}

double InsertIndexed(Lab& lab, EngineId id, const std::vector<Probe>& order, uint64_t* answer) {
  LoadedEngine fresh{lab.scratch().NewDatabase(KeyOf(id)), MakeEngine(id)};
  fresh.engine->Open(fresh.path, Durability::kFull);
  std::unique_ptr<SqlRunner> runner = fresh.engine->NewRunner();
  runner->Execute("CREATE TABLE i(id INTEGER PRIMARY KEY, a INTEGER, b TEXT)");
  runner->Execute("CREATE INDEX i_a ON i(a)");
  runner->Execute("CREATE INDEX i_b ON i(b)");
  if (!runner->Prepare({"INSERT INTO i(id, a, b) VALUES(?1, ?2, ?3)", ""}).ok()) {
    Fatal("insert_indexed: refused");
  }
  const TextColumn names = TextColumn::Names(order);
  SqlParameter values[3];
  const Stopwatch watch;
  runner->Execute("BEGIN");
  for (uint32_t i = 0; i < order.size(); ++i) {
    values[0] = int64_t{i};
    values[1] = ScoreOf(order[i].id) * 1'000 + order[i].id % 1'000;
    values[2] = names[i];
    runner->Run(values, Digest::kFast);
  }
  runner->Execute("COMMIT");
  const double seconds = watch.seconds();
  *answer =
      Answer(*runner, "SELECT sum(id), count(*) FROM i WHERE a >= 500000 AND b > 'name-5'", "ii");
  runner.reset();
  lab.Discard(fresh);
  return seconds;
}

}  // namespace

void MeasureChanges(Lab& lab) {
  const int64_t rows = lab.data().rows();
  MeasureStatement(lab, "update_10pct",
                   {"UPDATE t SET score = score + 1 WHERE id >= ?1 AND id < ?2", ""},
                   {rows / 2, rows / 2 + rows / 10});
  MeasureStatement(lab, "delete_half", {"DELETE FROM t WHERE score < 500", ""}, {});
  if (!lab.Wanted("insert_indexed")) return;
  std::vector<Participant> participants;
  std::vector<uint64_t> expected(lab.options().rounds);
  for (const EngineId id : kSqlEngines) {
    participants.push_back(Single(id, [&, id](uint32_t round) {
      uint64_t answer = 0;
      const double seconds = InsertIndexed(lab, id, lab.ShuffledFor(round), &answer);
      if (expected[round] == 0) expected[round] = answer;
      if (answer != expected[round]) Fatal("insert_indexed: the engines hold different rows");
      return Sample{.figure = seconds * 1e3};
    }));
  }
  lab.RunRounds("insert_indexed", participants);
}

}  // namespace kvsql::bench
