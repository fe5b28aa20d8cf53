// Commits: from the writer's changes to a published state.
#include <algorithm>

#include "base/check.h"
#include "pager/pager.h"
#include "pager/test_switches.h"

namespace kvsql::pager {
namespace {

constexpr uint64_t kDeadEpoch = 0;
// A transaction with a larger record commits directly and logs nothing (S20).
constexpr size_t kMaxLoggedBytes = 256 * 1024;
// Committed pages waiting for a checkpoint: start one, and make commits wait for it (S28).
constexpr int64_t kCheckpointFrames = 4096;
constexpr int64_t kMaxFrames = 8192;
constexpr uint64_t kCheckpointRecords = 8192;

Status UnknownOutcome(const Status& cause) {
  return absl::UnknownError(absl::StrCat(
      "the commit failed on I/O and may or may not survive; reopen the database to learn which: ",
      std::string(cause.message())));
}

}  // namespace

StatusOr<std::unique_ptr<WriteTransaction>> Pager::BeginWrite(std::chrono::milliseconds timeout) {
  KV_RETURN_IF_ERROR(health());
  if (options_.read_only) {
    return absl::PermissionDeniedError(absl::StrCat(name(), " is open for reading only"));
  }
  if (!writer_lock_.Acquire(timeout)) {
    return absl::UnavailableError(absl::StrCat(
        name(), ": another write transaction kept the database busy for ", timeout.count(), " ms"));
  }
  Status ready = health();
  if (ready.ok() && !first_write_prepared_) ready = PrepareFirstWrite();
  if (!ready.ok()) {
    writer_lock_.Release();
    return ready;
  }
  return std::unique_ptr<WriteTransaction>(new WriteTransaction(shared_from_this()));
}

WriteTransaction::WriteTransaction(std::shared_ptr<Pager> pager)
    : PageWriter(pager.get()), keep_alive_(std::move(pager)) {
  Pager& p = *pager_;
  roots_ = p.newest_roots_;
  txid_ = p.newest_txid_ + 1;
  base_attachment_ = p.newest_attachment_;
  owner_ = p.next_owner_++;
  base_barrier_ = barrier_ = ++p.epoch_;
  if (!p.in_memory() && !p.replaying_) spill_at_ = p.options_.dirty_budget >> p.page_shift_;
  std::lock_guard lock(p.space_mutex_);
  RefreshReader();
  base_.version = p.version_;
  base_.txid = p.newest_txid_;
  base_.mapping = p.mapping_;
  p.writer_slot_->state.store(&base_, std::memory_order_seq_cst);
}

WriteTransaction::~WriteTransaction() {
  if (active_) Rollback();
}

void WriteTransaction::Rollback() {
  if (!active_ || pager_->forked()) return;
  Finish(/*keep_pages=*/false, nullptr);
  pager_->writer_lock_.Release();
}

// Ends the transaction's hold on pages: gives back what nobody refers to, and fills in the delta of a commit.
void WriteTransaction::Finish(bool keep_pages, Pager::Delta* delta) {
  active_ = false;
  PageTable& table = pager_->table_;
  std::lock_guard lock(pager_->space_mutex_);
  if (keep_pages) {
    // Born and freed by this transaction, in different epochs.
    for (const FreedRun& run : freed_) {
      if (run.birth != txid_) {
        delta->freed.push_back(run);
        continue;
      }
      live_extents_.erase(run.first);
      for (uint32_t i = 0; i < run.pages; ++i) {
        pager_->DropFrameLocked(run.first + i);
        table.set_epoch(run.first + i, kDeadEpoch);
        recycled_.push_back(run.first + i);
      }
    }
  }
  for (const BornRun& run : born_) {
    if (keep_pages && run.extent && live_extents_.contains(run.first)) {
      // Its pages live and die together. (A page recycled out of a dead extent has a run of its own.)
      delta->born.push_back(run);
      for (uint32_t i = 0; i < run.pages; ++i) table.set_epoch(run.first + i, kDeadEpoch);
      continue;
    }
    for (uint32_t i = 0; i < run.pages; ++i) {
      const PageId page = run.first + i;
      if (table.epoch(page) == kDeadEpoch) continue;
      table.set_epoch(page, kDeadEpoch);
      if (keep_pages) {
        delta->born.push_back({page, 1, false});
      } else {
        pager_->DropFrameLocked(page);
        table.ClearMapped(page);
        pager_->allocator_.Release(page);
      }
    }
  }
  for (const PageId page : recycled_) pager_->allocator_.Release(page);
  pager_->writer_slot_->Disarm();
}

Status WriteTransaction::Commit(Bytes record, Durability level,
                                std::shared_ptr<const void> attachment) {
  if (!active_) return absl::FailedPreconditionError("the transaction has ended");
  return pager_->Commit(*this, record, level, std::move(attachment));
}

State* Pager::NewState(TxId txid, const RootTable& roots, std::shared_ptr<const void> attachment) {
  auto* state = new State;
  state->txid = txid;
  state->roots = roots;
  state->attachment = std::move(attachment);
  std::lock_guard lock(space_mutex_);
  state->page_count = allocator_.page_count();
  state->mapping = mapping_;
  state->reader = PageReader(this, &table_, mapping_ == nullptr ? nullptr : mapping_->data(),
                             state->page_count, txid, page_shift_);
  return state;
}

Status Pager::Commit(WriteTransaction& txn, Bytes record, Durability level,
                     std::shared_ptr<const void> attachment) {
  const bool changed = !txn.born_.empty() || !txn.freed_.empty() || txn.roots_changed_;
  if (!changed && attachment == nullptr) {
    txn.Rollback();
    return absl::OkStatus();
  }
  Status status = health();
  if (status.ok() && txn.used_reserve_) {
    int64_t balance = 0;
    for (const FreedRun& run : txn.freed_) balance += run.pages;
    for (const BornRun& run : txn.born_) balance -= run.pages;
    balance += static_cast<int64_t>(txn.recycled_.size());
    if (balance < 0) {
      status = absl::ResourceExhaustedError(
          absl::StrCat(name(), ": the disk is full; only transactions that free space can commit"));
    }
  }
  const bool must_be_direct =
      record.empty() || record.size() > kMaxLoggedBytes || txn.MustCommitDirect();
  bool direct = must_be_direct;
  if (status.ok() && !in_memory() && !direct) {
    if (!log_ready_.load(std::memory_order_relaxed)) {
      // The commit that creates the log is itself direct: its checkpoint names the log.
      direct = true;
    } else {
      status = EnsureLogRoom(record.size(), &direct);
    }
  }
  if (!status.ok()) {
    txn.Rollback();
    return status;
  }

  if (attachment == nullptr) attachment = newest_attachment_;
  Delta delta;
  delta.txid = txn.txid_;
  txn.Finish(/*keep_pages=*/true, &delta);
  State* state = NewState(txn.txid_, txn.roots_, attachment);
  newest_txid_ = txn.txid_;
  newest_roots_ = txn.roots_;
  newest_attachment_ = std::move(attachment);
  ++session_commits_;

  if (in_memory() || replaying_) {
    state->log_end = replay_position_;
    std::vector<Delta> deltas;
    deltas.push_back(std::move(delta));
    std::lock_guard lock(space_mutex_);
    PublishLocked(state, std::move(deltas));
    if (!replaying_) writer_lock_.Release();
    return absl::OkStatus();
  }
  if (direct) {
    status = CommitDirect(state, std::move(delta), /*small=*/!must_be_direct);
    writer_lock_.Release();
    return status.ok() ? status : UnknownOutcome(status);
  }

  uint64_t sequence = 0;
  {
    std::lock_guard lock(flush_mutex_);
    sequence = log_->Append(txn.txid_, record, level);
    unflushed_.push_back({sequence, state, std::move(delta), level});
  }
  writer_lock_.Release();
  if (KV_BROKEN(kAckBeforeFlush)) {
    std::lock_guard lock(flush_mutex_);
    if (++unacknowledged_ % 4 != 0) return absl::OkStatus();
  }
  status = WaitFlushed(sequence);
  if (!status.ok()) return UnknownOutcome(status);
  NoteWorkDue();
  return absl::OkStatus();
}

// Called with the writer lock held. Waits for a checkpoint where the log or the frames are full; a record
// that will not fit even then goes direct.
Status Pager::EnsureLogRoom(size_t record_bytes, bool* direct) {
  if (!log_->FitsEmptyLog(record_bytes)) {
    *direct = true;
    return absl::OkStatus();
  }
  int64_t frames = 0;
  {
    std::lock_guard lock(space_mutex_);
    frames = unwritten_frames_;
  }
  for (int round = 0; frames >= kMaxFrames || !log_->HasRoomFor(record_bytes); ++round) {
    // One checkpoint of what is flushed frees everything before it; a second one, all of it.
    if (round == 3) {
      *direct = true;
      return absl::OkStatus();
    }
    KV_RETURN_IF_ERROR(FlushBuffered());
    KV_RETURN_IF_ERROR(CheckpointPublished(LogChoice::kKeep));
    frames = 0;
  }
  return absl::OkStatus();
}

// Waits until the record is in the log; whoever finds no flush running writes for all that wait (S21).
Status Pager::WaitFlushed(uint64_t sequence) {
  std::unique_lock lock(flush_mutex_);
  while (flushed_sequence_ < sequence) {
    if (poisoned_.load(std::memory_order_acquire)) {
      lock.unlock();
      return health();
    }
    if (flush_running_) {
      flush_done_.wait(lock);
      continue;
    }
    flush_running_ = true;
    lock.unlock();
    const Status status = FlushOnce();
    lock.lock();
    flush_running_ = false;
    flush_done_.notify_all();
    KV_RETURN_IF_ERROR(status);
    if (KV_BROKEN(kLogIgnorePoison)) break;  // the numbers of records that were lost never come
  }
  return absl::OkStatus();
}

// Writes all that is buffered now; for those who hold the writer lock, so that nothing is added meanwhile.
Status Pager::FlushBuffered() {
  uint64_t last = 0;
  {
    std::lock_guard lock(flush_mutex_);
    if (unflushed_.empty()) return absl::OkStatus();
    last = unflushed_.back().sequence;
  }
  return WaitFlushed(last);
}

// One flush by the leader, who has set flush_running_.
Status Pager::FlushOnce() {
  const StatusOr<LogFlushResult> flushed = log_->Flush(Durability::kNormal);
  if (!flushed.ok()) {
    Poison(flushed.status());
    return flushed.status();
  }
  // Published under the flush mutex: who finds nothing left to flush also finds it published.
  std::lock_guard lock(flush_mutex_);
  State* newest = nullptr;
  std::vector<State*> skipped;
  std::vector<Delta> deltas;
  while (!unflushed_.empty() && unflushed_.front().sequence <= flushed->written) {
    if (newest != nullptr) skipped.push_back(newest);
    newest = unflushed_.front().state;
    deltas.push_back(std::move(unflushed_.front().delta));
    unflushed_.pop_front();
  }
  std::lock_guard space(space_mutex_);
  ++counters_.log_flushes;
  for (State* state : skipped) delete state;
  if (newest != nullptr) {
    newest->log_end = flushed->end;
    PublishLocked(newest, std::move(deltas));
  }
  flushed_sequence_ = flushed->written;
  return absl::OkStatus();
}

// Makes the state the one that new readers get (S22: its record or meta is as durable as promised).
void Pager::PublishLocked(State* state, std::vector<Delta> deltas) {
  state->version = ++version_;
  const State* old = current_.exchange(state, std::memory_order_seq_cst);
  if (old != nullptr) retired_states_.push_back(const_cast<State*>(old));
  for (Delta& delta : deltas) {
    for (const BornRun& run : delta.born) unwritten_frames_ += run.pages;
    for (const FreedRun& run : delta.freed) {
      pending_.push_back(run);
      if (run.birth > durable_txid_) unwritten_frames_ -= run.pages;
    }
    if (!in_memory()) deltas_.push_back(std::move(delta));
  }
  ReclaimLocked(/*thorough=*/false);
}

bool Pager::CheckpointDue() const {
  if (!log_ready_.load(std::memory_order_acquire)) return false;
  std::lock_guard lock(space_mutex_);
  return unwritten_frames_ >= kCheckpointFrames || deltas_.size() >= kCheckpointRecords ||
         log_->CheckpointDue();
}

// After a commit: wakes whoever has work, or does it here where there are no threads.
void Pager::NoteWorkDue() {
  const bool checkpoint = CheckpointDue();
  const bool growth = log_->WantsGrowth();
  if (worker_ != nullptr) {
    if (checkpoint || growth) worker_->Wake();
    if (log_->HasUnsynced()) {
      worker_->WakeAt(std::chrono::steady_clock::now() + std::chrono::milliseconds(500));
    }
    return;
  }
  if (growth) (void)log_->Grow();
  // An error poisons the pager: the next commit reports it, this one is durable.
  if (checkpoint) (void)CheckpointPublished(LogChoice::kKeep);
}

}  // namespace kvsql::pager
