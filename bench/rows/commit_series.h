// A series of one-row commits on one engine, timed one by one, for the rows about commits.
#ifndef KVSQL_BENCH_ROWS_COMMIT_SERIES_H_
#define KVSQL_BENCH_ROWS_COMMIT_SERIES_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bench/engines/engine.h"
#include "bench/lab.h"

namespace kvsql::bench {

// Puts overwrite existing keys in shuffled order; inserts add rows behind the last one.
class CommitSeries {
 public:
  CommitSeries(Lab& lab, Engine& engine);

  // Around closing and opening the engine.
  void EndSession() { session_.reset(); }
  void NewSession() { session_ = engine_.NewSession(); }

  // Untimed commits, until logs have the size they keep.
  void WarmUp(WriteOp op, uint32_t commits);

  // Timed commits. The time until the engine has nothing left to do in the background counts as
  // well, in the mean only: it must not fall on another engine's turn.
  void Run(WriteOp op, uint32_t commits);

  // Percentiles and the mean, in microseconds, of what ran since the last call; the figure is the
  // p50.
  Sample TakeSample();

 private:
  void CommitNext(WriteOp op);

  Engine& engine_;
  std::unique_ptr<Session> session_;
  std::vector<Probe> puts_;
  size_t next_put_ = 0;
  uint32_t version_ = 1;
  uint32_t next_row_;
  std::vector<double> micros_;
  int64_t total_nanos_ = 0;
};

// `commits` synced puts, shared evenly by as many threads as there are sessions. Answers each
// commit's microseconds; *seconds is the time from the first start to the end of the last thread.
std::vector<double> CommitInThreads(std::span<const std::unique_ptr<Session>> sessions,
                                    std::span<const Probe> probes, uint32_t commits,
                                    uint32_t version, double* seconds);

// Reads every key back on all engines and compares: whatever the rows did, the engines must agree.
void CompareKeys(Lab& lab, std::span<LoadedEngine> engines);

}  // namespace kvsql::bench

#endif  // KVSQL_BENCH_ROWS_COMMIT_SERIES_H_
