// The values of literal tokens.
#ifndef KVSQL_PARSER_LITERAL_H_
#define KVSQL_PARSER_LITERAL_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "parser/token.h"

namespace kvsql::parser {

enum class LiteralType : uint8_t { kNull, kInteger, kReal, kText, kBlob };

struct LiteralValue {
  LiteralType type = LiteralType::kNull;
  union {
    int64_t integer = 0;
    double real;
  };
  std::string_view bytes;  // text and blob
};

enum class IntegerParse : uint8_t {
  kInteger,       // fits 64 bits
  kMinMagnitude,  // exactly 9223372036854775808: fits behind a minus
  kReal,          // larger: a real
  kHexTooBig,     // more than 16 hexadecimal digits
};

// Reads an INTEGER_LITERAL token; *real is set for kMinMagnitude and kReal.
IntegerParse ParseInteger(std::string_view token, int64_t* integer, double* real);
// Reads a FLOAT_LITERAL token (or the decimal digits of an integer).
double ParseReal(std::string_view token);

// Reads a literal token of any kind (NULL included), behind a minus if `negative`. Bytes that differ from
// those of the token are appended to *storage, which must have room, so that earlier views stay. False for
// what is no plain literal: the integer that only fits behind a minus, larger ones, dates.
bool ReadLiteral(TokenKind kind, std::string_view token, bool negative, std::string* storage,
                 LiteralValue* value);

// Appends the bytes of a STRING (or BLOB) token without its quotes.
void AppendText(std::string_view token, std::string* out);
void AppendBlob(std::string_view token, std::string* out);

}  // namespace kvsql::parser

#endif  // KVSQL_PARSER_LITERAL_H_
