// Under which conditions the figures were measured: machine, filesystem, versions, settings, sync
// calls.
#ifndef KVSQL_BENCH_REPORT_CONDITIONS_H_
#define KVSQL_BENCH_REPORT_CONDITIONS_H_

#include <string>
#include <utility>
#include <vector>

#include "bench/options.h"

namespace kvsql::bench {

// (name, value) pairs in the order in which they are shown. `directory` is where the databases lie.
std::vector<std::pair<std::string, std::string>> GatherConditions(const Options& options,
                                                                  const std::string& directory);

// Of these, those that do not depend on what is measured.
std::vector<std::pair<std::string, std::string>> MachineConditions(const std::string& directory);

// True if a sync in `directory` means nothing because its files live in memory.
bool IsMemoryFilesystem(const std::string& directory);

}  // namespace kvsql::bench

#endif  // KVSQL_BENCH_REPORT_CONDITIONS_H_
