#include "pager/frame_pool.h"

#include <algorithm>
#include <cstdlib>
#include <new>

namespace kvsql::pager {

void FramePool::Release::operator()(uint8_t* memory) const { std::free(memory); }

uint8_t* FramePool::Allocate() {
  if (free_.empty()) {
    const size_t bytes = std::max<size_t>(kSlabBytes, page_size_);
    auto* slab = static_cast<uint8_t*>(std::aligned_alloc(4096, bytes));
    if (slab == nullptr) throw std::bad_alloc();
    slabs_.emplace_back(slab);
    // Lowest address last, so that frames are handed out in ascending order.
    for (size_t offset = bytes; offset >= page_size_; offset -= page_size_) {
      free_.push_back(slab + offset - page_size_);
    }
  }
  uint8_t* frame = free_.back();
  free_.pop_back();
  return frame;
}

void FramePool::Free(uint8_t* frame) { free_.push_back(frame); }

}  // namespace kvsql::pager
