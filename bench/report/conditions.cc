#include "bench/report/conditions.h"

#include <sys/statfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "bench/engines/engine.h"

namespace kvsql::bench {
namespace {

namespace fs = std::filesystem;

constexpr long kTmpfsMagic = 0x01021994;
constexpr long kRamfsMagic = static_cast<long>(0x858458f6);

// The value of the first line "name : value" of a /proc file.
std::string ProcValue(const char* path, const std::string& name) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const size_t colon = line.find(':');
    if (colon == std::string::npos || line.compare(0, name.size(), name) != 0) continue;
    const size_t begin = line.find_first_not_of(" \t", colon + 1);
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return "unknown";
}

std::string Kernel() {
  utsname names{};
  if (uname(&names) != 0) return "unknown";
  return absl::StrCat(names.sysname, " ", names.release, " ", names.machine);
}

// Type, options and device of the mount that holds `directory`: the last whose mount point is a
// prefix.
std::string Filesystem(const std::string& directory) {
  std::error_code ignored;
  const std::string path = fs::canonical(directory, ignored).string();
  std::ifstream mounts("/proc/self/mounts");
  std::string best = "unknown";
  size_t best_size = 0;
  for (std::string line; std::getline(mounts, line);) {
    std::istringstream words(line);
    std::string device, point, type, options;
    words >> device >> point >> type >> options;
    const bool inside =
        point == "/" || path == point || path.compare(0, point.size() + 1, point + "/") == 0;
    if (inside && point.size() >= best_size) {
      best = absl::StrCat(type, " on ", device, " (", options, ")");
      best_size = point.size();
    }
  }
  return best;
}

std::string Now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof(text), "%Y-%m-%d %H:%M UTC", &parts);
  return text;
}

std::string Memory() {
  const double pages = static_cast<double>(sysconf(_SC_PHYS_PAGES));
  const double page_bytes = static_cast<double>(sysconf(_SC_PAGESIZE));
  return absl::StrFormat("%.1f GiB", pages * page_bytes / (1024.0 * 1024 * 1024));
}

// Of one, five and fifteen minutes.
std::string Load() {
  std::ifstream file("/proc/loadavg");
  std::string one, five, fifteen;
  file >> one >> five >> fifteen;
  return absl::StrCat(one, " ", five, " ", fifteen);
}

constexpr const char* BuildKind() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return "with sanitizers: the figures mean nothing";
#elif defined(KVSQL_TESTING)
  return "with assertions: not for figures";
#elif defined(__OPTIMIZE__)
  return "optimised";
#else
  return "not optimised: the figures mean nothing";
#endif
}

}  // namespace

bool IsMemoryFilesystem(const std::string& directory) {
  struct statfs info {};
  if (statfs(directory.c_str(), &info) != 0) return false;
  return info.f_type == kTmpfsMagic || info.f_type == kRamfsMagic;
}

std::vector<std::pair<std::string, std::string>> MachineConditions(const std::string& directory) {
  std::vector<std::pair<std::string, std::string>> conditions = {
      {"date", Now()},
      {"machine", ProcValue("/proc/cpuinfo", "model name")},
      {"cores", absl::StrCat(std::thread::hardware_concurrency())},
      {"memory", Memory()},
      {"load at the start", Load()},
      {"kernel", Kernel()},
      {"filesystem", Filesystem(directory)},
      {"compiler", absl::StrCat("g++ ", __VERSION__, ", ", BuildKind())},
  };
  if (IsMemoryFilesystem(directory)) {
    conditions.emplace_back("warning", "files in memory: rows about commits mean nothing");
  }
  return conditions;
}

std::vector<std::pair<std::string, std::string>> GatherConditions(const Options& options,
                                                                  const std::string& directory) {
  std::vector<std::pair<std::string, std::string>> conditions = MachineConditions(directory);
  conditions.emplace_back("rows", absl::StrCat(options.rows));
  conditions.emplace_back("rounds", absl::StrCat(options.rounds));
  conditions.emplace_back(
      "commits", absl::StrCat(options.commits_per_row, " synced commits per engine and row"));
  if (options.quick) conditions.emplace_back("quick", "yes: too few commits for figures");
  conditions.emplace_back("reads",
                          "warm, every key once per round in shuffled order, values copied out");
  for (EngineId engine : kAllEngines) {
    if (engine == EngineId::kSqliteMmap) continue;  // told with SQLite
    for (auto& condition : EngineConditions(engine)) conditions.push_back(std::move(condition));
  }
  return conditions;
}

}  // namespace kvsql::bench
