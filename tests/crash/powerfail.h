// Runs the workloads and explores their crashes: what the program `powerfail` and the tests share.
#ifndef KVSQL_TESTS_CRASH_POWERFAIL_H_
#define KVSQL_TESTS_CRASH_POWERFAIL_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/crash/explorer.h"
#include "tests/crash/workloads.h"

namespace kvsql::testing {

struct PowerfailOptions {
  uint64_t points = 20000;
  uint64_t seed = 1;
  std::vector<std::string_view> kinds;  // empty: all
  SubjectFactory make;
  // Told of each kind when it is done.
  std::function<void(std::string_view kind, uint64_t points, double seconds)> progress;
};

struct PowerfailReport {
  struct KindCount {
    std::string_view kind;
    uint64_t runs = 0;
    uint64_t points = 0;  // all depths
    uint64_t second = 0;  // of them: crashes inside recovery or just after it
    uint64_t third = 0;   // and inside that recovery
    uint64_t deaths = 0;  // of them: only the process died
  };
  std::vector<KindCount> kinds;
  std::vector<Failure> failures;  // the run ends at the first
  std::string failed_kind;
  uint64_t failed_seed = 0;

  uint64_t points() const;
};

PowerfailReport RunPowerfail(const PowerfailOptions& options);

// Metas and the log may be torn at any byte.
SimOptions HarnessSimOptions();

}  // namespace kvsql::testing

#endif  // KVSQL_TESTS_CRASH_POWERFAIL_H_
