// round().
#include <algorithm>

#include "exec/functions/arguments.h"
#include "exec/functions/builtins.h"
#include "kv/real_format.h"

namespace kvsql::exec::builtin {

using kv::ValueView;

ValueView Round(FunctionContext&, const ValueView* args, int count) {
  int places = 0;
  if (count == 2) {
    if (args[1].is_null()) return {};
    places = std::clamp(ShortIntegerOf(args[1]), 0, 30);
  }
  if (args[0].is_null()) return {};
  const double value = RealOf(args[0]);
  constexpr double kWhole = 4503599627370496.0;  // 2^52: no fraction from here on
  if (value < -kWhole || value > kWhole) return ValueView::Real(value);
  if (places == 0) {
    return ValueView::Real(
        static_cast<double>(static_cast<int64_t>(value + (value < 0 ? -0.5 : 0.5))));
  }
  kv::RealFormat format;
  format.style = kv::RealFormat::Style::kFixed;
  format.precision = places;
  char text[64];  // a sign, 16 digits, a point and 30 digits
  const char* const end = kv::WriteReal(value, format, text);
  return ValueView::Real(kv::ReadReal({text, static_cast<size_t>(end - text)}));
}

}  // namespace kvsql::exec::builtin
