// Values that functions find awkward.
#ifndef KVSQL_TESTS_EXEC_FUNCTION_SAMPLES_H_
#define KVSQL_TESTS_EXEC_FUNCTION_SAMPLES_H_

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "kv/value.h"

namespace kvsql::exec {

// None makes a function ask for much memory: a size is small or over the limit.
inline std::vector<kv::ValueView> FunctionSamples() {
  using kv::ValueView;
  using namespace std::string_view_literals;
  std::vector<ValueView> values = {ValueView::Null()};
  for (const int64_t v : {int64_t{0},
                          int64_t{1},
                          int64_t{-1},
                          int64_t{2},
                          int64_t{3},
                          int64_t{-3},
                          int64_t{10},
                          int64_t{37},
                          int64_t{65},
                          int64_t{255},
                          int64_t{0x20ac},
                          int64_t{0xd800},
                          int64_t{0x10ffff},
                          int64_t{0x110000},
                          int64_t{1} << 32,
                          (int64_t{1} << 32) + 2,
                          int64_t{-1} << 31,
                          (int64_t{1} << 53) + 1,
                          std::numeric_limits<int64_t>::max(),
                          std::numeric_limits<int64_t>::min(),
                          std::numeric_limits<int64_t>::min() + 1}) {
    values.push_back(ValueView::Integer(v));
  }
  for (const double v : {0.0,
                         -0.0,
                         0.5,
                         -0.5,
                         1.0,
                         1.5,
                         2.5,
                         -2.5,
                         0.1,
                         1.005,
                         -1.25,
                         3.14159,
                         100.0,
                         1e10,
                         1e15,
                         123456.789,
                         4503599627370497.5,
                         1e18,
                         1e19,
                         -1e19,
                         1e100,
                         1e-10,
                         1e308,
                         5e-324,
                         0.99999,
                         9.9999999,
                         std::numeric_limits<double>::infinity(),
                         -std::numeric_limits<double>::infinity()}) {
    values.push_back(ValueView::Real(v));
  }
  for (const std::string_view v :
       {""sv, " "sv, "a"sv, "A"sv, "abc"sv, "ABC"sv, "aBcDeFgHiJkLmNoP[@`{z"sv, "  abc  "sv, "%"sv,
        "%b%"sv, "_b_"sv, "*b*"sv, "?b?"sv, "[a-c]bc"sv, "b"sv, "bc"sv, "it's"sv, "''"sv, "\"q\""sv,
        "5"sv, " 7 "sv, "-3"sv, "1.5"sv, "1e3"sv, "12abc"sv, "9223372036854775808"sv, "0x10"sv,
        "-"sv, "."sv, "caf\xc3\xa9"sv, "\xc3\xa9"sv, "\xc3\x89"sv,
        "\xe2\x82\xac"
        "100"sv,
        "\xf0\x9f\x98\x80 ok \xf0\x9f\x98\x80"sv,
        // Malformed: stray continuation, cut off, too long, a surrogate, 0xff.
        "\x80"sv,
        "a\x80\x80"
        "b"sv,
        "\xc3"sv, "ab\xe2\x82"sv, "\xc0\x80"sv, "\xed\xa0\x80"sv, "\xe0\x82\xa9"sv, "\xa9"sv,
        "\xff\xfe"sv, "\xef\xbf\xbf"sv, "\xf4\x90\x80\x80\x80\x80\x80"sv, "a\0b"sv, "\0"sv,
        "abc\0"sv, "\0abc"sv, "it's\0not"sv,
        "the quick brown fox jumps over the lazy dog, and then some more text"sv,
        "%d|%s|%5.2f|%q"sv, "%s%%"sv, "%"sv, "%c%Q%w"sv}) {
    values.push_back(ValueView::Text(v));
  }
  for (const std::string_view v : {""sv, "a"sv, "abc"sv, "\0\x01\xff"sv, "b"sv, "12"sv, "1.5"sv,
                                   "\xc3\xa9"sv, "\x80"sv, "a\0b"sv, "%b%"sv}) {
    values.push_back(ValueView::Blob(v));
  }
  return values;
}

}  // namespace kvsql::exec

#endif  // KVSQL_TESTS_EXEC_FUNCTION_SAMPLES_H_
