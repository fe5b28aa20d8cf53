#include "kv/real_format.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace kvsql::kv {
namespace {

using Style = RealFormat::Style;

constexpr int kInfiniteExponent = 350;

// Half a unit of the decimal place `precision`.
double HalfUnit(int precision) {
  static constexpr double kHalves[] = {5e-01, 5e-02, 5e-03, 5e-04, 5e-05,
                                       5e-06, 5e-07, 5e-08, 5e-09, 5e-10};
  int places = precision & 0xfff;
  double half = kHalves[places % 10];
  for (; places >= 10; places -= 10) half *= 1.0e-10;
  return half;
}

// Brings *value, which is over 0, into [1, 10); returns the exponent that was taken out.
int Normalise(long double* value) {
  int exponent = 0;
  long double scale = 1.0;
  const auto raise = [&](long double step, int digits) {
    while (*value >= step * scale && exponent <= kInfiniteExponent) {
      scale *= step;
      exponent += digits;
    }
  };
  raise(1e100, 100);
  raise(1e10, 10);
  raise(10.0, 1);
  *value /= scale;
  for (; *value < 1e-8; exponent -= 8) *value *= 1e8;
  for (; *value < 1.0; --exponent) *value *= 10.0;
  return exponent;
}

// The digits of a number in [0, 10), one after the other; zeros once `significant` are out.
class Digits {
 public:
  Digits(long double value, int significant) : value_(value), left_(significant) {}
  char Next() {
    if (left_ <= 0) return '0';
    --left_;
    const int digit = static_cast<int>(value_);
    value_ = (value_ - digit) * 10.0;
    return static_cast<char>('0' + digit);
  }

 private:
  long double value_;
  int left_;
};

char* WriteExponent(int exponent, bool upper, char* out) {
  *out++ = upper ? 'E' : 'e';
  *out++ = exponent < 0 ? '-' : '+';
  exponent = std::abs(exponent);
  if (exponent >= 100) {
    *out++ = static_cast<char>('0' + exponent / 100);
    exponent %= 100;
  }
  *out++ = static_cast<char>('0' + exponent / 10);
  *out++ = static_cast<char>('0' + exponent % 10);
  return out;
}

long double PowerOfTen(int exponent) {
  long double power = 1.0;
  for (long double square = 10.0;; square *= square) {
    if ((exponent & 1) != 0) power *= square;
    exponent >>= 1;
    if (exponent == 0) return power;
  }
}

// significand * 10^exponent, rounded as SQLite does it: a long double scale, then the double.
double Scale(int64_t significand, int exponent) {
  if (significand == 0) return 0;
  const bool down = exponent < 0;
  int left = std::abs(exponent);
  while (left > 0) {
    if (down) {
      if (significand % 10 != 0) break;
      significand /= 10;
    } else {
      if (significand >= std::numeric_limits<int64_t>::max() / 10) break;
      significand *= 10;
    }
    --left;
  }
  const auto value = static_cast<long double>(significand);
  if (left == 0) return static_cast<double>(significand);
  if (left <= 307) {
    const long double scale = PowerOfTen(left);
    return static_cast<double>(down ? value / scale : value * scale);
  }
  if (left >= 342) return down ? 0.0 : std::numeric_limits<double>::infinity();
  const long double scale = PowerOfTen(left - 308);
  const auto near = static_cast<double>(down ? value / scale : value * scale);
  return down ? near / 1.0e+308 : near * 1.0e+308;
}

}  // namespace

int64_t SpaceForReal(const RealFormat& format) {
  constexpr int kLongestWhole = std::numeric_limits<double>::max_exponent10 + 1;
  return int64_t{kLongestWhole} + format.precision + format.width + 32;
}

char* WriteReal(double value, const RealFormat& format, char* out) {
  char sign = format.sign;
  if (value < 0) {
    value = -value;
    sign = '-';
  }
  Style style = format.style;
  int precision = format.precision;
  if (style == Style::kGeneral && precision > 0) --precision;

  long double rest = value;
  double half = HalfUnit(precision);
  if (style == Style::kFixed) {
    // Where 15 digits are shown, what is a hair below a half is one: 1.005 was meant.
    const int binary = static_cast<int>(std::bit_cast<uint64_t>(value) >> 52 & 0x7ff) - 1023;
    if (precision + binary / 3 < 15) {
      half = static_cast<double>(half + rest * static_cast<long double>(3e-16));
    }
    rest += half;
  }
  int exponent = rest > 0 ? Normalise(&rest) : 0;
  char* const start = out;
  if (exponent > kInfiniteExponent) {
    if (sign != 0) *out++ = sign;
    return out + std::string_view("Inf").copy(out, 3);
  }
  if (style != Style::kFixed) {
    rest += half;
    if (rest >= 10.0) {
      rest *= 0.1;
      ++exponent;
    }
  }
  bool drop_zeros = format.more_digits;
  if (style == Style::kGeneral) {
    drop_zeros = !format.alternate;
    if (exponent < -4 || exponent > precision) {
      style = Style::kExponent;
    } else {
      precision -= exponent;
      style = Style::kFixed;
    }
  }

  Digits digits(rest, format.more_digits ? 26 : 16);
  if (sign != 0) *out++ = sign;
  int place = style == Style::kExponent ? 0 : exponent;  // of the next digit
  if (place < 0) {
    *out++ = '0';
  } else {
    for (; place >= 0; --place) *out++ = digits.Next();
  }
  const bool point = precision > 0 || format.alternate || format.more_digits;
  if (point) *out++ = '.';
  for (++place; place < 0; ++place, --precision) *out++ = '0';
  for (; precision > 0; --precision) *out++ = digits.Next();
  if (drop_zeros && point) {
    while (out[-1] == '0') --out;
    if (out[-1] == '.') {
      if (format.more_digits) {
        *out++ = '0';
      } else {
        --out;
      }
    }
  }
  if (style == Style::kExponent) out = WriteExponent(exponent, format.upper, out);

  const auto length = static_cast<int>(out - start);
  if (format.pad_with_zeros && length < format.width) {
    const int zeros = format.width - length;
    char* const first = start + (sign != 0 ? 1 : 0);
    std::memmove(first + zeros, first, static_cast<size_t>(out - first));
    std::memset(first, '0', static_cast<size_t>(zeros));
    out += zeros;
  }
  return out;
}

double ReadReal(std::string_view text) {
  // Digits beyond this are not looked at.
  constexpr int64_t kEnough = (std::numeric_limits<int64_t>::max() - 9) / 10;
  size_t i = 0;
  const bool negative = !text.empty() && text[0] == '-';
  if (negative) ++i;
  int64_t significand = 0;
  int exponent = 0;
  bool fraction = false;
  for (; i < text.size() && text[i] != 'e' && text[i] != 'E'; ++i) {
    if (text[i] == '.') {
      fraction = true;
    } else if (significand < kEnough) {
      significand = significand * 10 + (text[i] - '0');
      if (fraction) --exponent;
    } else if (!fraction) {
      ++exponent;
    }
  }
  if (i < text.size()) {
    ++i;
    const bool down = text[i] == '-';
    int written = 0;
    for (++i; i < text.size(); ++i) written = written * 10 + (text[i] - '0');
    exponent += down ? -written : written;
  }
  const double value = Scale(significand, exponent);
  return negative ? -value : value;
}

}  // namespace kvsql::kv
