#include "bench/stats.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>

#include "base/check.h"

namespace kvsql::bench {

double Median(std::vector<double> values) {
  KV_CHECK(!values.empty());
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double Percentile(std::vector<double> values, double percent) {
  KV_CHECK(!values.empty() && percent > 0 && percent <= 100);
  const auto rank =
      static_cast<size_t>(std::ceil(percent / 100 * static_cast<double>(values.size())));
  const size_t index = std::max<size_t>(rank, 1) - 1;
  std::nth_element(values.begin(), values.begin() + static_cast<ptrdiff_t>(index), values.end());
  return values[index];
}

double Mean(const std::vector<double>& values) {
  KV_CHECK(!values.empty());
  double sum = 0;
  for (double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double TimesBetter(double ours, double theirs, Better better) {
  return better == Better::kLower ? theirs / ours : ours / theirs;
}

double MedianPairedRatio(const std::vector<double>& ours, const std::vector<double>& theirs,
                         Better better) {
  KV_CHECK(ours.size() == theirs.size());
  std::vector<double> ratios;
  ratios.reserve(ours.size());
  for (size_t i = 0; i < ours.size(); ++i)
    ratios.push_back(TimesBetter(ours[i], theirs[i], better));
  return Median(std::move(ratios));
}

// Values under 2^kPrecisionBits have a bucket each; above, each power of two is cut into
// 2^kPrecisionBits buckets of equal width.
LatencyHistogram::LatencyHistogram() : counts_(size_t{64 - kPrecisionBits + 1} << kPrecisionBits) {}

uint32_t LatencyHistogram::Bucket(uint64_t nanos) {
  const int width = std::bit_width(nanos);
  if (width <= kPrecisionBits + 1) return static_cast<uint32_t>(nanos);
  const int shift = width - (kPrecisionBits + 1);
  return static_cast<uint32_t>((uint64_t{static_cast<uint32_t>(shift)} << kPrecisionBits) +
                               (nanos >> shift));
}

double LatencyHistogram::Middle(uint32_t bucket) {
  if (bucket < (1u << (kPrecisionBits + 1))) return bucket;
  const uint32_t shift = (bucket >> kPrecisionBits) - 1;
  const uint64_t mantissa = bucket - (uint64_t{shift} << kPrecisionBits);
  return std::ldexp(static_cast<double>(mantissa) + 0.5, static_cast<int>(shift)) - 0.5;
}

double LatencyHistogram::Percentile(double percent) const {
  KV_CHECK(total_ > 0);
  const auto rank = std::max<uint64_t>(
      1, static_cast<uint64_t>(std::ceil(percent / 100 * static_cast<double>(total_))));
  uint64_t seen = 0;
  for (uint32_t bucket = 0; bucket < counts_.size(); ++bucket) {
    seen += counts_[bucket];
    if (seen >= rank) return Middle(bucket);
  }
  return Middle(static_cast<uint32_t>(counts_.size() - 1));
}

}  // namespace kvsql::bench
