// printf() and format(): reading the format.
#include "exec/functions/printf.h"

#include <algorithm>
#include <limits>

#include "exec/functions/arguments.h"
#include "exec/functions/builtins.h"

namespace kvsql::exec {
namespace {

using kv::ValueView;

class Arguments {
 public:
  Arguments(FunctionContext& context, const ValueView* args, int count)
      : context_(context), next_(args), end_(args + count) {}

  int64_t Integer() { return IntegerOf(Next()); }
  double Real() { return RealOf(Next()); }
  // The text up to its first NUL, or null.
  const std::string_view* Text() {
    const ValueView value = Next();
    if (value.is_null()) return nullptr;
    text_ = UpToNul(TextOf(context_, value));
    return &text_;
  }

 private:
  ValueView Next() { return next_ == end_ ? ValueView() : *next_++; }

  FunctionContext& context_;
  const ValueView* next_;
  const ValueView* end_;
  std::string_view text_;
};

// Reads one conversion behind its "%"; at the end of the format every character is NUL.
class SpecReader {
 public:
  SpecReader(std::string_view format, size_t at, Arguments* arguments)
      : format_(format), at_(at), arguments_(arguments) {}

  PrintfSpec Read() {
    while (ReadFlag()) ++at_;
    if (Now() >= '1' && Now() <= '9') {
      spec_.width = ReadNumber();
    } else if (Now() == '*') {
      ReadStarWidth();
    }
    if (Now() == '.') ReadPrecision();
    // Also "lll" has been seen to be written; the third is no conversion.
    for (int i = 0; i < 2 && Now() == 'l'; ++i) ++at_;
    spec_.conversion = Now();
    return spec_;
  }
  // Of the conversion character.
  size_t position() const { return at_; }

 private:
  char Now() const { return at_ < format_.size() ? format_[at_] : '\0'; }

  bool ReadFlag() {
    switch (Now()) {
      case '-':
        spec_.left = true;
        return true;
      case '+':
      case ' ':
        spec_.sign = Now();
        return true;
      case '#':
        spec_.alternate = true;
        return true;
      case '!':
        spec_.characters = true;
        return true;
      case '0':
        spec_.zeros = true;
        return true;
      case ',':
        spec_.thousands = true;
        return true;
      default:
        return false;
    }
  }

  // Digits modulo 2^31.
  int32_t ReadNumber() {
    uint32_t number = 0;
    for (; Now() >= '0' && Now() <= '9'; ++at_) {
      number = number * 10 + static_cast<uint32_t>(Now() - '0');
    }
    return static_cast<int32_t>(number & 0x7fffffff);
  }

  void ReadStarWidth() {
    const auto width = static_cast<int32_t>(arguments_->Integer());
    if (width < 0) spec_.left = true;
    spec_.width = width >= 0 ? width : (width > std::numeric_limits<int32_t>::min() ? -width : 0);
    ++at_;
  }

  void ReadPrecision() {
    ++at_;
    if (Now() != '*') {
      spec_.precision = ReadNumber();
      return;
    }
    const auto precision = static_cast<int32_t>(arguments_->Integer());
    spec_.precision = precision >= 0
                          ? precision
                          : (precision > std::numeric_limits<int32_t>::min() ? -precision : -1);
    ++at_;
  }

  std::string_view format_;
  size_t at_;
  Arguments* arguments_;
  PrintfSpec spec_;
};

// False: there is no such conversion.
bool AppendConversion(const PrintfSpec& spec, Arguments* arguments, TextBuilder* out) {
  switch (spec.conversion) {
    case 'd':
    case 'i':
    case 'u':
    case 'x':
    case 'X':
    case 'o':
    case 'p':
    case 'r':
      AppendInteger(arguments->Integer(), spec, out);
      return true;
    case 'f':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
      AppendReal(arguments->Real(), spec, out);
      return true;
    case 's':
    case 'z':
      AppendText(arguments->Text(), spec, out);
      return true;
    case 'c':
      AppendCharacter(arguments->Text(), spec, out);
      return true;
    case 'q':
    case 'Q':
    case 'w':
      AppendQuoted(arguments->Text(), spec, out);
      return true;
    case '%':
      AppendPadded("%", spec.width, spec.left, out);
      return true;
    case 'n':
      return true;
    default:
      return false;
  }
}

}  // namespace

namespace builtin {

// The empty format, and one that begins with what is no conversion, give NULL.
ValueView Format(FunctionContext& context, const ValueView* args, int count) {
  if (count == 0 || args[0].is_null()) return {};
  const std::string_view format = UpToNul(TextOf(context, args[0]));
  Arguments arguments(context, args + 1, count - 1);
  TextBuilder out(context.arena, format.size() + 32);
  size_t at = 0;
  while (at < format.size()) {
    const size_t percent = std::min(format.find('%', at), format.size());
    out.Append(format.substr(at, percent - at));
    if (percent == format.size()) break;
    if (percent + 1 == format.size()) {
      out.Append("%");
      break;
    }
    SpecReader reader(format, percent + 1, &arguments);
    const PrintfSpec spec = reader.Read();
    if (out.too_big()) return FailTooBig(context);
    if (!AppendConversion(spec, &arguments, &out)) {
      if (at == 0 && percent == 0) return {};
      break;
    }
    at = reader.position() + 1;
  }
  if (out.too_big()) return FailTooBig(context);
  return format.empty() ? ValueView() : ValueView::Text(out.Finish());
}

ValueView Printf(FunctionContext& context, const ValueView* args, int count) {
  return Format(context, args, count);
}

}  // namespace builtin
}  // namespace kvsql::exec
