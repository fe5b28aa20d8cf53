#include "pager/page_table.h"

#include <algorithm>
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

namespace {

// Calls f(first page of a bitmap word, bits) for each word that the run has a part in, while it answers true.
template <typename F>
bool ForEachWord(PageRun run, F f) {
  const uint64_t end = uint64_t{run.first} + run.pages;
  for (uint64_t page = run.first; page < end;) {
    const uint64_t next = std::min(end, (page | 63) + 1);
    const uint64_t ones = ~uint64_t{0} >> (64 - (next - page));
    if (!f(static_cast<PageId>(page), ones << (page % 64))) return false;
    page = next;
  }
  return true;
}

}  // namespace

bool PageTable::IsMappedRun(PageRun run) const {
  return ForEachWord(run, [this](PageId page, uint64_t bits) {
    const auto& word = ChunkOf(page)->run[(page & (kChunkPages - 1)) / 64];
    return (word.load(std::memory_order_acquire) & bits) == bits;
  });
}

void PageTable::SetMappedRun(PageRun run) {
  ForEachWord(run, [this](PageId page, uint64_t bits) {
    ChunkOf(page)->run[(page & (kChunkPages - 1)) / 64].fetch_or(bits, std::memory_order_acq_rel);
    return true;
  });
}

}  // namespace kvsql::pager
