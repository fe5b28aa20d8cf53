#include "bench/report/results.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "bench/stats.h"

namespace kvsql::bench {
namespace {

std::optional<double> FigureMember(const Sample& sample) { return sample.figure; }
std::optional<double> P99Member(const Sample& sample) { return sample.p99; }
std::optional<double> MeanMember(const Sample& sample) { return sample.mean; }

BarResult JudgeOne(const RowResult& row, const Bar& bar) {
  std::optional<double> reached;
  bool met = false;
  switch (bar.kind) {
    case BarKind::kRatioAtLeast:
      reached = row.Ratio(bar.against, bar.statistic);
      met = reached && *reached >= bar.limit;
      break;
    case BarKind::kSizeAtMost:
      reached = row.Ratio(bar.against, bar.statistic);
      if (reached) reached = 1 / *reached;
      met = reached && *reached <= bar.limit;
      break;
    case BarKind::kFigureAtMost:
      reached = row.Figure(EngineId::kKvsql);
      met = reached && *reached <= bar.limit;
      break;
  }
  return {&bar, reached,
          !reached ? Verdict::kNotMeasured : (met ? Verdict::kMet : Verdict::kMissed)};
}

}  // namespace

std::vector<double> RowResult::Series(EngineId engine, Member member) const {
  std::vector<double> series;
  for (const Sample& sample : samples_[IndexOf(engine)]) {
    if (const std::optional<double> value = member(sample)) series.push_back(*value);
  }
  return series;
}

std::optional<double> RowResult::MedianOf(EngineId engine, Member member) const {
  std::vector<double> series = Series(engine, member);
  if (series.empty()) return std::nullopt;
  return Median(std::move(series));
}

std::optional<double> RowResult::Figure(EngineId engine) const {
  return MedianOf(engine, FigureMember);
}
std::optional<double> RowResult::P99(EngineId engine) const { return MedianOf(engine, P99Member); }
std::optional<double> RowResult::MeanOf(EngineId engine) const {
  return MedianOf(engine, MeanMember);
}

std::optional<double> RowResult::Ratio(EngineId against, Statistic statistic) const {
  const bool of_mean = statistic == Statistic::kMean;
  const Member member = of_mean ? MeanMember : FigureMember;
  const std::vector<double> ours = Series(EngineId::kKvsql, member);
  const std::vector<double> theirs = Series(against, member);
  if (ours.empty() || ours.size() != theirs.size()) return std::nullopt;
  return MedianPairedRatio(ours, theirs, of_mean ? Better::kLower : info_->better);
}

RowResult& Results::RowOf(const RowInfo& info) {
  // RowInfo objects stand in the catalog's array, so their addresses have its order.
  auto at = std::find_if(rows.begin(), rows.end(),
                         [&](const RowResult& row) { return &row.info() >= &info; });
  if (at == rows.end() || &at->info() != &info) at = rows.insert(at, RowResult(info));
  return *at;
}

std::vector<BarResult> Judge(const RowResult& row) {
  std::vector<BarResult> results;
  for (const Bar* bar : BarsOf(row.info())) results.push_back(JudgeOne(row, *bar));
  return results;
}

std::string BarText(const Bar& bar) {
  std::string limit = absl::StrFormat("%gx", bar.limit);
  switch (bar.kind) {
    case BarKind::kRatioAtLeast:
      return absl::StrCat(limit, " ", LabelOf(bar.against),
                          bar.statistic == Statistic::kMean ? " (mean)" : "");
    case BarKind::kSizeAtMost:
      return absl::StrCat("at most ", limit, " ", LabelOf(bar.against));
    case BarKind::kFigureAtMost:
      return absl::StrCat("at most ", limit);
  }
  return limit;
}

std::string FigureText(double value) {
  const double size = std::abs(value);
  return absl::StrFormat("%.*f", size < 1 ? 3 : (size < 10 ? 2 : (size < 100 ? 1 : 0)), value);
}

std::string RatioText(double value) {
  return absl::StrFormat("%.*fx", std::abs(value) < 10 ? 2 : 1, value);
}

}  // namespace kvsql::bench
