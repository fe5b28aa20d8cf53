// Runs a case on two engines and compares all that can be seen: success, column names, rows.
#ifndef KVSQL_TESTS_DIFF_COMPARE_H_
#define KVSQL_TESTS_DIFF_COMPARE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/diff/case.h"
#include "tests/engines/engine.h"

namespace kvsql::diff {

using MakeEngine = std::function<std::unique_ptr<engines::Engine>()>;

struct Difference {
  size_t statement = 0;  // its place in the case
  std::string what;
  std::string expected;
  std::string got;
};

// How a statement went.
enum class Verdict : uint8_t {
  kCompared,     // both did it, alike
  kFailed,       // both refused it
  kUnsupported,  // the subject cannot do it yet; the oracle was not asked
  kNotReached,
};

struct Comparison {
  std::optional<Difference> difference;
  std::vector<Verdict> verdicts;         // of each statement
  std::vector<std::string> unsupported;  // what the subject said
};

// Up to the first difference. A statement that the subject does not support changes nothing on either side.
Comparison CompareCase(const Case& made, const MakeEngine& oracle, const MakeEngine& subject);

// Which statements of the case work on this engine alone.
std::vector<bool> RunAlone(const Case& made, const MakeEngine& make);

// Rows as text, one a line; sorted unless they have an order. Reals with all their digits.
std::string RowsText(const engines::Result& result, bool ordered);

}  // namespace kvsql::diff

#endif  // KVSQL_TESTS_DIFF_COMPARE_H_
