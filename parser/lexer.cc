#include "parser/lexer.h"

#include <array>
#include <cstring>

namespace kvsql::parser {
namespace {

enum CharClass : uint8_t {
  kBlank = 1,
  kIdStart = 2,
  kIdChar = 4,
  kDigit = 8,
  kHex = 16,
};

constexpr std::array<uint8_t, 256> BuildClasses() {
  std::array<uint8_t, 256> classes{};
  for (int c = 0; c < 256; ++c) {
    uint8_t bits = 0;
    if (c == ' ' || (c >= '\t' && c <= '\r' && c != '\v')) bits |= kBlank;
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool digit = c >= '0' && c <= '9';
    if (letter || c == '_' || c >= 0x80) bits |= kIdStart | kIdChar;
    if (digit) bits |= kDigit | kIdChar | kHex;
    if (c == '$') bits |= kIdChar;
    if ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')) bits |= kHex;
    classes[static_cast<size_t>(c)] = bits;
  }
  return classes;
}
constexpr std::array<uint8_t, 256> kClasses = BuildClasses();

inline bool Is(char c, uint8_t bits) { return (kClasses[static_cast<uint8_t>(c)] & bits) != 0; }

}  // namespace

bool IsIdentifierStart(char c) { return Is(c, kIdStart); }
bool IsIdentifierChar(char c) { return Is(c, kIdChar); }

// Moves to the first byte that is neither blank nor in a comment; false at the end of the text.
bool Lexer::SkipBlanks() {
  for (;;) {
    while (at_ < end_ && Is(*at_, kBlank)) ++at_;
    if (at_ == end_) return false;
    if (*at_ == '-' && at_ + 1 < end_ && at_[1] == '-') {
      const void* eol = std::memchr(at_, '\n', static_cast<size_t>(end_ - at_));
      at_ = eol == nullptr ? end_ : static_cast<const char*>(eol) + 1;
    } else if (*at_ == '/' && at_ + 2 < end_ && at_[1] == '*') {
      // A comment that is never closed ends with the text.
      const char* from = at_ + 2;
      for (;;) {
        from = static_cast<const char*>(std::memchr(from, '*', static_cast<size_t>(end_ - from)));
        if (from == nullptr || from + 1 >= end_) {
          at_ = end_;
          break;
        }
        ++from;
        if (*from == '/') {
          at_ = from + 1;
          break;
        }
      }
    } else if (*at_ == '\xef' && end_ - at_ >= 3 && at_[1] == '\xbb' && at_[2] == '\xbf') {
      at_ += 3;  // a byte order mark counts as a blank
    } else {
      return true;
    }
  }
}

Token Lexer::Word(const char* start) {
  const char* p = start + 1;
  while (p < end_ && Is(*p, kIdChar)) ++p;
  const std::string_view word(start, static_cast<size_t>(p - start));
  return Make(FindKeyword(word), start, p);
}

Token Lexer::Number(const char* start) {
  const char* p = start;
  TokenKind kind = TokenKind::k_INTEGER_LITERAL;
  if (*p == '0' && end_ - p >= 3 && (p[1] == 'x' || p[1] == 'X') && Is(p[2], kHex)) {
    p += 3;
    while (p < end_ && Is(*p, kHex)) ++p;
  } else {
    while (p < end_ && Is(*p, kDigit)) ++p;
    if (p < end_ && *p == '.') {
      kind = TokenKind::k_FLOAT_LITERAL;
      ++p;
      while (p < end_ && Is(*p, kDigit)) ++p;
    }
    if (p < end_ && (*p == 'e' || *p == 'E')) {
      const char* q = p + 1;
      if (q < end_ && (*q == '+' || *q == '-')) ++q;
      if (q < end_ && Is(*q, kDigit)) {
        kind = TokenKind::k_FLOAT_LITERAL;
        p = q;
        while (p < end_ && Is(*p, kDigit)) ++p;
      }
    }
  }
  while (p < end_ && Is(*p, kIdChar)) {  // 12abc is no token
    kind = TokenKind::k_ILLEGAL;
    ++p;
  }
  return Make(kind, start, p);
}

Token Lexer::Quoted(const char* start, char close, TokenKind kind) {
  const char* p = start + 1;
  for (;;) {
    p = static_cast<const char*>(std::memchr(p, close, static_cast<size_t>(end_ - p)));
    if (p == nullptr) return Make(TokenKind::k_ILLEGAL, start, end_);
    ++p;
    if (close == ']' || p == end_ || *p != close) return Make(kind, start, p);
    ++p;  // a doubled quote stands for one
  }
}

Token Lexer::BlobLiteral(const char* start) {
  const char* p = start + 2;
  while (p < end_ && Is(*p, kHex)) ++p;
  if (p < end_ && *p == '\'' && (p - start - 2) % 2 == 0) {
    return Make(TokenKind::k_BLOB, start, p + 1);
  }
  while (p < end_ && *p != '\'') ++p;
  return Make(TokenKind::k_ILLEGAL, start, p < end_ ? p + 1 : p);
}

// :name, @name, #name, $name; $ names may have ::parts and one (suffix), as Tcl's variables do.
Token Lexer::Parameter(const char* start) {
  const char* p = start + 1;
  size_t letters = 0;
  for (; p < end_; ++p) {
    if (Is(*p, kIdChar)) {
      ++letters;
    } else if (*p == '(' && letters > 0) {
      do {
        ++p;
      } while (p < end_ && !Is(*p, kBlank) && *p != ')');
      if (p < end_ && *p == ')') {
        ++p;
      } else {
        letters = 0;
      }
      break;
    } else if (*p == ':' && p + 1 < end_ && p[1] == ':') {
      ++p;
    } else {
      break;
    }
  }
  return Make(letters == 0 ? TokenKind::k_ILLEGAL : TokenKind::k_PARAMETER, start, p);
}

Token Lexer::Next() {
  using enum TokenKind;
  if (!SkipBlanks()) return {kEnd, static_cast<uint32_t>(end_ - begin_), 0};
  const char* p = at_;
  const auto next = [&](size_t i) { return static_cast<size_t>(end_ - p) > i ? p[i] : '\0'; };
  if (Is(*p, kIdStart)) [[likely]] {
    if ((*p == 'x' || *p == 'X') && next(1) == '\'') return BlobLiteral(p);
    return Word(p);
  }
  if (Is(*p, kDigit)) return Number(p);
  switch (*p) {
    case ';':
      return Make(k_SEMI, p, p + 1);
    case '(':
      return Make(k_LP, p, p + 1);
    case ')':
      return Make(k_RP, p, p + 1);
    case ',':
      return Make(k_COMMA, p, p + 1);
    case '+':
      return Make(k_PLUS, p, p + 1);
    case '*':
      return Make(k_STAR, p, p + 1);
    case '/':
      return Make(k_SLASH, p, p + 1);
    case '%':
      return Make(k_PERCENT, p, p + 1);
    case '&':
      return Make(k_BITAND, p, p + 1);
    case '~':
      return Make(k_BITNOT, p, p + 1);
    case '.':
      if (Is(next(1), kDigit)) return Number(p);
      return Make(k_DOT, p, p + 1);
    case '-':
      if (next(1) == '>') {
        return next(2) == '>' ? Make(k_LONG_ARROW, p, p + 3) : Make(k_ARROW, p, p + 2);
      }
      return Make(k_MINUS, p, p + 1);
    case '=':
      return Make(k_EQ, p, next(1) == '=' ? p + 2 : p + 1);
    case '<':
      if (next(1) == '=') return Make(k_LE, p, p + 2);
      if (next(1) == '>') return Make(k_NE, p, p + 2);
      if (next(1) == '<') return Make(k_LSHIFT, p, p + 2);
      return Make(k_LT, p, p + 1);
    case '>':
      if (next(1) == '=') return Make(k_GE, p, p + 2);
      if (next(1) == '>') return Make(k_RSHIFT, p, p + 2);
      return Make(k_GT, p, p + 1);
    case '!':
      return next(1) == '=' ? Make(k_NE, p, p + 2) : Make(k_ILLEGAL, p, p + 1);
    case '|':
      return next(1) == '|' ? Make(k_CONCAT, p, p + 2) : Make(k_BITOR, p, p + 1);
    case '\'':
      return Quoted(p, '\'', k_STRING);
    case '"':
      return Quoted(p, '"', k_ID);
    case '`':
      return Quoted(p, '`', k_ID);
    case '[':
      return Quoted(p, ']', k_ID);
    case '?': {
      const char* q = p + 1;
      while (q < end_ && Is(*q, kDigit)) ++q;
      return Make(k_PARAMETER, p, q);
    }
    case ':':
    case '@':
    case '$':
    case '#':
      return Parameter(p);
    default:
      return Make(k_ILLEGAL, p, p + 1);
  }
}

std::string Unquote(std::string_view token) {
  if (!IsQuoted(token) || token.size() < 2) return std::string(token);
  const char close = token[0] == '[' ? ']' : token[0];
  const std::string_view inner = token.substr(1, token.size() - 2);
  if (close == ']') return std::string(inner);
  std::string result;
  result.reserve(inner.size());
  for (size_t i = 0; i < inner.size(); ++i) {
    result.push_back(inner[i]);
    if (inner[i] == close) ++i;
  }
  return result;
}

Position PositionAt(std::string_view sql, size_t offset) {
  Position position;
  if (offset > sql.size()) offset = sql.size();
  for (size_t i = 0; i < offset; ++i) {
    if (sql[i] == '\n') {
      ++position.line;
      position.column = 1;
    } else if ((static_cast<uint8_t>(sql[i]) & 0xc0) != 0x80) {
      ++position.column;
    }
  }
  return position;
}

}  // namespace kvsql::parser
