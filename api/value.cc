#include <kvsql/value.h>

#include <string>
#include <string_view>

#include "api/convert.h"
#include "kv/value.h"

namespace kvsql {

std::string_view value_type_name(ValueType type) {
  switch (type) {
    case ValueType::kInteger:
      return "INTEGER";
    case ValueType::kReal:
      return "REAL";
    case ValueType::kText:
      return "TEXT";
    case ValueType::kBlob:
      return "BLOB";
    default:
      return "NULL";
  }
}

std::string ValueView::to_string() const {
  kv::NumberText number;
  switch (type_) {
    case ValueType::kNull:
      return "NULL";
    case ValueType::kInteger:
      kv::FormatInteger(integer_, &number);
      return std::string(number.view());
    case ValueType::kReal:
      kv::FormatReal(real_, &number);
      return std::string(number.view());
    case ValueType::kText: {
      std::string literal = "'";
      for (const char c : text()) {
        literal += c;
        if (c == '\'') literal += c;
      }
      return literal += '\'';
    }
    case ValueType::kBlob:
      break;
  }
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string literal = "x'";
  for (const char c : text()) {
    literal += kDigits[static_cast<unsigned char>(c) >> 4];
    literal += kDigits[static_cast<unsigned char>(c) & 15];
  }
  return literal += '\'';
}

}  // namespace kvsql
