// Where functions put the bytes of their results.
//
// Thread safety: one thread at a time.
//
// Invariants:
//   1. What Allocate gave stays where it is until Reset or destruction.
//   2. Reset keeps the chunks: a batch like those before it allocates nothing. Chunks beyond
//      kKeptBytes are given back.
#ifndef KVSQL_EXEC_FUNCTIONS_TEXT_ARENA_H_
#define KVSQL_EXEC_FUNCTIONS_TEXT_ARENA_H_

#include <cstddef>
#include <memory>
#include <vector>

namespace kvsql::exec {

class TextArena {
 public:
  static constexpr size_t kChunkBytes = 32 * 1024;
  static constexpr size_t kKeptBytes = size_t{4} << 20;

  TextArena() = default;
  TextArena(const TextArena&) = delete;
  TextArena& operator=(const TextArena&) = delete;

  // `bytes` uninitialised bytes, not aligned; not null, even for none.
  char* Allocate(size_t bytes) {
    if (static_cast<size_t>(end_ - at_) < bytes || at_ == nullptr) return AllocateSlow(bytes);
    char* result = at_;
    at_ += bytes;
    return result;
  }

  // Gives back the end of the last allocation: of `bytes` bytes only the first `used` are needed.
  void Shrink(const char* last, size_t bytes, size_t used) {
    if (last + bytes == at_) at_ -= bytes - used;
  }

  void Reset();

 private:
  struct Chunk {
    std::unique_ptr<char[]> data;
    size_t size;
  };
  char* AllocateSlow(size_t bytes);

  std::vector<Chunk> chunks_;
  size_t next_ = 0;  // the first chunk that has not been begun
  char* at_ = nullptr;
  char* end_ = nullptr;
};

}  // namespace kvsql::exec

#endif  // KVSQL_EXEC_FUNCTIONS_TEXT_ARENA_H_
