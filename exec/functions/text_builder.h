// A text of unknown length that grows in a TextArena.
//
// Thread safety: one thread at a time.
//
// Invariants:
//   1. Beyond kMaxLength bytes nothing is appended, and too_big() says so.
#ifndef KVSQL_EXEC_FUNCTIONS_TEXT_BUILDER_H_
#define KVSQL_EXEC_FUNCTIONS_TEXT_BUILDER_H_

#include <algorithm>
#include <cstring>
#include <string_view>

#include "exec/functions/function.h"

namespace kvsql::exec {

class TextBuilder {
 public:
  explicit TextBuilder(TextArena* arena, size_t expected = 64)
      : arena_(arena), data_(arena->Allocate(expected)), capacity_(expected) {}

  bool too_big() const { return too_big_; }
  size_t size() const { return size_; }

  // Room for `bytes` more; null if they are too many.
  char* Reserve(int64_t bytes) {
    if (too_big_ || bytes > kMaxLength - static_cast<int64_t>(size_)) {
      too_big_ = true;
      return nullptr;
    }
    const size_t needed = size_ + static_cast<size_t>(bytes);
    if (needed > capacity_) Grow(needed);
    return data_ + size_;
  }
  // Of what was reserved, this much has been written.
  void Advance(size_t bytes) { size_ += bytes; }

  void Append(std::string_view text) {
    if (text.empty()) return;
    if (char* at = Reserve(static_cast<int64_t>(text.size()))) {
      std::memcpy(at, text.data(), text.size());
      size_ += text.size();
    }
  }
  void Append(int64_t count, char c) {
    if (count <= 0) return;
    if (char* at = Reserve(count)) {
      std::memset(at, c, static_cast<size_t>(count));
      size_ += static_cast<size_t>(count);
    }
  }

  // Ends the building.
  std::string_view Finish() {
    arena_->Shrink(data_, capacity_, size_);
    return {data_, size_};
  }

 private:
  void Grow(size_t needed) {
    const size_t capacity = std::max(needed, 2 * capacity_);
    char* data = arena_->Allocate(capacity);
    if (size_ > 0) std::memcpy(data, data_, size_);
    data_ = data;
    capacity_ = capacity;
  }

  TextArena* arena_;
  char* data_;
  size_t size_ = 0;
  size_t capacity_;
  bool too_big_ = false;
};

}  // namespace kvsql::exec

#endif  // KVSQL_EXEC_FUNCTIONS_TEXT_BUILDER_H_
