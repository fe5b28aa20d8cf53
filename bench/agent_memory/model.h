// The memories of the agent-memory suite: what every engine stores, a function of the sequence number
// alone.
//
//   id        the creation sequence, 1..records, and the agent (0..63) that follows from it by mixing
//   value     {"id":7,"agent":19,"sequence":7,"revision":0,"text":"... 200 ASCII bytes ..."}
//   texts     letters: each byte uniform over 63 letters, digits and blank, so that compression is not
//             flattered; vocabulary: words drawn uniformly from 2,000 made ones
//
// An update raises the revision and draws a new text; id, agent and sequence never change.
//
// Thread safety: const methods may run in parallel.
#ifndef KVSQL_BENCH_AGENT_MEMORY_MODEL_H_
#define KVSQL_BENCH_AGENT_MEMORY_MODEL_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kvsql::bench::agent_memory {

inline constexpr uint32_t kAgents = 64;
inline constexpr size_t kTextBytes = 200;
inline constexpr size_t kLatest = 10;

enum class TextKind { kLetters, kVocabulary };

// A well mixed 64-bit number for each pair (splitmix64's finaliser, twice).
uint64_t Mix(uint64_t stream, uint64_t number);

struct MemoryId {
  uint32_t sequence = 0;
  uint32_t agent = 0;
  friend bool operator==(const MemoryId&, const MemoryId&) = default;
};
MemoryId IdOf(uint32_t sequence);

// Room for one value, where an engine copies what it read. The bytes behind it let a JSON reader look
// further than the value's end.
struct ValueBuffer {
  static constexpr size_t kCapacity = 448;
  static constexpr size_t kPadding = 64;

  char bytes[kCapacity + kPadding];
  size_t size = 0;

  std::string_view view() const { return {bytes, size}; }
  // Fatal for a value that is longer than any that was stored.
  void Assign(const void* data, size_t count);
};

struct LatestBuffer {
  std::array<ValueBuffer, kLatest> values;
  size_t count = 0;
};

class Model {
 public:
  explicit Model(TextKind kind);

  // The text of a memory at a revision.
  void Text(uint32_t sequence, uint32_t revision, char (&text)[kTextBytes]) const;
  // The value as it is stored.
  void Value(uint32_t sequence, uint32_t revision, ValueBuffer* value) const;

 private:
  void Letters(uint64_t stream, char (&text)[kTextBytes]) const;
  void Words(uint64_t stream, char (&text)[kTextBytes]) const;

  const TextKind kind_;
  std::vector<std::string> words_;  // empty for letters
};

}  // namespace kvsql::bench::agent_memory

#endif  // KVSQL_BENCH_AGENT_MEMORY_MODEL_H_
