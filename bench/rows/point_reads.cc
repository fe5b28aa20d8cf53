// One thread reads every key once per round, in shuffled order, warm.
#include <memory>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "bench/clock.h"
#include "bench/fatal.h"
#include "bench/rows/rows.h"

namespace kvsql::bench {
namespace {

struct PointRow {
  const char* id;
  ReadOp ours;
  ReadOp theirs;
  bool has_lmdb;
};

constexpr PointRow kPointRows[] = {
    {"get", ReadOp::kGet, ReadOp::kGet, true},
    {"get_snapshot", ReadOp::kGetSnapshot, ReadOp::kGetSnapshot, true},
    {"get_row", ReadOp::kGetRow, ReadOp::kPointPrepared, false},
    {"point_prepared", ReadOp::kPointPrepared, ReadOp::kPointPrepared, false},
    {"point_prepared_txn", ReadOp::kPointPreparedTxn, ReadOp::kPointPreparedTxn, false},
    {"point_text", ReadOp::kPointText, ReadOp::kPointText, false},
    {"point_text_vs_prepared", ReadOp::kPointText, ReadOp::kPointPrepared, false},
};

void MeasureRow(Lab& lab, const PointRow& row) {
  std::vector<std::unique_ptr<Session>> sessions;
  std::vector<Participant> participants;
  std::optional<uint64_t> expected;  // of the cheap digest, which all rounds and engines share
  for (LoadedEngine& loaded : lab.ReadEngines()) {
    const EngineId engine = loaded.engine->id();
    if (engine == EngineId::kLmdb && !row.has_lmdb) continue;
    sessions.push_back(loaded.engine->NewSession());
    Session* session = sessions.back().get();
    const ReadOp op = engine == EngineId::kKvsql ? row.ours : row.theirs;
    // Statements, caches and pages of this session are warm before the first round.
    session->Read(op, lab.ShuffledFor(0), Digest::kFast);
    participants.push_back(
        Single(engine, [&lab, &expected, &row, engine, session, op](uint32_t round) {
          const std::vector<Probe>& probes = lab.ShuffledFor(round);
          const Stopwatch watch;
          const uint64_t digest = session->Read(op, probes, Digest::kFast);
          const double micros = static_cast<double>(watch.nanos()) / 1e3;
          if (!expected) expected = digest;
          if (digest != *expected) {
            Fatal(absl::StrCat(row.id, ": ", LabelOf(engine), " answered other data than before"));
          }
          return Sample{.figure = micros / static_cast<double>(probes.size())};
        }));
  }
  lab.RunRounds(row.id, std::move(participants));
}

}  // namespace

void MeasurePointReads(Lab& lab) {
  for (const PointRow& row : kPointRows) {
    if (lab.Wanted(row.id)) MeasureRow(lab, row);
  }
}

}  // namespace kvsql::bench
