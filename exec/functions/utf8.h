// UTF-8 as SQLite reads it, malformed text too.
//
// A byte from 0xc0 on begins a character and takes all continuation bytes (0x80-0xbf) that follow. Any
// other byte is a character alone; a stray continuation byte is the character of its own value.
//
// Thread safety: functions without state.
#ifndef KVSQL_EXEC_FUNCTIONS_UTF8_H_
#define KVSQL_EXEC_FUNCTIONS_UTF8_H_

#include <cstdint>
#include <cstring>
#include <string_view>

namespace kvsql::exec {

constexpr bool IsContinuation(char c) { return (static_cast<uint8_t>(c) & 0xc0) == 0x80; }

// Past the character at `at` < `end`.
inline const char* SkipChar(const char* at, const char* end) {
  if (static_cast<uint8_t>(*at++) >= 0xc0) {
    while (at != end && IsContinuation(*at)) ++at;
  }
  return at;
}

// Reads the character at *at < end and moves on. What no encoder writes (too long, surrogates,
// 0xfffe, 0xffff) is U+FFFD.
inline uint32_t ReadChar(const char** at, const char* end) {
  const auto first = static_cast<uint8_t>(*(*at)++);
  if (first < 0xc0) return first;
  uint32_t c = 0;
  if (first < 0xe0) {
    c = first & 0x1f;
  } else if (first < 0xf0) {
    c = first & 0x0f;
  } else if (first < 0xf8) {
    c = first & 0x07;
  } else if (first < 0xfc) {
    c = first & 0x03;
  } else if (first < 0xfe) {
    c = first & 0x01;
  }
  for (; *at != end && IsContinuation(**at); ++*at) {
    c = (c << 6) + (static_cast<uint8_t>(**at) & 0x3f);
  }
  if (c < 0x80 || (c & 0xfffff800) == 0xd800 || (c & 0xfffffffe) == 0xfffe) return 0xfffd;
  return c;
}

// True if the 8 bytes at `at` are ASCII without NUL: 8 characters.
inline bool EightPlain(const char* at) {
  uint64_t word = 0;
  std::memcpy(&word, at, 8);
  constexpr uint64_t kHigh = 0x8080808080808080;
  constexpr uint64_t kOnes = 0x0101010101010101;
  return ((word | (word - kOnes)) & kHigh) == 0;
}

// Past `*count` characters, or at the end or the first NUL if there are fewer; *count becomes what is left
// of it.
inline const char* SkipChars(const char* at, const char* end, int64_t* count) {
  while (*count >= 8 && end - at >= 8 && EightPlain(at)) {
    at += 8;
    *count -= 8;
  }
  while (*count > 0 && at != end && *at != 0) {
    at = SkipChar(at, end);
    --*count;
  }
  return at;
}

// Characters up to the end or the first NUL.
inline int64_t CountChars(std::string_view text) {
  int64_t count = 0;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    if (end - at >= 8 && EightPlain(at)) {
      at += 8;
      count += 8;
      continue;
    }
    if (*at == 0) break;
    at = SkipChar(at, end);
    ++count;
  }
  return count;
}

}  // namespace kvsql::exec

#endif  // KVSQL_EXEC_FUNCTIONS_UTF8_H_
