// What a reader feels of a writer: one thread gets keys as fast as it can and times each, another
// commits synced puts as fast as it can.
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "bench/clock.h"
#include "bench/rows/commit_series.h"
#include "bench/rows/rows.h"
#include "bench/stats.h"

namespace kvsql::bench {
namespace {

double P99UnderWrites(Session& reader, CommitSeries& writer, const std::vector<Probe>& probes,
                      double seconds) {
  std::atomic<bool> writing{false};
  std::atomic<bool> stop{false};
  std::thread thread([&] {
    while (!stop.load(std::memory_order_relaxed)) {
      writer.WarmUp(WriteOp::kPut, 10);
      writing.store(true, std::memory_order_release);
    }
  });
  while (!writing.load(std::memory_order_acquire)) std::this_thread::yield();

  LatencyHistogram latencies;
  const int64_t end = NowNanos() + static_cast<int64_t>(seconds * 1e9);
  int64_t last = NowNanos();
  for (size_t i = 0; last < end; ++i) {
    reader.Read(ReadOp::kGet, std::span(&probes[i % probes.size()], 1), Digest::kFast);
    const int64_t now = NowNanos();
    latencies.Add(now - last);
    last = now;
  }
  stop.store(true, std::memory_order_relaxed);
  thread.join();
  return latencies.Percentile(99) / 1e3;
}

}  // namespace

void MeasureLatency(Lab& lab) {
  if (!lab.Wanted("get_p99_under_writes")) return;
  std::vector<LoadedEngine> engines;
  for (EngineId id : {EngineId::kKvsql, EngineId::kSqlite, EngineId::kLmdb}) {
    engines.push_back(lab.MakeLoaded(id, Durability::kFull));
  }
  std::vector<std::unique_ptr<CommitSeries>> writers;
  std::vector<std::unique_ptr<Session>> readers;
  std::vector<Participant> participants;
  for (LoadedEngine& loaded : engines) {
    writers.push_back(std::make_unique<CommitSeries>(lab, *loaded.engine));
    readers.push_back(loaded.engine->NewSession());
    writers.back()->WarmUp(WriteOp::kPut, lab.options().warm_up_commits);
    readers.back()->Read(ReadOp::kGet, lab.ShuffledFor(0), Digest::kFast);
    participants.push_back(Single(
        loaded.engine->id(),
        [&lab, writer = writers.back().get(), reader = readers.back().get()](uint32_t round) {
          return Sample{.figure = P99UnderWrites(*reader, *writer, lab.ShuffledFor(round),
                                                 lab.options().contention_seconds)};
        }));
  }
  lab.RunRounds("get_p99_under_writes", std::move(participants));
  writers.clear();
  readers.clear();
  for (LoadedEngine& loaded : engines) lab.Discard(loaded);
}

}  // namespace kvsql::bench
