// Differences that are known and not mended yet. They are counted and shown, and do not fail the test; an
// entry goes when its cause goes.
#ifndef KVSQL_TESTS_DIFF_KNOWN_H_
#define KVSQL_TESTS_DIFF_KNOWN_H_

#include <string>
#include <string_view>

#include "tests/diff/compare.h"

namespace kvsql::diff {

struct KnownDifference {
  const char* why;
  const char* statement;  // it begins with this
  const char* expected;   // SQLite's answer has this
  const char* got;        // and kvsql's this
};

inline constexpr KnownDifference kKnownDifferences[] = {
    {"PRAGMA index_list leaves out the primary key of a WITHOUT ROWID table", "PRAGMA index_list(",
     "'pk'", ""},
    {"sqlite_schema does not list sqlite_sequence and sqlite_stat1",
     "SELECT type, name, tbl_name FROM", "'sqlite_s", ""},
    {"PRAGMA index_list: indexes whose constraint says REPLACE stand elsewhere",
     "PRAGMA index_list(", "sqlite_autoindex_", "sqlite_autoindex_"},
    {"the conflict clause of a UNIQUE that the primary key makes needless", "INSERT INTO",
     "it worked", "error: UNIQUE constraint failed"},
    {"STRICT types are checked before NOT NULL and UNIQUE, and obey the conflict clause", "INSERT ",
     "it worked", "error: cannot store "},
};

// The reason, if it is a known one; else "".
inline std::string_view WhyKnown(const Difference& difference, std::string_view statement) {
  for (const KnownDifference& known : kKnownDifferences) {
    if (statement.starts_with(known.statement) &&
        difference.expected.find(known.expected) != std::string::npos &&
        difference.got.find(known.got) != std::string::npos) {
      return known.why;
    }
  }
  return "";
}

}  // namespace kvsql::diff

#endif  // KVSQL_TESTS_DIFF_KNOWN_H_
