// Functions of texts: length, case, parts, search and replacement.
#include <algorithm>
#include <cstring>

#include "exec/functions/arguments.h"
#include "exec/functions/builtins.h"
#include "exec/functions/text_builder.h"
#include "exec/functions/utf8.h"

namespace kvsql::exec::builtin {
namespace {

using kv::ValueType;
using kv::ValueView;

// Flips the case of the letters from `first` to `first` + 25, 8 bytes at a time.
ValueView FlipCase(FunctionContext& context, const ValueView& value, char first) {
  if (value.is_null()) return {};
  const std::string_view from = TextOf(context, value);
  char* const to = context.arena->Allocate(from.size());
  constexpr uint64_t kOnes = 0x0101010101010101;
  constexpr uint64_t kHigh = kOnes * 0x80;
  const uint64_t low = kOnes * static_cast<uint64_t>(0x80 - first);
  const uint64_t high = kOnes * static_cast<uint64_t>(0x80 - (first + 26));
  size_t i = 0;
  for (; i + 8 <= from.size(); i += 8) {
    uint64_t word = 0;
    std::memcpy(&word, from.data() + i, 8);
    const uint64_t ascii = word & ~kHigh;
    // A high bit for each byte that is at least `first`, and at least one behind the last letter.
    const uint64_t letters = (ascii + low) & ~(ascii + high) & ~word & kHigh;
    word ^= letters >> 2;
    std::memcpy(to + i, &word, 8);
  }
  for (; i < from.size(); ++i) {
    const char c = from[i];
    to[i] = c >= first && c < first + 26 ? static_cast<char>(c ^ 0x20) : c;
  }
  return ValueView::Text({to, from.size()});
}

// Where a substring is meant to begin, counted from 0, and how long it is.
struct Range {
  int64_t start;
  int64_t length;
};

// `length` is that of the whole, and is asked for only where the range is counted from the end.
template <typename Length>
Range SubstrRange(const ValueView* args, int count, Length length) {
  int64_t start = ShortIntegerOf(args[1]);
  int64_t size = count == 3 ? ShortIntegerOf(args[2]) : kMaxLength;
  const bool before = size < 0;  // so many before the start
  size = before ? -size : size;
  if (start < 0) {
    start += length();
    if (start < 0) {
      size = std::max<int64_t>(size + start, 0);
      start = 0;
    }
  } else if (start > 0) {
    --start;
  } else if (size > 0) {
    --size;  // there is a place before the first
  }
  if (before) {
    start -= size;
    if (start < 0) {
      size += start;
      start = 0;
    }
  }
  return {start, size};
}

}  // namespace

ValueView Length(FunctionContext& context, const ValueView* args, int) {
  const ValueView& value = args[0];
  switch (value.type) {
    case ValueType::kNull:
      return {};
    case ValueType::kText:
      return ValueView::Integer(CountChars(value.bytes()));
    default:
      return ValueView::Integer(static_cast<int64_t>(TextOf(context, value).size()));
  }
}

ValueView Lower(FunctionContext& context, const ValueView* args, int) {
  return FlipCase(context, args[0], 'A');
}

ValueView Upper(FunctionContext& context, const ValueView* args, int) {
  return FlipCase(context, args[0], 'a');
}

ValueView Substr(FunctionContext& context, const ValueView* args, int count) {
  if (args[0].is_null() || args[1].is_null() || (count == 3 && args[2].is_null())) return {};
  const std::string_view bytes = TextOf(context, args[0]);
  if (args[0].type == ValueType::kBlob) {
    if (bytes.empty()) return {};
    const auto size = static_cast<int64_t>(bytes.size());
    const Range range = SubstrRange(args, count, [size] { return size; });
    const int64_t start = std::min(range.start, size);
    const int64_t length = std::clamp<int64_t>(range.length, 0, size - start);
    return ValueView::Blob(bytes.substr(static_cast<size_t>(start), static_cast<size_t>(length)));
  }
  Range range = SubstrRange(args, count, [bytes] { return CountChars(bytes); });
  const char* const end = bytes.data() + bytes.size();
  const char* const from = SkipChars(bytes.data(), end, &range.start);
  const char* const to = SkipChars(from, end, &range.length);
  return ValueView::Text({from, static_cast<size_t>(to - from)});
}

ValueView Substring(FunctionContext& context, const ValueView* args, int count) {
  return Substr(context, args, count);
}

// Counts characters unless both are blobs. A character here is any byte with the continuation bytes behind
// it.
ValueView Instr(FunctionContext& context, const ValueView* args, int) {
  if (args[0].is_null() || args[1].is_null()) return {};
  const bool bytewise = args[0].type == ValueType::kBlob && args[1].type == ValueType::kBlob;
  const std::string_view text = TextOf(context, args[0]);
  const std::string_view wanted = TextOf(context, args[1]);
  if (wanted.empty()) return ValueView::Integer(1);
  size_t at = text.find(wanted);
  if (at == std::string_view::npos) return ValueView::Integer(0);
  if (bytewise) return ValueView::Integer(static_cast<int64_t>(at) + 1);
  if (at > 0 && IsContinuation(wanted[0])) return ValueView::Integer(0);  // inside of a character
  int64_t number = 1;
  for (size_t i = 1; i <= at; ++i) number += IsContinuation(text[i]) ? 0 : 1;
  return ValueView::Integer(number);
}

ValueView Replace(FunctionContext& context, const ValueView* args, int) {
  if (args[0].is_null() || args[1].is_null()) return {};
  const std::string_view wanted = TextOf(context, args[1]);
  // A pattern that begins with NUL is an empty one to SQLite.
  const bool nothing = wanted.empty() || wanted[0] == 0;
  if (nothing && args[0].is_number()) return args[0];
  const std::string_view text = TextOf(context, args[0]);
  if (nothing) return ValueView::Text(text);
  if (args[2].is_null()) return {};
  const std::string_view with = TextOf(context, args[2]);
  size_t at = text.find(wanted);
  if (at == std::string_view::npos) return ValueView::Text(text);
  TextBuilder out(context.arena, text.size() + with.size());
  size_t from = 0;
  for (; at != std::string_view::npos; at = text.find(wanted, from)) {
    out.Append(text.substr(from, at - from));
    out.Append(with);
    from = at + wanted.size();
  }
  out.Append(text.substr(from));
  return out.too_big() ? FailTooBig(context) : ValueView::Text(out.Finish());
}

}  // namespace kvsql::exec::builtin
