// The sqllogictest format: reading.
//
//    statement ok | statement error      SQL; behind `----` of an error: pieces of its message
//    query TYPES [nosort|rowsort|valuesort] [LABEL]
//                                        SQL, `----`, one value a line, or "N values hashing to MD5"
//    skipif NAME, onlyif NAME            stand before a record
//    hash-threshold N, halt, control sortmode MODE
//
// Records are separated by empty lines; a line of blanks is empty, a line that begins with # does not exist,
// lines end with LF or CRLF. A file with a "# group:" line is DuckDB's: it has one row a line, its columns
// separated by tabs, and types do not change how values are written.
#ifndef KVSQL_TESTS_SQL_SLT_FILE_H_
#define KVSQL_TESTS_SQL_SLT_FILE_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kvsql::slt {

struct Condition {
  bool skip_if = false;  // else only if
  std::string engine;
};

struct Record {
  size_t line = 0;  // of its first word
  std::vector<Condition> conditions;
  std::vector<std::string> words;  // "query", "II", "rowsort"
  std::string sql;
  std::vector<std::string> expected;

  std::string_view word(size_t i) const { return i < words.size() ? words[i] : std::string_view(); }
  bool is_query() const { return word(0) == "query"; }
  bool is_statement() const { return word(0) == "statement"; }
};

struct SltFile {
  bool duckdb = false;
  std::vector<Record> records;
};

SltFile ParseSlt(std::string_view text);

// The bytes of a file; false if it cannot be read.
bool ReadFile(const std::string& path, std::string* text);

}  // namespace kvsql::slt

#endif  // KVSQL_TESTS_SQL_SLT_FILE_H_
