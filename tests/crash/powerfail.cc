#include "tests/crash/powerfail.h"

#include <algorithm>
#include <chrono>

#include "absl/strings/str_cat.h"

namespace kvsql::testing {

uint64_t PowerfailReport::points() const {
  uint64_t sum = 0;
  for (const KindCount& kind : kinds) sum += kind.points;
  return sum;
}

SimOptions HarnessSimOptions() {
  SimOptions options;
  options.byte_tears = [](const std::string& path, uint64_t offset) {
    return offset < 8192 || path.ends_with("-log");
  };
  // Not metas: recovery writes one over itself, which is safe as long as equal bytes stay equal.
  options.noise_tears = [](const std::string& path, uint64_t) { return path.ends_with("-log"); };
  return options;
}

namespace {

// Explores runs of one kind until its share of points is used up; false once something is wrong.
bool RunKind(const Workload& workload, uint64_t points, uint64_t seed,
             const PowerfailOptions& options, PowerfailReport* report) {
  // So many points of one run at most: the next run differs in more.
  constexpr uint64_t kPointsPerRun = 250;
  PowerfailReport::KindCount& count = report->kinds.emplace_back();
  count.kind = workload.name;
  for (; count.points < points; ++seed) {
    report->failed_kind = workload.name;
    report->failed_seed = seed;
    std::vector<CrashPoint> crashes;
    ExplorerOptions explore;
    {
      Run run(options.make, HarnessSimOptions(), seed);
      workload.run(run);
      for (const std::string& error : run.errors()) {
        report->failures.push_back({error, "in the run itself\n"});
      }
      if (!report->failures.empty()) return false;
      crashes = run.TakePoints();
      explore.subject = run.options();
      explore.deaths = run.deaths();
      explore.leftovers = run.leftovers();
    }
    ++count.runs;
    explore.make = options.make;
    explore.sim = HarnessSimOptions();
    Explorer explorer(explore, seed);
    const bool right = explorer.Explore(crashes, std::min(kPointsPerRun, points - count.points));
    count.points += explorer.all_points();
    count.second += explorer.points(1);
    count.third += explorer.points(2);
    count.deaths += explorer.deaths();
    report->failures = explorer.failures();
    if (!right) return false;
  }
  return true;
}

}  // namespace

PowerfailReport RunPowerfail(const PowerfailOptions& options) {
  PowerfailReport report;
  std::vector<const Workload*> chosen;
  int weights = 0;
  for (const Workload& workload : AllWorkloads()) {
    if (!options.kinds.empty() && std::find(options.kinds.begin(), options.kinds.end(),
                                            workload.name) == options.kinds.end()) {
      continue;
    }
    chosen.push_back(&workload);
    weights += workload.weight;
  }
  for (const Workload* workload : chosen) {
    const auto start = std::chrono::steady_clock::now();
    const uint64_t points = (options.points * workload->weight + weights - 1) / weights;
    const bool right = RunKind(*workload, points, options.seed, options, &report);
    if (options.progress) {
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
      options.progress(workload->name, report.kinds.back().points, took.count());
    }
    if (!right) break;
  }
  return report;
}

}  // namespace kvsql::testing
