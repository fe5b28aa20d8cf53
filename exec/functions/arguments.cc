#include "exec/functions/arguments.h"

#include <limits>

namespace kvsql::exec {
namespace {

using kv::ParsedNumber;
using kv::ValueType;
using kv::ValueView;

int64_t Truncated(double real) {
  constexpr double kTwo63 = 9223372036854775808.0;
  if (real <= -kTwo63) return std::numeric_limits<int64_t>::min();
  if (real >= kTwo63) return std::numeric_limits<int64_t>::max();
  return static_cast<int64_t>(real);
}

}  // namespace

int64_t IntegerOf(const ValueView& value) {
  switch (value.type) {
    case ValueType::kNull:
      return 0;
    case ValueType::kInteger:
      return value.integer;
    case ValueType::kReal:
      return Truncated(value.real);
    default: {
      kv::NumberText unused;
      return kv::CastValue(value, kv::Affinity::kInteger, &unused).integer;
    }
  }
}

double RealOf(const ValueView& value) {
  switch (value.type) {
    case ValueType::kNull:
      return 0;
    case ValueType::kInteger:
      return static_cast<double>(value.integer);
    case ValueType::kReal:
      return value.real;
    default:
      return kv::ParseNumber(value.bytes()).real;
  }
}

ValueView NumberIfNumeric(const ValueView& value) {
  if (value.type != ValueType::kText) return value;
  const ParsedNumber number = kv::ParseNumber(value.bytes());
  if (number.extent != ParsedNumber::Extent::kWhole) return value;
  return number.is_integer ? ValueView::Integer(number.integer) : ValueView::Real(number.real);
}

bool IsTrue(const ValueView& value) {
  return value.type == ValueType::kInteger ? value.integer != 0 : RealOf(value) != 0;
}

ValueView Fail(FunctionContext& context, std::string_view message) {
  if (context.status.ok()) {
    context.status = absl::InvalidArgumentError({message.data(), message.size()});
  }
  return {};
}

ValueView FailTooBig(FunctionContext& context) {
  if (context.status.ok()) context.status = TooBigError();
  return {};
}

Status TooBigError() { return absl::InvalidArgumentError("string or blob too big"); }

}  // namespace kvsql::exec
