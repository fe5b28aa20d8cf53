// Questions about many rows, warm: scans, aggregates, sorts, a join, a range of an index. One thread, statements
// prepared once, every column of every row read.
#include <memory>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "bench/clock.h"
#include "bench/engines/sql_runner.h"
#include "bench/fatal.h"
#include "bench/rows/rows.h"

namespace kvsql::bench {
namespace {

constexpr double kMillis = 1e6;
constexpr double kMicros = 1e3;
// An odd number, so that multiplying by it shuffles the numbers below any count that it does not divide.
constexpr uint64_t kStep = 7'368'787;

struct QueryRow {
  const char* id;
  SqlText text;
  double unit;        // nanoseconds
  uint32_t runs = 1;  // per round
  // The parameters of a run.
  std::vector<SqlParameter> (*parameters)(uint32_t run, uint32_t rows) = [](uint32_t, uint32_t) {
    return std::vector<SqlParameter>();
  };
};

std::vector<SqlParameter> AThousandIds(uint32_t run, uint32_t rows) {
  const int64_t first = rows <= 1'000 ? 0 : static_cast<int64_t>(run * kStep % (rows - 1'000));
  return {first, first + 999};
}

std::vector<SqlParameter> TenPercent(uint32_t run, uint32_t rows) {
  const int64_t share = rows / 10;
  const int64_t first = static_cast<int64_t>(run % 9) * share + share / 2;
  return {first, first + share};
}

std::vector<SqlParameter> HalfTheRows(uint32_t run, uint32_t rows) {
  return {static_cast<int64_t>(rows / 2 - run)};
}

const QueryRow kQueries[] = {
    {"group_by", {"SELECT score, count(*), sum(id) FROM t GROUP BY score", "iii"}, kMillis, 3},
    {"count_where", {"SELECT count(*) FROM t WHERE score < 500", "i"}, kMillis, 5},
    {"range_1000",
     {"SELECT id, name, score FROM t WHERE id BETWEEN ?1 AND ?2", "iti"},
     kMicros,
     100,
     AThousandIds},
    {"count_all", {"SELECT count(*) FROM t", "i"}, kMicros, 50},
    {"offset",
     {"SELECT id FROM t ORDER BY id LIMIT 1 OFFSET ?1", "i", true},
     kMicros,
     50,
     HalfTheRows},
    {"sum_column", {"SELECT sum(score) FROM t", "i"}, kMillis, 5},
    {"scan_like", {"SELECT count(*) FROM t WHERE name LIKE '%99%'", "i"}, kMillis, 3},
    {"sort_limit",
     {"SELECT id, name, score FROM t ORDER BY name LIMIT 10", "iti", true},
     kMillis,
     3},
    {"sort_all", {"SELECT id, name, score FROM t ORDER BY name", "iti", true}, kMillis, 1},
    {"join_100k",
     {"SELECT count(*), sum(one.v), sum(two.v) FROM one JOIN two ON one.k = two.k", "iii"},
     kMillis,
     1},
    {"index_range", {"SELECT sum(v) FROM s WHERE k >= ?1 AND k < ?2", "i"}, kMillis, 5, TenPercent},
};

// Tables that no other row needs: two to be joined, whose keys are the same in different orders, and one with
// an index whose order is not the table's.
void MakeTables(Lab& lab, LoadedEngine& loaded) {
  const uint32_t rows = lab.data().rows();
  const std::unique_ptr<SqlRunner> runner = loaded.engine->NewRunner();
  runner->Execute("CREATE TABLE one(k INTEGER, v INTEGER)");
  runner->Execute("CREATE TABLE two(k INTEGER, v INTEGER)");
  runner->Execute("CREATE TABLE s(id INTEGER PRIMARY KEY, k INTEGER, v INTEGER, name TEXT)");
  runner->Execute("CREATE INDEX s_k ON s(k)");
  const auto fill = [&](const SqlText& text, auto&& values) {
    if (const absl::Status status = runner->Prepare(text); !status.ok()) {
      Fatal(absl::StrCat(text.sql, ": ", status.ToString()));
    }
    runner->Execute("BEGIN");
    for (uint32_t i = 0; i < rows; ++i) runner->Run(values(i), Digest::kFast);
    runner->Execute("COMMIT");
  };
  const auto shuffled = [rows](uint64_t i, uint64_t seed) {
    return static_cast<int64_t>((i + seed) * kStep % rows);
  };
  using Values = std::vector<SqlParameter>;
  fill({"INSERT INTO one(k, v) VALUES(?1, ?2)", ""}, [&](uint32_t i) {
    return Values{shuffled(i, 1), int64_t{i}};
  });
  fill({"INSERT INTO two(k, v) VALUES(?1, ?2)", ""}, [&](uint32_t i) {
    return Values{shuffled(uint64_t{i} * i, 7), ScoreOf(i)};
  });
  std::string name;
  fill({"INSERT INTO s(id, k, v, name) VALUES(?1, ?2, ?3, ?4)", ""}, [&](uint32_t i) {
    name = NameOf(i).view();
    return Values{int64_t{i}, shuffled(i, 3), ScoreOf(i), std::string_view(name)};
  });
  loaded.engine->Checkpoint();
}

void MeasureQuery(Lab& lab, const QueryRow& row, std::vector<std::unique_ptr<SqlRunner>>& runners) {
  std::vector<Participant> participants;
  std::optional<uint64_t> exact;
  std::vector<std::optional<uint64_t>> expected(lab.options().rounds);
  const uint32_t rows = lab.data().rows();
  size_t next = 0;
  for (LoadedEngine& loaded : lab.ReadEngines()) {
    if (!loaded.engine->has_sql()) continue;
    const EngineId engine = loaded.engine->id();
    SqlRunner* runner = runners[next++].get();
    if (const absl::Status status = runner->Prepare(row.text); !status.ok()) {
      lab.Refused(row.id, std::string(status.message()));
      continue;
    }
    // Compared byte by byte, and warm, before the clock runs.
    const uint64_t answer = runner->Run(row.parameters(0, rows), Digest::kExact);
    if (!exact) exact = answer;
    if (answer != *exact) Fatal(absl::StrCat(row.id, ": ", LabelOf(engine), " answers other rows"));
    participants.push_back(Single(engine, [&, engine, runner](uint32_t round) {
      uint64_t digest = 0;
      int64_t nanos = 0;
      for (uint32_t run = 0; run < row.runs; ++run) {
        const std::vector<SqlParameter> parameters = row.parameters(round * row.runs + run, rows);
        const Stopwatch watch;
        digest += runner->Run(parameters, Digest::kFast);
        nanos += watch.nanos();
      }
      if (!expected[round]) expected[round] = digest;
      if (digest != *expected[round]) {
        Fatal(absl::StrCat(row.id, ": ", LabelOf(engine), " answered other rows"));
      }
      return Sample{.figure = static_cast<double>(nanos) / row.unit / row.runs};
    }));
  }
  lab.RunRounds(row.id, participants);
}

}  // namespace

void MeasureQueries(Lab& lab) {
  bool any = false;
  bool tables = false;
  for (const QueryRow& row : kQueries) {
    any |= lab.Wanted(row.id);
    const std::string_view id = row.id;
    tables |= lab.Wanted(row.id) && (id == "join_100k" || id == "index_range");
  }
  if (!any) return;
  std::vector<std::unique_ptr<SqlRunner>> runners;
  for (LoadedEngine& loaded : lab.ReadEngines()) {
    if (!loaded.engine->has_sql()) continue;
    if (tables) MakeTables(lab, loaded);
    runners.push_back(loaded.engine->NewRunner());
  }
  for (const QueryRow& row : kQueries) {
    if (lab.Wanted(row.id)) MeasureQuery(lab, row, runners);
  }
}

}  // namespace kvsql::bench
