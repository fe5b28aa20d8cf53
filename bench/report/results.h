// What was measured, round by round, and what follows from it.
//
// Thread safety: plain data; writers and readers are the benchmark's main thread.
#ifndef KVSQL_BENCH_REPORT_RESULTS_H_
#define KVSQL_BENCH_REPORT_RESULTS_H_

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/engines/engine_id.h"
#include "bench/report/catalog.h"

namespace kvsql::bench {

// One engine's answer in one round of one row.
struct Sample {
  double figure = 0;
  // Where calls are timed one by one there are these too, in microseconds per call.
  std::optional<double> p99 = {};
  std::optional<double> mean = {};
};

// Invariants:
// 1. An engine to which the row does not apply has no samples; the others have one per round, in
//    order.
// 2. Within a row, a statistic is there in all samples of an engine or in none.
class RowResult {
 public:
  explicit RowResult(const RowInfo& info) : info_(&info) {}

  const RowInfo& info() const { return *info_; }
  void Add(EngineId engine, const Sample& sample) { samples_[IndexOf(engine)].push_back(sample); }
  // Why kvsql (or the program that a row runs) has no figure; empty: it has, or the row leaves it out.
  void Refuse(std::string why) { refused_ = std::move(why); }
  const std::string& refused() const { return refused_; }

  bool has(EngineId engine) const { return !samples_[IndexOf(engine)].empty(); }
  // Medians over the rounds; nothing for an engine that the row leaves out or does not have.
  std::optional<double> Figure(EngineId engine) const;
  std::optional<double> P99(EngineId engine) const;
  std::optional<double> MeanOf(EngineId engine) const;

  // How many times better kvsql is than `against`: the median of the rounds' paired ratios.
  std::optional<double> Ratio(EngineId against, Statistic statistic = Statistic::kFigure) const;

 private:
  using Member = std::optional<double> (*)(const Sample&);
  std::vector<double> Series(EngineId engine, Member member) const;
  std::optional<double> MedianOf(EngineId engine, Member member) const;

  const RowInfo* info_;
  std::array<std::vector<Sample>, kEngineCount> samples_;
  std::string refused_;
};

enum class Verdict { kMet, kMissed, kNotMeasured };

struct BarResult {
  const Bar* bar;
  std::optional<double> reached;  // in the sense of the bar's kind
  Verdict verdict;
};

struct Results {
  std::vector<std::pair<std::string, std::string>> conditions;
  std::vector<RowResult> rows;  // in the catalog's order

  RowResult& RowOf(const RowInfo& info);
};

// The bars of a row, judged on unrounded figures.
std::vector<BarResult> Judge(const RowResult& row);

// "8x SQLite", "1.05x SQLite (mean)", "at most 0.9x SQLite", "at most 1.3x".
std::string BarText(const Bar& bar);

// A figure with three significant digits or all those before the point.
std::string FigureText(double value);
std::string RatioText(double value);

}  // namespace kvsql::bench

#endif  // KVSQL_BENCH_REPORT_RESULTS_H_
