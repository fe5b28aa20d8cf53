#include "tests/diff/compare.h"

#include <algorithm>
#include <cstdio>

namespace kvsql::diff {
namespace {

using engines::Engine;
using engines::Outcome;
using engines::Result;

std::string ValueText(const Value& value) {
  if (value.type() != ValueType::kReal) return value.to_string();
  char buffer[40];
  // Zero has no sign: whether it is stored with one is not defined.
  std::snprintf(buffer, sizeof(buffer), "real %.17g", value.real() == 0 ? 0.0 : value.real());
  return buffer;
}

std::string NamesText(const Result& result) {
  std::string text;
  for (const std::string& name : result.names) text += name + "\n";
  return text;
}

std::string How(const Outcome& outcome) {
  return outcome.ok() ? "it worked" : "error: " + outcome.error;
}

// What the two did differently with one statement.
std::optional<Difference> Differ(const Node& statement, const Outcome& oracle,
                                 const Result& expected, const Outcome& subject,
                                 const Result& got) {
  Difference difference;
  if (oracle.ok() != subject.ok()) {
    difference.what = "success";
    difference.expected = How(oracle);
    difference.got = How(subject);
    return difference;
  }
  if (!oracle.ok()) return std::nullopt;
  const bool ordered = statement.HasOrder();
  difference.expected = RowsText(expected, ordered);
  difference.got = RowsText(got, ordered);
  if (difference.expected != difference.got) {
    difference.what = ordered ? "rows, in order" : "rows";
    return difference;
  }
  difference.expected = NamesText(expected);
  difference.got = NamesText(got);
  if (difference.expected != difference.got) {
    difference.what = "column names";
    return difference;
  }
  return std::nullopt;
}

}  // namespace

std::string RowsText(const Result& result, bool ordered) {
  std::vector<std::string> rows;
  for (size_t row = 0; row < result.rows(); ++row) {
    std::string line;
    for (size_t i = 0; i < result.columns; ++i) {
      if (i > 0) line += ", ";
      line += ValueText(result.values[row * result.columns + i]);
    }
    rows.push_back(std::move(line));
  }
  if (!ordered) std::sort(rows.begin(), rows.end());
  std::string text;
  for (const std::string& row : rows) text += row + "\n";
  return text;
}

Comparison CompareCase(const Case& made, const MakeEngine& oracle, const MakeEngine& subject) {
  Comparison comparison;
  comparison.verdicts.assign(made.statements.size(), Verdict::kNotReached);
  const std::unique_ptr<Engine> reference = oracle();
  const std::unique_ptr<Engine> tested = subject();
  for (size_t i = 0; i < made.statements.size(); ++i) {
    const Node& statement = made.statements[i];
    const std::string sql = statement.Text();
    Result got, expected;
    const Outcome mine = tested->Run(sql, &got);
    if (mine.unsupported) {
      comparison.verdicts[i] = Verdict::kUnsupported;
      comparison.unsupported.push_back(mine.error);
      continue;
    }
    const Outcome theirs = reference->Run(sql, &expected);
    comparison.difference = Differ(statement, theirs, expected, mine, got);
    if (comparison.difference) {
      comparison.difference->statement = i;
      return comparison;
    }
    comparison.verdicts[i] = theirs.ok() ? Verdict::kCompared : Verdict::kFailed;
  }
  return comparison;
}

std::vector<bool> RunAlone(const Case& made, const MakeEngine& make) {
  std::vector<bool> worked;
  const std::unique_ptr<Engine> engine = make();
  for (const Node& statement : made.statements) {
    worked.push_back(engine->Run(statement.Text(), nullptr).ok());
  }
  return worked;
}

}  // namespace kvsql::diff
