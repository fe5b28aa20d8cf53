#include "pager/log_ring.h"

#include <algorithm>

#include "base/check.h"
#include "pager/test_switches.h"

namespace kvsql::pager {

LogRing::LogRing(uint32_t end_block, const LogPosition& start)
    : head_(start.offset),
      tail_(static_cast<uint32_t>(start.offset / kLogBlockSize)),
      end_(std::max(end_block, kLogFirstBlock)),
      tail_sequence_(start.next_sequence),
      next_sequence_(start.next_sequence) {}

uint64_t LogRing::Room() const {
  uint64_t limit = uint64_t{wrapped_ ? tail_ : end_} * kLogBlockSize;
  if (KV_BROKEN(kLogOverwriteTail)) limit = uint64_t{end_} * kLogBlockSize;
  return limit > head_ ? limit - head_ : 0;
}

bool LogRing::Wrap() {
  if (wrapped_ && !KV_BROKEN(kLogOverwriteTail)) return false;
  if (end_ <= kLogFirstBlock) return false;
  head_ = uint64_t{kLogFirstBlock} * kLogBlockSize;
  round_start_ = next_sequence_;
  if (empty_) {
    // No record that anyone needs is in the way: the new round has the whole ring.
    tail_ = kLogFirstBlock;
  } else {
    wrapped_ = true;
  }
  return true;
}

void LogRing::Take(uint64_t bytes, uint64_t records) {
  KV_CHECK(bytes <= Room());
  head_ += bytes;
  next_sequence_ += records;
  empty_ = false;
}

bool LogRing::Place(uint64_t bytes) {
  if (Room() < bytes) {
    const LogRing before = *this;
    if (!Wrap() || Room() < bytes) {
      *this = before;
      return false;
    }
  }
  Take(bytes, 1);
  return true;
}

void LogRing::AdvanceTail(const LogPosition& position) {
  KV_CHECK(position.next_sequence <= next_sequence_);
  // A second checkpoint at the same place frees nothing, and its block may lie before the tail: an empty
  // ring's tail runs ahead to the head.
  if (position.next_sequence <= tail_sequence_) return;
  tail_sequence_ = position.next_sequence;
  if (position.next_sequence == next_sequence_) {
    empty_ = true;
    wrapped_ = false;
    // Invariant 2 needs it: otherwise a first record that just fits behind the head would leave less for
    // the others than one that goes round at once.
    StartFreshBlock();
    tail_ = static_cast<uint32_t>(head_ / kLogBlockSize);
    return;
  }
  if (wrapped_ && position.next_sequence >= round_start_) {
    wrapped_ = false;
    tail_ = kLogFirstBlock;
  }
  // The position's own block may hold the next record too.
  if (position.next_sequence != round_start_) {
    tail_ = static_cast<uint32_t>(position.offset / kLogBlockSize);
  }
}

void LogRing::Extend(uint32_t end_block) {
  KV_CHECK(!wrapped_ && end_block >= end_);
  end_ = end_block;
}

uint32_t LogRing::UsedBlocks() const {
  if (empty_) return 0;
  const auto head = static_cast<uint32_t>(LogBlocksFor(head_));
  return wrapped_ ? (end_ - tail_) + (head - kLogFirstBlock) : head - tail_;
}

}  // namespace kvsql::pager
