#include "exec/functions/text_search.h"

#include <bit>
#include <cstdint>
#include <cstring>

#include "kv/value.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace kvsql::exec {
namespace {

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool EqualBytes(const char* text, const char* bytes, const char* mask, size_t count) {
  for (; count >= 8; text += 8, bytes += 8, mask += 8, count -= 8) {
    uint64_t t = 0;
    uint64_t b = 0;
    uint64_t m = 0;
    std::memcpy(&t, text, 8);
    std::memcpy(&b, bytes, 8);
    std::memcpy(&m, mask, 8);
    if ((t | m) != b) return false;
  }
  for (size_t i = 0; i < count; ++i) {
    if (static_cast<char>(text[i] | mask[i]) != bytes[i]) return false;
  }
  return true;
}

#if defined(__SSE2__)

// The `size` < 16 bytes at `text`, zeros behind them; reads nothing else.
__m128i LoadShort(const char* text, size_t size) {
  uint64_t low = 0;
  uint64_t high = 0;
  if (size >= 8) {
    std::memcpy(&low, text, 8);
    if (size > 8) {
      std::memcpy(&high, text + size - 8, 8);
      high >>= 8 * (16 - size);
    }
  } else if (size >= 4) {
    uint32_t last = 0;
    std::memcpy(&low, text, 4);
    std::memcpy(&last, text + size - 4, 4);
    low |= static_cast<uint64_t>(last) << (8 * (size - 4));
  } else {
    for (size_t i = 0; i < size; ++i) {
      low |= static_cast<uint64_t>(static_cast<uint8_t>(text[i])) << (8 * i);
    }
  }
  return _mm_set_epi64x(static_cast<int64_t>(high), static_cast<int64_t>(low));
}

// Compares each byte with one byte of a needle.
struct ByteTest {
  __m128i byte;
  __m128i mask;
  ByteTest(char needle_byte, char needle_mask)
      : byte(_mm_set1_epi8(needle_byte)), mask(_mm_set1_epi8(needle_mask)) {}
  // A bit for each byte that is equal.
  uint32_t operator()(__m128i bytes) const {
    return static_cast<uint32_t>(
        _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_or_si128(bytes, mask), byte)));
  }
};

__m128i Load16(const char* at) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at)); }

#endif

}  // namespace

Needle::Needle(std::string_view bytes, bool fold_case) : bytes_(bytes), mask_(bytes.size(), '\0') {
  if (!fold_case) return;
  for (size_t i = 0; i < bytes_.size(); ++i) {
    if (!IsLetter(bytes_[i])) continue;
    bytes_[i] = kv::FoldAscii(bytes_[i]);
    mask_[i] = 0x20;
  }
}

bool Needle::EqualsAt(const char* text) const {
  return EqualBytes(text, bytes_.data(), mask_.data(), bytes_.size());
}

size_t Needle::FindSlow(std::string_view text, size_t from) const {
  for (size_t i = from; i + bytes_.size() <= text.size(); ++i) {
    if (EqualsAt(text.data() + i)) return i;
  }
  return kNone;
}

// Looks for places where the needle's first and last byte are both right, 16 places at a time.
size_t Needle::FindIn(std::string_view text) const {
  const size_t length = bytes_.size();
  if (text.size() < length) return kNone;
  if (length == 0) return 0;
#if defined(__SSE2__)
  const char* const data = text.data();
  const ByteTest first(bytes_.front(), mask_.front());
  const ByteTest last(bytes_.back(), mask_.back());
  const size_t places = text.size() - length + 1;
  // The first place of `found`, a bit set of places from `base` on, where all bytes are equal.
  const auto verify = [&](uint32_t found, size_t base) -> size_t {
    for (; found != 0; found &= found - 1) {
      const size_t at = base + static_cast<size_t>(std::countr_zero(found));
      if (length <= 2 || EqualBytes(data + at + 1, bytes_.data() + 1, mask_.data() + 1, length - 2))
        return at;
    }
    return kNone;
  };
  if (text.size() < 16) {
    const __m128i bytes = LoadShort(data, text.size());
    const uint32_t inside = (1U << places) - 1;
    return verify(first(bytes) & (last(bytes) >> (length - 1)) & inside, 0);
  }
  if (places < 16) {
    // The last bytes of all places stand in the last 16 bytes of the text.
    const uint32_t ends = last(Load16(data + text.size() - 16)) >> (16 - places);
    return verify(first(Load16(data)) & ends, 0);
  }
  for (size_t base = 0;; base += 16) {
    // The last block overlaps the one before it.
    if (base + 16 > places) base = places - 16;
    const uint32_t found = first(Load16(data + base)) & last(Load16(data + base + length - 1));
    if (found != 0) [[unlikely]] {
      if (const size_t at = verify(found, base); at != kNone) return at;
    }
    if (base + 16 >= places) return kNone;
  }
#else
  return FindSlow(text, 0);
#endif
}

}  // namespace kvsql::exec
