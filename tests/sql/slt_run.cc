// Runs the records of a sqllogictest file.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "kv/value.h"
#include "tests/sql/md5.h"
#include "tests/sql/render.h"
#include "tests/sql/slt_file.h"
#include "tests/sql/suite.h"

namespace kvsql::slt {
namespace {

using engines::EngineKind;
using engines::Outcome;
using engines::Result;

constexpr size_t kDefaultHashThreshold = 8;
constexpr size_t kShownValues = 16;

std::string Join(const std::vector<std::string>& values) {
  std::string text;
  for (size_t i = 0; i < values.size() && i < kShownValues; ++i) {
    if (i > 0) text += " | ";
    text += values[i];
  }
  if (values.size() > kShownValues) text += " ...";
  return text;
}

std::string HashOf(const std::vector<std::string>& values) {
  std::string bytes;
  for (const std::string& value : values) bytes.append(value).push_back('\n');
  return Md5(bytes);
}

// The MD5 in "N values hashing to MD5"; empty if the result is given in full.
std::string HashLine(const std::vector<std::string>& expected) {
  constexpr std::string_view kMiddle = " values hashing to ";
  if (expected.size() != 1) return "";
  const size_t at = expected[0].find(kMiddle);
  return at == std::string::npos ? "" : expected[0].substr(at + kMiddle.size());
}

void SortRows(std::vector<std::string>* values, size_t columns) {
  std::vector<std::vector<std::string>> rows;
  for (size_t i = 0; i + columns <= values->size(); i += columns) {
    rows.emplace_back(
        std::make_move_iterator(values->begin() + static_cast<ptrdiff_t>(i)),
        std::make_move_iterator(values->begin() + static_cast<ptrdiff_t>(i + columns)));
  }
  std::sort(rows.begin(), rows.end());
  values->clear();
  for (auto& row : rows) std::move(row.begin(), row.end(), std::back_inserter(*values));
}

std::vector<std::string> SplitTabs(const std::vector<std::string>& lines) {
  std::vector<std::string> values;
  for (const std::string& line : lines) {
    size_t begin = 0;
    for (size_t tab = 0; tab != std::string::npos; begin = tab + 1) {
      tab = line.find('\t', begin);
      values.push_back(line.substr(begin, tab - begin));
    }
  }
  return values;
}

// DuckDB writes more or fewer digits of a real, and true and false.
bool SamePlain(const std::string& got, const std::string& want) {
  if (got == want || (got == "1" && want == "true") || (got == "0" && want == "false")) return true;
  char* got_end = nullptr;
  char* want_end = nullptr;
  const double a = std::strtod(got.c_str(), &got_end);
  const double b = std::strtod(want.c_str(), &want_end);
  if (*got_end != '\0' || *want_end != '\0' || got.empty() || want.empty()) return false;
  return std::fabs(a - b) <= 1e-9 * std::max(std::fabs(a), std::fabs(b));
}

class SltRun {
 public:
  SltRun(const RunOptions& options, Listener* listener, SltFile file)
      : options_(options), listener_(listener), file_(std::move(file)) {
    threshold_ = file_.duckdb ? 0 : kDefaultHashThreshold;
  }

  void Run() {
    if (options_.not_reached.empty()) {
      if (!options_.database.empty()) engines::RemoveDatabase(options_.database);
      engine_ = engines::OpenEngine(options_.engine, options_.database, &open_error_);
    }
    size_t index = 0;
    for (const Record& record : file_.records) {
      const bool skipped = IsSkipped(record);
      if (record.word(0) == "halt") {
        if (skipped) continue;
        break;
      }
      if (record.word(0) == "hash-threshold") {
        threshold_ = static_cast<size_t>(std::atoll(std::string(record.word(1)).c_str()));
        continue;
      }
      if (record.word(0) == "control") {
        if (record.word(1) == "sortmode") sort_mode_ = record.word(2);
        continue;
      }
      const size_t number = index++;
      if (number < options_.first) continue;
      listener_->Begin(number, record.line);
      std::string what, detail;
      if (skipped) {
        // Its recorded result stands for the label's.
        if (record.is_query() && !record.expected.empty()) {
          const std::string hash = HashLine(record.expected);
          CheckLabel(record, hash.empty() ? HashOf(record.expected) : hash, &what);
        }
        what.empty() ? listener_->Skipped() : Fail(record, what, detail);
        continue;
      }
      what = RunRecord(record, &detail);
      what.empty() ? listener_->Passed() : Fail(record, what, detail);
    }
  }

 private:
  void Fail(const Record& record, const std::string& what, const std::string& detail) {
    listener_->Failed({record.line, what, record.sql, detail});
  }

  // kvsql answers to SQLite's name too.
  bool IsSkipped(const Record& record) const {
    for (const Condition& condition : record.conditions) {
      const bool mine = kv::EqualsIgnoreCase(condition.engine, "sqlite") ||
                        (options_.engine == EngineKind::kKvsql &&
                         kv::EqualsIgnoreCase(condition.engine, "kvsql"));
      if (mine == condition.skip_if) return true;
    }
    return false;
  }

  // What is wrong; empty if nothing is.
  std::string RunRecord(const Record& record, std::string* detail) {
    if (!options_.not_reached.empty()) return options_.not_reached;
    if (engine_ == nullptr) return "the database does not open: " + open_error_;
    if (record.is_statement()) return RunStatement(record);
    if (record.is_query()) return RunQuery(record, detail);
    return "unknown record: " + std::string(record.word(0));
  }

  std::string RunStatement(const Record& record) {
    const std::string_view want = record.word(1);
    if (want != "ok" && want != "error" && want != "maybe") {
      return "statement is neither ok nor error";
    }
    const Outcome outcome = engine_->RunScript(record.sql, nullptr);
    if (want == "ok") return outcome.ok() ? "" : "error: " + outcome.error;
    if (want == "maybe") return "";
    if (outcome.ok()) return "the statement worked, an error was expected";
    if (outcome.unsupported && record.expected.empty()) return "error: " + outcome.error;
    // Messages are kvsql's own.
    if (options_.engine != EngineKind::kKvsql || file_.duckdb) return "";
    for (const std::string& piece : record.expected) {
      if (outcome.error.find(piece) == std::string::npos) return "error: " + outcome.error;
    }
    return "";
  }

  std::string RunQuery(const Record& record, std::string* detail) {
    const std::string_view types = record.word(1);
    if (types.empty()) return "query without types";
    Result result;
    const Outcome outcome = engine_->RunScript(record.sql, &result);
    // The original runner does not look at errors of a query that runs: the rows before it count.
    if (outcome.unsupported || outcome.stage == Outcome::Stage::kPrepare) {
      return "error: " + outcome.error;
    }
    if (outcome.ok() && result.columns != types.size()) {
      return "the query has " + std::to_string(result.columns) + " columns, expected " +
             std::to_string(types.size());
    }
    std::vector<std::string> got;
    got.reserve(result.values.size());
    for (size_t i = 0; i < result.values.size(); ++i) {
      got.push_back(file_.duckdb ? RenderPlain(result.values[i])
                                 : RenderTyped(result.values[i], types[i % types.size()]));
    }
    std::string_view sort = record.word(2);
    if (sort.empty()) sort = sort_mode_;
    if (sort == "rowsort") {
      SortRows(&got, types.size());
    } else if (sort == "valuesort") {
      std::sort(got.begin(), got.end());
    } else if (!sort.empty() && sort != "nosort") {
      return "unknown sort mode " + std::string(sort);
    }

    std::string what;
    const bool labelled = !record.word(3).empty() && !file_.duckdb;
    const std::string expected_hash = HashLine(record.expected);
    const bool hashed = !expected_hash.empty() && threshold_ > 0 && got.size() > threshold_;
    const std::string hash = labelled || hashed ? HashOf(got) : "";
    if (labelled) CheckLabel(record, hash, &what);
    if (!what.empty()) return what;
    std::vector<std::string> shown = got;
    if (hashed) shown = {std::to_string(got.size()) + " values hashing to " + hash};
    if (Same(record, sort, types.size(), shown)) return "";
    *detail = "expected " + std::to_string(record.expected.size()) + ": " + Join(record.expected) +
              "\ngot      " + std::to_string(shown.size()) + ": " + Join(shown);
    if (hashed) *detail += "\n         " + Join(got);
    return outcome.ok() ? "wrong result" : "error: " + outcome.error;
  }

  bool Same(const Record& record, std::string_view sort, size_t columns,
            const std::vector<std::string>& got) const {
    if (got == record.expected) return true;
    if (!file_.duckdb) return false;
    std::vector<std::string> want = SplitTabs(record.expected);
    if (want.size() != got.size()) return false;
    if (sort == "rowsort") SortRows(&want, columns);
    if (sort == "valuesort") std::sort(want.begin(), want.end());
    return std::equal(got.begin(), got.end(), want.begin(), SamePlain);
  }

  // Queries with the same label have the same result.
  void CheckLabel(const Record& record, const std::string& hash, std::string* what) {
    if (record.word(3).empty()) return;
    const auto [it, added] = labels_.try_emplace(std::string(record.word(3)), hash);
    if (!added && it->second != hash) {
      *what = "the result differs from an earlier one with the label " + it->first;
    }
  }

  const RunOptions& options_;
  Listener* const listener_;
  const SltFile file_;
  size_t threshold_;
  std::string sort_mode_;
  std::unique_ptr<engines::Engine> engine_;
  std::string open_error_;
  std::map<std::string, std::string> labels_;
};

}  // namespace

void RunSltFile(const std::string& path, const RunOptions& options, Listener* listener) {
  std::string text;
  if (!ReadFile(path, &text)) {
    listener->Begin(0, 0);
    listener->Failed({0, "the file cannot be read", "", ""});
    return;
  }
  SltRun(options, listener, ParseSlt(text)).Run();
}

}  // namespace kvsql::slt
