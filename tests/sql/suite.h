// What the runners of the test formats share: options, and what they report to.
#ifndef KVSQL_TESTS_SQL_SUITE_H_
#define KVSQL_TESTS_SQL_SUITE_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/engines/engine.h"

namespace kvsql::slt {

// One record (.test) or test (.sqltest) that did not do as expected.
struct Failure {
  size_t line = 0;
  std::string what;    // one line
  std::string sql;     // or the test's name
  std::string detail;  // expected and got; may be empty
};

// Hears how a file goes, in the file's order.
class Listener {
 public:
  virtual ~Listener() = default;
  // Record number `index` (from 0), at this line, begins; then one of the three others is called.
  virtual void Begin(size_t index, size_t line) = 0;
  virtual void Passed() = 0;
  virtual void Skipped() = 0;
  virtual void Failed(const Failure& failure) = 0;
};

struct RunOptions {
  engines::EngineKind engine = engines::EngineKind::kKvsql;
  // The database file, removed before each database; empty: in memory.
  std::string database;
  // A folder that the file's tests may use as they like; the working directory.
  std::string scratch;
  // Records before this one are left out, without a word: an earlier run has reported them.
  size_t first = 0;
  // Nothing is run; every record that would have been fails with this text.
  std::string not_reached;
};

// Runs one file and reports all of its records.
void RunSltFile(const std::string& path, const RunOptions& options, Listener* listener);
void RunSqltestFile(const std::string& path, const RunOptions& options, Listener* listener);

// Whether the path names a .sqltest file.
bool IsSqltest(const std::string& path);

}  // namespace kvsql::slt

#endif  // KVSQL_TESTS_SQL_SUITE_H_
