// Runs the tests of a .sqltest file: those that the file *_status.tsv beside the files (or above them) marks
// "pass", a line for each: FILE, TEST, STATUS, REASON, with tabs between. Without such a file all are run.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <regex>
#include <set>
#include <sstream>

#include "kv/value.h"
#include "tests/sql/render.h"
#include "tests/sql/slt_file.h"
#include "tests/sql/sqltest_file.h"
#include "tests/sql/suite.h"

namespace kvsql::slt {
namespace {

namespace fs = std::filesystem;
using engines::Outcome;
using engines::Result;

// Names of the file's tests to run; nothing if no list says so.
std::optional<std::set<std::string>> TestsToRun(const fs::path& path) {
  for (fs::path folder = path.parent_path(); folder.has_relative_path();
       folder = folder.parent_path()) {
    for (const auto& entry : fs::directory_iterator(folder)) {
      std::string text;
      if (!entry.path().filename().string().ends_with("_status.tsv")) continue;
      if (!ReadFile(entry.path().string(), &text)) continue;
      const std::string name = path.lexically_relative(folder).generic_string();
      std::set<std::string> tests;
      std::istringstream lines(text);
      for (std::string line; std::getline(lines, line);) {
        std::istringstream cells(line);
        std::string file, test, status;
        std::getline(cells, file, '\t');
        std::getline(cells, test, '\t');
        std::getline(cells, status, '\t');
        if (file == name && status == "pass") tests.insert(test);
      }
      return tests;
    }
  }
  return std::nullopt;
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  size_t begin = 0;
  for (size_t end = 0; end != std::string::npos; begin = end + 1) {
    end = text.find('\n', begin);
    lines.push_back(text.substr(begin, end - begin));
  }
  return lines;
}

std::string Trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(" \t\r\n\f\v");
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t\r\n\f\v") - begin + 1);
}

std::string OneLine(const std::string& text) {
  std::istringstream words(text);
  std::string line;
  for (std::string word; words >> word;) line += (line.empty() ? "" : " ") + word;
  return line;
}

std::string Joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += (&line == &lines[0] ? "" : "\n") + line;
  return text;
}

bool Matches(const std::string& text, const std::string& pattern) {
  try {
    return std::regex_search(text, std::regex(pattern));
  } catch (const std::regex_error&) {
    return false;
  }
}

// What the statements of a test gave.
struct Output {
  std::vector<std::string> lines;
  std::string error;         // the first
  bool unsupported = false;  // it says that kvsql cannot do this yet
};

class Connection {
 public:
  Connection(engines::EngineKind kind, const std::string& path) {
    if (!path.empty()) engines::RemoveDatabase(path);
    engine_ = engines::OpenEngine(kind, path, &open_error_);
  }

  // Goes on after an error, as a shell does.
  void Run(const std::string& sql, Output* output) {
    if (engine_ == nullptr) {
      output->error = open_error_;
      return;
    }
    for (const std::string_view statement : engines::SplitStatements(sql)) {
      Result result;
      const Outcome outcome = engine_->Run(statement, &result);
      for (size_t row = 0; row < result.rows(); ++row) {
        std::string line;
        for (size_t i = 0; i < result.columns; ++i) {
          if (i > 0) line += "|";
          line += TextOf(result.values[row * result.columns + i]);
        }
        for (std::string& part : Lines(line)) output->lines.push_back(std::move(part));
      }
      if (!outcome.ok() && output->error.empty()) {
        output->error = outcome.error;
        output->unsupported = outcome.unsupported;
      }
    }
  }

 private:
  std::unique_ptr<engines::Engine> engine_;
  std::string open_error_;
};

// The expectation for this kind of program; null if there is none.
const Expectation* Mine(const SqlTest& test) {
  const Expectation* mine = nullptr;
  for (const Expectation& expectation : test.expectations) {
    if (expectation.Has("@cli")) return &expectation;
    const bool other = std::any_of(expectation.modes.begin(), expectation.modes.end(),
                                   [](const std::string& mode) { return mode.starts_with("@"); });
    if (!other && mine == nullptr) mine = &expectation;
  }
  return mine;
}

// What is wrong; empty if nothing is.
std::string Judge(const SqlTest& test, const Output& output, std::string* detail) {
  if (output.unsupported) return "error: " + output.error;
  const Expectation* mine = Mine(test);
  if (mine == nullptr) return "no expectation for this kind of program";
  if (mine->Has("error")) {
    if (output.error.empty()) return "the statements worked, an error was expected";
    const std::string want = OneLine(mine->body);
    const std::string got = OneLine(output.error);
    if (want.empty() || Matches(got, want) ||
        kv::LowerAscii(got).find(kv::LowerAscii(want)) != std::string::npos) {
      return "";
    }
    *detail = "expected error: " + want;
    return "error: " + output.error;
  }
  if (!output.error.empty()) return "error: " + output.error;
  std::vector<std::string> got = output.lines;
  if (mine->Has("pattern")) {
    if (Matches(Joined(got), Trimmed(mine->body))) return "";
    *detail = "expected pattern: " + Trimmed(mine->body) + "\ngot: " + Joined(got);
    return "wrong result";
  }
  std::vector<std::string> want = Lines(mine->body);
  if (!mine->Has("raw")) {
    for (std::string& line : want) line = Trimmed(line);
    for (std::string& line : got) line = Trimmed(line);
  }
  if (mine->Has("unordered")) {
    std::sort(want.begin(), want.end());
    std::sort(got.begin(), got.end());
  }
  // No row at all and one row of NULL look alike.
  if (Joined(want) == Joined(got)) return "";
  *detail = "expected:\n" + Joined(want) + "\ngot:\n" + Joined(got);
  return "wrong result";
}

std::string RunTest(const SqltestFile& file, const SqlTest& test, const RunOptions& options,
                    std::string* detail) {
  const bool in_file = !file.databases.empty() && file.databases[0] == ":temp:";
  std::string path = options.database;
  if (path.empty() && in_file) path = options.scratch + "/t.db";
  Connection connection(options.engine, path);
  Output setup;
  for (const std::string& name : test.setups) {
    const auto found = file.setups.find(name);
    if (found != file.setups.end()) connection.Run(found->second, &setup);
  }
  if (!setup.error.empty()) {
    const bool wanted = std::any_of(test.expectations.begin(), test.expectations.end(),
                                    [](const Expectation& e) { return e.Has("error"); });
    if (!wanted) return "error: " + setup.error;
    setup.lines.clear();
    return Judge(test, setup, detail);
  }
  Output output;
  connection.Run(test.sql, &output);
  return Judge(test, output, detail);
}

}  // namespace

bool IsSqltest(const std::string& path) { return path.ends_with(".sqltest"); }

void RunSqltestFile(const std::string& path, const RunOptions& options, Listener* listener) {
  std::string text, error;
  SqltestFile file;
  const bool read = ReadFile(path, &text);
  if (!read || !ParseSqltest(text, &file, &error)) {
    const auto wanted = TestsToRun(path);
    if (read && wanted && wanted->empty()) return;
    listener->Begin(0, 0);
    listener->Failed({0, read ? "format: " + error : "the file cannot be read", "", ""});
    return;
  }
  const std::optional<std::set<std::string>> wanted = TestsToRun(path);
  for (size_t i = options.first; i < file.tests.size(); ++i) {
    const SqlTest& test = file.tests[i];
    listener->Begin(i, test.line);
    if (test.kind != "test" || (wanted && !wanted->contains(test.name))) {
      listener->Skipped();
      continue;
    }
    std::string detail;
    const std::string what =
        options.not_reached.empty() ? RunTest(file, test, options, &detail) : options.not_reached;
    for (const auto& entry : fs::directory_iterator(options.scratch)) {
      std::error_code ignored;
      fs::remove_all(entry.path(), ignored);
    }
    if (what.empty()) {
      listener->Passed();
    } else {
      listener->Failed({test.line, what, "test " + test.name + "\n" + test.sql, detail});
    }
  }
}

}  // namespace kvsql::slt
