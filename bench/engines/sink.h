// Where read loops put what they read: each value and text is copied into a buffer, on every engine
// alike, and a digest of it added to a sum that does not depend on the order.
#ifndef KVSQL_BENCH_ENGINES_SINK_H_
#define KVSQL_BENCH_ENGINES_SINK_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "bench/engines/engine.h"
#include "bench/fatal.h"

namespace kvsql::bench {

template <Digest kDigest>
class Sink {
 public:
  // For engines that copy into the caller's buffer themselves: fill buffer(), then tell the size.
  char* buffer() { return buffer_; }
  static constexpr size_t capacity() { return 128; }

  void Copied(uint32_t id, size_t size) {
    if constexpr (kDigest == Digest::kFast) {
      sum_ += size + static_cast<uint8_t>(buffer_[size / 2]);
    } else {
      sum_ += Hash(size) * (2 * uint64_t{id} + 1);
    }
  }

  void Value(uint32_t id, const void* data, size_t size) {
    if (size > capacity()) [[unlikely]]
      Fatal("an engine answered a value that was never stored");
    std::memcpy(buffer_, data, size);
    Copied(id, size);
  }

  void Row(int64_t id, const void* name, size_t name_size, int64_t score) {
    Value(static_cast<uint32_t>(id), name, name_size);
    sum_ += static_cast<uint64_t>(id * 1'000'003 + score * 31);
  }

  uint64_t sum() const { return sum_; }

 private:
  uint64_t Hash(size_t size) const {  // FNV-1a
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; ++i) {
      hash = (hash ^ static_cast<uint8_t>(buffer_[i])) * 0x100000001b3u;
    }
    return hash;
  }

  uint64_t sum_ = 0;
  char buffer_[128];
};

// "SELECT ... WHERE id = N" with a literal that is new each time, made in place and
// zero-terminated.
class PointText {
 public:
  static constexpr char kPrefix[] = "SELECT id, name, score FROM t WHERE id = ";

  PointText() { std::memcpy(text_, kPrefix, sizeof(kPrefix) - 1); }

  std::string_view Set(uint32_t id) {
    ShortText digits;
    digits.AppendNumber(id);
    const size_t size = digits.view().size();
    std::memcpy(text_ + sizeof(kPrefix) - 1, digits.view().data(), size);
    text_[sizeof(kPrefix) - 1 + size] = '\0';
    return {text_, sizeof(kPrefix) - 1 + size};
  }

 private:
  char text_[sizeof(kPrefix) + 24];
};

}  // namespace kvsql::bench

#endif  // KVSQL_BENCH_ENGINES_SINK_H_
