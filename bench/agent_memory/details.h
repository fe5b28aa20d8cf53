// Everything that was measured, variant by variant: both of SQLite's schemas, both value modes, both
// layouts, all levels.
#ifndef KVSQL_BENCH_AGENT_MEMORY_DETAILS_H_
#define KVSQL_BENCH_AGENT_MEMORY_DETAILS_H_

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "bench/agent_memory/campaign.h"
#include "bench/report/results.h"

namespace kvsql::bench::agent_memory {

class Details {
 public:
  explicit Details(const std::vector<Measurement>& measurements);

  // Tables for agent-memory.md.
  std::string Markdown() const;
  // [{"command", "layout", "text", "mode", "sync", "variant", "rounds", "operations": {name: {"p50",
  // "p99", "p999", "max", "mean", "calls_per_second"}}, "load_seconds", "finish_seconds", "file_bytes",
  // "allocated_bytes", "peak_rss_bytes"}]: medians of the rounds, of max the largest; microseconds where
  // nothing else is said.
  nlohmann::ordered_json Json() const;

 private:
  // All rounds of one variant in one scenario.
  struct Group {
    Task task;  // of the first round
    std::vector<const Measurement*> rounds;

    std::string Scenario() const;
    std::vector<std::string> Operations() const;
    Latencies Of(const std::string& operation) const;
    // The median over the rounds of what `get` answers for a measurement.
    template <class Getter>
    double MedianOf(Getter get) const;
  };

  std::vector<Group> groups_;
};

// agent-memory-figures.svg: for the main rows each engine's figure as a horizontal bar.
std::string FiguresSvg(const Results& results);

}  // namespace kvsql::bench::agent_memory

#endif  // KVSQL_BENCH_AGENT_MEMORY_DETAILS_H_
