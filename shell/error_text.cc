#include "shell/error_text.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace kvsql::shell {
namespace {

struct Position {
  size_t line = 1;
  size_t column = 1;  // characters
};

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// Takes " at line 3, column 7" off the end of a message.
std::optional<Position> TakePosition(std::string_view* message) {
  constexpr std::string_view kLine = " at line ";
  constexpr std::string_view kColumn = ", column ";
  const size_t at = message->rfind(kLine);
  if (at == std::string_view::npos) return std::nullopt;
  Position position;
  const char* const end = message->data() + message->size();
  auto read = std::from_chars(message->data() + at + kLine.size(), end, position.line);
  if (read.ec != std::errc() || !std::string_view(read.ptr, end).starts_with(kColumn)) {
    return std::nullopt;
  }
  read = std::from_chars(read.ptr + kColumn.size(), end, position.column);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  *message = message->substr(0, at);
  return position;
}

// Where in `text` the character stands.
size_t OffsetOf(std::string_view text, const Position& position) {
  size_t offset = 0;
  for (size_t line = 1; line < position.line; ++line) {
    const size_t eol = text.find('\n', offset);
    if (eol == std::string_view::npos) return text.size();
    offset = eol + 1;
  }
  for (size_t column = 1; column < position.column && offset < text.size(); ++column) {
    do ++offset;
    while (offset < text.size() && IsContinuation(text[offset]));
  }
  return offset;
}

Position PositionOf(std::string_view text, size_t offset) {
  Position position;
  for (size_t i = 0; i < offset && i < text.size(); ++i) {
    if (text[i] == '\n') {
      ++position.line;
      position.column = 1;
    } else if (!IsContinuation(text[i])) {
      ++position.column;
    }
  }
  return position;
}

// The line around the offset, cut to what fits a terminal, with an arrow below.
std::string Excerpt(std::string_view text, size_t offset) {
  constexpr size_t kBefore = 50;
  constexpr size_t kWidth = 78;
  size_t begin = text.rfind('\n', offset == 0 ? 0 : offset - 1);
  begin = begin == std::string_view::npos || begin >= offset ? 0 : begin + 1;
  size_t end = std::min(text.find('\n', offset), text.size());
  if (offset - begin > kBefore) begin = offset - kBefore;
  while (begin < offset && IsContinuation(text[begin])) ++begin;
  if (end - begin > kWidth) end = begin + kWidth;
  while (end > offset && end < text.size() && IsContinuation(text[end])) --end;
  std::string line(text.substr(begin, end - begin));
  // Whatever else stands in the text must not steer the terminal.
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) c = ' ';
  }
  size_t column = 0;
  for (size_t i = 0; i < offset - begin; ++i) column += IsContinuation(line[i]) ? 0 : 1;
  std::string excerpt = "  " + line + "\n  ";
  if (column < 25) {
    excerpt += std::string(column, ' ') + "^--- error here\n";
  } else {
    excerpt += std::string(column - 14, ' ') + "error here ---^\n";
  }
  return excerpt;
}

}  // namespace

std::string ErrorText(const Status& status, std::string_view text, std::string_view rest,
                      const Place& place, bool interactive) {
  std::string_view message(status.message().data(), status.message().size());
  const std::optional<Position> in_rest = TakePosition(&message);
  size_t offset = text.size() - rest.size();
  if (in_rest.has_value()) {
    offset += OffsetOf(rest, *in_rest);
  } else {
    while (offset < text.size() &&
           std::string_view(" \t\r\n").find(text[offset]) != std::string_view::npos) {
      ++offset;
    }
  }
  Position position = PositionOf(text, offset);
  position.line += place.line - 1;
  std::string result = "Error";
  if (!place.file.empty()) result += " in " + std::string(place.file);
  if (!interactive || in_rest.has_value()) {
    result += " at line " + std::to_string(position.line);
    if (in_rest.has_value()) result += ", column " + std::to_string(position.column);
  }
  result += ": ";
  result += message;
  result += '\n';
  if (in_rest.has_value()) result += Excerpt(text, offset);
  return result;
}

}  // namespace kvsql::shell
