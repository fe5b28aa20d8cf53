// Reads rows of fields with separators, as CSV (RFC 4180) and as the list mode prints them.
//
// A field that begins with a double quote goes to the next one that is not doubled, over line ends. A
// carriage return in front of the row's end is no part of the row.
//
// Thread safety: none.
#ifndef KVSQL_SHELL_CSV_READER_H_
#define KVSQL_SHELL_CSV_READER_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "shell/input.h"

namespace kvsql::shell {

class CsvReader {
 public:
  CsvReader(Source* source, char column_separator, char row_separator);

  // The next row; false at the end, or when reading failed: error() then says why.
  bool Next();
  size_t field_count() const { return count_; }
  const std::string& field(size_t i) const { return fields_[i]; }
  // Of the row's beginning, from 1.
  size_t line() const { return row_line_; }
  // "" if all is well.
  const std::string& error() const { return error_; }
  // What is wrong with the row's quotes; "" if nothing.
  const std::string& warning() const { return warning_; }

 private:
  static constexpr int kEof = -1;
  int Peek();
  void Skip() { ++at_; }
  bool ReadField(std::string* field);

  Source& source_;
  const char column_;
  const char row_;
  std::unique_ptr<char[]> buffer_;
  size_t at_ = 0;
  size_t end_ = 0;
  bool finished_ = false;
  bool first_ = true;
  size_t line_ = 1;
  size_t row_line_ = 1;
  std::vector<std::string> fields_;  // the first count_ are the row; the rest keep their memory
  size_t count_ = 0;
  std::string error_;
  std::string warning_;
};

}  // namespace kvsql::shell

#endif  // KVSQL_SHELL_CSV_READER_H_
