// What the benchmark's suites measure and what they must reach: every row of their tables and every
// bar. An id names a row of one suite only.
#ifndef KVSQL_BENCH_REPORT_CATALOG_H_
#define KVSQL_BENCH_REPORT_CATALOG_H_

#include <span>
#include <string_view>
#include <vector>

#include "bench/engines/engine_id.h"
#include "bench/stats.h"

namespace kvsql::bench {

enum class Suite {
  kStandard,     // rows and keys, by every door: catalog.cc
  kAgentMemory,  // agent_memory_catalog.cc
};

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
std::span<const RowInfo> Rows(Suite suite);
// Null if there is no such row.
const RowInfo* FindRow(Suite suite, std::string_view id);

std::span<const Bar> Bars(Suite suite);
// The bars of one row, in order.
std::vector<const Bar*> BarsOf(const RowInfo& row);

// What Rows and Bars answer for Suite::kAgentMemory.
std::span<const RowInfo> AgentMemoryRows();
std::span<const Bar> AgentMemoryBars();

}  // namespace kvsql::bench

#endif  // KVSQL_BENCH_REPORT_CATALOG_H_
