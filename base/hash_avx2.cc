// Compiled with -mavx2; called only after a check that the processor has AVX2.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstddef>
#include <cstdint>

namespace kvsql {

uint64_t Hash64Avx2(const void* data, size_t size, uint64_t seed);

uint64_t Hash64Avx2(const void* data, size_t size, uint64_t seed) {
  return XXH3_64bits_withSeed(data, size, seed);
}

}  // namespace kvsql
