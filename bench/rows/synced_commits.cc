// Commits that are on disk when they return.
#include <memory>
#include <vector>

#include "bench/clock.h"
#include "bench/process_io.h"
#include "bench/rows/commit_series.h"
#include "bench/rows/rows.h"
#include "bench/stats.h"

namespace kvsql::bench {
namespace {

constexpr uint32_t kChunk =
    250;  // commits per turn: short beside what disturbs a machine, long beside a switch
constexpr size_t kWriters = 8;

using SeriesList = std::vector<std::unique_ptr<CommitSeries>>;

void MeasureOneByOne(Lab& lab, std::vector<LoadedEngine>& engines, SeriesList& series,
                     const char* row, WriteOp op) {
  const uint32_t per_round =
      (lab.options().commits_per_row + lab.options().rounds - 1) / lab.options().rounds;
  const uint32_t chunks = (per_round + kChunk - 1) / kChunk;
  const uint32_t per_chunk = (per_round + chunks - 1) / chunks;
  std::vector<Participant> participants;
  for (size_t i = 0; i < engines.size(); ++i) {
    if (op == WriteOp::kInsert && !engines[i].engine->has_sql()) continue;
    CommitSeries* own = series[i].get();
    own->WarmUp(op, lab.options().warm_up_commits);
    participants.push_back({engines[i].engine->id(),
                            [own, op, per_chunk](uint32_t, uint32_t) { own->Run(op, per_chunk); },
                            [own] { return own->TakeSample(); }});
  }
  lab.RunRounds(row, std::move(participants), chunks);
}

// `tuned`: SQLite's writers wait for each other in the way that suits them best, not in the one
// that programs get from it by default.
void MeasureThreads(Lab& lab, std::vector<LoadedEngine>& engines, const char* row, bool tuned) {
  const uint32_t commits = lab.options().quick ? 80 : 2'000;
  std::vector<std::vector<std::unique_ptr<Session>>> sessions(engines.size());
  std::vector<Participant> participants;
  const uint32_t version = tuned ? 2'000'000 : 1'000'000;  // no other row's
  for (size_t i = 0; i < engines.size(); ++i) {
    engines[i].engine->SuitManyWriters(tuned);
    for (size_t n = 0; n < kWriters; ++n) {
      sessions[i].push_back(engines[i].engine->NewSession());
    }
    engines[i].engine->SuitManyWriters(false);
    Engine* engine = engines[i].engine.get();
    const auto& own = sessions[i];
    double warm_up_seconds = 0;
    CommitInThreads(own, lab.data().in_order(), lab.options().warm_up_commits, version,
                    &warm_up_seconds);
    engine->Settle();
    participants.push_back(
        Single(engine->id(), [&lab, &own, engine, commits, version](uint32_t round) {
          double seconds = 0;
          const std::vector<double> micros =
              CommitInThreads(own, lab.ShuffledFor(round), commits, version + 1 + round, &seconds);
          engine->Settle();
          return Sample{.figure = static_cast<double>(micros.size()) / seconds,
                        .p99 = Percentile(micros, 99),
                        .mean = Mean(micros)};
        }));
  }
  lab.RunRounds(row, std::move(participants));
}

// Nothing else of this process writes meanwhile: the other engines have settled. What a commit
// leaves for later is paid by the checkpoint at the end.
void MeasureBytes(Lab& lab, std::vector<LoadedEngine>& engines, SeriesList& series) {
  const uint32_t commits = lab.options().quick ? 100 : 2'000;
  for (size_t i = 0; i < engines.size(); ++i) {
    series[i]->EndSession();
    engines[i].engine->Close();
    for (const std::string& file : Scratch::DatabaseFiles(engines[i].path)) {
      CacheInSinglePages(file);
    }
    engines[i].engine->Open(engines[i].path, Durability::kFull);
    series[i]->NewSession();
    series[i]->WarmUp(WriteOp::kPut, lab.options().warm_up_commits);
  }
  std::vector<Participant> participants;
  for (size_t i = 0; i < engines.size(); ++i) {
    Engine* engine = engines[i].engine.get();
    CommitSeries* own = series[i].get();
    participants.push_back(Single(engine->id(), [engine, own, commits](uint32_t) {
      engine->Checkpoint();
      const uint64_t before = ProcessWriteBytes();
      own->Run(WriteOp::kPut, commits);
      engine->Checkpoint();
      const uint64_t written = ProcessWriteBytes() - before;
      const Sample times = own->TakeSample();
      return Sample{
          .figure = static_cast<double>(written) / commits, .p99 = times.p99, .mean = times.mean};
    }));
  }
  lab.RunRounds("commit_bytes", std::move(participants));
}

}  // namespace

void MeasureSyncedCommits(Lab& lab) {
  const bool puts = lab.Wanted("put_sync");
  const bool inserts = lab.Wanted("insert_sync");
  const bool threads = lab.Wanted("put_sync_8threads");
  const bool tuned_threads = lab.Wanted("put_sync_8threads_tuned");
  const bool bytes = lab.Wanted("commit_bytes");
  if (!puts && !inserts && !threads && !tuned_threads && !bytes) return;

  lab.Progress("loading the databases of the commit rows");
  std::vector<LoadedEngine> engines;
  for (EngineId id : {EngineId::kKvsql, EngineId::kSqlite, EngineId::kLmdb}) {
    engines.push_back(lab.MakeLoaded(id, Durability::kFull));
  }
  SeriesList series;
  for (LoadedEngine& loaded : engines) {
    series.push_back(std::make_unique<CommitSeries>(lab, *loaded.engine));
  }
  if (puts) MeasureOneByOne(lab, engines, series, "put_sync", WriteOp::kPut);
  if (inserts) MeasureOneByOne(lab, engines, series, "insert_sync", WriteOp::kInsert);
  if (threads) MeasureThreads(lab, engines, "put_sync_8threads", /*tuned=*/false);
  if (tuned_threads) MeasureThreads(lab, engines, "put_sync_8threads_tuned", /*tuned=*/true);
  if (bytes) MeasureBytes(lab, engines, series);
  series.clear();
  CompareKeys(lab, engines);
  for (LoadedEngine& loaded : engines) lab.Discard(loaded);
}

}  // namespace kvsql::bench
