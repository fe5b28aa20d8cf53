// The commit log: where small commits become durable (S14-S24).
//
// Records are opaque here. A committer appends under the writer lock, which does no I/O and never blocks;
// one flusher at a time then writes all that is buffered. Log space behind a checkpoint is reused round
// and round; the format and the order in which a reader looks for records are in pager/log_format.h.
//
// Life: Create (or, in recovery, Open, ReplayLog, StartGeneration) -> a meta that names identity() and
// end() is made durable by the caller -> { Append, Flush, AdvanceTail, Grow } ... -> a last meta that says
// "no log" -> destroy -> Remove.
//
// Thread safety:
//   Append, HasRoomFor      one thread at a time (the writer lock), parallel to everything else
//   Flush                   one thread at a time (the flush lock), parallel to everything else
//   Sync, Grow              any thread (one Grow at a time)
//   AdvanceTail             one thread at a time (the checkpoint), parallel to everything else
//   the rest                any thread
//
// Invariants:
//  1. Every write holds whole records of one flush and never runs over the end of the file. A flush that
//     does not fit before the end is cut between records: each part is a flush of its own, and part two
//     starts when part one is as durable as its level asks.
//  2. A block that holds a durable record which the tail has not passed is never written again.
//  3. The block of the tail, and those from it to the head, are never overwritten. Append is allowed only
//     where HasRoomFor said yes, and what it then reserves is at least what the flush will use.
//  4. Records become durable in order of sequence: durable_sequence() <= written_sequence() <= the last
//     appended one, and each only grows.
//  5. After an I/O error nothing more is written, for ever (S24).
#ifndef KVSQL_PAGER_COMMIT_LOG_H_
#define KVSQL_PAGER_COMMIT_LOG_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/status.h"
#include "pager/file.h"
#include "pager/log_buffer.h"
#include "pager/log_ring.h"
#include "pager/log_types.h"
#include "pager/types.h"

namespace kvsql::pager {

struct LogOptions {
  // Sizes of the file in bytes, rounded up to blocks. The log never grows beyond `limit`.
  uint64_t limit = uint64_t{8} << 20;
  uint64_t initial = uint64_t{64} << 10;
  uint64_t step = uint64_t{256} << 10;
};

struct LogFlushResult {
  LogPosition end;       // behind the last record written
  uint64_t written = 0;  // sequence of the last record in the log: survives the process
  uint64_t durable = 0;  // sequence of the last record that survives power failure
};

class CommitLog {
 public:
  // Makes a log of zeros at `path` (S15): temporary file, sync, rename, sync of the directory. The caller
  // makes a meta durable that names `identity` and end(), and only then appends.
  // A kvsql log that stood there is replaced by the new inode. ALREADY_EXISTS: there is a file which is
  // no kvsql log; it is left alone. RESOURCE_EXHAUSTED, PERMISSION_DENIED: nothing was changed, commit
  // directly. Any other error: nothing names the file yet, so it may be ignored too.
  static StatusOr<std::unique_ptr<CommitLog>> Create(FileSystem* fs, const std::string& path,
                                                     const LogIdentity& identity,
                                                     const LogOptions& options = {});

  // Opens the log that a meta names. DATA_LOSS if it is missing, is no log, or is another one. The caller
  // replays through file() first, then calls StartGeneration; no Append before that.
  static StatusOr<std::unique_ptr<CommitLog>> Open(FileSystem* fs, const std::string& path,
                                                   const LogIdentity& identity,
                                                   const LogOptions& options = {});

  // Removes the log at `path`; OK if there is none. FAILED_PRECONDITION if the file is no kvsql log.
  static Status Remove(FileSystem* fs, const std::string& path);

  CommitLog(const CommitLog&) = delete;
  CommitLog& operator=(const CommitLog&) = delete;

  // Starts afresh on an empty ring with a new generation and salt (S33), and returns the position that
  // the meta must name. Writes nothing. Not while anything is buffered or other calls run.
  LogPosition StartGeneration(uint64_t generation, uint64_t salt);

  // Whether a record with this payload may be appended now, behind all that is buffered. If not, a
  // checkpoint (AdvanceTail) or Grow will help, provided that FitsEmptyLog.
  bool HasRoomFor(uint64_t payload_bytes);
  // Whether the log in its present size could hold such a record at all, if it were empty.
  bool FitsEmptyLog(uint64_t payload_bytes) const;

  // Buffers a record and returns its sequence. HasRoomFor(payload.size()) must have been true.
  uint64_t Append(TxId txid, Bytes payload, Durability level);

  // Writes all that is buffered. Durable at return if `at_least` or any buffered record asks for kFull
  // (then records of earlier `normal` flushes are durable too); else it survives the process only.
  // On error the log is poisoned and the records' outcome is unknown.
  StatusOr<LogFlushResult> Flush(Durability at_least);

  // Makes all that has been written so far durable: the background sync of `normal` commits. Runs beside
  // Append and `normal` flushes.
  Status Sync();

  // A durable checkpoint names `position`, a place where a flush ended: the log before it is free.
  void AdvanceTail(const LogPosition& position);

  // Growth, in the background ahead of need (S16). WantsGrowth: more than half of the ring is in use, the
  // limit allows more, and no growth has failed. Grow writes a step of zeros and syncs; the ring takes
  // the new part in when the head is not behind the tail. A full disk is not an error of the log: Grow
  // returns RESOURCE_EXHAUSTED, and WantsGrowth is false from then on.
  bool WantsGrowth() const;
  Status Grow();

  // Bytes of the ring from tail to head, and what they may become. A checkpoint is due when half is used.
  uint64_t UsedBytes() const;
  uint64_t CapacityBytes() const;  // the limit, or the present size if the log cannot grow
  bool CheckpointDue() const { return UsedBytes() * 2 >= CapacityBytes(); }

  // Behind the last record written.
  LogPosition end() const;
  const LogIdentity& identity() const { return identity_; }
  uint64_t written_sequence() const { return written_.load(std::memory_order_acquire); }
  uint64_t durable_sequence() const { return durable_.load(std::memory_order_acquire); }
  bool HasBuffered() const;
  bool HasUnsynced() const { return durable_sequence() < written_sequence(); }
  // OK, or the error that poisoned the log.
  Status status() const;

  File* file() const { return file_.get(); }
  const std::string& path() const { return path_; }

 private:
  CommitLog(std::string path, std::unique_ptr<File> file, const LogIdentity& identity,
            const LogOptions& options, uint32_t blocks);

  // Whole records that are written in one piece.
  struct Part {
    uint64_t offset = 0;  // in the file
    uint64_t bytes = 0;
    uint64_t records = 0;
  };

  // Both under mutex_.
  void PlaceBatch(bool full);
  void RenewReservation();
  void TakeGrownPart();

  // Under write_mutex_: the part's records stand at `begin` in batch_. Returns where the next part's do.
  StatusOr<uint64_t> WritePart(uint64_t begin, const Part& part, bool full, bool through_cache);
  LogPosition Finish(uint8_t* records, const Part& part, bool full);

  Status SyncLog();
  void RaiseDurable(uint64_t sequence);
  Status Poison(const Status& error);
  Status PoisonedStatus() const;

  const std::string path_;
  const std::unique_ptr<File> file_;
  LogIdentity identity_;
  const LogOptions options_;

  std::atomic<uint64_t> written_{0};
  std::atomic<uint64_t> durable_{0};
  std::atomic<bool> poisoned_{false};

  // Held by whoever runs SyncData: two at once on one descriptor would share one error report (S24).
  std::mutex sync_mutex_;

  // Held by Flush while it writes, and by Sync to take its mark between two flushes. Before mutex_ and
  // sync_mutex_; those two are never held together.
  std::mutex write_mutex_;
  std::unique_ptr<LogBuffer> batch_;  // the records being written
  std::vector<Part> parts_;           // and where they go

  // Guards what follows; held for a few instructions.
  mutable std::mutex mutex_;
  std::unique_ptr<LogBuffer> buffer_;  // the records appended since
  uint64_t next_append_ = 1;           // sequence of the next Append
  LogRing ring_;                       // where the records written, or being written, are
  LogRing reserved_;                   // ring_ from a fresh block on, plus room for all in buffer_
  LogPosition end_;
  uint32_t ring_end_ = 0;   // blocks of the file that the ring may use
  uint32_t grown_end_ = 0;  // the same with what Grow has added and the ring has not taken
  bool growth_failed_ = false;
  Status error_;
};

}  // namespace kvsql::pager

#endif  // KVSQL_PAGER_COMMIT_LOG_H_
