// The conversions of printf() for texts: s z c q Q w.
#include <cstring>

#include "exec/functions/printf.h"
#include "exec/functions/utf8.h"

namespace kvsql::exec {
namespace {

// With "!" the width counts characters: the bytes that are none go on top.
void AppendCounted(std::string_view text, int64_t width, const PrintfSpec& spec, TextBuilder* out) {
  if (spec.characters && width > 0) {
    for (const char c : text) width += IsContinuation(c) ? 1 : 0;
  }
  AppendPadded(text, width, spec.left, out);
}

// The part of a text that `precision` leaves.
std::string_view Limited(std::string_view text, const PrintfSpec& spec) {
  if (spec.precision < 0) return text;
  if (!spec.characters) return text.substr(0, static_cast<size_t>(spec.precision));
  int64_t count = spec.precision;
  const char* const end = SkipChars(text.data(), text.data() + text.size(), &count);
  return text.substr(0, static_cast<size_t>(end - text.data()));
}

}  // namespace

void AppendPadded(std::string_view text, int64_t width, bool left, TextBuilder* out) {
  const int64_t blanks = width - static_cast<int64_t>(text.size());
  if (!left) out->Append(blanks, ' ');
  out->Append(text);
  if (left) out->Append(blanks, ' ');
}

void AppendText(const std::string_view* text, const PrintfSpec& spec, TextBuilder* out) {
  AppendCounted(text == nullptr ? std::string_view() : Limited(*text, spec), spec.width, spec, out);
}

// The first character, `precision` times. None is a NUL.
void AppendCharacter(const std::string_view* text, const PrintfSpec& spec, TextBuilder* out) {
  char bytes[4] = {};
  size_t length = 1;
  if (text != nullptr && !text->empty()) {
    bytes[0] = (*text)[0];
    if (static_cast<uint8_t>(bytes[0]) >= 0xc0) {
      while (length < 4 && length < text->size() && IsContinuation((*text)[length])) {
        bytes[length] = (*text)[length];
        ++length;
      }
    }
  }
  const std::string_view character(bytes, length);
  int64_t width = spec.width;
  if (spec.precision > 1) {
    width -= spec.precision - 1;
    if (width > 1 && !spec.left) {
      out->Append(width - 1, ' ');
      width = 0;
    }
    const auto copies = static_cast<int64_t>(spec.precision - 1);
    if (char* at = out->Reserve(copies * static_cast<int64_t>(length))) {
      for (int64_t i = 0; i < copies; ++i, at += length) std::memcpy(at, bytes, length);
      out->Advance(static_cast<size_t>(copies) * length);
    }
  }
  PrintfSpec counted = spec;
  counted.characters = true;
  AppendCounted(character, width, counted, out);
}

void AppendQuoted(const std::string_view* text, const PrintfSpec& spec, TextBuilder* out) {
  const char quote = spec.conversion == 'w' ? '"' : '\'';
  const bool enclosed = spec.conversion == 'Q' && text != nullptr;
  const std::string_view null_name = spec.conversion == 'Q' ? "NULL" : "(NULL)";
  const std::string_view from = Limited(text == nullptr ? null_name : *text, spec);
  int64_t length = static_cast<int64_t>(from.size()) + (enclosed ? 2 : 0);
  for (const char c : from) length += c == quote ? 1 : 0;
  int64_t width = spec.width;
  if (spec.characters && width > 0) {
    for (const char c : from) width += IsContinuation(c) ? 1 : 0;
  }
  if (!spec.left) out->Append(width - length, ' ');
  if (char* at = out->Reserve(length)) {
    if (enclosed) *at++ = quote;
    for (const char c : from) {
      *at++ = c;
      if (c == quote) *at++ = c;
    }
    if (enclosed) *at++ = quote;
    out->Advance(static_cast<size_t>(length));
  }
  if (spec.left) out->Append(width - length, ' ');
}

}  // namespace kvsql::exec
