// powerfail --points N --seed S [--kind K]: takes the power away from the store at N points of random runs, on
// a simulated disk, and looks at what recovery makes of it. Ends with 1 at the first failure, and says how to
// repeat it.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "tests/crash/powerfail.h"
#include "tests/crash/store_subject.h"

namespace {

int Usage() {
  std::fprintf(stderr, "usage: powerfail [--points N] [--seed S] [--kind K]...\nkinds:");
  for (const auto& workload : kvsql::testing::AllWorkloads()) {
    std::fprintf(stderr, " %.*s", static_cast<int>(workload.name.size()), workload.name.data());
  }
  std::fprintf(stderr, "\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  using kvsql::testing::PowerfailReport;
  kvsql::testing::PowerfailOptions options;
  for (int i = 1; i < argc; i += 2) {
    if (i + 1 >= argc) return Usage();
    const std::string_view flag = argv[i];
    char* end = nullptr;
    if (flag == "--points") {
      options.points = std::strtoull(argv[i + 1], &end, 10);
    } else if (flag == "--seed") {
      options.seed = std::strtoull(argv[i + 1], &end, 10);
    } else if (flag == "--kind") {
      bool known = false;
      for (const auto& workload : kvsql::testing::AllWorkloads())
        known |= workload.name == argv[i + 1];
      if (!known) return Usage();
      options.kinds.push_back(argv[i + 1]);
    } else {
      return Usage();
    }
    if (end != nullptr && *end != '\0') return Usage();
  }
  options.make = &kvsql::testing::MakeStoreSubject;
  options.progress = [](std::string_view kind, uint64_t points, double seconds) {
    std::fprintf(stderr, "%.*s: %llu points in %.1f s\n", static_cast<int>(kind.size()),
                 kind.data(), static_cast<unsigned long long>(points), seconds);
  };
  const PowerfailReport report = kvsql::testing::RunPowerfail(options);
  std::printf("%-14s %6s %8s %12s %12s %8s\n", "kind", "runs", "points", "in recovery", "once more",
              "deaths");
  for (const PowerfailReport::KindCount& kind : report.kinds) {
    std::printf(
        "%-14.*s %6llu %8llu %12llu %12llu %8llu\n", static_cast<int>(kind.kind.size()),
        kind.kind.data(), static_cast<unsigned long long>(kind.runs),
        static_cast<unsigned long long>(kind.points), static_cast<unsigned long long>(kind.second),
        static_cast<unsigned long long>(kind.third), static_cast<unsigned long long>(kind.deaths));
  }
  std::printf("%llu points, %zu failures\n", static_cast<unsigned long long>(report.points()),
              report.failures.size());
  for (const kvsql::testing::Failure& failure : report.failures) {
    std::printf("\nFAILED: %s\n%s", failure.what.c_str(), failure.where.c_str());
  }
  if (report.failures.empty()) return 0;
  std::printf("\nto repeat: powerfail --kind %s --seed %llu --points %llu\n",
              report.failed_kind.c_str(), static_cast<unsigned long long>(report.failed_seed),
              static_cast<unsigned long long>(options.points));
  return 1;
}
