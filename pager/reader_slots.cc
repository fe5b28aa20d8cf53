#include "pager/reader_slots.h"

#include <algorithm>
#include <functional>

namespace kvsql::pager {

ReaderSlot* ReaderSlots::Acquire() {
  std::lock_guard lock(mutex_);
  if (!free_.empty()) {
    ReaderSlot* slot = free_.back();
    free_.pop_back();
    return slot;
  }
  return &slots_.emplace_back();
}

void ReaderSlots::Release(ReaderSlot* slot) {
  slot->Disarm();
  std::lock_guard lock(mutex_);
  free_.push_back(slot);
}

void ReaderSlots::CollectHeld(const std::vector<const State*>& live,
                              std::vector<const State*>* held) {
  std::lock_guard lock(mutex_);
  for (ReaderSlot& slot : slots_) {
    const State* state = slot.state.load(std::memory_order_seq_cst);
    if (state != nullptr && std::binary_search(live.begin(), live.end(), state, std::less<>())) {
      held->push_back(state);
    }
  }
}

}  // namespace kvsql::pager
