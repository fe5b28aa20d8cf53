// Memory for pages that stand in frames.
//
// Thread safety: none; the pager guards it with its space mutex.
#ifndef KVSQL_PAGER_FRAME_POOL_H_
#define KVSQL_PAGER_FRAME_POOL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace kvsql::pager {

class FramePool {
 public:
  explicit FramePool(uint32_t page_size) : page_size_(page_size) {}
  FramePool(const FramePool&) = delete;
  FramePool& operator=(const FramePool&) = delete;

  // Before the first Allocate.
  void set_page_size(uint32_t page_size) { page_size_ = page_size; }

  // One page, contents unspecified. Aligned to 4096.
  uint8_t* Allocate();
  void Free(uint8_t* frame);

 private:
  struct Release {
    void operator()(uint8_t* memory) const;
  };
  static constexpr size_t kSlabBytes = 256 * 1024;

  uint32_t page_size_;
  std::vector<uint8_t*> free_;
  std::vector<std::unique_ptr<uint8_t, Release>> slabs_;
};

}  // namespace kvsql::pager

#endif  // KVSQL_PAGER_FRAME_POOL_H_
