#include "shell/csv_reader.h"

#include <cerrno>
#include <cstring>
#include <string_view>

namespace kvsql::shell {
namespace {

constexpr size_t kBlock = size_t{256} << 10;

}  // namespace

CsvReader::CsvReader(Source* source, char column_separator, char row_separator)
    : source_(*source),
      column_(column_separator),
      row_(row_separator),
      buffer_(std::make_unique_for_overwrite<char[]>(kBlock)) {}

int CsvReader::Peek() {
  if (at_ == end_) {
    if (finished_) return kEof;
    const ptrdiff_t count = source_.Read(buffer_.get(), kBlock);
    if (count < 0) error_ = std::strerror(errno);
    if (count <= 0) {
      finished_ = true;
      return kEof;
    }
    at_ = 0;
    end_ = static_cast<size_t>(count);
    if (first_ && std::string_view(buffer_.get(), end_).starts_with("\xef\xbb\xbf")) at_ = 3;
    first_ = false;
    if (at_ == end_) return Peek();
  }
  return static_cast<unsigned char>(buffer_[at_]);
}

// Takes the field and the separator behind it. True: it was the column separator.
bool CsvReader::ReadField(std::string* field) {
  field->clear();
  const auto column = static_cast<unsigned char>(column_);
  const auto row = static_cast<unsigned char>(row_);
  int c = Peek();
  if (c == '"') {
    const size_t begin_line = line_;
    Skip();
    for (;;) {
      c = Peek();
      if (c == kEof) {
        warning_ = "line " + std::to_string(begin_line) + ": a quoted field is never closed";
        return false;
      }
      Skip();
      if (c == '\n') ++line_;
      if (c != '"') {
        *field += static_cast<char>(c);
        continue;
      }
      c = Peek();
      if (c == '"') {
        *field += '"';
        Skip();
        continue;
      }
      break;
    }
    if (c != kEof && c != column && c != row && c != '\r') {
      warning_ = "line " + std::to_string(line_) + ": a quote stands inside of a field";
    }
  }
  for (;;) {
    // As much as the buffer has.
    const size_t begin = at_;
    while (at_ < end_ && buffer_[at_] != column_ && buffer_[at_] != row_) ++at_;
    field->append(buffer_.get() + begin, at_ - begin);
    c = Peek();
    if (c == kEof) return false;
    if (c == column) {
      Skip();
      return true;
    }
    if (c == row) {
      Skip();
      if (c == '\n') ++line_;
      if (!field->empty() && field->back() == '\r') field->pop_back();
      return false;
    }
  }
}

bool CsvReader::Next() {
  count_ = 0;
  warning_.clear();
  row_line_ = line_;
  if (Peek() == kEof) return false;
  bool more = true;
  while (more) {
    if (count_ == fields_.size()) fields_.emplace_back();
    more = ReadField(&fields_[count_]);
    ++count_;
  }
  return error_.empty();
}

}  // namespace kvsql::shell
