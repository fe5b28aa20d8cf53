// Two threads read all keys at once, each through its own session and in its own order.
#include <algorithm>
#include <array>
#include <latch>
#include <memory>
#include <thread>
#include <vector>

#include "bench/clock.h"
#include "bench/rows/rows.h"

namespace kvsql::bench {
namespace {

constexpr size_t kThreads = 2;

// Reads by all threads together, per second from the first one's start to the last one's end. The
// threads take the times themselves: this one may wake up late.
double ReadsPerSecond(std::array<std::unique_ptr<Session>, kThreads>& sessions, ReadOp op,
                      const std::vector<Probe>& probes) {
  std::latch start(kThreads);
  std::array<int64_t, kThreads> begins{};
  std::array<int64_t, kThreads> ends{};
  std::vector<std::thread> threads;
  for (size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      // The same order, begun at different places: equal work, but not the same page at the same
      // time.
      const std::span<const Probe> all(probes);
      const size_t begin = all.size() * i / kThreads;
      start.arrive_and_wait();
      begins[i] = NowNanos();
      sessions[i]->Read(op, all.subspan(begin), Digest::kFast);
      sessions[i]->Read(op, all.first(begin), Digest::kFast);
      ends[i] = NowNanos();
    });
  }
  for (std::thread& thread : threads) thread.join();
  const int64_t begin = *std::min_element(begins.begin(), begins.end());
  const int64_t end = *std::max_element(ends.begin(), ends.end());
  return static_cast<double>(kThreads * probes.size()) / (static_cast<double>(end - begin) * 1e-9);
}

void MeasureRow(Lab& lab, const char* row, ReadOp ours, ReadOp theirs, bool has_lmdb) {
  std::vector<std::array<std::unique_ptr<Session>, kThreads>> sessions;
  sessions.reserve(kEngineCount);
  std::vector<Participant> participants;
  for (LoadedEngine& loaded : lab.ReadEngines()) {
    const EngineId engine = loaded.engine->id();
    if (engine == EngineId::kLmdb && !has_lmdb) continue;
    const ReadOp op = engine == EngineId::kKvsql ? ours : theirs;
    auto& own = sessions.emplace_back();
    for (auto& session : own) {
      session = loaded.engine->NewSession();
      session->Read(op, lab.ShuffledFor(0), Digest::kFast);
    }
    participants.push_back(Single(engine, [&lab, &own, op](uint32_t round) {
      return Sample{.figure = ReadsPerSecond(own, op, lab.ShuffledFor(round))};
    }));
  }
  lab.RunRounds(row, std::move(participants));
}

}  // namespace

void MeasureThreadReads(Lab& lab) {
  if (lab.Wanted("get_row_2threads")) {
    MeasureRow(lab, "get_row_2threads", ReadOp::kGetRow, ReadOp::kPointPrepared, false);
  }
  if (lab.Wanted("get_2threads")) {
    MeasureRow(lab, "get_2threads", ReadOp::kGet, ReadOp::kGet, true);
  }
}

}  // namespace kvsql::bench
