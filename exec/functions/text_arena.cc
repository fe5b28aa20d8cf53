#include "exec/functions/text_arena.h"

#include <algorithm>

namespace kvsql::exec {

char* TextArena::AllocateSlow(size_t bytes) {
  // Chunks too small for this are passed over until Reset.
  while (next_ < chunks_.size() && chunks_[next_].size < bytes) ++next_;
  if (next_ == chunks_.size()) {
    const size_t size = std::max(bytes, kChunkBytes);
    chunks_.push_back({std::unique_ptr<char[]>(new char[size]), size});
  }
  const Chunk& chunk = chunks_[next_++];
  at_ = chunk.data.get() + bytes;
  end_ = chunk.data.get() + chunk.size;
  return chunk.data.get();
}

void TextArena::Reset() {
  size_t kept = 0;
  std::erase_if(chunks_, [&kept](const Chunk& chunk) {
    if (kept + chunk.size > kKeptBytes) return true;
    kept += chunk.size;
    return false;
  });
  next_ = 0;
  at_ = end_ = nullptr;
}

}  // namespace kvsql::exec
