// What a store must hold, and the comparison of its answers with that.
//
// Thread safety: one thread at a time.
//
// Every check is Fatal where the store is wrong.
#ifndef KVSQL_BENCH_AGENT_MEMORY_ORACLE_H_
#define KVSQL_BENCH_AGENT_MEMORY_ORACLE_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/agent_memory/json_codec.h"
#include "bench/agent_memory/model.h"
#include "bench/agent_memory/store.h"

namespace kvsql::bench::agent_memory {

class Oracle {
 public:
  Oracle(TextKind text, uint32_t records);

  const Model& model() const { return model_; }
  uint32_t records() const { return records_; }

  // The sequence of a new memory.
  uint32_t Insert();
  // The new revision of the memory.
  uint32_t Update(uint32_t sequence);

  // The memory at its newest revision.
  void Expected(uint32_t sequence, Memory* memory) const;
  void ExpectedValue(uint32_t sequence, ValueBuffer* value) const {
    model_.Value(sequence, RevisionOf(sequence), value);
  }

  void CheckValue(uint32_t sequence, std::string_view value);
  void CheckMemory(uint32_t sequence, const Memory& memory);
  // The sequence numbers of the agent's newest ten, the newest first.
  std::vector<uint32_t> LatestOf(uint32_t agent) const;
  void CheckLatest(uint32_t agent, const LatestBuffer& latest);

  // Every memory, and every agent's latest ten.
  void CheckAll(Store& store);

 private:
  uint32_t RevisionOf(uint32_t sequence) const {
    return revisions_.empty() ? 0 : revisions_[sequence - 1];
  }

  const Model model_;
  uint32_t records_;
  std::vector<uint16_t> revisions_;                    // empty until something changes
  std::array<std::vector<uint32_t>, kAgents> newest_;  // ascending, at least the newest ten
  ValueBuffer expected_;
  Memory memory_;
};

}  // namespace kvsql::bench::agent_memory

#endif  // KVSQL_BENCH_AGENT_MEMORY_ORACLE_H_
