// What the corpus runner prints.
#ifndef KVSQL_TESTS_SQL_REPORT_H_
#define KVSQL_TESTS_SQL_REPORT_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "tests/sql/pool.h"

namespace kvsql::slt {

class Report {
 public:
  // `files`: how many there are. `progress`: standard error is a terminal.
  Report(size_t files, bool progress) : files_(files), progress_(progress) {}

  // Counts the file for its group and the command's argument that it comes from. Unless `quiet`, prints its
  // failures under `name`.
  void Add(const FileReport& file, const std::string& name, const std::string& group,
           const std::string& argument, bool quiet);
  void Show(const Progress& progress);

  // A row for each group, for each argument, and their sum.
  void PrintTotals();
  // Why records failed, the most frequent reason first, each with an example. False: it cannot be written.
  bool WriteSummary(const std::string& path) const;

  // Every record that was run did as expected, and there was one.
  bool ok() const { return total_.failed == 0 && total_.passed > 0; }

 private:
  struct Totals {
    size_t files = 0;
    size_t files_failed = 0;
    uint64_t passed = 0;
    uint64_t failed = 0;
    uint64_t skipped = 0;
    double seconds = 0;
  };
  struct Why {
    uint64_t records = 0;
    size_t files = 0;
    std::string example;
  };

  static void Count(const FileReport& file, Totals* totals);
  void ClearProgress();

  const size_t files_;
  const bool progress_;
  bool progress_shown_ = false;
  std::map<std::string, Totals> groups_;
  std::map<std::string, Totals> arguments_;
  Totals total_;
  std::map<std::string, Why> whys_;
};

}  // namespace kvsql::slt

#endif  // KVSQL_TESTS_SQL_REPORT_H_
