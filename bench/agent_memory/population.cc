#include <algorithm>

#include "bench/agent_memory/store.h"

namespace kvsql::bench::agent_memory {

Population::Population(const Model& model, uint32_t records, Order order) {
  ids_.reserve(records);
  for (uint32_t sequence = 1; sequence <= records; ++sequence) ids_.push_back(IdOf(sequence));
  if (order == Order::kByAgentNewestFirst) std::reverse(ids_.begin(), ids_.end());
  if (order != Order::kBySequence) {
    std::stable_sort(ids_.begin(), ids_.end(),
                     [](MemoryId a, MemoryId b) { return a.agent < b.agent; });
  }
  begins_.reserve(records + 1);
  ValueBuffer value;
  for (const MemoryId id : ids_) {
    model.Value(id.sequence, 0, &value);
    bytes_ += value.view();
    begins_.push_back(bytes_.size());
  }
}

}  // namespace kvsql::bench::agent_memory
