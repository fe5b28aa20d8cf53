// Where the records of a commit log stand in its ring of blocks, and how much room is left. Arithmetic
// only: no I/O, no records.
//
// Thread safety: none; a small value that can be copied.
//
// Invariants:
//  1. Not wrapped: the live part is [tail, head), and tail <= head <= end. Wrapped: it is [tail, end) and
//     [first block, head), and head <= tail. All in blocks; the head may stand within its block.
//  2. If a batch of records can be placed from a fresh block on, then the same batch can be placed from the
//     head as it stands, and after the tail or the end moved forward: every record comes to the same place
//     or to an earlier one. So a reservation made by placing the batch in a copy stays good.
#ifndef KVSQL_PAGER_LOG_RING_H_
#define KVSQL_PAGER_LOG_RING_H_

#include <cstdint>

#include "pager/log_types.h"

namespace kvsql::pager {

class LogRing {
 public:
  // No room at all.
  LogRing() = default;
  // An empty ring: blocks kLogFirstBlock .. end_block - 1.
  LogRing(uint32_t end_block, const LogPosition& start);

  // Bytes from the head on that may be written in one piece.
  uint64_t Room() const;
  uint64_t head() const { return head_; }
  uint32_t end_block() const { return end_; }
  bool wrapped() const { return wrapped_; }

  // Moves the head to the start of a block, if it is not there.
  void StartFreshBlock() { head_ = LogBlockCeil(head_); }
  // Moves the head to the first block. False if it may not go round, because it did and the tail has not.
  bool Wrap();
  // Gives the next `bytes`, which hold `records` records, to the head's owner. Room() must suffice.
  void Take(uint64_t bytes, uint64_t records);
  // Takes room for one record of `bytes`, going round if needed. False: no room, and nothing was changed.
  bool Place(uint64_t bytes);

  // Frees everything before `position`, which must stand between two records that were placed.
  void AdvanceTail(const LogPosition& position);
  // Adds blocks at the end. Not while wrapped: the head must reach them before it goes round.
  void Extend(uint32_t end_block);

  // Blocks from tail to head.
  uint32_t UsedBlocks() const;

 private:
  uint64_t head_ = 0;  // byte offset in the file
  uint32_t tail_ = 0;  // block
  uint32_t end_ = 0;   // block
  bool wrapped_ = false;
  bool empty_ = true;           // nothing placed behind the tail
  uint64_t tail_sequence_ = 1;  // of the first record behind the tail
  uint64_t next_sequence_ = 1;  // of the next record to be placed
  uint64_t round_start_ = 0;    // sequence of the first record after the last time round
};

}  // namespace kvsql::pager

#endif  // KVSQL_PAGER_LOG_RING_H_
