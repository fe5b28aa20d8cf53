// kvsql beside SQLite and LMDB on this machine: see Usage() in bench/options.cc.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "bench/agent_memory/suite.h"
#include "bench/fatal.h"
#include "bench/lab.h"
#include "bench/options.h"
#include "bench/output.h"
#include "bench/report/conditions.h"
#include "bench/report/report.h"
#include "bench/rows/rows.h"
#include "bench/scratch.h"

namespace kvsql::bench {
namespace {

void RunStandardSuite(const Options& options, Scratch& scratch) {
  Results results;
  results.conditions = GatherConditions(options, scratch.path());
  Print(ConditionsText(results) + "\n");
  {
    Lab lab(options, scratch, results);
    MeasureAll(lab);
  }
  WriteFile("bench.md", Markdown(results, {"kvsql beside SQLite and LMDB",
                                           "Written by `kvsql_bench`. Every row that was measured "
                                           "is here, won or lost.",
                                           "bench.svg"}));
  WriteFile("bench.json", Json(results));
  WriteFile("bench.svg", Svg(results));
  Print("\n" + TableText(results) + "Written: bench.md, bench.json, bench.svg\n");
}

int Main(int argc, char** argv) {
  if (const auto exit_code = agent_memory::RunIfWorker(argc, argv)) return *exit_code;
  const auto options = ParseOptions(argc, argv, std::getenv("KVSQL_BENCH_ROWS"));
  if (!options.ok()) {
    std::fprintf(stderr, "kvsql_bench: %s\n\n%s", std::string(options.status().message()).c_str(),
                 Usage().c_str());
    return 2;
  }
  if (options->help) {
    Print(Usage());
    return 0;
  }
  auto scratch = Scratch::Make(options->directory);
  if (!scratch.ok()) Fatal(std::string(scratch.status().message()));

  if (options->suite == Suite::kAgentMemory) {
    agent_memory::RunSuite(*options, *scratch);
  } else {
    RunStandardSuite(*options, *scratch);
  }
  return 0;
}

}  // namespace
}  // namespace kvsql::bench

int main(int argc, char** argv) { return kvsql::bench::Main(argc, argv); }
