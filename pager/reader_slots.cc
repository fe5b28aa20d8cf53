#include "pager/reader_slots.h"

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

void ReaderSlots::CollectHeld(std::vector<const State*>* held) {
  std::lock_guard lock(mutex_);
  for (ReaderSlot& slot : slots_) {
    if (const State* state = slot.state.load(std::memory_order_seq_cst)) held->push_back(state);
  }
}

}  // namespace kvsql::pager
