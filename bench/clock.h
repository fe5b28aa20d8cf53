// The monotonic clock of the benchmark.
#ifndef KVSQL_BENCH_CLOCK_H_
#define KVSQL_BENCH_CLOCK_H_

#include <time.h>

#include <cstdint>

namespace kvsql::bench {

inline int64_t NowNanos() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// Time since construction or the last Restart.
class Stopwatch {
 public:
  Stopwatch() : start_(NowNanos()) {}
  void Restart() { start_ = NowNanos(); }
  int64_t nanos() const { return NowNanos() - start_; }
  double seconds() const { return static_cast<double>(nanos()) * 1e-9; }

 private:
  int64_t start_;
};

}  // namespace kvsql::bench

#endif  // KVSQL_BENCH_CLOCK_H_
