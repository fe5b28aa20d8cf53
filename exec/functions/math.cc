// abs, sign, and the functions of C's math library. An argument that is not a number as a whole, or is
// outside of the domain, gives NULL.
#include <cmath>
#include <limits>
#include <numbers>

#include "exec/functions/arguments.h"
#include "exec/functions/builtins.h"

namespace kvsql::exec::builtin {
namespace {

using kv::ValueType;
using kv::ValueView;

template <typename Function>
ValueView OfReal(const ValueView& arg, Function function) {
  const ValueView number = NumberIfNumeric(arg);
  if (!number.is_number()) return {};
  return ValueView::Real(function(RealOf(number)));
}

template <typename Function>
ValueView OfReals(const ValueView* args, Function function) {
  const ValueView first = NumberIfNumeric(args[0]);
  const ValueView second = NumberIfNumeric(args[1]);
  if (!first.is_number() || !second.is_number()) return {};
  return ValueView::Real(function(RealOf(first), RealOf(second)));
}

// An integer stays one.
template <typename Function>
ValueView Whole(const ValueView& arg, Function function) {
  const ValueView number = NumberIfNumeric(arg);
  if (number.type == ValueType::kInteger) return number;
  if (number.type != ValueType::kReal) return {};
  return ValueView::Real(function(number.real));
}

// The natural logarithm divided by `divisor`; 0: not divided.
ValueView Logarithm(const ValueView& arg, double divisor) {
  const ValueView number = NumberIfNumeric(arg);
  if (!number.is_number()) return {};
  const double x = RealOf(number);
  if (x <= 0) return {};
  return ValueView::Real(divisor == 0 ? std::log(x) : std::log(x) / divisor);
}

}  // namespace

ValueView Abs(FunctionContext& context, const ValueView* args, int) {
  const ValueView& x = args[0];
  if (x.is_null()) return {};
  if (x.type == ValueType::kInteger) {
    if (x.integer == std::numeric_limits<int64_t>::min()) return Fail(context, "integer overflow");
    return ValueView::Integer(x.integer < 0 ? -x.integer : x.integer);
  }
  const double real = RealOf(x);
  return ValueView::Real(real < 0 ? -real : real);
}

ValueView Sign(FunctionContext&, const ValueView* args, int) {
  const ValueView number = NumberIfNumeric(args[0]);
  if (!number.is_number()) return {};
  const double x = RealOf(number);
  return ValueView::Integer(x < 0 ? -1 : (x > 0 ? 1 : 0));
}

#define KVSQL_MATH(name, expression)                               \
  ValueView name(FunctionContext&, const ValueView* args, int) {   \
    return OfReal(args[0], [](double x) { return (expression); }); \
  }
KVSQL_MATH(Acos, std::acos(x))
KVSQL_MATH(Acosh, std::acosh(x))
KVSQL_MATH(Asin, std::asin(x))
KVSQL_MATH(Asinh, std::asinh(x))
KVSQL_MATH(Atan, std::atan(x))
KVSQL_MATH(Atanh, std::atanh(x))
KVSQL_MATH(Cos, std::cos(x))
KVSQL_MATH(Cosh, std::cosh(x))
KVSQL_MATH(Degrees, x*(180.0 / std::numbers::pi))
KVSQL_MATH(Exp, std::exp(x))
KVSQL_MATH(Radians, x*(std::numbers::pi / 180.0))
KVSQL_MATH(Sin, std::sin(x))
KVSQL_MATH(Sinh, std::sinh(x))
KVSQL_MATH(Sqrt, std::sqrt(x))
KVSQL_MATH(Tan, std::tan(x))
KVSQL_MATH(Tanh, std::tanh(x))
#undef KVSQL_MATH

ValueView Atan2(FunctionContext&, const ValueView* args, int) {
  return OfReals(args, [](double y, double x) { return std::atan2(y, x); });
}
ValueView Mod(FunctionContext&, const ValueView* args, int) {
  return OfReals(args, [](double x, double y) { return std::fmod(x, y); });
}
ValueView Pow(FunctionContext&, const ValueView* args, int) {
  return OfReals(args, [](double x, double y) { return std::pow(x, y); });
}
ValueView Power(FunctionContext& context, const ValueView* args, int count) {
  return Pow(context, args, count);
}
ValueView Pi(FunctionContext&, const ValueView*, int) { return ValueView::Real(std::numbers::pi); }

ValueView Ceil(FunctionContext&, const ValueView* args, int) {
  return Whole(args[0], [](double x) { return std::ceil(x); });
}
ValueView Ceiling(FunctionContext& context, const ValueView* args, int count) {
  return Ceil(context, args, count);
}
ValueView Floor(FunctionContext&, const ValueView* args, int) {
  return Whole(args[0], [](double x) { return std::floor(x); });
}
ValueView Trunc(FunctionContext&, const ValueView* args, int) {
  return Whole(args[0], [](double x) { return std::trunc(x); });
}

ValueView Ln(FunctionContext&, const ValueView* args, int) { return Logarithm(args[0], 0); }
ValueView Log10(FunctionContext&, const ValueView* args, int) {
  return Logarithm(args[0], std::numbers::ln10);
}
ValueView Log2(FunctionContext&, const ValueView* args, int) {
  return Logarithm(args[0], std::numbers::ln2);
}

// log(x): base 10; log(b, x): base b. SQLite looks at the type of b only, so x may be a text that merely
// begins with a number.
ValueView Log(FunctionContext& context, const ValueView* args, int count) {
  if (count == 1) return Log10(context, args, count);
  const ValueView base = NumberIfNumeric(args[0]);
  if (!base.is_number()) return {};
  const double b = RealOf(base);
  if (b <= 0) return {};
  const double divisor = std::log(b);
  if (divisor <= 0) return {};
  const double x = RealOf(args[1]);
  if (x <= 0) return {};
  return ValueView::Real(std::log(x) / divisor);
}

}  // namespace kvsql::exec::builtin
