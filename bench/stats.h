// The benchmark's arithmetic: medians, percentiles, paired ratios and a histogram of latencies.
//
// Thread safety: plain values; LatencyHistogram belongs to one thread.
#ifndef KVSQL_BENCH_STATS_H_
#define KVSQL_BENCH_STATS_H_

#include <cstdint>
#include <vector>

namespace kvsql::bench {

// The middle value, or the mean of the two middle ones. `values` is not empty.
double Median(std::vector<double> values);

// The smallest value with at least `percent` of all values at or below it (nearest rank).
// `values` is not empty, 0 < percent <= 100.
double Percentile(std::vector<double> values, double percent);

double Mean(const std::vector<double>& values);

enum class Better { kLower, kHigher };

// How many times better `ours` is than `theirs`: above 1 is a win, whatever the unit.
double TimesBetter(double ours, double theirs, Better better);

// The median over the rounds of TimesBetter(ours[round], theirs[round]). What disturbs the machine
// for a while disturbs both sides of a pair, so it cancels out here and would not in a ratio of
// medians. Both have the same, non-zero number of rounds.
double MedianPairedRatio(const std::vector<double>& ours, const std::vector<double>& theirs,
                         Better better);

// Latencies in nanoseconds, exact to 1/128 of the value, in constant space and without allocation,
// so that recording disturbs a reader as little as possible.
class LatencyHistogram {
 public:
  LatencyHistogram();

  void Add(int64_t nanos) {
    ++counts_[Bucket(nanos < 0 ? 0 : static_cast<uint64_t>(nanos))];
    ++total_;
  }
  uint64_t count() const { return total_; }
  // In nanoseconds, the middle of the bucket that holds the rank. The histogram is not empty.
  double Percentile(double percent) const;

 private:
  static constexpr int kPrecisionBits = 7;

  static uint32_t Bucket(uint64_t nanos);
  static double Middle(uint32_t bucket);

  std::vector<uint64_t> counts_;
  uint64_t total_ = 0;
};

}  // namespace kvsql::bench

#endif  // KVSQL_BENCH_STATS_H_
