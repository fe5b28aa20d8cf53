// What the benchmark measures and what it must reach: every row of the table and every bar, in one
// place.
#ifndef KVSQL_BENCH_REPORT_CATALOG_H_
#define KVSQL_BENCH_REPORT_CATALOG_H_

#include <span>
#include <string_view>

#include "bench/engines/engine_id.h"
#include "bench/stats.h"

namespace kvsql::bench {

struct RowInfo {
  const char* id;     // its name in bench.json; never changes once published
  const char* title;  // for people
  const char* unit;
  Better better;
};

// Which of a row's figures a bar is about.
enum class Statistic { kFigure, kMean };

enum class BarKind {
  kRatioAtLeast,  // kvsql must be `limit` times better than `against`
  kSizeAtMost,    // kvsql's figure must be at most `limit` times that of `against`
  kFigureAtMost,  // kvsql's own figure must be at most `limit`; `against` is kvsql itself
};

struct Bar {
  const char* row;
  EngineId against;
  Statistic statistic;
  BarKind kind;
  double limit;
};

// In the order of the table.
std::span<const RowInfo> Rows();
// Null if there is no such row.
const RowInfo* FindRow(std::string_view id);

std::span<const Bar> Bars();

}  // namespace kvsql::bench

#endif  // KVSQL_BENCH_REPORT_CATALOG_H_
