#include "bench/stats.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace kvsql::bench {
namespace {

TEST(Stats, MedianIsTheMiddleOrTheMeanOfTheTwoMiddleValues) {
  EXPECT_EQ(Median({3, 1, 2}), 2);
  EXPECT_EQ(Median({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(Median({7}), 7);
}

TEST(Stats, PercentileIsANearestRank) {
  std::vector<double> values;
  for (int i = 100; i >= 1; --i) values.push_back(i);
  EXPECT_EQ(Percentile(values, 50), 50);
  EXPECT_EQ(Percentile(values, 99), 99);
  EXPECT_EQ(Percentile(values, 100), 100);
  EXPECT_EQ(Percentile(values, 0.1), 1);
}

TEST(Stats, RatioAboveOneIsAWinWhateverTheUnit) {
  EXPECT_EQ(TimesBetter(/*ours=*/2, /*theirs=*/6, Better::kLower), 3);
  EXPECT_EQ(TimesBetter(/*ours=*/6, /*theirs=*/2, Better::kHigher), 3);
}

TEST(Stats, RatioIsTakenWithinEachRoundBeforeTheMedian) {
  // The machine was ten times slower in the second round: pairs show 2, 2, 4; medians of sides
  // would show 3.
  EXPECT_EQ(MedianPairedRatio({1, 10, 1}, {2, 20, 4}, Better::kLower), 2);
}

TEST(LatencyHistogram, PercentilesAreWithinOnePercentOfTheExactOnes) {
  std::mt19937_64 random(7);
  LatencyHistogram histogram;
  std::vector<double> exact;
  for (int i = 0; i < 100'000; ++i) {
    const auto nanos = static_cast<int64_t>(random() >> (random() % 40 + 24));
    histogram.Add(nanos);
    exact.push_back(static_cast<double>(nanos));
  }
  EXPECT_EQ(histogram.count(), exact.size());
  for (double percent : {1.0, 25.0, 50.0, 90.0, 99.0, 99.9, 100.0}) {
    const double expected = Percentile(exact, percent);
    EXPECT_NEAR(histogram.Percentile(percent), expected, expected * 0.01) << percent;
  }
}

TEST(LatencyHistogram, SmallValuesAreExactAndNegativeOnesCountAsZero) {
  LatencyHistogram histogram;
  histogram.Add(-5);
  EXPECT_EQ(histogram.Percentile(50), 0);
  histogram.Add(200);
  histogram.Add(200);
  EXPECT_EQ(histogram.Percentile(99), 200);
}

}  // namespace
}  // namespace kvsql::bench
