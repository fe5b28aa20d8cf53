#include "base/bytes.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace kvsql {
namespace {

std::vector<uint64_t> Edges() {
  std::vector<uint64_t> values = {0, std::numeric_limits<uint64_t>::max()};
  for (unsigned bit = 0; bit < 64; ++bit) {
    const uint64_t power = uint64_t{1} << bit;
    values.insert(values.end(), {power - 1, power, power + 1});
  }
  return values;
}

TEST(Bytes, LittleEndianPutsTheLowByteFirst) {
  std::array<uint8_t, 9> buffer{};
  StoreLe<uint32_t>(buffer.data() + 1, 0x01020304u);  // unaligned on purpose
  EXPECT_EQ(buffer[1], 4);
  EXPECT_EQ(buffer[4], 1);
  EXPECT_EQ(LoadLe<uint32_t>(buffer.data() + 1), 0x01020304u);
}

TEST(Bytes, LowBytesAreStoredAndNoMore) {
  for (size_t size = 0; size <= 8; ++size) {
    uint8_t stored[10];
    std::memset(stored, 0xee, sizeof(stored));
    StoreLowBytes(stored + 1, 0x8877665544332211, size);
    EXPECT_EQ(stored[0], 0xee);
    for (size_t i = 0; i < size; ++i) EXPECT_EQ(stored[1 + i], 0x11 * (i + 1)) << size;
    EXPECT_EQ(stored[1 + size], 0xee) << size;
  }
}

TEST(Bytes, BigEndianBytesSortAsTheirNumbers) {
  std::vector<uint64_t> values = Edges();
  std::sort(values.begin(), values.end());
  std::string last;
  for (const uint64_t value : values) {
    std::string bytes(8, '\0');
    StoreBe<uint64_t>(bytes.data(), value);
    EXPECT_EQ(LoadBe<uint64_t>(bytes.data()), value);
    EXPECT_LE(last, bytes);
    last = bytes;
  }
}

TEST(Varint, EveryLengthRoundTripsInTheBytesItAnnounces) {
  for (const uint64_t value : Edges()) {
    std::array<uint8_t, kMaxVarint64Bytes> buffer{};
    const uint8_t* end = PutVarint64(buffer.data(), value);
    const size_t length = static_cast<size_t>(end - buffer.data());
    EXPECT_EQ(length, VarintLength(value)) << value;
    uint64_t read = ~value;
    EXPECT_EQ(GetVarint64(buffer.data(), end, &read), end);
    EXPECT_EQ(read, value);
  }
}

TEST(Varint, ATruncatedOneIsRefused) {
  for (const uint64_t value : Edges()) {
    std::array<uint8_t, kMaxVarint64Bytes> buffer{};
    const uint8_t* end = PutVarint64(buffer.data(), value);
    for (const uint8_t* cut = buffer.data(); cut < end; ++cut) {
      uint64_t read = 0;
      EXPECT_EQ(GetVarint64(buffer.data(), cut, &read), nullptr) << value;
    }
  }
}

TEST(Varint, MoreThan64BitsAreRefused) {
  std::array<uint8_t, 11> buffer;
  buffer.fill(0xff);
  buffer[9] = 2;  // the tenth byte has one bit of a 64-bit number
  uint64_t read = 0;
  EXPECT_EQ(GetVarint64(buffer.data(), buffer.data() + 10, &read), nullptr);
  buffer[9] = 0x81;
  buffer[10] = 0;
  EXPECT_EQ(GetVarint64(buffer.data(), buffer.data() + 11, &read), nullptr);
}

}  // namespace
}  // namespace kvsql
