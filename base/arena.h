// A bump allocator for objects that die together: the nodes of one AST, the pieces of one plan.
//
// Thread safety: none; one thread at a time.
//
// Invariants:
//   1. No destructor runs for what lives in an arena: only trivially destructible types are allowed.
//   2. Addresses are stable until Reset or destruction.
#ifndef KVSQL_BASE_ARENA_H_
#define KVSQL_BASE_ARENA_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace kvsql {

class Arena {
 public:
  explicit Arena(size_t first_block = 1024) : next_block_(first_block) {}
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  Arena(Arena&& other) noexcept { *this = std::move(other); }
  Arena& operator=(Arena&& other) noexcept {
    blocks_ = std::move(other.blocks_);
    at_ = std::exchange(other.at_, nullptr);
    end_ = std::exchange(other.end_, nullptr);
    next_block_ = other.next_block_;
    bytes_ = std::exchange(other.bytes_, 0);
    other.blocks_.clear();
    return *this;
  }

  // `size` uninitialised bytes, aligned to `alignment` (at most that of max_align_t).
  void* Allocate(size_t size, size_t alignment) {
    const auto address = reinterpret_cast<uintptr_t>(at_);
    const size_t skip = (alignment - address % alignment) % alignment;
    if (static_cast<size_t>(end_ - at_) < size + skip || at_ == nullptr) return AllocateSlow(size);
    uint8_t* result = at_ + skip;
    at_ = result + size;
    return result;
  }

  template <typename T, typename... Args>
  T* New(Args&&... args) {
    static_assert(std::is_trivially_destructible_v<T>);
    return new (Allocate(sizeof(T), alignof(T))) T{std::forward<Args>(args)...};
  }

  // A default-initialised array.
  template <typename T>
  std::span<T> NewArray(size_t count) {
    static_assert(std::is_trivially_destructible_v<T>);
    if (count == 0) return {};
    T* items = static_cast<T*>(Allocate(sizeof(T) * count, alignof(T)));
    for (size_t i = 0; i < count; ++i) new (items + i) T{};
    return {items, count};
  }

  // A copy of a vector that the arena owns.
  template <typename T>
  std::span<T> Copy(const std::vector<T>& from) {
    std::span<T> to = NewArray<T>(from.size());
    for (size_t i = 0; i < from.size(); ++i) to[i] = from[i];
    return to;
  }

  std::string_view Copy(std::string_view text) {
    if (text.empty()) return {};
    char* bytes = static_cast<char*>(Allocate(text.size(), 1));
    std::memcpy(bytes, text.data(), text.size());
    return {bytes, text.size()};
  }

  // Bytes taken from the heap.
  size_t allocated_bytes() const { return bytes_; }

 private:
  void* AllocateSlow(size_t size) {
    const size_t block = size > next_block_ / 2 ? size : next_block_;
    blocks_.push_back(std::make_unique<uint8_t[]>(block));
    bytes_ += block;
    uint8_t* start = blocks_.back().get();
    if (block == size) return start;  // a block of its own: the current one goes on
    at_ = start + size;
    end_ = start + block;
    if (next_block_ < 64 * 1024) next_block_ *= 2;
    return start;
  }

  std::vector<std::unique_ptr<uint8_t[]>> blocks_;
  uint8_t* at_ = nullptr;
  uint8_t* end_ = nullptr;
  size_t next_block_ = 1024;
  size_t bytes_ = 0;
};

}  // namespace kvsql

#endif  // KVSQL_BASE_ARENA_H_
