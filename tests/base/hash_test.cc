#include "base/hash.h"

#include <cstdint>
#include <string>
#include <unordered_set>

#include <gtest/gtest.h>
#include <xxhash.h>

namespace kvsql {
namespace {

// The checksums in a file must mean the same on every processor: the library's own answer, whichever
// code path base/hash.cc takes for the length.
TEST(Hash, IsXxh3AtEveryLengthAroundTheVectorLoop) {
  std::string bytes;
  for (int i = 0; i < 5000; ++i) bytes.push_back(static_cast<char>(i * 131 + i / 7));
  for (const size_t size :
       {0u,   1u,   3u,   4u,   8u,   9u,    16u,   17u,   128u,  129u,  240u,
        241u, 242u, 255u, 256u, 511u, 1023u, 1024u, 1025u, 4095u, 4096u, 4999u}) {
    for (const uint64_t seed : {uint64_t{0}, uint64_t{1}, ~uint64_t{0}}) {
      EXPECT_EQ(Hash64(bytes.data(), size, seed), XXH3_64bits_withSeed(bytes.data(), size, seed))
          << size << " bytes, seed " << seed;
    }
  }
}

TEST(Hash, EveryBitOfAPageCounts) {
  std::string page(4096, 'p');
  std::unordered_set<uint64_t> seen = {Hash64(page.data(), page.size(), 7)};
  for (size_t bit = 0; bit < page.size() * 8; bit += 61) {
    page[bit / 8] = static_cast<char>(page[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_TRUE(seen.insert(Hash64(page.data(), page.size(), 7)).second) << "bit " << bit;
    page[bit / 8] = static_cast<char>(page[bit / 8] ^ (1 << (bit % 8)));
  }
}

}  // namespace
}  // namespace kvsql
