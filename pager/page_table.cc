#include "pager/page_table.h"

#include <cstdlib>
#include <new>

namespace kvsql::pager {
namespace {

// Zeroed by the kernel on first touch: a table for a large file costs only what is used of it.
template <typename T>
T* ZeroedArray(size_t count) {
  void* memory = std::calloc(count, sizeof(T));
  if (memory == nullptr) throw std::bad_alloc();
  return static_cast<T*>(memory);
}

}  // namespace

PageTable::PageTable() : chunks_(ZeroedArray<Chunk*>(kChunks)) {}

PageTable::~PageTable() {
  for (uint32_t i = 0; i < chunk_count_; ++i) std::free(chunks_[i]);
  std::free(chunks_);
}

void PageTable::Reserve(uint64_t page_count) {
  const auto wanted = static_cast<uint32_t>((page_count + kChunkPages - 1) / kChunkPages);
  for (; chunk_count_ < wanted; ++chunk_count_) chunks_[chunk_count_] = ZeroedArray<Chunk>(1);
}

}  // namespace kvsql::pager
