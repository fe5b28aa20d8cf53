// The command line of kvsql_bench.
#ifndef KVSQL_BENCH_OPTIONS_H_
#define KVSQL_BENCH_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "bench/report/catalog.h"

namespace kvsql::bench {

struct Options {
  Suite suite = Suite::kStandard;  // --suite
  uint32_t records = 1'000'000;    // --records, or KVSQL_BENCH_ROWS: of the agent-memory suite
  uint32_t rows = 100'000;         // --rows, or KVSQL_BENCH_ROWS
  uint32_t rounds = 5;             // --rounds
  std::vector<std::string> only;   // --only ID, may be repeated; empty: all rows
  std::string directory = ".";     // --dir: where the scratch databases lie for the time of the run
  bool quick = false;              // --quick: far fewer commits and a smaller file to open
  bool help = false;               // --help

  // What follows from --quick.
  uint32_t commits_per_row = 10'000;  // synced commits per engine, over all rounds
  uint32_t normal_commits_per_round = 10'000;
  uint32_t warm_up_commits = 1'500;  // enough for SQLite's WAL to wrap: its default is 1,000 pages
  uint32_t open_rows = 1'000'000;    // size of the file of open_first_row
  uint32_t opens_per_round = 100;
  uint32_t dump_rows = 1'000'000;   // of read_dump
  uint32_t starts_per_round = 20;   // of one_shot
  double contention_seconds = 1.0;  // per engine and round of get_p99_under_writes
  uint32_t memory_reads = 100'000;  // of the agent-memory suite, per operation and round
  uint32_t memory_writes = 1'000;   // the same for its write scenario
};

// INVALID_ARGUMENT names the flag that is wrong. `rows_variable` is the value of KVSQL_BENCH_ROWS
// or null.
absl::StatusOr<Options> ParseOptions(int argc, const char* const* argv, const char* rows_variable);

std::string Usage();

}  // namespace kvsql::bench

#endif  // KVSQL_BENCH_OPTIONS_H_
