// Differences that are known and not mended yet. They are counted and shown, and do not fail the test; an
// entry goes when its cause goes.
#ifndef KVSQL_TESTS_DIFF_KNOWN_H_
#define KVSQL_TESTS_DIFF_KNOWN_H_

#include <array>
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

inline constexpr std::array<KnownDifference, 0> kKnownDifferences = {};

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
