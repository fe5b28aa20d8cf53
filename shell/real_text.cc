#include "shell/real_text.h"

#include <cmath>

namespace kvsql::shell {
namespace {

// The digits of a number in [1, 10), most significant first; behind the 26th there are zeros.
class Digits {
 public:
  explicit Digits(long double value) : rest_(value) {}
  char Next() {
    if (left_ == 0) return '0';
    --left_;
    const int digit = static_cast<int>(rest_);
    rest_ = (rest_ - digit) * 10.0L;
    return static_cast<char>('0' + digit);
  }

 private:
  long double rest_;
  int left_ = 26;
};

// Half a unit of the last of `digits` digits behind the point.
long double Rounder(int digits) {
  static constexpr double kHalves[] = {5.0e-01, 5.0e-02, 5.0e-03, 5.0e-04, 5.0e-05,
                                       5.0e-06, 5.0e-07, 5.0e-08, 5.0e-09, 5.0e-10};
  double rounder = kHalves[digits % 10];
  for (; digits >= 10; digits -= 10) rounder *= 1.0e-10;
  return rounder;
}

}  // namespace

std::string_view RealText(double value, int precision, RealBuffer* buffer) {
  if (std::isinf(value)) return value < 0 ? "-Inf" : "Inf";
  char* const begin = buffer->bytes;
  char* out = begin;
  long double scaled = value;
  if (value < 0) {
    scaled = -scaled;
    *out++ = '-';
  }
  --precision;
  int exponent = 0;
  if (scaled > 0) {
    long double scale = 1.0L;
    // The constants are doubles there too.
    for (; scaled >= 1e100 * scale; exponent += 100) scale *= 1e100;
    for (; scaled >= 1e10 * scale; exponent += 10) scale *= 1e10;
    for (; scaled >= 10.0 * scale; ++exponent) scale *= 10.0;
    scaled /= scale;
    for (; scaled < 1e-8; exponent -= 8) scaled *= 1e8;
    for (; scaled < 1.0; --exponent) scaled *= 10.0;
  }
  scaled += Rounder(precision);
  if (scaled >= 10.0L) {
    scaled *= 0.1;
    ++exponent;
  }
  const bool scientific = exponent < -4 || exponent > precision;
  int whole = scientific ? 0 : exponent;  // digits in front of the point, less one
  if (!scientific) precision -= exponent;

  Digits digits(scaled);
  if (whole < 0) {
    *out++ = '0';
  } else {
    for (; whole >= 0; --whole) *out++ = digits.Next();
  }
  *out++ = '.';
  for (++whole; whole < 0; ++whole, --precision) *out++ = '0';
  for (; precision > 0; --precision) *out++ = digits.Next();
  while (out[-1] == '0') --out;
  if (out[-1] == '.') *out++ = '0';
  if (scientific) {
    *out++ = 'e';
    *out++ = exponent < 0 ? '-' : '+';
    if (exponent < 0) exponent = -exponent;
    if (exponent >= 100) *out++ = static_cast<char>('0' + exponent / 100);
    *out++ = static_cast<char>('0' + exponent / 10 % 10);
    *out++ = static_cast<char>('0' + exponent % 10);
  }
  return {begin, static_cast<size_t>(out - begin)};
}

}  // namespace kvsql::shell
