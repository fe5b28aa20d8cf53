// Reading and writing fixed-width integers and varints in byte buffers.
//
// Everything kvsql stores is little-endian unless its key order needs big-endian bytes. All loads and
// stores go through memcpy, so no alignment is required.
#ifndef KVSQL_BASE_BYTES_H_
#define KVSQL_BASE_BYTES_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace kvsql {

static_assert(std::endian::native == std::endian::little,
              "kvsql runs on little-endian machines only");

// Loads a T from unaligned little-endian bytes.
template <typename T>
inline T LoadLe(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

// Stores a T as unaligned little-endian bytes.
template <typename T>
inline void StoreLe(void* to, T value) {
  std::memcpy(to, &value, sizeof(T));
}

// Stores the `size` low bytes of `value`, at most 8, as little-endian. Copies of a few bytes whose number the compiler does
// not know become "rep movsb", which takes some 30 cycles to start.
inline void StoreLowBytes(void* to, uint64_t value, size_t size) {
  auto* const bytes = static_cast<uint8_t*>(to);
  if (size == 8) return StoreLe(bytes, value);
  if ((size & 4) != 0) StoreLe(bytes, static_cast<uint32_t>(value));
  if ((size & 2) != 0) StoreLe(bytes + (size & 4), static_cast<uint16_t>(value >> 8 * (size & 4)));
  if ((size & 1) != 0) bytes[size - 1] = static_cast<uint8_t>(value >> 8 * (size - 1));
}

inline uint16_t ByteSwap(uint16_t v) { return __builtin_bswap16(v); }
inline uint32_t ByteSwap(uint32_t v) { return __builtin_bswap32(v); }
inline uint64_t ByteSwap(uint64_t v) { return __builtin_bswap64(v); }

// Big-endian variants, for bytes whose memcmp order is the numeric order.
template <typename T>
inline T LoadBe(const void* from) {
  return ByteSwap(LoadLe<T>(from));
}
template <typename T>
inline void StoreBe(void* to, T value) {
  StoreLe<T>(to, ByteSwap(value));
}

inline constexpr size_t kMaxVarint64Bytes = 10;

// Writes `value` in LEB128 form at `to` (room for kMaxVarint64Bytes) and returns the byte after it.
inline uint8_t* PutVarint64(uint8_t* to, uint64_t value) {
  while (value >= 0x80) {
    *to++ = static_cast<uint8_t>(value | 0x80);
    value >>= 7;
  }
  *to++ = static_cast<uint8_t>(value);
  return to;
}

// Reads a LEB128 varint from [from, end). Returns the byte after it, or nullptr if it is truncated or
// longer than 64 bits.
inline const uint8_t* GetVarint64(const uint8_t* from, const uint8_t* end, uint64_t* value) {
  uint64_t result = 0;
  for (unsigned shift = 0; shift < 64 && from < end; shift += 7) {
    const uint8_t byte = *from++;
    if (shift == 63 && byte > 1) return nullptr;
    result |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) {
      *value = result;
      return from;
    }
  }
  return nullptr;
}

// Number of bytes PutVarint64 writes for `value`.
inline size_t VarintLength(uint64_t value) {
  return 1 + (63 - static_cast<size_t>(__builtin_clzll(value | 1))) / 7;
}

inline std::string_view AsView(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}
inline const uint8_t* AsBytes(std::string_view view) {
  return reinterpret_cast<const uint8_t*>(view.data());
}

}  // namespace kvsql

#endif  // KVSQL_BASE_BYTES_H_
