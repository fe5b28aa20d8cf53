// A memory's key where keys are bytes: 2 bytes of agent and 4 of sequence, both big-endian, so that keys
// are ordered by agent and then by age, and one agent's memories lie side by side. No wider than that: every
// engine compares shorter keys faster.
#ifndef KVSQL_BENCH_AGENT_MEMORY_KEY_H_
#define KVSQL_BENCH_AGENT_MEMORY_KEY_H_

#include <cstdint>
#include <string_view>

#include "bench/agent_memory/model.h"

namespace kvsql::bench::agent_memory {

class Key {
 public:
  static constexpr uint64_t kLastSequence = (uint64_t{1} << 32) - 1;

  explicit Key(MemoryId id) : Key(id.agent, id.sequence) {}
  Key(uint32_t agent, uint64_t sequence) {
    const uint64_t number = uint64_t{agent} << 32 | sequence;
    for (int i = 0; i < 6; ++i) bytes_[i] = static_cast<char>(number >> (40 - 8 * i));
  }
  // The key with which the newest memory comes first in a walk forward.
  static Key NewestFirst(MemoryId id) { return {id.agent, kLastSequence - id.sequence}; }

  std::string_view view() const { return {bytes_, sizeof(bytes_)}; }
  std::string_view agent_prefix() const { return {bytes_, 2}; }

  static uint64_t Number(std::string_view key) {
    uint64_t number = 0;
    for (const char byte : key) number = number << 8 | static_cast<unsigned char>(byte);
    return number;
  }
  static MemoryId IdOf(std::string_view key) {
    const uint64_t number = Number(key);
    return {static_cast<uint32_t>(number & kLastSequence), static_cast<uint32_t>(number >> 32)};
  }
  static MemoryId IdOfNewestFirst(std::string_view key) {
    const uint64_t number = Number(key);
    return {static_cast<uint32_t>(kLastSequence - (number & kLastSequence)),
            static_cast<uint32_t>(number >> 32)};
  }

 private:
  char bytes_[6];
};

}  // namespace kvsql::bench::agent_memory

#endif  // KVSQL_BENCH_AGENT_MEMORY_KEY_H_
