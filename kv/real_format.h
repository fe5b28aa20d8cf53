// Reals as SQLite 3.40's printf writes them, and back: its very algorithms, in long double, because
// others differ from them in the last digits. (Where long double is not x86's, so does SQLite.)
//
// Thread safety: functions without state.
#ifndef KVSQL_KV_REAL_FORMAT_H_
#define KVSQL_KV_REAL_FORMAT_H_

#include <cstdint>
#include <string_view>

namespace kvsql::kv {

struct RealFormat {
  enum class Style : uint8_t { kFixed, kExponent, kGeneral };
  Style style = Style::kGeneral;
  bool upper = false;           // 'E', not 'e'
  bool alternate = false;       // "#": always a point; general keeps its zeros
  bool more_digits = false;     // "!": 26 digits that count, not 16; a digit after the point
  bool pad_with_zeros = false;  // to `width`, behind the sign
  char sign = 0;                // of what is not negative: '+', ' ' or none
  int32_t precision = 6;
  int32_t width = 0;
};

// Bytes that WriteReal may need.
int64_t SpaceForReal(const RealFormat& format);

// Writes `value`, which is no NaN, and returns the end.
char* WriteReal(double value, const RealFormat& format, char* out);

// The real that SQLite 3.40 reads from what WriteReal wrote; not for "Inf".
double ReadReal(std::string_view text);

}  // namespace kvsql::kv

#endif  // KVSQL_KV_REAL_FORMAT_H_
