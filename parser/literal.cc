#include "parser/literal.h"

#include <charconv>
#include <cstring>
#include <limits>

namespace kvsql::parser {
namespace {

uint8_t HexDigit(char c) {
  if (c <= '9') return static_cast<uint8_t>(c - '0');
  return static_cast<uint8_t>((c | 0x20) - 'a' + 10);
}

}  // namespace

double ParseReal(std::string_view token) {
  double value = 0;
  const auto result = std::from_chars(token.data(), token.data() + token.size(), value);
  if (result.ec != std::errc::result_out_of_range) return value;
  // Too large or too small: the sign of the exponent, or the place of the point, tells which.
  const size_t exponent = token.find_first_of("eE");
  if (exponent != std::string_view::npos) {
    return token[exponent + 1] == '-' ? 0.0 : std::numeric_limits<double>::infinity();
  }
  const size_t digit = token.find_first_not_of('0');
  return token[digit] == '.' ? 0.0 : std::numeric_limits<double>::infinity();
}

IntegerParse ParseInteger(std::string_view token, int64_t* integer, double* real) {
  if (token.size() > 2 && token[0] == '0' && (token[1] | 0x20) == 'x') {
    uint64_t value = 0;
    size_t digits = 0;
    for (char c : token.substr(2)) {
      if (digits > 0 || c != '0') ++digits;
      value = value << 4 | HexDigit(c);
    }
    if (digits > 16) return IntegerParse::kHexTooBig;
    *integer = static_cast<int64_t>(value);
    return IntegerParse::kInteger;
  }
  const auto result = std::from_chars(token.data(), token.data() + token.size(), *integer);
  if (result.ec == std::errc()) return IntegerParse::kInteger;
  *real = ParseReal(token);
  const size_t first = token.find_first_not_of('0');
  return token.substr(first) == "9223372036854775808" ? IntegerParse::kMinMagnitude
                                                      : IntegerParse::kReal;
}

void AppendText(std::string_view token, std::string* out) {
  const std::string_view inner = token.substr(1, token.size() - 2);
  for (size_t i = 0; i < inner.size(); ++i) {
    out->push_back(inner[i]);
    if (inner[i] == '\'') ++i;
  }
}

void AppendBlob(std::string_view token, std::string* out) {
  const std::string_view hex = token.substr(2, token.size() - 3);
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    out->push_back(static_cast<char>(HexDigit(hex[i]) << 4 | HexDigit(hex[i + 1])));
  }
}

bool ReadLiteral(TokenKind kind, std::string_view token, bool negative, std::string* storage,
                 LiteralValue* value) {
  switch (kind) {
    case TokenKind::k_INTEGER_LITERAL: {
      double real = 0;
      value->type = LiteralType::kInteger;
      if (ParseInteger(token, &value->integer, &real) != IntegerParse::kInteger) return false;
      if (negative) {
        if (value->integer == std::numeric_limits<int64_t>::min()) return false;  // hexadecimal
        value->integer = -value->integer;
      }
      return true;
    }
    case TokenKind::k_FLOAT_LITERAL:
      value->type = LiteralType::kReal;
      value->real = negative ? -ParseReal(token) : ParseReal(token);
      return true;
    case TokenKind::k_STRING: {
      if (negative) return false;
      value->type = LiteralType::kText;
      const std::string_view inner = token.substr(1, token.size() - 2);
      if (std::memchr(inner.data(), '\'', inner.size()) == nullptr) {
        value->bytes = inner;
        return true;
      }
      const size_t start = storage->size();
      AppendText(token, storage);
      value->bytes = std::string_view(*storage).substr(start);
      return true;
    }
    case TokenKind::k_BLOB: {
      if (negative) return false;
      value->type = LiteralType::kBlob;
      const size_t start = storage->size();
      AppendBlob(token, storage);
      value->bytes = std::string_view(*storage).substr(start);
      return true;
    }
    case TokenKind::k_NULL:
      value->type = LiteralType::kNull;
      return !negative;
    default:
      return false;
  }
}

}  // namespace kvsql::parser
