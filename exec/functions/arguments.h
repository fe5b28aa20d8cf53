// What a function's arguments mean as text and as numbers: SQLite's conversions.
//
// Thread safety: functions without state.
#ifndef KVSQL_EXEC_FUNCTIONS_ARGUMENTS_H_
#define KVSQL_EXEC_FUNCTIONS_ARGUMENTS_H_

#include <cstdint>
#include <cstring>
#include <string_view>

#include "exec/functions/function.h"
#include "kv/value.h"

namespace kvsql::exec {

// The bytes of a value that is not NULL; numbers are written into the arena.
inline std::string_view TextOf(FunctionContext& context, const kv::ValueView& value) {
  if (!value.is_number()) return value.bytes();
  kv::NumberText text;
  if (value.type == kv::ValueType::kInteger) {
    kv::FormatInteger(value.integer, &text);
  } else {
    kv::FormatReal(value.real, &text);
  }
  char* bytes = context.arena->Allocate(text.size);
  std::memcpy(bytes, text.data, text.size);
  return {bytes, text.size};
}

// Where C would see the end.
inline std::string_view UpToNul(std::string_view text) {
  if (text.empty()) return text;
  const void* nul = std::memchr(text.data(), 0, text.size());
  if (nul == nullptr) return text;
  return text.substr(0, static_cast<size_t>(static_cast<const char*>(nul) - text.data()));
}

// NULL is 0. Of a text the integer it begins with, cut to 64 bits: '12.5' is 12, '1e3' is 1.
int64_t IntegerOf(const kv::ValueView& value);

// The low 32 bits, for the functions that SQLite gave an int.
inline int32_t ShortIntegerOf(const kv::ValueView& value) {
  return static_cast<int32_t>(IntegerOf(value));
}

// NULL is 0; of a text or blob the number it begins with.
double RealOf(const kv::ValueView& value);

// A text that is a number as a whole becomes that number; everything else stays.
kv::ValueView NumberIfNumeric(const kv::ValueView& value);

// What WHERE would make of it; NULL is not true.
bool IsTrue(const kv::ValueView& value);

// A NULL with an error.
kv::ValueView Fail(FunctionContext& context, std::string_view message);
kv::ValueView FailTooBig(FunctionContext& context);
Status TooBigError();

}  // namespace kvsql::exec

#endif  // KVSQL_EXEC_FUNCTIONS_ARGUMENTS_H_
