#include "tests/sql/render.h"

#include <cmath>
#include <cstdio>
#include <string_view>

#include "kv/value.h"

namespace kvsql::slt {
namespace {

kv::ValueView ToKv(const ValueView& value) {
  switch (value.type()) {
    case ValueType::kInteger:
      return kv::ValueView::Integer(value.integer());
    case ValueType::kReal:
      return kv::ValueView::Real(value.real());
    case ValueType::kText:
      return kv::ValueView::Text(value.text());
    case ValueType::kBlob:
      return kv::ValueView::Blob(value.text());
    default:
      return kv::ValueView();
  }
}

// Adds one to the last digit of a decimal number without sign.
void RoundUp(std::string* digits) {
  for (size_t i = digits->size(); i-- > 0;) {
    char& digit = (*digits)[i];
    if (digit == '.') continue;
    if (digit != '9') {
      ++digit;
      return;
    }
    digit = '0';
  }
  digits->insert(digits->begin(), '1');
}

}  // namespace

std::string TextOf(const ValueView& value) {
  if (value.is_null()) return "";
  kv::NumberText number;
  const std::string_view text = kv::CastValue(ToKv(value), kv::Affinity::kText, &number).bytes();
  return std::string(text.substr(0, text.find('\0')));
}

std::string ThreeDecimals(double value) {
  if (std::isinf(value)) return value > 0 ? "Inf" : "-Inf";
  if (value == 0) return "0.000";
  // 40 decimals tell every double from 0.0004 up from the middle between two results; below, all is 0.
  char exact[400];
  std::snprintf(exact, sizeof(exact), "%.40f", std::fabs(value));
  std::string digits = exact;
  const size_t point = digits.find('.');
  // Where the kept digits end: three after the point, or 16 from the first one.
  const size_t first = digits.find_first_not_of("0.");
  size_t end = point + 4;
  if (first < point && point - first > 13) {
    const size_t integers = point - first;
    end = integers >= 16 ? first + 16 : first + 17;
  }
  const bool up = digits[digits[end] == '.' ? end + 1 : end] >= '5';
  std::string kept = digits.substr(0, end);
  const size_t size = kept.size();
  if (up) RoundUp(&kept);
  const size_t carried = kept.size() - size;
  if (end <= point) {
    kept.append(point - end, '0');
    kept += ".000";
  } else {
    kept.resize(point + carried + 4, '0');
  }
  return (value < 0 ? "-" : "") + kept;
}

std::string RenderTyped(const ValueView& value, char type) {
  if (value.is_null()) return "NULL";
  kv::NumberText number;
  if (type == 'I') {
    return std::to_string(kv::CastValue(ToKv(value), kv::Affinity::kInteger, &number).integer);
  }
  if (type == 'R') {
    return ThreeDecimals(kv::CastValue(ToKv(value), kv::Affinity::kReal, &number).real);
  }
  std::string text = TextOf(value);
  if (text.empty()) return "(empty)";
  for (char& c : text) {
    if (c < ' ' || c > '~') c = '@';
  }
  return text;
}

std::string RenderPlain(const ValueView& value) {
  if (value.is_null()) return "NULL";
  std::string text = TextOf(value);
  return text.empty() ? "(empty)" : text;
}

}  // namespace kvsql::slt
