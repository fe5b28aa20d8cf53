#include "tests/sql/md5.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace kvsql::slt {
namespace {

constexpr int kShifts[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

// floor(2^32 * |sin(i + 1)|)
std::array<uint32_t, 64> SineTable() {
  std::array<uint32_t, 64> table{};
  for (size_t i = 0; i < table.size(); ++i) {
    table[i] =
        static_cast<uint32_t>(std::fabs(std::sin(static_cast<double>(i + 1))) * 4294967296.0);
  }
  return table;
}

void AddBlock(const char* block, uint32_t state[4]) {
  static const std::array<uint32_t, 64> kSines = SineTable();
  uint32_t words[16];
  std::memcpy(words, block, sizeof(words));
  uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
  for (uint32_t i = 0; i < 64; ++i) {
    uint32_t mix = 0;
    uint32_t word = 0;
    switch (i / 16) {
      case 0:
        mix = (b & c) | (~b & d);
        word = i;
        break;
      case 1:
        mix = (d & b) | (~d & c);
        word = (5 * i + 1) % 16;
        break;
      case 2:
        mix = b ^ c ^ d;
        word = (3 * i + 5) % 16;
        break;
      default:
        mix = c ^ (b | ~d);
        word = (7 * i) % 16;
    }
    const uint32_t sum = a + mix + kSines[i] + words[word];
    a = d;
    d = c;
    c = b;
    b += std::rotl(sum, kShifts[i / 16][i % 4]);
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
}

}  // namespace

std::string Md5(std::string_view bytes) {
  uint32_t state[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  const uint64_t bits = static_cast<uint64_t>(bytes.size()) * 8;
  for (; bytes.size() >= 64; bytes.remove_prefix(64)) AddBlock(bytes.data(), state);
  std::string tail(bytes);
  tail.push_back('\x80');
  while (tail.size() % 64 != 56) tail.push_back('\0');
  tail.append(reinterpret_cast<const char*>(&bits), sizeof(bits));
  for (size_t i = 0; i < tail.size(); i += 64) AddBlock(tail.data() + i, state);

  std::string hex;
  for (const uint32_t word : state) {
    for (int i = 0; i < 32; i += 8) {
      constexpr char kDigits[] = "0123456789abcdef";
      hex.push_back(kDigits[word >> (i + 4) & 15]);
      hex.push_back(kDigits[word >> i & 15]);
    }
  }
  return hex;
}

}  // namespace kvsql::slt
