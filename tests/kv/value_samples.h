// Values that are hard to compare and encode, and a stream of random ones.
#ifndef KVSQL_TESTS_KV_VALUE_SAMPLES_H_
#define KVSQL_TESTS_KV_VALUE_SAMPLES_H_

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "kv/value.h"

namespace kvsql::kv {

// "NULL", "12", "1.5 (3ff8000000000000)", "'text'", "x'00ff'": for messages and exact comparison.
inline std::string Describe(const ValueView& value) {
  char buffer[64];
  switch (value.type) {
    case ValueType::kNull:
      return "NULL";
    case ValueType::kInteger:
      return std::to_string(value.integer);
    case ValueType::kReal:
      std::snprintf(buffer, sizeof(buffer), "%.17g (%016llx)", value.real,
                    static_cast<unsigned long long>(std::bit_cast<uint64_t>(value.real)));
      return buffer;
    case ValueType::kText:
    case ValueType::kBlob: {
      std::string text = value.type == ValueType::kText ? "'" : "x'";
      for (const char c : value.bytes()) {
        if (value.type == ValueType::kText && c >= ' ' && c <= '~') {
          text += c;
        } else {
          std::snprintf(buffer, sizeof(buffer), "%s%02x",
                        value.type == ValueType::kText ? "\\" : "", static_cast<uint8_t>(c));
          text += buffer;
        }
      }
      return text + "'";
    }
  }
  return "?";
}

inline std::vector<Value> CornerValues() {
  using namespace std::string_view_literals;
  std::vector<Value> values;
  const auto add = [&values](const ValueView& value) { values.emplace_back(value); };
  add(ValueView::Null());
  for (const int64_t base :
       {int64_t{0}, int64_t{1}, int64_t{63}, int64_t{64}, int64_t{127}, int64_t{128}, int64_t{255},
        int64_t{256}, int64_t{32767}, int64_t{32768}, int64_t{1} << 23, int64_t{1} << 24,
        int64_t{1} << 31, int64_t{1} << 32, int64_t{1} << 47, int64_t{1} << 48, int64_t{1} << 53,
        int64_t{1} << 62}) {
    for (const int64_t delta : {-1, 0, 1}) {
      add(ValueView::Integer(base + delta));
      add(ValueView::Integer(-(base + delta)));
      add(ValueView::Real(static_cast<double>(base + delta)));
      add(ValueView::Real(-static_cast<double>(base + delta)));
    }
  }
  for (const int64_t v : {INT64_MAX, INT64_MAX - 1, INT64_MIN, INT64_MIN + 1}) {
    add(ValueView::Integer(v));
  }
  using limits = std::numeric_limits<double>;
  for (const double v : {0.5,
                         0.25,
                         0.1,
                         1.5,
                         2.5,
                         1e-5,
                         1e15,
                         1e16,
                         1e17,
                         1e20,
                         123456.789,
                         1e100,
                         1e300,
                         9007199254740993.0,
                         4503599627370497.5,
                         9223372036854775807.0,
                         9223372036854774784.0,
                         9223372036854777856.0,
                         18446744073709551616.0,
                         18446744073709549568.0,
                         18446744073709555712.0,
                         limits::max(),
                         limits::min(),
                         limits::denorm_min(),
                         limits::epsilon(),
                         limits::infinity(),
                         std::nextafter(1.0, 2.0),
                         std::nextafter(1.0, 0.0),
                         2.2250738585072009e-308,
                         3.4028234663852886e38,
                         1.1754943508222875e-38}) {
    add(ValueView::Real(v));
    add(ValueView::Real(-v));
  }
  add(ValueView::Real(-0.0));
  add(ValueView::Real(limits::quiet_NaN()));
  for (const std::string_view text :
       {""sv,          "a"sv,        "A"sv,      "b"sv,        "B"sv,    "aa"sv,    "Ab"sv,
        "a "sv,        "a  "sv,      "a b"sv,    " a"sv,       " "sv,    "  "sv,    "\0"sv,
        "a\0"sv,       "a\0b"sv,     "a\0\0"sv,  "A\0B"sv,     "\x01"sv, "a\x01"sv, "a\xff"sv,
        "\xff"sv,      "\xff\xff"sv, "\0\xff"sv, "\0\xff\0"sv, "z{"sv,   "Z["sv,    "[`"sv,
        "\xc3\x84"sv,  "a \0"sv,     "a\x1f"sv,  "a!"sv,       "1"sv,    "1.0"sv,   "abcdefgh"sv,
        "ABCDEFGHI"sv, "abc\0def"sv}) {
    add(ValueView::Text(text));
    add(ValueView::Blob(text));
  }
  return values;
}

inline Value RandomValue(std::mt19937_64& random) {
  const auto bits = random();
  switch (random() % 8) {
    case 0:
      return Value();
    case 1:
      return Value(ValueView::Integer(static_cast<int64_t>(bits >> (random() % 64))));
    case 2:
      return Value(ValueView::Integer(-static_cast<int64_t>(bits >> (1 + random() % 63))));
    case 3:
      return Value(ValueView::Real(std::bit_cast<double>(bits)));
    case 4:
      return Value(ValueView::Real(static_cast<double>(static_cast<int64_t>(bits)) /
                                   static_cast<double>(uint64_t{1} << (random() % 64))));
    default: {
      static constexpr std::string_view kAlphabet(
          "\0\x01 \xff"
          "aAbBzZ",
          10);
      std::string text;
      for (auto left = random() % 12; left > 0; --left) {
        text += random() % 4 == 0 ? static_cast<char>(random() & 0xff)
                                  : kAlphabet[random() % kAlphabet.size()];
      }
      return Value(bits % 3 == 0 ? ValueView::Blob(text) : ValueView::Text(text));
    }
  }
}

}  // namespace kvsql::kv

#endif  // KVSQL_TESTS_KV_VALUE_SAMPLES_H_
