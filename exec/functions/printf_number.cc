// The conversions of printf() for numbers: d i u x X o p r, f e E g G.
#include <algorithm>
#include <cstring>

#include "exec/functions/printf.h"
#include "kv/real_format.h"

namespace kvsql::exec {
namespace {

// "1st", "2nd", "3rd", "4th", "11th".
const char* OrdinalSuffix(uint64_t value) {
  static constexpr const char* kSuffixes[] = {"th", "st", "nd", "rd"};
  const uint64_t last = value % 10;
  return last >= 4 || value / 10 % 10 == 1 ? kSuffixes[0] : kSuffixes[last];
}

uint32_t BaseOf(char conversion) {
  switch (conversion) {
    case 'x':
    case 'X':
    case 'p':
      return 16;
    case 'o':
      return 8;
    default:
      return 10;
  }
}

// What "#" puts in front.
std::string_view BasePrefix(char conversion) {
  switch (conversion) {
    case 'x':
    case 'p':
      return "0x";
    case 'X':
      return "0X";
    case 'o':
      return "0";
    default:
      return {};
  }
}

}  // namespace

// Written from the end: suffix, digits, zeros up to the precision, commas, sign, prefix.
void AppendInteger(int64_t value, PrintfSpec spec, TextBuilder* out) {
  const char conversion = spec.conversion;
  const bool is_signed = conversion == 'd' || conversion == 'i' || conversion == 'r';
  auto magnitude = static_cast<uint64_t>(value);
  char sign = 0;
  if (is_signed) {
    sign = value < 0 ? '-' : spec.sign;
    if (value < 0) magnitude = 0 - magnitude;
  }
  const std::string_view prefix =
      spec.alternate && magnitude != 0 ? BasePrefix(conversion) : std::string_view();
  const int32_t sign_width = sign != 0 ? 1 : 0;
  if (spec.zeros) spec.precision = std::max(spec.precision, spec.width - sign_width);
  const bool thousands = spec.thousands && BaseOf(conversion) == 10 && conversion != 'r';

  // 22 octal digits, a suffix, a sign and a prefix; a comma for each three digits.
  const int64_t digits = std::max<int64_t>(spec.precision, 24);
  const int64_t space = digits + digits / 3 + 10;
  char local[128];
  char* buffer = local;
  if (space > static_cast<int64_t>(sizeof(local))) {
    // Built where it goes to, behind room for the blanks.
    buffer = out->Reserve(space);
    if (buffer == nullptr) return;
  }
  char* const end = buffer + space;
  char* at = end;
  if (conversion == 'r') {
    at -= 2;
    std::memcpy(at, OrdinalSuffix(magnitude), 2);
  }
  const char* const figures = conversion == 'x' ? "0123456789abcdef" : "0123456789ABCDEF";
  const uint32_t base = BaseOf(conversion);
  do {
    *--at = figures[magnitude % base];
    magnitude /= base;
  } while (magnitude > 0);
  if (const int64_t missing = spec.precision - (end - at); missing > 0) {
    at -= missing;
    std::memset(at, '0', static_cast<size_t>(missing));
  }
  if (thousands) {
    const int64_t length = end - at;
    const int64_t commas = (length - 1) / 3;
    char* to = at - commas;
    for (int64_t i = 0; i < length; ++i) {
      if (i > 0 && (length - i) % 3 == 0) *to++ = ',';
      *to++ = at[i];
    }
    at -= commas;
  }
  if (sign != 0) *--at = sign;
  at -= prefix.size();
  if (!prefix.empty()) std::memcpy(at, prefix.data(), prefix.size());

  const std::string_view text(at, static_cast<size_t>(end - at));
  if (buffer == local) {
    AppendPadded(text, spec.width, spec.left, out);
    return;
  }
  std::memmove(buffer, text.data(), text.size());
  out->Advance(text.size());
  const int64_t blanks = spec.width - static_cast<int64_t>(text.size());
  if (blanks <= 0) return;
  char* const more = out->Reserve(blanks);
  if (more == nullptr) return;
  char* const start = more - text.size();
  if (spec.left) {
    std::memset(more, ' ', static_cast<size_t>(blanks));
  } else {
    std::memmove(start + blanks, start, text.size());
    std::memset(start, ' ', static_cast<size_t>(blanks));
  }
  out->Advance(static_cast<size_t>(blanks));
}

void AppendReal(double value, const PrintfSpec& spec, TextBuilder* out) {
  constexpr int32_t kMaxPrecision = 100'000'000;
  kv::RealFormat format;
  switch (spec.conversion) {
    case 'f':
      format.style = kv::RealFormat::Style::kFixed;
      break;
    case 'e':
    case 'E':
      format.style = kv::RealFormat::Style::kExponent;
      break;
    default:
      format.style = kv::RealFormat::Style::kGeneral;
  }
  format.upper = spec.conversion == 'E' || spec.conversion == 'G';
  format.alternate = spec.alternate;
  format.more_digits = spec.characters;
  format.pad_with_zeros = spec.zeros && !spec.left;
  format.sign = spec.sign;
  format.precision = spec.precision < 0 ? 6 : std::min(spec.precision, kMaxPrecision);
  format.width = spec.width;
  const int64_t space = kv::SpaceForReal(format);
  char local[512];
  if (space <= static_cast<int64_t>(sizeof(local))) {
    const char* const end = kv::WriteReal(value, format, local);
    AppendPadded({local, static_cast<size_t>(end - local)}, spec.width, spec.left, out);
    return;
  }
  char* const start = out->Reserve(space);
  if (start == nullptr) return;
  char* end = kv::WriteReal(value, format, start);
  const int64_t length = end - start;
  if (const int64_t blanks = spec.width - length; blanks > 0) {
    // The space holds the width too.
    if (!spec.left) std::memmove(start + blanks, start, static_cast<size_t>(length));
    std::memset(spec.left ? end : start, ' ', static_cast<size_t>(blanks));
    end += blanks;
  }
  out->Advance(static_cast<size_t>(end - start));
}

}  // namespace kvsql::exec
