// The pager: one database file (or none, in memory mode) seen as states made of pages.
//
// It gives snapshots of published states, one write transaction at a time, commits at the promised
// durability, checkpoints, recovery and reuse of space. What the pages and the log records mean is the
// business of the layers above.
//
// Thread safety: every method of Pager may be called from any thread. A Snapshot may be read from many
// threads while nobody begins or ends it. A WriteTransaction belongs to one thread.
//
// States (storage protocol): durable D (named by the newest durable meta) <= published V (what new readers
// get) <= newest W (what the next writer builds on). A state between V and W waits for the flush of its
// log record.
//
// Lock order: writer lock, checkpoint mutex, flush mutex, space mutex. No I/O under the space mutex,
// except the growth of the file.
//
// Invariants:
//  1. No page of a state that a meta slot names, that a checkpoint is writing or that a snapshot holds is
//     ever overwritten, in the file or in a frame (S9).
//  2. A state becomes visible only after its log record, or the meta that names it, is as durable as was
//     promised (S22).
//  3. After an I/O error in a flush or checkpoint nothing is written any more: the pager is poisoned, readers
//     go on, a fresh open recovers (S24).
#ifndef KVSQL_PAGER_PAGER_H_
#define KVSQL_PAGER_PAGER_H_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/status.h"
#include "pager/allocation_map.h"
#include "pager/allocator.h"
#include "pager/background.h"
#include "pager/commit_log.h"
#include "pager/core_registry.h"
#include "pager/file.h"
#include "pager/frame_pool.h"
#include "pager/meta.h"
#include "pager/page_reader.h"
#include "pager/page_table.h"
#include "pager/page_writer.h"
#include "pager/reader_slots.h"
#include "pager/root_table.h"
#include "pager/state.h"
#include "pager/types.h"
#include "pager/writer_lock.h"

namespace kvsql::pager {

class WriteTransaction;

// Checks the whole node structure of a tree page whose checksum is right (S2). DATA_LOSS with the reason.
using PageValidator = Status (*)(const uint8_t* page, uint32_t page_size);

// Applies one log record to the transaction (during recovery).
using ReplayFunction = std::function<Status(WriteTransaction& txn, Bytes record)>;

struct PagerOptions {
  FileSystem* file_system = nullptr;  // null: the real one
  std::string path;                   // empty: in memory, nothing is ever written
  bool read_only = false;
  bool create_if_missing = true;
  uint32_t page_size = 4096;      // for a new file; a power of two from 4096 to 65536
  uint64_t map_size = 0;          // bytes of address space to reserve; 0: as much as is sensible
  uint64_t log_limit = 8u << 20;  // bytes
  uint64_t dirty_budget = 64u << 20;  // bytes of dirty pages a transaction keeps in memory (S26)
  std::chrono::milliseconds busy_timeout{5000};
  // Threads for checkpoints, log growth and the background sync of kNormal commits. Without them the work
  // is done at the end of the commit that finds it due.
  bool background = true;
  bool verify_checksums = true;  // on the first touch of a page; its structure is always checked
  // Accept that a log which the meta names is gone or has provably lost durable records: commits since
  // the last checkpoint, or from the lost record on, are lost (S14, S17).
  bool accept_missing_log = false;
  PageValidator validator = nullptr;
  ReplayFunction replay;
};

// A handle through which snapshots are read, one after the other; owns a reader slot. Movable.
class Snapshot {
 public:
  Snapshot() = default;
  explicit Snapshot(std::shared_ptr<Pager> pager);
  Snapshot(Snapshot&& other) noexcept { *this = std::move(other); }
  Snapshot& operator=(Snapshot&& other) noexcept;
  ~Snapshot();

  // Takes the newest published state; false if the pager is closed. No lock, no syscall.
  bool Begin() {
    state_ = slot_->Arm(*current_);
    return state_ != nullptr;
  }
  void End() {
    if (slot_ != nullptr) slot_->Disarm();
    state_ = nullptr;
  }
  bool active() const { return state_ != nullptr; }
  bool valid() const { return slot_ != nullptr; }

  // While active:
  const State& state() const { return *state_; }
  const PageReader& pages() const { return state_->reader; }
  const TreeRoot& root(TreeId tree) const { return state_->roots.Get(tree); }

  const std::shared_ptr<Pager>& pager() const { return pager_; }

 private:
  void ReleaseSlot();

  std::shared_ptr<Pager> pager_;
  const std::atomic<const State*>* current_ = nullptr;
  ReaderSlot* slot_ = nullptr;
  const State* state_ = nullptr;
};

// Space and work counters, for tests, benchmarks and PRAGMAs.
struct PagerStats {
  uint64_t page_count = 0;
  uint64_t free_pages = 0;
  uint64_t pending_pages = 0;     // freed, but still needed by some state
  uint64_t unwritten_frames = 0;  // committed pages that no checkpoint has written yet
  uint64_t checkpoints = 0;
  uint64_t log_flushes = 0;
  uint64_t direct_commits = 0;
  TxId durable_txid = 0;  // of the state that the newest durable meta names
  uint64_t file_bytes = 0;
  uint64_t log_bytes = 0;
};

class Pager : public std::enable_shared_from_this<Pager> {
 public:
  // Opens or creates the file, recovering what an unclean end left. UNAVAILABLE: another process holds it
  // (after busy_timeout); NOT_FOUND; DATA_LOSS; FAILED_PRECONDITION: not a kvsql file, or a version or
  // feature that this build does not know. A second open of the same file in this process gets the same
  // pager (S38).
  static StatusOr<std::shared_ptr<Pager>> Open(const PagerOptions& options);
  ~Pager();

  // To be called once per Open; the last one takes effect: the last checkpoint; unlinks the log; unlocks (S31). Waits for a running write transaction and fails
  // (FAILED_PRECONDITION) while snapshots are active. Afterwards Begin and BeginWrite fail. Idempotent.
  Status Close();

  // Waits for the writer lock, first come first served. UNAVAILABLE after `timeout`.
  StatusOr<std::unique_ptr<WriteTransaction>> BeginWrite(std::chrono::milliseconds timeout);
  StatusOr<std::unique_ptr<WriteTransaction>> BeginWrite() {
    return BeginWrite(options_.busy_timeout);
  }

  // Writes all that is published into the file and makes it durable.
  Status Checkpoint();
  // Makes kNormal commits durable.
  Status SyncLog();
  // Gives free pages at the end of the file back to the file system (S30).
  Status Truncate();

  // OK, or why nothing can be written any more.
  Status health() const;
  // For messages: the file's path.
  const std::string& name() const { return real_path_; }
  // Seeds the checksums of this database's pages.
  uint64_t salt() const { return salt_; }
  // Checksum, number and node structure of a page that stands at `bytes` in the mapping.
  Status ValidatePage(PageId id, const uint8_t* bytes) const;
  bool in_memory() const { return options_.path.empty(); }
  // Whether this process is a forked child of the one that opened it: only good for destruction.
  bool forked() const { return forked_.load(std::memory_order_relaxed); }
  bool read_only() const { return options_.read_only; }
  uint32_t page_size() const { return options_.page_size; }
  const PagerOptions& options() const { return options_; }
  PagerStats stats();

  // For checkers. Calls `used` for every page that belongs to the pager itself in the newest durable state
  // (meta slots, allocation map, root table), and `free` for every page that may be allocated now or is
  // pending. Call while no transaction runs.
  Status VisitOwnPages(const std::function<void(PageId)>& used,
                       const std::function<void(PageId)>& free,
                       const std::function<void(PageId)>& pending);
  // Whether the allocator may hand the page out now (test hook).
  bool IsFree(PageId page);

 private:
  friend class PageReader;
  friend class PageWriter;
  friend class WriteTransaction;
  friend class Snapshot;

  // Pages that one commit brought and took away.
  struct Delta {
    TxId txid = 0;
    std::vector<BornRun> born;
    std::vector<FreedRun> freed;
  };
  // A commit whose log record is not flushed yet.
  struct Unflushed {
    uint64_t sequence = 0;
    State* state = nullptr;
    Delta delta;
    Durability level = Durability::kFull;
  };
  // A frame whose page went to the file at `version`: readers of older versions may still use it.
  struct RetiredFrame {
    uint8_t* memory = nullptr;
    RunFrame* extent = nullptr;  // or this
    TxId birth = 0;
    uint64_t version = 0;
  };

  explicit Pager(const PagerOptions& options);

  void Poison(const Status& cause);
  uint64_t BytesOf(uint64_t pages) const { return pages << page_shift_; }

  // commit.cc
  Status Commit(WriteTransaction& txn, Bytes record, Durability level,
                std::shared_ptr<const void> attachment);
  Status CommitDirect(State* state, Delta delta, bool small);
  Status EnsureLogRoom(size_t record_bytes, bool* direct);
  Status WaitFlushed(uint64_t sequence);
  Status FlushBuffered();
  Status FlushOnce();
  void PublishLocked(State* state, std::vector<Delta> deltas);
  State* NewState(TxId txid, const RootTable& roots, std::shared_ptr<const void> attachment);
  void NoteWorkDue();

  // space.cc: all with space_mutex_ held
  void ReclaimLocked(bool thorough);
  void ReclaimFramesLocked(bool thorough);
  bool HeldLocked(TxId birth, TxId death) const;
  void CollectHeldLocked();
  const std::vector<const State*>& LiveStatesLocked(const State* current);
  void ReleaseRunLocked(PageId first, uint32_t pages);
  void DropFrameLocked(PageId page);
  RunFrame* NewRunFrameLocked(PageRun run, TxId birth);
  void ForgetRunFrameLocked(RunFrame* frame);
  void FreeRunFrameLocked(RunFrame* frame);
  StatusOr<PageId> AllocatePageLocked(bool* used_reserve);
  StatusOr<PageId> AllocateMapPageLocked();
  StatusOr<std::vector<PageRun>> AllocateRunsLocked(uint32_t pages, uint32_t max_runs);
  Status GrowLocked(uint32_t pages);
  Status MapAtLeastLocked(uint64_t bytes);
  uint32_t MapReserveLocked() const;
  uint32_t DeleteReserveLocked() const;

  // checkpoint.cc
  enum class LogChoice {
    kKeep,  // the log, if there is one, goes on from where the state's flush ended
    kNone,  // no log (any more)
  };
  // What a checkpoint writes, and where its state goes afterwards.
  struct CheckpointWork {
    const State* state = nullptr;  // N: flushed, the end of a flush; or the direct commit's own
    std::vector<Delta> deltas;     // all up to N since the durable state
    State* publish =
        nullptr;  // a direct commit's state; else the published one takes a new version
    Delta* publish_delta = nullptr;  // with it
    LogChoice log = LogChoice::kKeep;
    LogPosition log_position;
    bool shrink = false;  // give the free tail back
  };
  Status RunCheckpoint(CheckpointWork work);
  Status CheckpointPublished(LogChoice log);
  Status CheckpointPublishedLocked(LogChoice log, bool shrink);
  Status WritePages(std::vector<std::pair<PageId, bool>> pages);
  Status WriteMeta(const MetaPage& meta);
  Status CreateLog();
  void RunBackgroundWork();
  bool CheckpointDue() const;

  // recovery.cc
  static StatusOr<std::shared_ptr<Pager>> OpenMemory(const PagerOptions& options);
  static StatusOr<std::shared_ptr<Pager>> OpenShared(const PagerOptions& options);
  static std::vector<uint8_t> InitialImage(uint32_t page_size);
  static void AfterForkInChild(void* core);
  StatusOr<bool> LockFile(const FileIdentity& identity,
                          std::chrono::steady_clock::time_point deadline);
  Status OpenLocked();
  Status CloseLast();
  void AbandonAfterFork();
  Status ShrinkFile(LogChoice log);
  Status FinalCheckpoint();
  Status OpenExisting();
  Status ReadMetas(bool direct, MetaPage* newest, int* slot);
  Status RewriteMetaSlot();
  Status LoadState();
  Status LoadAllocationMap();
  Status PrepareFirstWrite();
  Status ReadOwnPage(PageId page, std::vector<uint8_t>* out);
  Status ReplayLogRecords(const std::string& log_path);

  CoreRegistry::Registration registration_;  // first: released last
  PagerOptions options_;
  uint8_t page_shift_ = 12;
  uint64_t salt_ = 0;
  PageId first_page_ = 2;  // the first one behind the meta slots
  FileSystem* fs_ = nullptr;
  std::string real_path_;
  std::unique_ptr<FileLock> lock_;
  std::unique_ptr<File> file_;

  WriterLock writer_lock_;
  // Owned by the holder of the writer lock.
  RootTable newest_roots_;
  TxId newest_txid_ = 0;
  std::shared_ptr<const void> newest_attachment_;
  uint64_t next_owner_ = RootTable::kNobody + 1;
  uint64_t epoch_ = 1;
  uint32_t session_commits_ = 0;
  uint32_t log_creation_retry_ = 0;
  bool first_write_prepared_ = false;
  bool replaying_ = false;
  LogPosition replay_position_;
  uint32_t unacknowledged_ = 0;  // only with a broken rule

  std::mutex checkpoint_mutex_;
  // Guarded by checkpoint_mutex_, changed with space_mutex_ held too.
  MetaPage durable_meta_;
  int durable_slot_ = 0;
  std::vector<uint8_t> chosen_slot_bytes_;  // the slot that ReadMetas chose, as it stands
  AllocationMap map_;

  std::mutex flush_mutex_;
  std::condition_variable flush_done_;
  bool flush_running_ = false;
  uint64_t flushed_sequence_ = 0;
  std::deque<Unflushed> unflushed_;
  std::unique_ptr<CommitLog> log_;
  std::atomic<bool> log_ready_{false};

  mutable std::mutex space_mutex_;
  PageTable table_;
  FramePool frames_;
  Allocator allocator_;
  ReaderSlots slots_;
  ReaderSlot* writer_slot_ = nullptr;
  ReaderSlot* checkpoint_slot_ = nullptr;
  std::atomic<uint32_t> file_pages_{0};  // pages that the file surely has
  std::shared_ptr<const FileMapping> mapping_;
  uint64_t version_ = 0;
  std::vector<State*> retired_states_;
  std::vector<RetiredFrame> retired_frames_;
  std::unordered_set<RunFrame*> run_frames_;  // all there are, retired ones too
  std::vector<Delta> deltas_;                 // published since the durable state
  std::vector<FreedRun> pending_;             // freed, waiting for snapshots or V
  std::vector<FreedRun> pinned_;              // freed, waiting for the next checkpoint
  TxId durable_txid_ = 0;
  TxId checkpoint_txid_ = 0;    // 0: none running
  size_t pending_scanned_ = 0;  // pending_ before this was looked at by the last scan
  size_t retired_frames_scanned_ = 0;
  // What snapshots held at the last scan, by version.
  struct Held {
    uint64_t version;
    TxId txid;  // the newest of this version and older ones
  };
  std::vector<Held> held_;
  std::vector<TxId> held_txids_;  // the same, sorted by transaction
  std::vector<const State*> live_states_;
  std::vector<const State*> held_states_;
  uint64_t growth_hint_ = 0;  // pages that the running transaction has taken
  uint32_t map_reserve_ = 0;  // pages kept for the next checkpoint's map
  int64_t unwritten_frames_ = 0;
  PagerStats counters_;

  std::atomic<const State*> current_{nullptr};
  std::atomic<bool> poisoned_{false};
  mutable std::mutex poison_mutex_;
  Status poison_;
  std::atomic<bool> closed_{false};
  std::atomic<bool> forked_{false};
  std::mutex opens_mutex_;
  int opens_ = 1;         // Opens that got this pager, less their Closes
  bool closing_ = false;  // too late to get it
  std::unique_ptr<BackgroundWorker> worker_;
};

// The running write transaction. Destroying it without Commit rolls it back.
class WriteTransaction : public PageWriter {
 public:
  // A transaction that allocated more pages commits directly and logs nothing (S20).
  static constexpr size_t kMaxLoggedPages = 256;

  ~WriteTransaction();

  // Makes the changes durable as `level` promises and visible. `record` is what recovery hands to the
  // replay function; an empty one, or a transaction too large for the log, commits by a checkpoint.
  // `attachment` becomes the state's (null: keeps the former one). Ends the transaction whatever happens.
  // UNKNOWN: an I/O error after which the commit may or may not survive.
  Status Commit(Bytes record, Durability level, std::shared_ptr<const void> attachment = nullptr);
  void Rollback();

  bool active() const { return active_; }
  // What the state that the transaction builds on has attached.
  const std::shared_ptr<const void>& base_attachment() const { return base_attachment_; }

  // Whether a commit would be direct whatever its record, so that collecting one is wasted work.
  bool MustCommitDirect() const { return has_large_extents_ || born_.size() > kMaxLoggedPages; }
  // Over the memory budget: the caller should drop its pointers into pages and call Spill, which writes
  // dirty pages early (S26).
  bool WantsSpill() const { return born_.size() > spill_at_; }
  Status Spill();

 private:
  friend class Pager;
  friend class PageWriter;
  explicit WriteTransaction(std::shared_ptr<Pager> pager);
  void Finish(bool keep_pages, Pager::Delta* delta);

  const std::shared_ptr<Pager> keep_alive_;
  std::shared_ptr<const void> base_attachment_;
  State base_;                  // what the transaction builds on, for its reader slot
  size_t spill_at_ = SIZE_MAX;  // size of born_ at which the budget is used up
  bool active_ = true;
};

}  // namespace kvsql::pager

#endif  // KVSQL_PAGER_PAGER_H_
