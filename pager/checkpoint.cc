// Checkpoints: the pages of a state go to the file, then a meta names them (S28). Direct commits are
// checkpoints of their own state (S23).
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/check.h"
#include "base/hash.h"
#include "pager/aligned.h"
#include "pager/pager.h"
#include "pager/test_switches.h"

namespace kvsql::pager {
namespace {

constexpr uint64_t kStagingBytes = 1 << 20;
// Commits of a session before a log is worth creating (S15).
constexpr uint32_t kCommitsWithoutLog = 2;
// After a failed creation of the log, so many commits go direct before the next try.
constexpr uint32_t kLogCreationRetry = 256;

void StampChecksum(uint8_t* page, uint32_t page_size, uint64_t salt) {
  HeaderOf(page)->checksum = Hash64(page + 8, page_size - 8, salt);
}

}  // namespace

// Writes the frames of the given pages; `second`: without a header, so without a checksum. Adjacent pages
// go in one write. The checksum is computed in the copy that is written: readers share the frame (S4).
Status Pager::WritePages(std::vector<std::pair<PageId, bool>> pages) {
  std::sort(pages.begin(), pages.end());
  const AlignedBytes staging = Aligned(kStagingBytes);
  const size_t limit = kStagingBytes >> page_shift_;
  for (size_t at = 0; at < pages.size();) {
    size_t count = 0;
    while (at + count < pages.size() && count < limit &&
           pages[at + count].first == pages[at].first + count) {
      const auto [page, headerless] = pages[at + count];
      uint8_t* copy = staging.get() + (count << page_shift_);
      RunFrame* extent = headerless ? table_.run_frame(page) : nullptr;
      const uint8_t* frame =
          extent != nullptr ? extent->page(page, page_shift_) : table_.frame(page);
      KV_CHECK(frame != nullptr);
      std::memcpy(copy, frame, page_size());
      if (!headerless) StampChecksum(copy, page_size(), salt_);
      ++count;
    }
    KV_RETURN_IF_ERROR(
        file_->WriteAt(BytesOf(pages[at].first), Bytes(staging.get(), count << page_shift_)));
    at += count;
  }
  return absl::OkStatus();
}

// Writes the meta to the slot that does not hold the newest durable one, durably.
Status Pager::WriteMeta(const MetaPage& meta) {
  const AlignedBytes slot = Aligned(kMetaSlotBytes);
  EncodeMeta(meta, slot.get());
  int target = 1 - durable_slot_;
  if (KV_BROKEN(kMetaOverDurable)) target = durable_slot_;
  const uint64_t offset = static_cast<uint64_t>(target) * kMetaSlotBytes;
  const Bytes bytes(slot.get(), kMetaSlotBytes);
  if (KV_BROKEN(kSkipMetaSync)) {
    KV_RETURN_IF_ERROR(file_->WriteAt(offset, bytes));
  } else {
    KV_RETURN_IF_ERROR(file_->WriteDurable(offset, bytes));
  }
  durable_slot_ = target;
  return absl::OkStatus();
}

// With checkpoint_mutex_ held, and checkpoint_txid_ set to work.state->txid under the space mutex before any
// page of that state could be released. On error the pager is poisoned: the file may hold half of it, but the
// durable meta and all it names are untouched.
Status Pager::RunCheckpoint(CheckpointWork work) {
  const State& state = *work.state;
  const Status done = [&]() -> Status {
    KV_RETURN_IF_ERROR(health());
    KV_RETURN_IF_ERROR(LoadAllocationMap());
    // What the commits since the durable state have left allocated, and what of it is in frames.
    std::vector<std::pair<PageId, bool>> write;
    if (!KV_BROKEN(kSkipMapUpdate)) {
      for (const Delta& delta : work.deltas) {
        for (const BornRun& run : delta.born) {
          for (uint32_t i = 0; i < run.pages; ++i) map_.SetAllocated(run.first + i, true);
        }
        for (const FreedRun& run : delta.freed) {
          for (uint32_t i = 0; i < run.pages; ++i) map_.SetAllocated(run.first + i, false);
        }
      }
    }
    for (const Delta& delta : work.deltas) {
      for (const BornRun& run : delta.born) {
        for (uint32_t i = 0; i < run.pages; ++i) {
          const PageId page = run.first + i;
          const bool framed =
              run.extent ? table_.run_frame(page) != nullptr : table_.frame(page) != nullptr;
          if (framed && map_.IsAllocated(page)) write.emplace_back(page, run.extent);
        }
      }
    }
    // A number that was freed and taken again stands twice, maybe as both kinds; the last one holds.
    std::stable_sort(write.begin(), write.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    const auto last = std::unique(write.rbegin(), write.rend(),
                                  [](const auto& a, const auto& b) { return a.first == b.first; });
    write.erase(write.begin(), last.base());

    std::vector<AllocationMap::Image> images;
    std::vector<PageId> replaced;
    PageId directory = kNoPage;
    uint32_t page_count = 0;
    {
      std::lock_guard lock(space_mutex_);
      if (work.shrink) {
        // Nothing runs and nothing is read: what is free at the end can go.
        const uint32_t tail = allocator_.FreeTailStart();
        const uint32_t keep = tail + MapReserveLocked() + DeleteReserveLocked();
        if (keep < allocator_.page_count()) allocator_.Shrink(keep);
      }
      KV_RETURN_IF_ERROR(map_.Build(
          state.roots, allocator_.page_count(), state.txid,
          [this]() { return AllocateMapPageLocked(); }, &images, &replaced, &directory));
      page_count = allocator_.page_count();
      map_reserve_ = map_.PagesNeeded(page_count);
    }

    KV_RETURN_IF_ERROR(WritePages(write));
    for (AllocationMap::Image& image : images) {
      StampChecksum(image.bytes.data(), page_size(), salt_);
      KV_RETURN_IF_ERROR(file_->WriteAt(BytesOf(image.page), image.bytes));
    }
    if (!KV_BROKEN(kSkipDataSync)) KV_RETURN_IF_ERROR(file_->SyncData());

    MetaPage meta = durable_meta_;
    ++meta.counter;
    meta.txid = state.txid;
    meta.page_count = page_count;
    meta.map_directory = directory;
    if (work.log == LogChoice::kNone || log_ == nullptr) {
      meta.log_id = meta.log_generation = meta.log_salt = 0;
      meta.set_log_position(LogPosition{});
    } else {
      const LogIdentity& identity = log_->identity();
      meta.log_id = identity.log_id;
      meta.log_generation = identity.generation;
      meta.log_salt = identity.salt;
      meta.set_log_position(work.log_position);
    }
    if (KV_BROKEN(kAdvanceTailEarly) && log_ != nullptr && work.log == LogChoice::kKeep) {
      log_->AdvanceTail(work.log_position);
    }
    KV_RETURN_IF_ERROR(WriteMeta(meta));
    durable_meta_ = meta;
    if (log_ != nullptr && work.log == LogChoice::kKeep) log_->AdvanceTail(work.log_position);

    std::lock_guard lock(space_mutex_);
    ++counters_.checkpoints;
    durable_txid_ = state.txid;
    checkpoint_txid_ = 0;
    // The pages stand in the file, synced: readers of the next version find them there (S5).
    for (const auto& [page, headerless] : write) {
      if (headerless) table_.SetMappedRun({page, 1});
    }
    for (const auto& [page, headerless] : write) {
      if (headerless) {
        RunFrame* extent = table_.run_frame(page);
        if (extent == nullptr) continue;  // went with its first page
        ForgetRunFrameLocked(extent);
        retired_frames_.push_back({nullptr, extent, extent->birth, version_ + 1});
        continue;
      }
      uint8_t* frame = table_.frame(page);
      table_.SetMapped(page);
      table_.SetFrame(page, nullptr);
      retired_frames_.push_back({frame, nullptr, HeaderOf(frame)->birth, version_ + 1});
    }
    for (const PageId page : replaced) allocator_.Release(page);
    pending_.insert(pending_.end(), pinned_.begin(), pinned_.end());
    pinned_.clear();
    pending_scanned_ = 0;
    unwritten_frames_ = 0;
    for (const Delta& delta : deltas_) {
      for (const BornRun& run : delta.born) unwritten_frames_ += run.pages;
      for (const FreedRun& run : delta.freed) {
        if (run.birth > durable_txid_) unwritten_frames_ -= run.pages;
      }
    }
    State* next = work.publish;
    std::vector<Delta> none;
    if (next != nullptr) {
      for (const FreedRun& run : work.publish_delta->freed) pending_.push_back(run);
    } else {
      next = new State(*current_.load(std::memory_order_relaxed));
    }
    PublishLocked(next, std::move(none));
    return absl::OkStatus();
  }();
  if (!done.ok()) Poison(done);
  return done;
}

// A checkpoint of the newest published state. A no-op where it is durable already.
Status Pager::CheckpointPublished(LogChoice log) {
  std::lock_guard lock(checkpoint_mutex_);
  return CheckpointPublishedLocked(log, /*shrink=*/false);
}

Status Pager::CheckpointPublishedLocked(LogChoice log, bool shrink) {
  KV_RETURN_IF_ERROR(health());
  CheckpointWork work;
  const State* newest = nullptr;
  {
    // Registered before anything that it reaches can be handed out again (S10).
    std::lock_guard lock(space_mutex_);
    newest = checkpoint_slot_->Arm(current_);
    if (newest == nullptr) return absl::FailedPreconditionError(absl::StrCat(name(), " is closed"));
    if (newest->txid == durable_txid_ && log == LogChoice::kKeep && !shrink) {
      checkpoint_slot_->Disarm();
      return absl::OkStatus();
    }
    if (!KV_BROKEN(kReuseIgnoresCheckpoint)) checkpoint_txid_ = newest->txid;
    work.deltas = std::move(deltas_);
    deltas_.clear();
  }
  work.state = newest;
  work.log = log;
  work.shrink = shrink;
  if (log == LogChoice::kKeep) work.log_position = newest->log_end;
  const Status status = RunCheckpoint(std::move(work));
  checkpoint_slot_->Disarm();
  return status;
}

// Commits a state by its own checkpoint; the writer lock is held until its meta is durable (S23). `small`: the
// commit would have gone to the log if there were one.
Status Pager::CommitDirect(State* state, Delta delta, bool small) {
  const auto fail = [&](const Status& status) {
    std::lock_guard lock(space_mutex_);
    retired_states_.push_back(state);
    return status;
  };
  std::lock_guard checkpoint_lock(checkpoint_mutex_);
  if (Status flushed = FlushBuffered(); !flushed.ok()) return fail(flushed);
  // Nothing is buffered and the writer lock is held: no flush can begin.
  bool created_log = false;
  if (small && !log_ready_.load() && session_commits_ > kCommitsWithoutLog &&
      session_commits_ >= log_creation_retry_) {
    created_log = CreateLog().ok();
    if (!created_log) log_creation_retry_ = session_commits_ + kLogCreationRetry;
  }
  CheckpointWork work;
  {
    std::lock_guard lock(space_mutex_);
    checkpoint_txid_ = state->txid;
    work.deltas = std::move(deltas_);
    deltas_.clear();
    ++counters_.direct_commits;
  }
  work.deltas.push_back(delta);
  work.state = state;
  work.publish = state;
  work.publish_delta = &delta;
  work.log = log_ == nullptr ? LogChoice::kNone : LogChoice::kKeep;
  if (created_log && KV_BROKEN(kAppendWithoutMeta)) work.log = LogChoice::kNone;
  if (log_ != nullptr) work.log_position = log_->end();
  state->log_end = work.log_position;
  const Status status = RunCheckpoint(std::move(work));
  if (!status.ok()) return fail(status);
  if (log_ != nullptr) log_ready_.store(true, std::memory_order_release);
  return absl::OkStatus();
}

// A new log file, which the checkpoint that follows will name (S15).
Status Pager::CreateLog() {
  LogIdentity identity;
  identity.database_id = durable_meta_.database_id;
  identity.log_id = RandomBits() | 1;
  identity.generation = 1;
  identity.salt = RandomBits();
  LogOptions options;
  options.limit = options_.log_limit;
  options.initial = std::min(options.initial, options.limit);
  KV_ASSIGN_OR_RETURN(log_, CommitLog::Create(fs_, real_path_ + "-log", identity, options));
  return absl::OkStatus();
}

// The helper thread's turn: whatever is due.
void Pager::RunBackgroundWork() {
  if (!log_ready_.load(std::memory_order_acquire) || !health().ok()) return;
  if (log_->WantsGrowth()) (void)log_->Grow();
  if (log_->HasUnsynced()) {
    if (const Status status = log_->Sync(); !status.ok()) Poison(status);
  }
  // An error poisons; the next commit reports it.
  if (CheckpointDue()) (void)CheckpointPublished(LogChoice::kKeep);
}

}  // namespace kvsql::pager
