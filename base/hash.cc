#include "base/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace kvsql {

uint64_t Hash64Avx2(const void* data, size_t size, uint64_t seed);

namespace {

uint64_t Hash64Generic(const void* data, size_t size, uint64_t seed) {
  return XXH3_64bits_withSeed(data, size, seed);
}

bool HasAvx2() {
#if defined(__x86_64__)
  static const bool has = __builtin_cpu_supports("avx2");
  return has;
#else
  return false;
#endif
}

}  // namespace

uint64_t Hash64(const void* data, size_t size, uint64_t seed) {
  // Short inputs never reach the vector loop.
  if (size > 240 && HasAvx2()) return Hash64Avx2(data, size, seed);
  return Hash64Generic(data, size, seed);
}

}  // namespace kvsql
