// kvsql beside SQLite and LMDB on this machine: see Usage() in bench/options.cc.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "bench/fatal.h"
#include "bench/lab.h"
#include "bench/options.h"
#include "bench/report/conditions.h"
#include "bench/report/report.h"
#include "bench/rows/rows.h"
#include "bench/scratch.h"

namespace kvsql::bench {
namespace {

void WriteFile(const char* path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file) Fatal(std::string("cannot write ") + path);
}

void Print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

int Main(int argc, char** argv) {
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

  Results results;
  results.conditions = GatherConditions(*options, scratch->path());
  Print(ConditionsText(results) + "\n");
  {
    Lab lab(*options, *scratch, results);
    MeasureAll(lab);
  }
  WriteFile("bench.md", Markdown(results));
  WriteFile("bench.json", Json(results));
  WriteFile("bench.svg", Svg(results));
  Print("\n" + TableText(results) + "Written: bench.md, bench.json, bench.svg\n");
  return 0;
}

}  // namespace
}  // namespace kvsql::bench

int main(int argc, char** argv) { return kvsql::bench::Main(argc, argv); }
