#include "kv/value.h"

#include "kv/real_format.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>

namespace kvsql::kv {
namespace {

constexpr double kTwo63 = 9223372036854775808.0;

template <typename T>
int Sign(T a, T b) {
  return a < b ? -1 : (a > b ? 1 : 0);
}

int CompareBytes(std::string_view a, std::string_view b) {
  const size_t common = std::min(a.size(), b.size());
  const int order = common == 0 ? 0 : std::memcmp(a.data(), b.data(), common);
  return order != 0 ? order : Sign(a.size(), b.size());
}

int CompareNumbers(const ValueView& a, const ValueView& b) {
  if (a.type == ValueType::kInteger) {
    return b.type == ValueType::kInteger ? Sign(a.integer, b.integer)
                                         : CompareIntegerReal(a.integer, b.real);
  }
  return b.type == ValueType::kReal ? Sign(a.real, b.real) : -CompareIntegerReal(b.integer, a.real);
}

// NULL, numbers, text, blob.
int TypeRank(ValueType type) {
  switch (type) {
    case ValueType::kNull:
      return 0;
    case ValueType::kInteger:
    case ValueType::kReal:
      return 1;
    case ValueType::kText:
      return 2;
    case ValueType::kBlob:
      return 3;
  }
  return 3;
}

bool IsBlank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

std::string_view TrimRight(std::string_view text) {
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// Decimal digits with an optional sign into 64 bits; false if they do not fit.
bool DigitsToInteger(std::string_view digits, bool negative, int64_t* out) {
  uint64_t magnitude = 0;
  for (const char c : digits) {
    const auto digit = static_cast<uint64_t>(c - '0');
    if (magnitude > (UINT64_MAX - digit) / 10) return false;
    magnitude = magnitude * 10 + digit;
  }
  const uint64_t limit = uint64_t{1} << 63;
  if (negative ? magnitude > limit : magnitude >= limit) return false;
  *out = static_cast<int64_t>(negative ? 0 - magnitude : magnitude);
  return true;
}

// The double nearest to an unsigned decimal number of checked syntax.
double DecimalToReal(std::string_view text) {
  double value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::general);
  if (error != std::errc::result_out_of_range) return value;
  // Too large, or too small to be anything but 0: the sign of the decimal exponent of the first
  // digit that is not 0 tells which.
  int64_t exponent = 0;
  bool seen_digit = false;
  bool seen_point = false;
  size_t i = 0;
  for (; i < text.size() && text[i] != 'e' && text[i] != 'E'; ++i) {
    if (text[i] == '.') {
      seen_point = true;
    } else {
      if (text[i] != '0') seen_digit = true;
      if (seen_digit && !seen_point) ++exponent;
      if (!seen_digit && seen_point) --exponent;
    }
  }
  if (!seen_digit) return 0;
  if (i < text.size()) {
    ++i;
    const bool negative = i < text.size() && text[i] == '-';
    if (i < text.size() && (text[i] == '-' || text[i] == '+')) ++i;
    int64_t written = 0;
    for (; i < text.size(); ++i)
      written = std::min<int64_t>(written * 10 + (text[i] - '0'), 1 << 30);
    exponent += negative ? -written : written;
  }
  return exponent > 0 ? std::numeric_limits<double>::infinity() : 0.0;
}

ValueView NumericFromText(std::string_view text, const ValueView& original) {
  const ParsedNumber number = ParseNumber(text);
  if (number.extent != ParsedNumber::Extent::kWhole) return original;
  if (number.is_integer) return ValueView::Integer(number.integer);
  if (int64_t integer = 0; RealToInteger(number.real, &integer)) return ValueView::Integer(integer);
  return ValueView::Real(number.real);
}

}  // namespace

std::string_view ValueTypeName(ValueType type) {
  switch (type) {
    case ValueType::kNull:
      return "null";
    case ValueType::kInteger:
      return "integer";
    case ValueType::kReal:
      return "real";
    case ValueType::kText:
      return "text";
    case ValueType::kBlob:
      return "blob";
  }
  return "null";
}

bool ParseCollation(std::string_view name, Collation* out) {
  for (const Collation collation : {Collation::kBinary, Collation::kNocase, Collation::kRtrim}) {
    if (EqualsIgnoreCase(name, CollationName(collation))) {
      *out = collation;
      return true;
    }
  }
  return false;
}

std::string_view CollationName(Collation collation) {
  switch (collation) {
    case Collation::kBinary:
      return "BINARY";
    case Collation::kNocase:
      return "NOCASE";
    case Collation::kRtrim:
      return "RTRIM";
  }
  return "BINARY";
}

Affinity AffinityOfType(std::string_view declared_type) {
  if (declared_type.empty()) return Affinity::kBlob;
  const std::string type = LowerAscii(declared_type);
  if (type.find("int") != std::string::npos) return Affinity::kInteger;
  if (type.find("char") != std::string::npos || type.find("clob") != std::string::npos ||
      type.find("text") != std::string::npos) {
    return Affinity::kText;
  }
  if (type.find("blob") != std::string::npos) return Affinity::kBlob;
  if (type.find("real") != std::string::npos || type.find("floa") != std::string::npos ||
      type.find("doub") != std::string::npos) {
    return Affinity::kReal;
  }
  return Affinity::kNumeric;
}

int CompareIntegerReal(int64_t integer, double real) {
  if (real >= kTwo63) return -1;
  if (real < -kTwo63) return 1;
  const auto whole = static_cast<int64_t>(real);  // toward zero
  if (integer != whole) return integer < whole ? -1 : 1;
  // Below 2^53 the conversion back is exact, and above it a double has no fraction.
  return Sign(static_cast<double>(whole), real);
}

int CompareText(std::string_view a, std::string_view b, Collation collation) {
  switch (collation) {
    case Collation::kBinary:
      return CompareBytes(a, b);
    case Collation::kNocase: {
      const size_t common = std::min(a.size(), b.size());
      for (size_t i = 0; i < common; ++i) {
        const auto x = static_cast<uint8_t>(FoldAscii(a[i]));
        const auto y = static_cast<uint8_t>(FoldAscii(b[i]));
        if (x != y) return x < y ? -1 : 1;
      }
      return Sign(a.size(), b.size());
    }
    case Collation::kRtrim:
      return CompareBytes(TrimRight(a), TrimRight(b));
  }
  return 0;
}

int CompareValues(const ValueView& a, const ValueView& b, Collation collation) {
  const int rank = TypeRank(a.type);
  if (const int other = TypeRank(b.type); rank != other) return Sign(rank, other);
  switch (rank) {
    case 0:
      return 0;
    case 1:
      return CompareNumbers(a, b);
    case 2:
      return CompareText(a.bytes(), b.bytes(), collation);
    default:
      return CompareBytes(a.bytes(), b.bytes());
  }
}

void FormatInteger(int64_t value, NumberText* out) {
  out->size = static_cast<uint32_t>(
      std::to_chars(out->data, out->data + sizeof(out->data), value).ptr - out->data);
}

void FormatReal(double value, NumberText* out) {
  if (std::isinf(value)) {
    const std::string_view name = value < 0 ? "-Inf" : "Inf";
    std::memcpy(out->data, name.data(), name.size());
    out->size = static_cast<uint32_t>(name.size());
    return;
  }
  // SQLite's "%!.15g".
  RealFormat format;
  format.precision = 15;
  format.more_digits = true;
  char text[64];
  const char* const end = WriteReal(value == 0 ? 0 : value, format, text);
  const auto size = static_cast<size_t>(end - text);
  std::memcpy(out->data, text, size);
  out->size = static_cast<uint32_t>(size);
}

ParsedNumber ParseNumber(std::string_view text) {
  ParsedNumber result;
  size_t i = 0;
  while (i < text.size() && IsBlank(text[i])) ++i;
  bool negative = false;
  if (i < text.size() && (text[i] == '-' || text[i] == '+')) negative = text[i++] == '-';
  const size_t start = i;
  while (i < text.size() && IsDigit(text[i])) ++i;
  size_t digits = i - start;
  bool integral = true;
  if (i < text.size() && text[i] == '.') {
    const size_t fraction = i + 1;
    size_t j = fraction;
    while (j < text.size() && IsDigit(text[j])) ++j;
    // A point alone is no number, and then nothing has been read.
    if (digits + (j - fraction) > 0) {
      digits += j - fraction;
      integral = false;
      i = j;
    }
  }
  if (digits == 0) {
    // A sign alone is still seen by a cast to REAL.
    if (negative) result.real = -0.0;
    return result;
  }
  // "1e" and "1e+" begin with the number 1.
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    size_t j = i + 1;
    if (j < text.size() && (text[j] == '-' || text[j] == '+')) ++j;
    if (j < text.size() && IsDigit(text[j])) {
      while (j < text.size() && IsDigit(text[j])) ++j;
      integral = false;
      i = j;
    }
  }
  const std::string_view number = text.substr(start, i - start);
  if (integral && DigitsToInteger(number, negative, &result.integer)) {
    result.is_integer = true;
    result.real = negative && result.integer == 0 ? -0.0 : static_cast<double>(result.integer);
  } else {
    result.integer = 0;
    const double magnitude = DecimalToReal(number);
    result.real = negative ? -magnitude : magnitude;
  }
  while (i < text.size() && IsBlank(text[i])) ++i;
  result.extent = i == text.size() ? ParsedNumber::Extent::kWhole : ParsedNumber::Extent::kPrefix;
  return result;
}

bool RealToInteger(double real, int64_t* out) {
  if (!(real > -kTwo63 && real < kTwo63)) return false;
  const auto integer = static_cast<int64_t>(real);
  if (static_cast<double>(integer) != real) return false;
  *out = integer;
  return true;
}

ValueView ApplyAffinity(const ValueView& value, Affinity affinity, NumberText* text) {
  switch (affinity) {
    case Affinity::kBlob:
      return value;
    case Affinity::kText:
      if (value.type == ValueType::kInteger) {
        FormatInteger(value.integer, text);
        return ValueView::Text(text->view());
      }
      if (value.type == ValueType::kReal) {
        FormatReal(value.real, text);
        return ValueView::Text(text->view());
      }
      return value;
    case Affinity::kNumeric:
    case Affinity::kInteger:
      if (value.type == ValueType::kText) return NumericFromText(value.bytes(), value);
      if (value.type == ValueType::kReal) {
        if (int64_t integer = 0; RealToInteger(value.real, &integer)) {
          return ValueView::Integer(integer);
        }
      }
      return value;
    case Affinity::kReal: {
      ValueView number = value;
      if (value.type == ValueType::kText) number = NumericFromText(value.bytes(), value);
      if (number.type == ValueType::kInteger) {
        return ValueView::Real(static_cast<double>(number.integer));
      }
      // A REAL column has no -0.0: what is integral passes through an integer there.
      if (number.type == ValueType::kReal && number.real == 0) return ValueView::Real(0);
      return number;
    }
  }
  return value;
}

ValueView CastValue(const ValueView& value, Affinity affinity, NumberText* text) {
  if (value.is_null()) return value;
  switch (affinity) {
    case Affinity::kBlob: {
      const ValueView as_text =
          value.type == ValueType::kBlob ? value : ApplyAffinity(value, Affinity::kText, text);
      return ValueView::Blob(as_text.bytes());
    }
    case Affinity::kText:
      if (value.type == ValueType::kBlob) return ValueView::Text(value.bytes());
      return ApplyAffinity(value, Affinity::kText, text);
    case Affinity::kInteger: {
      double real = 0;
      if (value.type == ValueType::kInteger) return value;
      if (value.type == ValueType::kReal) {
        real = value.real;
      } else {
        // The longest prefix that is an integer; no point, no exponent.
        std::string_view digits = value.bytes();
        size_t i = 0;
        while (i < digits.size() && IsBlank(digits[i])) ++i;
        bool negative = false;
        if (i < digits.size() && (digits[i] == '-' || digits[i] == '+'))
          negative = digits[i++] == '-';
        size_t end = i;
        while (end < digits.size() && IsDigit(digits[end])) ++end;
        int64_t integer = 0;
        if (DigitsToInteger(digits.substr(i, end - i), negative, &integer)) {
          return ValueView::Integer(integer);
        }
        return ValueView::Integer(negative ? INT64_MIN : INT64_MAX);
      }
      if (real <= -kTwo63) return ValueView::Integer(INT64_MIN);
      if (real >= kTwo63) return ValueView::Integer(INT64_MAX);
      return ValueView::Integer(static_cast<int64_t>(real));
    }
    case Affinity::kReal: {
      if (value.type == ValueType::kReal) return value;
      if (value.type == ValueType::kInteger) {
        return ValueView::Real(static_cast<double>(value.integer));
      }
      return ValueView::Real(ParseNumber(value.bytes()).real);
    }
    case Affinity::kNumeric: {
      if (value.is_number()) return value;
      const ParsedNumber number = ParseNumber(value.bytes());
      if (number.is_integer) return ValueView::Integer(number.integer);
      // A cast, unlike an affinity, leaves integral reals from 2^51 on as they are.
      constexpr int64_t kLimit = int64_t{1} << 51;
      if (int64_t integer = 0;
          RealToInteger(number.real, &integer) && integer >= -kLimit && integer < kLimit) {
        return ValueView::Integer(integer);
      }
      return ValueView::Real(number.real);
    }
  }
  return value;
}

bool EqualsIgnoreCase(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (FoldAscii(a[i]) != FoldAscii(b[i])) return false;
  }
  return true;
}

std::string LowerAscii(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = FoldAscii(c);
  return lower;
}

}  // namespace kvsql::kv
