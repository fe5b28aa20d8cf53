// Memory for direct writes and reads.
#ifndef KVSQL_PAGER_ALIGNED_H_
#define KVSQL_PAGER_ALIGNED_H_

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

namespace kvsql::pager {

struct FreeMemory {
  void operator()(uint8_t* memory) const { std::free(memory); }
};
using AlignedBytes = std::unique_ptr<uint8_t, FreeMemory>;

// `bytes`, a multiple of 4096, at an address that is one. Not initialised.
inline AlignedBytes Aligned(size_t bytes) {
  auto* memory = static_cast<uint8_t*>(std::aligned_alloc(4096, bytes));
  if (memory == nullptr) throw std::bad_alloc();
  return AlignedBytes(memory);
}

}  // namespace kvsql::pager

#endif  // KVSQL_PAGER_ALIGNED_H_
