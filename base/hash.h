// XXH3, the hash behind page checksums, log records and hash tables.
#ifndef KVSQL_BASE_HASH_H_
#define KVSQL_BASE_HASH_H_

#include <cstddef>
#include <cstdint>

namespace kvsql {

// XXH3-64 of `size` bytes, seeded. Chooses AVX2 code at run time where the processor has it: the result
// is the same.
uint64_t Hash64(const void* data, size_t size, uint64_t seed);

}  // namespace kvsql

#endif  // KVSQL_BASE_HASH_H_
