// The data that every engine holds, the same in each, a function of the row count alone:
//
//   t(id INTEGER PRIMARY KEY, name TEXT, score INTEGER)   ids 0..rows-1, score = (id * 7919) % 1000
//   keys                                                  "key:" + 8 digits -> 16 to 31 bytes
//
// Thread safety: const methods may run in parallel.
#ifndef KVSQL_BENCH_DATASET_H_
#define KVSQL_BENCH_DATASET_H_

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kvsql::bench {

// One key to ask for. Keys are made before the clock runs: every engine gets them for nothing.
struct Probe {
  uint32_t id;
  char key[12];
  std::string_view key_view() const { return {key, sizeof(key)}; }
};
static_assert(sizeof(Probe) == 16);

inline constexpr uint32_t kMaxRows = 99'999'999;  // as many as the key's digits can tell apart

Probe MakeProbe(uint32_t id);

// A short text made in place, so that making it costs no allocation inside a timed loop.
class ShortText {
 public:
  std::string_view view() const { return {bytes_, size_}; }
  void Append(std::string_view text) {
    std::memcpy(bytes_ + size_, text.data(), text.size());
    size_ += static_cast<uint32_t>(text.size());
  }
  void AppendNumber(uint64_t number);

 private:
  char bytes_[92];
  uint32_t size_ = 0;
};

// The value under key `id` after its `version`-th change. Its length depends on the id alone.
ShortText ValueOf(uint32_t id, uint32_t version);

ShortText NameOf(uint32_t id);
inline int64_t ScoreOf(uint32_t id) { return int64_t{id} * 7919 % 1000; }

// One text for each of some probes, made before the clock runs.
class TextColumn {
 public:
  static TextColumn Values(std::span<const Probe> probes);  // version 0
  static TextColumn Names(std::span<const Probe> probes);

  std::string_view operator[](size_t i) const {
    return {bytes_.data() + begins_[i], begins_[i + 1] - begins_[i]};
  }

 private:
  void Append(std::string_view text);

  std::string bytes_;
  std::vector<size_t> begins_ = {0};  // and the end of the last
};

class Dataset {
 public:
  explicit Dataset(uint32_t rows);

  uint32_t rows() const { return static_cast<uint32_t>(in_order_.size()); }
  // All ids, ascending (and so are the keys).
  const std::vector<Probe>& in_order() const { return in_order_; }
  // All ids in the random order that belongs to `seed`.
  std::vector<Probe> Shuffled(uint32_t seed) const;

 private:
  std::vector<Probe> in_order_;
};

}  // namespace kvsql::bench

#endif  // KVSQL_BENCH_DATASET_H_
