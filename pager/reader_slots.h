// Reader slots: how snapshots tell writers what they still read, without locks (S8).
//
// Each snapshot handle owns one 64-byte slot for its lifetime. To begin, it stores the current state's
// address in the slot and looks whether that state is still current; to end, it stores null. A writer
// publishes first and scans afterwards, both sequentially consistent, so either the scan sees the slot
// or the reader sees the new state and retries.
//
// A slot that was parked with its state in place and re-armed by compare-and-swap would cost the same
// locked instruction as arming it afresh, so slots are simply emptied.
//
// Thread safety: Acquire, Release and ForEach lock; Arm and Disarm belong to the slot's owner and do not.
#ifndef KVSQL_PAGER_READER_SLOTS_H_
#define KVSQL_PAGER_READER_SLOTS_H_

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

namespace kvsql::pager {

struct State;

struct alignas(64) ReaderSlot {
  std::atomic<const State*> state{nullptr};

  // Arms the slot with what `current` holds; nullptr if that is null (the database is closed).
  const State* Arm(const std::atomic<const State*>& current) {
    const State* seen = current.load(std::memory_order_acquire);
    for (;;) {
      state.store(seen, std::memory_order_seq_cst);
      const State* again = current.load(std::memory_order_seq_cst);
      if (again == seen) [[likely]]
        return seen;
      seen = again;
    }
  }
  void Disarm() { state.store(nullptr, std::memory_order_release); }
};

class ReaderSlots {
 public:
  // A slot for the caller alone, until Release.
  ReaderSlot* Acquire();
  void Release(ReaderSlot* slot);

  // Appends the states that are held now. `live`, sorted: all there are; the caller has published before
  // (seq_cst) and prevents that states are freed meanwhile. What a slot has besides is the address of a state
  // that is gone: a reader which loaded it when it was current has stored it, and is about to see that it no
  // longer is.
  void CollectHeld(const std::vector<const State*>& live, std::vector<const State*>* held);

 private:
  std::mutex mutex_;
  std::deque<ReaderSlot> slots_;  // addresses are stable
  std::vector<ReaderSlot*> free_;
};

}  // namespace kvsql::pager

#endif  // KVSQL_PAGER_READER_SLOTS_H_
