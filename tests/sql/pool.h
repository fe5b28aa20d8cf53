// Runs test files in a pool of child processes, one file each, so that a crash or an endless statement is a
// failure of its record and not of the run.
//
// A child counts in memory that it shares with the parent and sends its failures through a pipe. When it
// dies, or one record takes too long, the parent notes that record as failed and starts another child
// behind it: for a .sqltest file it goes on there (its tests are independent); for a .test file it counts the
// records that were not reached as failed.
#ifndef KVSQL_TESTS_SQL_POOL_H_
#define KVSQL_TESTS_SQL_POOL_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tests/sql/suite.h"

namespace kvsql::slt {

struct PoolOptions {
  engines::EngineKind engine = engines::EngineKind::kKvsql;
  std::string database;  // each process adds its number, if there are several
  size_t jobs = 1;
  size_t max_failures = 10;  // kept with all their text, for each file
  std::chrono::seconds record_timeout{60};
};

struct Reason {
  uint64_t records = 0;
  size_t first_line = 0;
};

struct FileReport {
  std::string path;
  uint64_t passed = 0;
  uint64_t failed = 0;
  uint64_t skipped = 0;
  std::vector<Failure> failures;          // the first ones
  std::map<std::string, Reason> reasons;  // by Failure::what, normalised
  double seconds = 0;
};

struct Progress {
  size_t files_done = 0;
  uint64_t passed = 0;
  uint64_t failed = 0;
  std::string running;  // one of the files
};

// Runs the files in order; `done` hears each file's report, `progress` is called a few times a second.
void RunFiles(const std::vector<std::string>& paths, const PoolOptions& options,
              const std::function<void(const FileReport&)>& done,
              const std::function<void(const Progress&)>& progress);

// The failure's text without what differs from record to record: positions, numbers, quoted text.
std::string NormaliseReason(const std::string& what);

}  // namespace kvsql::slt

#endif  // KVSQL_TESTS_SQL_POOL_H_
