#include "pager/pager.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "base/check.h"
#include "base/hash.h"
#include "pager/create_file.h"
#include "pager/test_switches.h"

namespace kvsql::pager {
namespace {

constexpr std::chrono::milliseconds kLockPoll{2};
// A free tail shorter than this is not worth two more syncs at close.
constexpr uint32_t kWorthTruncating = 8;

bool ValidPageSize(uint32_t size) {
  return size >= 4096 && size <= 65536 && std::has_single_bit(size);
}

}  // namespace

Snapshot::Snapshot(std::shared_ptr<Pager> pager)
    : pager_(std::move(pager)), current_(&pager_->current_), slot_(pager_->slots_.Acquire()) {}

Snapshot& Snapshot::operator=(Snapshot&& other) noexcept {
  if (this == &other) return *this;
  ReleaseSlot();
  pager_ = std::move(other.pager_);
  current_ = std::exchange(other.current_, nullptr);
  slot_ = std::exchange(other.slot_, nullptr);
  state_ = std::exchange(other.state_, nullptr);
  return *this;
}

Snapshot::~Snapshot() { ReleaseSlot(); }

void Snapshot::ReleaseSlot() {
  // In a forked child the slots' mutex may be held by a thread that is not there.
  if (slot_ != nullptr && !pager_->forked()) pager_->slots_.Release(slot_);
}

Pager::Pager(const PagerOptions& options)
    : options_(options),
      fs_(options.file_system != nullptr ? options.file_system : FileSystem::Posix()),
      map_(options.page_size),
      frames_(options.page_size) {
  writer_slot_ = slots_.Acquire();
  checkpoint_slot_ = slots_.Acquire();
  page_shift_ = static_cast<uint8_t>(std::countr_zero(options.page_size));
}

Pager::~Pager() {
  if (forked()) {
    AbandonAfterFork();
    return;
  }
  opens_ = 1;
  (void)Close();
  if (worker_ != nullptr) worker_->Stop();
  std::lock_guard lock(space_mutex_);
  for (State* state : retired_states_) delete state;
  for (Unflushed& commit : unflushed_) delete commit.state;
  delete current_.exchange(nullptr);
  while (!run_frames_.empty()) FreeRunFrameLocked(*run_frames_.begin());
}

StatusOr<std::shared_ptr<Pager>> Pager::Open(const PagerOptions& options) {
  if (!ValidPageSize(options.page_size)) {
    return absl::InvalidArgumentError(
        absl::StrCat("page size ", options.page_size, " is not a power of two from 4096 to 65536"));
  }
  return options.path.empty() ? OpenMemory(options) : OpenShared(options);
}

StatusOr<std::shared_ptr<Pager>> Pager::OpenMemory(const PagerOptions& options) {
  std::shared_ptr<Pager> pager(new Pager(options));
  pager->real_path_ = ":memory:";
  pager->salt_ = RandomBits();
  {
    std::lock_guard lock(pager->space_mutex_);
    pager->allocator_.Extend(pager->first_page_);
    for (PageId page = 0; page < pager->first_page_; ++page) pager->allocator_.Claim(page);
    pager->table_.Reserve(pager->first_page_);
  }
  State* state = pager->NewState(0, pager->newest_roots_, nullptr);
  std::lock_guard lock(pager->space_mutex_);
  pager->PublishLocked(state, {});
  return pager;
}

// The pager that this process has of the file already, or a new one (S38).
StatusOr<std::shared_ptr<Pager>> Pager::OpenShared(const PagerOptions& options) {
  FileSystem* fs = options.file_system != nullptr ? options.file_system : FileSystem::Posix();
  const auto deadline = std::chrono::steady_clock::now() + options.busy_timeout;
  KV_ASSIGN_OR_RETURN(const std::string path, fs->RealPath(options.path));
  for (;;) {
    const StatusOr<FileIdentity> identity = fs->Identify(path);
    if (absl::IsNotFound(identity.status()) && options.create_if_missing && !options.read_only) {
      KV_RETURN_IF_ERROR(CreateDatabaseFile(fs, path, InitialImage(options.page_size)).status());
      continue;
    }
    KV_RETURN_IF_ERROR(identity.status());
    KV_ASSIGN_OR_RETURN(CoreRegistry::Entered entered,
                        CoreRegistry::Instance().Enter(fs, *identity, deadline));
    if (entered.core != nullptr) {
      auto shared = std::static_pointer_cast<Pager>(entered.core);
      if (shared->read_only() && !options.read_only) {
        return absl::FailedPreconditionError(
            absl::StrCat(path, " is open in this process for reading only"));
      }
      std::lock_guard lock(shared->opens_mutex_);
      if (shared->closing_) continue;
      ++shared->opens_;
      return shared;
    }
    std::shared_ptr<Pager> pager(new Pager(options));
    pager->registration_ = std::move(entered.registration);
    pager->real_path_ = path;
    KV_ASSIGN_OR_RETURN(const bool same_file, pager->LockFile(*identity, deadline));
    if (!same_file) continue;
    if (Status opened = pager->OpenLocked(); !opened.ok()) {
      // Not to be closed by a checkpoint: nothing of it can be trusted.
      pager->Poison(opened);
      return opened;
    }
    if (options.background && !options.read_only) {
      pager->worker_ =
          std::make_unique<BackgroundWorker>([raw = pager.get()] { raw->RunBackgroundWork(); });
    }
    pager->registration_.Publish(pager, &Pager::AfterForkInChild);
    return pager;
  }
}

// In a forked child the handles can only be closed: lock, threads and mapping stayed with the parent.
void Pager::AfterForkInChild(void* core) {
  auto* pager = static_cast<Pager*>(core);
  pager->forked_.store(true);
  pager->closed_.store(true);
  pager->current_.store(nullptr);
}

// A database without a page: one meta, an empty second slot.
std::vector<uint8_t> Pager::InitialImage(uint32_t page_size) {
  MetaPage meta;
  meta.page_size = page_size;
  meta.counter = 1;
  meta.page_count = std::max<uint32_t>(1, kMetaSlots * kMetaSlotBytes / page_size);
  meta.salt = RandomBits();
  for (size_t i = 0; i < meta.database_id.size(); i += 8) {
    const uint64_t bits = RandomBits();
    std::memcpy(meta.database_id.data() + i, &bits, sizeof(bits));
  }
  std::vector<uint8_t> image(std::max<size_t>(kMetaSlots * kMetaSlotBytes, page_size), 0);
  EncodeMeta(meta, image.data());
  return image;
}

// Opens and locks the file (S37). False: the name means another file than `identity` by now.
StatusOr<bool> Pager::LockFile(const FileIdentity& identity,
                               std::chrono::steady_clock::time_point deadline) {
  const LockMode mode = options_.read_only ? LockMode::kShared : LockMode::kExclusive;
  for (;;) {
    auto file =
        fs_->Open(real_path_, options_.read_only ? OpenMode::kReadOnly : OpenMode::kReadWrite);
    if (absl::IsNotFound(file.status())) return false;
    KV_RETURN_IF_ERROR(file.status());
    auto lock = fs_->TryLock(real_path_, mode);
    if (lock.ok()) {
      const auto now = fs_->Identify(real_path_);
      if (!now.ok() || *now != identity || (*file)->identity() != identity) return false;
      lock_ = std::move(lock).value();
    } else if (options_.read_only && absl::IsPermissionDenied(lock.status())) {
      // On media that cannot be written nobody can hold it against a reader (S34).
      if ((*file)->identity() != identity) return false;
    } else if (absl::IsNotFound(lock.status())) {
      return false;
    } else if (absl::IsUnavailable(lock.status()) && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(kLockPoll);
      continue;
    } else {
      return lock.status();
    }
    file_ = std::move(file).value();
    return true;
  }
}

Status Pager::OpenLocked() {
  if (!options_.read_only) {
    KV_ASSIGN_OR_RETURN(const bool unborn, IsUnborn(file_.get()));
    if (unborn) {
      KV_RETURN_IF_ERROR(
          InitialiseInPlace(fs_, file_.get(), real_path_, InitialImage(options_.page_size)));
    }
  }
  return OpenExisting();
}

Status Pager::ValidatePage(PageId id, const uint8_t* bytes) const {
  if (id >= file_pages_.load(std::memory_order_acquire)) {
    return DataLoss(name(), ": page ", id, " lies beyond the end of the file");
  }
  const PageHeader* header = HeaderOf(bytes);
  if (header->page != id) {
    return DataLoss(name(), ": page ", id, " says that it is page ", header->page);
  }
  if (options_.verify_checksums) {
    const uint64_t checksum = Hash64(bytes + 8, page_size() - 8, salt_);
    if (header->checksum != checksum) {
      return DataLoss(name(), ": page ", id, " has checksum ", absl::Hex(header->checksum),
                      ", expected ", absl::Hex(checksum));
    }
  }
  if (options_.validator == nullptr) return absl::OkStatus();
  const Status valid = options_.validator(bytes, page_size());
  if (valid.ok()) return valid;
  return DataLoss(name(), ": page ", id, ": ", std::string(valid.message()));
}

void Pager::Poison(const Status& cause) {
  if (KV_BROKEN(kLogIgnorePoison)) return;
  {
    std::lock_guard lock(poison_mutex_);
    if (poison_.ok()) poison_ = cause;
  }
  poisoned_.store(true, std::memory_order_release);
  std::lock_guard lock(flush_mutex_);
  flush_done_.notify_all();
}

Status Pager::health() const {
  if (closed_.load(std::memory_order_acquire)) {
    return absl::FailedPreconditionError(absl::StrCat(name(), " is closed"));
  }
  if (!poisoned_.load(std::memory_order_acquire)) return absl::OkStatus();
  std::lock_guard lock(poison_mutex_);
  return absl::FailedPreconditionError(
      absl::StrCat(name(), ": nothing can be written after an I/O error, reopen the database: ",
                   std::string(poison_.message())));
}

Status Pager::Checkpoint() {
  KV_RETURN_IF_ERROR(health());
  if (in_memory() || options_.read_only) return absl::OkStatus();
  return CheckpointPublished(LogChoice::kKeep);
}

Status Pager::SyncLog() {
  KV_RETURN_IF_ERROR(health());
  if (!log_ready_.load(std::memory_order_acquire) || !log_->HasUnsynced()) return absl::OkStatus();
  const Status status = log_->Sync();
  if (!status.ok()) Poison(status);
  return status;
}

// With the writer lock held and everything published durable.
Status Pager::ShrinkFile(LogChoice log) {
  uint32_t before = 0;
  uint32_t after = 0;
  {
    std::lock_guard lock(space_mutex_);
    ReclaimLocked(/*thorough=*/true);
    before = allocator_.page_count();
    after = allocator_.FreeTailStart() + MapReserveLocked() + DeleteReserveLocked();
  }
  if (after + kWorthTruncating > before) return absl::OkStatus();
  const bool early = KV_BROKEN(kTruncateBeforeMeta);
  if (early) KV_RETURN_IF_ERROR(file_->Truncate(BytesOf(after)));
  KV_RETURN_IF_ERROR(CheckpointPublishedLocked(log, /*shrink=*/true));
  if (early) return absl::OkStatus();
  // The other slot still names the long file: a second meta replaces it, so that either one fits (S30).
  const Status status = [&]() -> Status {
    ++durable_meta_.counter;
    KV_RETURN_IF_ERROR(WriteMeta(durable_meta_));
    std::lock_guard lock(space_mutex_);
    file_pages_.store(allocator_.page_count(), std::memory_order_release);
    return file_->Truncate(BytesOf(allocator_.page_count()));
  }();
  if (!status.ok()) Poison(status);
  return status;
}

Status Pager::Truncate() {
  KV_RETURN_IF_ERROR(health());
  if (in_memory() || options_.read_only) return absl::OkStatus();
  KV_ASSIGN_OR_RETURN(std::unique_ptr<WriteTransaction> txn, BeginWrite());
  std::lock_guard lock(checkpoint_mutex_);
  KV_RETURN_IF_ERROR(FlushBuffered());
  KV_RETURN_IF_ERROR(CheckpointPublishedLocked(LogChoice::kKeep, /*shrink=*/false));
  return ShrinkFile(LogChoice::kKeep);
}

// What belongs to the parent process is neither unlocked, joined, unmapped nor written.
void Pager::AbandonAfterFork() {
  (void)worker_.release();
  (void)lock_.release();
  (void)file_.release();
  (void)log_.release();
  new std::shared_ptr<const FileMapping>(std::move(mapping_));
}

Status Pager::Close() {
  if (closed_.load(std::memory_order_acquire)) return absl::OkStatus();
  {
    std::lock_guard lock(opens_mutex_);
    if (opens_ > 1) {
      --opens_;
      return absl::OkStatus();
    }
  }
  return CloseLast();
}

Status Pager::CloseLast() {
  if (!writer_lock_.Acquire(options_.busy_timeout)) {
    return absl::UnavailableError(absl::StrCat(name(), ": a write transaction is running"));
  }
  const State* current = nullptr;
  {
    std::lock_guard lock(space_mutex_);
    current = current_.exchange(nullptr, std::memory_order_seq_cst);
    std::vector<const State*> held;
    slots_.CollectHeld(LiveStatesLocked(current), &held);
    const State* checkpointing = checkpoint_slot_->state.load();
    std::erase(held, checkpointing);
    if (!held.empty()) {
      current_.store(current, std::memory_order_seq_cst);
      writer_lock_.Release();
      return absl::FailedPreconditionError(
          absl::StrCat(name(), ": ", held.size(), " snapshots are still open"));
    }
    current_.store(current, std::memory_order_seq_cst);
  }
  {
    std::lock_guard lock(opens_mutex_);
    if (opens_ > 1) {
      // Somebody opened it meanwhile.
      --opens_;
      writer_lock_.Release();
      return absl::OkStatus();
    }
    closing_ = true;
    registration_.BeginClose();
  }
  if (worker_ != nullptr) worker_->Stop();
  Status status;
  if (!in_memory() && !options_.read_only && health().ok()) status = FinalCheckpoint();
  {
    std::lock_guard lock(space_mutex_);
    if (const State* last = current_.exchange(nullptr, std::memory_order_seq_cst)) {
      retired_states_.push_back(const_cast<State*>(last));
    }
  }
  closed_.store(true, std::memory_order_release);
  log_.reset();
  lock_.reset();
  registration_.Release();
  writer_lock_.Release();
  return status;
}

// Afterwards the file alone holds everything, and no log is named (S31).
Status Pager::FinalCheckpoint() {
  if (!first_write_prepared_) {
    // Nothing was written; but an unclean end of an earlier session is settled all the same.
    if (durable_meta_.log_id == 0) return absl::OkStatus();
    KV_RETURN_IF_ERROR(PrepareFirstWrite());
  }
  std::lock_guard lock(checkpoint_mutex_);
  KV_RETURN_IF_ERROR(FlushBuffered());
  const bool had_log = log_ != nullptr;
  bool dirty = had_log || durable_meta_.log_id != 0;
  {
    std::lock_guard space(space_mutex_);
    dirty |= !deltas_.empty();
  }
  if (had_log && KV_BROKEN(kUnlinkLogBeforeMeta))
    KV_RETURN_IF_ERROR(fs_->Unlink(real_path_ + "-log"));
  if (dirty) KV_RETURN_IF_ERROR(CheckpointPublishedLocked(LogChoice::kNone, /*shrink=*/false));
  KV_RETURN_IF_ERROR(ShrinkFile(LogChoice::kNone));
  if (!had_log) return absl::OkStatus();
  log_ready_.store(false, std::memory_order_release);
  // A leftover is ignored, so a failure to remove it loses nothing.
  log_.reset();
  (void)CommitLog::Remove(fs_, real_path_ + "-log");
  return absl::OkStatus();
}

PagerStats Pager::stats() {
  std::lock_guard lock(space_mutex_);
  PagerStats stats = counters_;
  stats.page_count = allocator_.page_count();
  stats.free_pages = allocator_.free_pages();
  stats.durable_txid = durable_txid_;
  for (const FreedRun& run : pending_) stats.pending_pages += run.pages;
  for (const FreedRun& run : pinned_) stats.pending_pages += run.pages;
  stats.unwritten_frames = static_cast<uint64_t>(std::max<int64_t>(0, unwritten_frames_));
  if (file_ != nullptr) stats.file_bytes = file_->Size().value_or(0);
  if (log_ready_.load(std::memory_order_acquire))
    stats.log_bytes = log_->file()->Size().value_or(0);
  return stats;
}

Status Pager::VisitOwnPages(const std::function<void(PageId)>& used,
                            const std::function<void(PageId)>& free,
                            const std::function<void(PageId)>& pending) {
  std::lock_guard checkpoint_lock(checkpoint_mutex_);
  if (!in_memory()) KV_RETURN_IF_ERROR(LoadAllocationMap());
  std::lock_guard lock(space_mutex_);
  ReclaimLocked(/*thorough=*/true);
  for (PageId page = 0; page < first_page_; ++page) used(page);
  for (const PageId page : map_.OwnPages()) used(page);
  for (PageId page = 0; page < allocator_.page_count(); ++page) {
    if (allocator_.IsFree(page)) free(page);
  }
  for (const std::vector<FreedRun>* list : {&pending_, &pinned_}) {
    for (const FreedRun& run : *list) {
      for (uint32_t i = 0; i < run.pages; ++i) pending(run.first + i);
    }
  }
  return absl::OkStatus();
}

bool Pager::IsFree(PageId page) {
  std::lock_guard lock(space_mutex_);
  return allocator_.IsFree(page);
}

Status WriteTransaction::Spill() {
  // The pages are free in every state that may be recovered, so they may be written before the commit; the
  // direct commit that must follow syncs them.
  std::vector<std::pair<PageId, bool>> pages;
  for (const BornRun& run : born_) {
    if (run.extent || table_->epoch(run.first) == 0 || table_->frame(run.first) == nullptr)
      continue;
    pages.emplace_back(run.first, false);
  }
  std::sort(pages.begin(), pages.end());
  pages.erase(std::unique(pages.begin(), pages.end()), pages.end());
  if (const Status written = pager_->WritePages(pages); !written.ok()) {
    pager_->Poison(written);
    return written;
  }
  has_large_extents_ = true;
  spill_at_ = born_.size() + (pager_->options_.dirty_budget >> page_shift_);
  std::lock_guard lock(pager_->space_mutex_);
  for (const auto& [page, headerless] : pages) {
    pager_->table_.SetMapped(page);
    pager_->DropFrameLocked(page);
  }
  return absl::OkStatus();
}

}  // namespace kvsql::pager
