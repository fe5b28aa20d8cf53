#include "tests/sql/slt_file.h"

#include <fstream>
#include <sstream>
#include <utility>

namespace kvsql::slt {
namespace {

std::vector<std::string> SplitWords(std::string_view line) {
  std::vector<std::string> words;
  size_t at = 0;
  while ((at = line.find_first_not_of(" \t", at)) != std::string_view::npos) {
    const size_t end = std::min(line.find_first_of(" \t", at), line.size());
    words.emplace_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

// Puts a file's lines together to records.
class SltParser {
 public:
  void Add(std::string_view line, size_t number) {
    if (line.find_first_not_of(" \t") == std::string_view::npos) return Finish();
    switch (part_) {
      case Part::kHead:
        return AddHead(line, number);
      case Part::kSql:
        if (line == "----") {
          part_ = Part::kExpected;
          return;
        }
        if (!record_.sql.empty()) record_.sql += "\n";
        record_.sql += line;
        return;
      case Part::kExpected:
        record_.expected.emplace_back(line);
    }
  }

  void Finish() {
    if (part_ != Part::kHead) records_.push_back(std::move(record_));
    record_ = Record();
    part_ = Part::kHead;
  }

  std::vector<Record> Take() { return std::move(records_); }

 private:
  enum class Part { kHead, kSql, kExpected };

  void AddHead(std::string_view line, size_t number) {
    std::vector<std::string> words = SplitWords(line);
    if (words[0] == "skipif" || words[0] == "onlyif") {
      record_.conditions.push_back({words[0] == "skipif", words.size() > 1 ? words[1] : ""});
      return;
    }
    record_.words = std::move(words);
    record_.line = number;
    part_ = Part::kSql;
  }

  std::vector<Record> records_;
  Record record_;
  Part part_ = Part::kHead;
};

}  // namespace

SltFile ParseSlt(std::string_view text) {
  SltFile file;
  SltParser parser;
  size_t number = 0;
  while (!text.empty()) {
    ++number;
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.starts_with('#')) {
      if (line.starts_with("# group:")) file.duckdb = true;
      continue;
    }
    parser.Add(line, number);
  }
  parser.Finish();
  file.records = parser.Take();
  return file;
}

bool ReadFile(const std::string& path, std::string* text) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream buffer;
  if (!in || !(buffer << in.rdbuf())) return false;
  *text = std::move(buffer).str();
  return true;
}

}  // namespace kvsql::slt
