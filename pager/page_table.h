// Where the current bytes of each page are: in the mapping of the file, or in a frame in memory (S5).
//
// One bit per page says "read it in the mapping: what stands there is this page's latest content, synced,
// and its checksum and structure have been validated in this process". Otherwise a frame may hold it; if
// there is none, the page must be validated in the mapping first (the slow path).
//
// The headerless pages of large values have a bit and frames of their own. What was proven of one kind says
// nothing of the other: a damaged file may name one page as both, and node code must never see a value's bytes.
//
// Thread safety: readers may call the const methods at any time, for pages that belong to their snapshot.
// Changes are made by the pager under its own locks; see the invariants.
//
// Invariants:
//  1. The content that a page number stands for never changes while a snapshot that reaches it is open.
//     Hence it does not matter to a reader whether it finds a page in its frame or in the mapping.
//  2. A frame's memory outlives every reader that may have loaded its pointer (S7).
//  3. When an extent moves from its frame to the mapping, all its run bits are set before its frame goes: who
//     finds neither the bits nor the frame, and still not the bits, looks at an extent never seen before.
#ifndef KVSQL_PAGER_PAGE_TABLE_H_
#define KVSQL_PAGER_PAGE_TABLE_H_

#include <atomic>
#include <cstdint>
#include <memory>

#include "pager/types.h"

namespace kvsql::pager {

// An extent that no checkpoint has written yet: one block of memory, with the bytes of its pages behind this.
struct alignas(64) RunFrame {
  PageRun run;
  TxId birth = 0;

  bool Covers(PageRun part) const {
    return part.first >= run.first && part.first - run.first < run.pages &&
           part.pages <= run.pages - (part.first - run.first);
  }
  uint8_t* page(PageId id, uint8_t page_shift) {
    return reinterpret_cast<uint8_t*>(this + 1) + (uint64_t{id - run.first} << page_shift);
  }
};

class PageTable {
 public:
  static constexpr uint32_t kChunkShift = 14;
  static constexpr uint32_t kChunkPages = 1u << kChunkShift;

  struct Chunk {
    std::atomic<uint64_t> mapped[kChunkPages / 64];
    std::atomic<uint8_t*> frame[kChunkPages];
    uint64_t epoch[kChunkPages];  // writer only: when the frame was dirtied
    std::atomic<uint64_t> run[kChunkPages / 64];
    std::atomic<RunFrame*> run_frame[kChunkPages];
  };

  PageTable();
  ~PageTable();
  PageTable(const PageTable&) = delete;
  PageTable& operator=(const PageTable&) = delete;

  // Makes chunks for all pages below `page_count`. One caller at a time; readers learn of the pages only
  // afterwards (the published state carries the page count).
  void Reserve(uint64_t page_count);

  bool IsMapped(PageId id) const {
    return (ChunkOf(id)->mapped[(id & (kChunkPages - 1)) / 64].load(std::memory_order_acquire) >>
            (id % 64)) &
           1;
  }
  uint8_t* frame(PageId id) const {
    return ChunkOf(id)->frame[id & (kChunkPages - 1)].load(std::memory_order_acquire);
  }
  void SetFrame(PageId id, uint8_t* frame) {
    ChunkOf(id)->frame[id & (kChunkPages - 1)].store(frame, std::memory_order_release);
  }
  void SetMapped(PageId id) {
    ChunkOf(id)->mapped[(id & (kChunkPages - 1)) / 64].fetch_or(uint64_t{1} << (id % 64),
                                                                std::memory_order_acq_rel);
  }
  // The page is handed out: nothing is known of what will stand there.
  void ClearMapped(PageId id) {
    const uint64_t bit = uint64_t{1} << (id % 64);
    ChunkOf(id)->mapped[(id & (kChunkPages - 1)) / 64].fetch_and(~bit, std::memory_order_acq_rel);
    std::atomic<uint64_t>& run = ChunkOf(id)->run[(id & (kChunkPages - 1)) / 64];
    if ((run.load(std::memory_order_relaxed) & bit) != 0) {
      run.fetch_and(~bit, std::memory_order_acq_rel);
    }
  }

  // Whether all these pages stand in the mapping as verified pages of extents.
  bool IsMappedRun(PageRun run) const;
  void SetMappedRun(PageRun run);
  // The extent in memory that the page is one of, or nullptr.
  RunFrame* run_frame(PageId id) const {
    return ChunkOf(id)->run_frame[id & (kChunkPages - 1)].load(std::memory_order_acquire);
  }
  void SetRunFrame(PageId id, RunFrame* frame) {
    ChunkOf(id)->run_frame[id & (kChunkPages - 1)].store(frame, std::memory_order_release);
  }
  uint64_t epoch(PageId id) const { return ChunkOf(id)->epoch[id & (kChunkPages - 1)]; }
  void set_epoch(PageId id, uint64_t epoch) { ChunkOf(id)->epoch[id & (kChunkPages - 1)] = epoch; }

 private:
  static constexpr uint32_t kChunks = 1u << (32 - kChunkShift);

  Chunk* ChunkOf(PageId id) const { return chunks_[id >> kChunkShift]; }

  // Zero pages of the kernel until touched. A slot is written once, before any page in it is published.
  Chunk** chunks_;
  uint32_t chunk_count_ = 0;
};

}  // namespace kvsql::pager

#endif  // KVSQL_PAGER_PAGE_TABLE_H_
