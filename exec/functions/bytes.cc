// Functions of single bytes and characters: hex, quote, zeroblob, char, unicode.
#include <algorithm>
#include <cstring>

#include "exec/functions/arguments.h"
#include "exec/functions/builtins.h"
#include "exec/functions/utf8.h"
#include "kv/real_format.h"

namespace kvsql::exec::builtin {
namespace {

using kv::ValueType;
using kv::ValueView;

void WriteHex(std::string_view bytes, char* out) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  for (const char c : bytes) {
    const auto byte = static_cast<uint8_t>(c);
    *out++ = kDigits[byte >> 4];
    *out++ = kDigits[byte & 15];
  }
}

char* WriteUtf8(uint32_t c, char* out) {
  const auto put = [&out](uint32_t byte) { *out++ = static_cast<char>(byte); };
  if (c < 0x80) {
    put(c);
    return out;
  }
  if (c < 0x800) {
    put(0xc0 | c >> 6);
  } else {
    if (c < 0x10000) {
      put(0xe0 | c >> 12);
    } else {
      put(0xf0 | c >> 18);
      put(0x80 | (c >> 12 & 0x3f));
    }
    put(0x80 | (c >> 6 & 0x3f));
  }
  put(0x80 | (c & 0x3f));
  return out;
}

ValueView QuoteReal(FunctionContext& context, double value) {
  // 15 digits if they say it all.
  kv::RealFormat format;
  format.more_digits = true;
  format.precision = 15;
  char* const text = context.arena->Allocate(64);
  char* end = kv::WriteReal(value, format, text);
  const bool finite = value - value == 0;
  if (!finite || kv::ReadReal({text, static_cast<size_t>(end - text)}) != value) {
    format.style = kv::RealFormat::Style::kExponent;
    format.precision = 20;
    end = kv::WriteReal(value, format, text);
  }
  context.arena->Shrink(text, 64, static_cast<size_t>(end - text));
  return ValueView::Text({text, static_cast<size_t>(end - text)});
}

ValueView QuoteText(FunctionContext& context, std::string_view text) {
  text = UpToNul(text);
  const auto quotes = static_cast<size_t>(std::count(text.begin(), text.end(), '\''));
  const size_t size = text.size() + quotes + 2;
  if (static_cast<int64_t>(size) > kMaxLength) return FailTooBig(context);
  char* const out = context.arena->Allocate(size);
  char* at = out;
  *at++ = '\'';
  for (const char c : text) {
    *at++ = c;
    if (c == '\'') *at++ = c;
  }
  *at = '\'';
  return ValueView::Text({out, size});
}

}  // namespace

// NULL gives an empty text.
ValueView Hex(FunctionContext& context, const ValueView* args, int) {
  if (args[0].is_null()) return ValueView::Text("");
  const std::string_view bytes = TextOf(context, args[0]);
  if (static_cast<int64_t>(bytes.size()) > kMaxLength / 2) return FailTooBig(context);
  char* const out = context.arena->Allocate(2 * bytes.size());
  WriteHex(bytes, out);
  return ValueView::Text({out, 2 * bytes.size()});
}

// The SQL literal that means the value.
ValueView Quote(FunctionContext& context, const ValueView* args, int) {
  const ValueView& value = args[0];
  switch (value.type) {
    case ValueType::kNull:
      return ValueView::Text("NULL");
    case ValueType::kInteger:
      return ValueView::Text(TextOf(context, value));
    case ValueType::kReal:
      return QuoteReal(context, value.real);
    case ValueType::kText:
      return QuoteText(context, value.bytes());
    case ValueType::kBlob:
      break;
  }
  const size_t size = 2 * size_t{value.size} + 3;
  if (static_cast<int64_t>(size) > kMaxLength) return FailTooBig(context);
  char* const out = context.arena->Allocate(size);
  out[0] = 'X';
  out[1] = '\'';
  WriteHex(value.bytes(), out + 2);
  out[size - 1] = '\'';
  return ValueView::Text({out, size});
}

ValueView Zeroblob(FunctionContext& context, const ValueView* args, int) {
  const int64_t size = std::max<int64_t>(IntegerOf(args[0]), 0);
  if (size > kMaxLength) return FailTooBig(context);
  char* const out = context.arena->Allocate(static_cast<size_t>(size));
  std::memset(out, 0, static_cast<size_t>(size));
  return ValueView::Blob({out, static_cast<size_t>(size)});
}

// What is no code point becomes U+FFFD.
ValueView Char(FunctionContext& context, const ValueView* args, int count) {
  const size_t space = 4 * static_cast<size_t>(count);
  char* const out = context.arena->Allocate(space);
  char* at = out;
  for (int i = 0; i < count; ++i) {
    const int64_t c = IntegerOf(args[i]);
    at = WriteUtf8(c < 0 || c > 0x10ffff ? 0xfffd : static_cast<uint32_t>(c), at);
  }
  const auto size = static_cast<size_t>(at - out);
  context.arena->Shrink(out, space, size);
  return ValueView::Text({out, size});
}

// The code point of the first character.
ValueView Unicode(FunctionContext& context, const ValueView* args, int) {
  if (args[0].is_null()) return {};
  const std::string_view text = TextOf(context, args[0]);
  if (text.empty() || text[0] == 0) return {};
  const char* at = text.data();
  return ValueView::Integer(static_cast<int32_t>(ReadChar(&at, at + text.size())));
}

}  // namespace kvsql::exec::builtin
