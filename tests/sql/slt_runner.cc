// slt_runner FILE|DIR...: runs sqllogictest files on kvsql, each on an empty database in memory.
//
//    statement ok | statement error      SQL; behind `----` of an error: a piece of its message
//    query TYPES [nosort|rowsort|valuesort] [LABEL]
//                                        SQL, `----`, one value a line
//    skipif NAME, onlyif NAME            names of this engine: kvsql and sqlite
//    halt
//
// A line that begins with # does not exist. Values of type T print as they are ("(empty)" for none), of I as
// integers, of R with three decimals, NULL as NULL.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "exec/session.h"
#include "exec/statement.h"
#include "exec/statement_cache.h"
#include "kv/store.h"

namespace kvsql {
namespace {

struct Record {
  size_t line = 0;
  std::vector<std::string> words;  // of its first line
  std::string sql;
  std::vector<std::string> expected;
  bool skipped = false;
};

std::vector<std::string> SplitWords(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

bool IsThisEngine(const std::string& name) { return name == "kvsql" || name == "sqlite"; }

std::vector<Record> ReadRecords(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::vector<Record> records;
  Record record;
  bool open = false;
  bool in_results = false;
  size_t number = 0;
  const auto finish = [&] {
    if (open) records.push_back(std::move(record));
    record = Record();
    open = in_results = false;
  };
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (!line.empty() && line[0] == '#') continue;
    if (line.find_first_not_of(" \t") == std::string::npos) {
      finish();
      continue;
    }
    if (!open) {
      const std::vector<std::string> words = SplitWords(line);
      if ((words[0] == "skipif" || words[0] == "onlyif") && words.size() > 1) {
        if (IsThisEngine(words[1]) == (words[0] == "skipif")) record.skipped = true;
        continue;
      }
      record.words = words;
      record.line = number;
      open = true;
    } else if (in_results) {
      record.expected.push_back(line);
    } else if (line == "----") {
      in_results = true;
    } else {
      if (!record.sql.empty()) record.sql += "\n";
      record.sql += line;
    }
  }
  finish();
  return records;
}

std::string Render(const kv::ValueView& value, char type) {
  if (value.is_null()) return "NULL";
  kv::NumberText text;
  if (type == 'I') {
    return std::to_string(kv::CastValue(value, kv::Affinity::kInteger, &text).integer);
  }
  if (type == 'R') {
    char buffer[64];
    std::snprintf(buffer, sizeof(buffer), "%.3f",
                  kv::CastValue(value, kv::Affinity::kReal, &text).real);
    return buffer;
  }
  const std::string_view bytes = kv::CastValue(value, kv::Affinity::kText, &text).bytes();
  return bytes.empty() ? "(empty)" : std::string(bytes);
}

class FileRunner {
 public:
  explicit FileRunner(std::string name) : name_(std::move(name)) {
    store_ = kv::Store::Open(kv::StoreOptions()).value();
    session_ = std::make_unique<exec::Session>(store_, &cache_);
  }

  // Number of failures.
  int Run(const std::vector<Record>& records) {
    for (const Record& record : records) {
      if (record.skipped) continue;
      if (record.words[0] == "halt") break;
      if (record.words[0] == "statement") {
        RunStatement(record);
      } else if (record.words[0] == "query") {
        RunQuery(record);
      } else {
        Fail(record, "unknown record: " + record.words[0]);
      }
      ++run_;
    }
    return failures_;
  }
  int run() const { return run_; }

 private:
  void Fail(const Record& record, const std::string& what) {
    std::printf("%s:%zu: %s\n    %s\n", name_.c_str(), record.line, what.c_str(),
                record.sql.c_str());
    ++failures_;
  }

  // Runs all statements; rows (if wanted) are rendered by `types`.
  Status Execute(std::string_view sql, const std::string* types,
                 std::vector<std::vector<std::string>>* rows) {
    while (true) {
      size_t consumed = 0;
      KV_ASSIGN_OR_RETURN(exec::StatementPtr statement, session_->Prepare(sql, &consumed));
      if (statement == nullptr) return absl::OkStatus();
      if (types != nullptr && statement->column_count() != static_cast<int>(types->size())) {
        return absl::InvalidArgumentError("the query has " +
                                          std::to_string(statement->column_count()) + " columns");
      }
      while (true) {
        KV_ASSIGN_OR_RETURN(const bool row, statement->Step());
        if (!row) break;
        if (types == nullptr) continue;
        std::vector<std::string>& rendered = rows->emplace_back();
        for (size_t i = 0; i < types->size(); ++i) {
          rendered.push_back(Render(statement->column(static_cast<int>(i)), (*types)[i]));
        }
      }
      sql.remove_prefix(consumed);
    }
  }

  void RunStatement(const Record& record) {
    const bool expect_error = record.words.size() > 1 && record.words[1] == "error";
    const Status status = Execute(record.sql, nullptr, nullptr);
    if (!expect_error) {
      if (!status.ok()) Fail(record, "failed: " + std::string(status.message()));
      return;
    }
    if (status.ok()) return Fail(record, "succeeded, an error was expected");
    for (const std::string& piece : record.expected) {
      if (status.message().find(piece) == std::string::npos) {
        Fail(record, "the error is: " + std::string(status.message()));
      }
    }
  }

  void RunQuery(const Record& record) {
    if (record.words.size() < 2) return Fail(record, "query without types");
    std::vector<std::vector<std::string>> rows;
    const Status status = Execute(record.sql, &record.words[1], &rows);
    if (!status.ok()) return Fail(record, "failed: " + std::string(status.message()));
    const std::string sort = record.words.size() > 2 ? record.words[2] : "nosort";
    if (sort == "rowsort") std::sort(rows.begin(), rows.end());
    std::vector<std::string> values;
    for (const auto& row : rows) values.insert(values.end(), row.begin(), row.end());
    if (sort == "valuesort") std::sort(values.begin(), values.end());
    if (values == record.expected) return;
    std::string got;
    for (const std::string& value : values) got += "\n    got: " + value;
    Fail(record, "wrong result" + got);
  }

  const std::string name_;
  exec::StatementCache cache_;
  std::shared_ptr<kv::Store> store_;
  std::unique_ptr<exec::Session> session_;
  int failures_ = 0;
  int run_ = 0;
};

int Main(int argc, char** argv) {
  std::vector<std::filesystem::path> files;
  for (int i = 1; i < argc; ++i) {
    const std::filesystem::path path = argv[i];
    if (std::filesystem::is_directory(path)) {
      for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
        if (entry.path().extension() == ".test") files.push_back(entry.path());
      }
    } else {
      files.push_back(path);
    }
  }
  std::sort(files.begin(), files.end());
  int failures = 0;
  int run = 0;
  for (const std::filesystem::path& file : files) {
    FileRunner runner(file.string());
    failures += runner.Run(ReadRecords(file));
    run += runner.run();
  }
  std::printf("%zu files, %d records, %d failures\n", files.size(), run, failures);
  return failures == 0 && run > 0 ? 0 : 1;
}

}  // namespace
}  // namespace kvsql

int main(int argc, char** argv) { return kvsql::Main(argc, argv); }
