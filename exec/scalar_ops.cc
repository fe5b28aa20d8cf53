#include "exec/scalar_ops.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace kvsql::exec {

using kv::NumberText;
using kv::ValueType;
using kv::ValueView;
using planner::CompareAffinity;
using planner::Opcode;

namespace {

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

// The number that arithmetic sees: text and blobs give their numeric prefix, integer 0 without one.
ValueView ToNumber(const ValueView& value) {
  if (value.type != ValueType::kText && value.type != ValueType::kBlob) return value;
  const kv::ParsedNumber parsed = kv::ParseNumber(value.bytes());
  if (parsed.extent == kv::ParsedNumber::Extent::kNone) return ValueView::Integer(0);
  return parsed.is_integer ? ValueView::Integer(parsed.integer) : ValueView::Real(parsed.real);
}

int64_t RealToInt(double real) {
  if (real <= static_cast<double>(kMin)) return kMin;
  if (real >= static_cast<double>(kMax)) return kMax;
  return static_cast<int64_t>(real);
}

// The integer at the start of a text, cut to 64 bits; a point or exponent ends it ('1e2' is 1).
int64_t IntegerPrefix(std::string_view text) {
  size_t i = 0;
  while (i < text.size() && (text[i] == ' ' || (text[i] >= '\t' && text[i] <= '\r'))) ++i;
  const bool negative = i < text.size() && text[i] == '-';
  if (i < text.size() && (text[i] == '-' || text[i] == '+')) ++i;
  uint64_t magnitude = 0;
  for (; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i) {
    const auto digit = static_cast<uint64_t>(text[i] - '0');
    if (magnitude > (static_cast<uint64_t>(kMax) - digit) / 10) return negative ? kMin : kMax;
    magnitude = magnitude * 10 + digit;
  }
  return negative ? -static_cast<int64_t>(magnitude) : static_cast<int64_t>(magnitude);
}

// The integer that bit operators and % see.
int64_t ToInt(const ValueView& value) {
  switch (value.type) {
    case ValueType::kInteger:
      return value.integer;
    case ValueType::kReal:
      return RealToInt(value.real);
    case ValueType::kNull:
      return 0;
    default:
      return IntegerPrefix(value.bytes());
  }
}

double ToReal(const ValueView& number) {
  return number.type == ValueType::kInteger ? static_cast<double>(number.integer) : number.real;
}

}  // namespace

ValueView Arithmetic(Opcode op, const ValueView& left, const ValueView& right) {
  if (left.is_null() || right.is_null()) return {};
  const ValueView a = ToNumber(left);
  const ValueView b = ToNumber(right);
  if (a.is_null() || b.is_null()) return {};
  if (a.type == ValueType::kInteger && b.type == ValueType::kInteger) {
    int64_t result = 0;
    switch (op) {
      case Opcode::kAdd:
        if (!__builtin_add_overflow(a.integer, b.integer, &result))
          return ValueView::Integer(result);
        break;
      case Opcode::kSubtract:
        if (!__builtin_sub_overflow(a.integer, b.integer, &result))
          return ValueView::Integer(result);
        break;
      case Opcode::kMultiply:
        if (!__builtin_mul_overflow(a.integer, b.integer, &result))
          return ValueView::Integer(result);
        break;
      case Opcode::kDivide:
        if (b.integer == 0) return {};
        if (b.integer != -1 || a.integer != kMin) return ValueView::Integer(a.integer / b.integer);
        break;
      default:  // remainder
        if (b.integer == 0) return {};
        return ValueView::Integer(b.integer == -1 ? 0 : a.integer % b.integer);
    }
  }
  const double x = ToReal(a);
  const double y = ToReal(b);
  switch (op) {
    case Opcode::kAdd:
      return ValueView::Real(x + y);
    case Opcode::kSubtract:
      return ValueView::Real(x - y);
    case Opcode::kMultiply:
      return ValueView::Real(x * y);
    case Opcode::kDivide:
      return y == 0 ? ValueView() : ValueView::Real(x / y);
    default: {
      const int64_t divisor = ToInt(right);
      if (divisor == 0) return {};
      const int64_t remainder = divisor == -1 ? 0 : ToInt(left) % divisor;
      return ValueView::Real(static_cast<double>(remainder));
    }
  }
}

namespace {

ValueView Shift(int64_t value, int64_t by, bool left) {
  if (by == 0) return ValueView::Integer(value);
  if (by < 0) {  // the other way round
    left = !left;
    by = by > -64 ? -by : 64;
  }
  if (by >= 64) return ValueView::Integer(value >= 0 || left ? 0 : -1);
  if (left) return ValueView::Integer(static_cast<int64_t>(static_cast<uint64_t>(value) << by));
  return ValueView::Integer(value >> by);
}

}  // namespace

ValueView Bitwise(Opcode op, const ValueView& left, const ValueView& right) {
  if (left.is_null() || right.is_null()) return {};
  const int64_t a = ToInt(left);
  const int64_t b = ToInt(right);
  switch (op) {
    case Opcode::kBitAnd:
      return ValueView::Integer(a & b);
    case Opcode::kBitOr:
      return ValueView::Integer(a | b);
    default:
      return Shift(a, b, op == Opcode::kShiftLeft);
  }
}

std::string_view TextOf(const ValueView& value, NumberText* text) {
  switch (value.type) {
    case ValueType::kInteger:
      kv::FormatInteger(value.integer, text);
      return text->view();
    case ValueType::kReal:
      kv::FormatReal(value.real, text);
      return text->view();
    case ValueType::kNull:
      return {};
    default:
      return value.bytes();
  }
}

ValueView Concat(const ValueView& left, const ValueView& right, TextArena* arena) {
  if (left.is_null() || right.is_null()) return {};
  NumberText left_text;
  NumberText right_text;
  const std::string_view a = TextOf(left, &left_text);
  const std::string_view b = TextOf(right, &right_text);
  char* text = arena->Allocate(a.size() + b.size());
  if (!a.empty()) std::memcpy(text, a.data(), a.size());
  if (!b.empty()) std::memcpy(text + a.size(), b.data(), b.size());
  return ValueView::Text({text, a.size() + b.size()});
}

int64_t ToInteger(const ValueView& value) { return ToInt(value); }

namespace {

// Copies a text that stands in *text to where it stays.
ValueView Keep(const ValueView& value, const NumberText& text, TextArena* arena) {
  if ((value.type != ValueType::kText && value.type != ValueType::kBlob) ||
      value.data != text.data) {
    return value;
  }
  return CopyBytes(value, arena);
}

}  // namespace

ValueView CopyBytes(const ValueView& value, TextArena* arena) {
  if (value.type != ValueType::kText && value.type != ValueType::kBlob) return value;
  ValueView copy = value;
  char* bytes = arena->Allocate(value.size);
  if (value.size != 0) std::memcpy(bytes, value.data, value.size);
  copy.data = bytes;
  return copy;
}

ValueView Cast(const ValueView& value, kv::Affinity affinity, TextArena* arena) {
  NumberText text;
  return Keep(kv::CastValue(value, affinity, &text), text, arena);
}

ValueView WithAffinity(const ValueView& value, kv::Affinity affinity, TextArena* arena) {
  NumberText text;
  return Keep(kv::ApplyAffinity(value, affinity, &text), text, arena);
}

int CompareOperands(uint8_t extra, const ValueView& left, const ValueView& right) {
  const kv::Collation collation = planner::CollationOfComparison(extra);
  const CompareAffinity affinity = planner::AffinityOfComparison(extra);
  if (affinity == CompareAffinity::kNone) return kv::CompareValues(left, right, collation);
  const kv::Affinity applied =
      affinity == CompareAffinity::kNumeric ? kv::Affinity::kNumeric : kv::Affinity::kText;
  NumberText left_text;
  NumberText right_text;
  return kv::CompareValues(kv::ApplyAffinity(left, applied, &left_text),
                           kv::ApplyAffinity(right, applied, &right_text), collation);
}

ValueView Compare(Opcode op, uint8_t extra, const ValueView& left, const ValueView& right) {
  if (left.is_null() || right.is_null()) {
    if (op != Opcode::kIs && op != Opcode::kIsNot) return {};
    const bool same = left.is_null() && right.is_null();
    return ValueView::Integer(same == (op == Opcode::kIs) ? 1 : 0);
  }
  const int order = CompareOperands(extra, left, right);
  bool result = false;
  switch (op) {
    case Opcode::kEqual:
    case Opcode::kIs:
      result = order == 0;
      break;
    case Opcode::kNotEqual:
    case Opcode::kIsNot:
      result = order != 0;
      break;
    case Opcode::kLess:
      result = order < 0;
      break;
    case Opcode::kLessEqual:
      result = order <= 0;
      break;
    case Opcode::kGreater:
      result = order > 0;
      break;
    default:
      result = order >= 0;
      break;
  }
  return ValueView::Integer(result ? 1 : 0);
}

ValueView Logic(bool is_and, int a, int b) {
  // NULL (-1) is neither; the dominant operand decides alone.
  const int dominant = is_and ? 0 : 1;
  if (a == dominant || b == dominant) return ValueView::Integer(dominant);
  if (a < 0 || b < 0) return {};
  return ValueView::Integer(1 - dominant);
}

int Truth(const ValueView& value) {
  switch (value.type) {
    case ValueType::kNull:
      return -1;
    case ValueType::kInteger:
      return value.integer != 0 ? 1 : 0;
    case ValueType::kReal:
      return value.real != 0 ? 1 : 0;
    default: {
      const kv::ParsedNumber parsed = kv::ParseNumber(value.bytes());
      return parsed.extent != kv::ParsedNumber::Extent::kNone && parsed.real != 0 ? 1 : 0;
    }
  }
}

}  // namespace kvsql::exec
