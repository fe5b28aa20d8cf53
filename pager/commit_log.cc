#include "pager/commit_log.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "pager/log_file.h"
#include "pager/test_switches.h"

namespace kvsql::pager {
namespace {

LogOptions Normalised(LogOptions options) {
  options.initial = std::max<uint64_t>(LogBlockCeil(options.initial), 2 * kLogBlockSize);
  options.step = std::max<uint64_t>(LogBlockCeil(options.step), kLogBlockSize);
  options.limit = std::max(LogBlockCeil(options.limit), options.initial);
  return options;
}

}  // namespace

StatusOr<std::unique_ptr<CommitLog>> CommitLog::Create(FileSystem* fs, const std::string& path,
                                                       const LogIdentity& identity,
                                                       const LogOptions& options) {
  const LogOptions normal = Normalised(options);
  KV_ASSIGN_OR_RETURN(std::unique_ptr<File> file,
                      CreateLogFile(fs, path, identity, normal.initial));
  const auto blocks = static_cast<uint32_t>(normal.initial / kLogBlockSize);
  std::unique_ptr<CommitLog> log(new CommitLog(path, std::move(file), identity, normal, blocks));
  log->StartGeneration(identity.generation, identity.salt);
  return log;
}

StatusOr<std::unique_ptr<CommitLog>> CommitLog::Open(FileSystem* fs, const std::string& path,
                                                     const LogIdentity& identity,
                                                     const LogOptions& options) {
  KV_ASSIGN_OR_RETURN(OpenedLogFile opened, OpenLogFile(fs, path, identity));
  return std::unique_ptr<CommitLog>(new CommitLog(path, std::move(opened.file), identity,
                                                  Normalised(options), opened.usable_blocks));
}

Status CommitLog::Remove(FileSystem* fs, const std::string& path) {
  return RemoveLogFile(fs, path);
}

CommitLog::CommitLog(std::string path, std::unique_ptr<File> file, const LogIdentity& identity,
                     const LogOptions& options, uint32_t blocks)
    : path_(std::move(path)),
      file_(std::move(file)),
      identity_(identity),
      options_(options),
      batch_(std::make_unique<LogBuffer>()),
      buffer_(std::make_unique<LogBuffer>()),
      ring_end_(blocks),
      grown_end_(blocks) {
  parts_.reserve(4);
}

LogPosition CommitLog::StartGeneration(uint64_t generation, uint64_t salt) {
  std::lock_guard lock(mutex_);
  KV_CHECK(buffer_->empty());
  if (!KV_BROKEN(kRecoveryKeepGeneration)) {
    identity_.generation = generation;
    identity_.salt = salt;
  }
  end_ = LogPosition{};
  next_append_ = end_.next_sequence;
  written_.store(0, std::memory_order_release);
  durable_.store(0, std::memory_order_release);
  ring_end_ = grown_end_;
  ring_ = LogRing(ring_end_, end_);
  RenewReservation();
  return end_;
}

// --- Appending --------------------------------------------------------------------------------------

bool CommitLog::HasRoomFor(uint64_t payload_bytes) {
  const uint64_t bytes = LogRecordSize(payload_bytes);
  std::lock_guard lock(mutex_);
  LogRing trial = reserved_;
  if (trial.Place(bytes)) return true;
  if (grown_end_ == ring_end_) return false;
  TakeGrownPart();
  trial = reserved_;
  return trial.Place(bytes);
}

bool CommitLog::FitsEmptyLog(uint64_t payload_bytes) const {
  std::lock_guard lock(mutex_);
  return LogBlocksFor(LogRecordSize(payload_bytes)) + kLogFirstBlock <= ring_end_;
}

uint64_t CommitLog::Append(TxId txid, Bytes payload, Durability level) {
  std::lock_guard lock(mutex_);
  const bool placed = reserved_.Place(LogRecordSize(payload.size()));
  KV_CHECK(placed);
  const uint64_t sequence = next_append_++;
  buffer_->Add(sequence, txid, payload, level);
  return sequence;
}

void CommitLog::RenewReservation() {
  reserved_ = ring_;
  reserved_.StartFreshBlock();
  const uint8_t* record = buffer_->data();
  for (uint64_t i = 0; i < buffer_->records(); ++i) {
    const uint64_t bytes = LogRecordSize(LogHeaderAt(record)->length);
    const bool placed = reserved_.Place(bytes);
    KV_CHECK(placed);
    record += bytes;
  }
}

void CommitLog::TakeGrownPart() {
  if (grown_end_ == ring_end_ || ring_.wrapped()) return;
  ring_end_ = grown_end_;
  ring_.Extend(ring_end_);
  RenewReservation();
}

// --- Flushing ---------------------------------------------------------------------------------------

void CommitLog::PlaceBatch(bool fresh) {
  parts_.clear();
  if (fresh) ring_.StartFreshBlock();
  const uint8_t* record = batch_->data();
  uint64_t left = batch_->records();
  while (left > 0) {
    Part part{.offset = ring_.head(), .bytes = 0, .records = 0};
    for (const uint64_t room = ring_.Room(); left > 0; --left) {
      const uint64_t bytes = LogRecordSize(LogHeaderAt(record)->length);
      if (part.bytes + bytes > room) break;
      part.bytes += bytes;
      ++part.records;
      record += bytes;
    }
    if (part.records > 0) {
      ring_.Take(part.bytes, part.records);
      parts_.push_back(part);
    }
    if (left > 0) {
      const bool wrapped = ring_.Wrap();
      KV_CHECK(wrapped);  // HasRoomFor promised it
    }
  }
}

StatusOr<LogFlushResult> CommitLog::Flush(Durability at_least) {
  std::lock_guard write_lock(write_mutex_);
  if (poisoned_.load(std::memory_order_acquire) && !KV_BROKEN(kLogIgnorePoison)) {
    return PoisonedStatus();
  }
  bool full = at_least == Durability::kFull;
  bool through_cache = false;
  bool unsynced = false;
  {
    std::lock_guard lock(mutex_);
    full |= buffer_->wants_full();
    unsynced = HasUnsynced();
    through_cache = !full || unsynced || KV_BROKEN(kLogRewriteDurableBlock);
    std::swap(batch_, buffer_);
    TakeGrownPart();
    if (KV_BROKEN(kLogSyncOwnRangeOnly)) through_cache = !full;
    PlaceBatch(/*fresh=*/!through_cache);
    if (full && !KV_BROKEN(kLogRewriteDurableBlock)) ring_.StartFreshBlock();
    RenewReservation();
  }

  uint64_t begin = 0;
  for (const Part& part : parts_) {
    StatusOr<uint64_t> next = WritePart(begin, part, full, through_cache);
    if (!next.ok()) {
      batch_->Clear();
      return next.status();
    }
    begin = *next;
  }
  if (parts_.empty() && full && unsynced) {
    const uint64_t written = written_sequence();
    KV_RETURN_IF_ERROR(SyncLog());
    RaiseDurable(written);
  }
  batch_->Clear();

  LogFlushResult result{.end = end(), .written = written_sequence(), .durable = durable_sequence()};
  return result;
}

LogPosition CommitLog::Finish(uint8_t* records, const Part& part, bool full) {
  LogPosition after = end();
  const uint64_t durable = durable_sequence();
  const uint64_t seed = LogSeed(identity_);
  uint8_t* at = records;
  for (uint64_t i = 0; i < part.records; ++i) {
    LogRecordHeader* header = LogHeaderAt(at);
    header->previous = after.last_checksum;
    header->flush = after.next_flush;
    header->durable = durable;
    header->flags = full ? kLogRecordFull : 0;
    header->checksum = LogRecordChecksum(at, seed);
    after.last_checksum = header->checksum;
    at += LogRecordSize(header->length);
  }
  after.offset = part.offset + part.bytes;
  after.next_sequence += part.records;
  ++after.next_flush;
  return after;
}

StatusOr<uint64_t> CommitLog::WritePart(uint64_t begin, const Part& part, bool full,
                                        bool through_cache) {
  const LogPosition after = Finish(batch_->data() + begin, part, full);

  // The last block is written to its end if this part is the first to touch it: the device wants whole
  // blocks, and the page cache need not read one that is written whole.
  const uint64_t end = part.offset + part.bytes;
  const bool first_touch =
      part.offset % kLogBlockSize == 0 || (end - 1) / kLogBlockSize != part.offset / kLogBlockSize;
  const uint64_t gap = first_touch ? LogBlockCeil(end) - end : 0;
  batch_->OpenGap(begin + part.bytes, gap);
  const Bytes bytes(batch_->data() + begin, part.bytes + gap);

  const bool durable = full && !KV_BROKEN(kLogFullAsNormal);
  Status status;
  if (durable && !through_cache) {
    status = file_->WriteDurable(part.offset, bytes);
  } else {
    status = file_->WriteAt(part.offset, bytes);
  }
  if (!status.ok()) return Poison(status);
  // An O_DSYNC write syncs its own range only; what earlier flushes left needs a sync of the whole (S19).
  if (durable && through_cache) KV_RETURN_IF_ERROR(SyncLog());
  {
    std::lock_guard lock(mutex_);
    end_ = after;
  }
  written_.store(after.next_sequence - 1, std::memory_order_release);
  if (full) RaiseDurable(after.next_sequence - 1);
  return begin + bytes.size();
}

Status CommitLog::Sync() {
  uint64_t mark = 0;
  {
    std::lock_guard write_lock(write_mutex_);
    if (poisoned_.load(std::memory_order_acquire)) return PoisonedStatus();
    if (!HasUnsynced()) return absl::OkStatus();
    mark = written_sequence();
    // The block of the head will hold durable records: leave it before anything follows them.
    std::lock_guard lock(mutex_);
    if (!KV_BROKEN(kLogRewriteDurableBlock)) ring_.StartFreshBlock();
    RenewReservation();
  }
  KV_RETURN_IF_ERROR(SyncLog());
  RaiseDurable(mark);
  return absl::OkStatus();
}

Status CommitLog::SyncLog() {
  std::lock_guard lock(sync_mutex_);
  // Another thread's failed sync may have eaten the error that was meant for us.
  if (poisoned_.load(std::memory_order_acquire) && !KV_BROKEN(kLogIgnorePoison)) {
    return PoisonedStatus();
  }
  if (KV_BROKEN(kLogSkipSync)) return absl::OkStatus();
  const Status status = file_->SyncData();
  if (!status.ok()) return Poison(status);
  return absl::OkStatus();
}

void CommitLog::RaiseDurable(uint64_t sequence) {
  uint64_t seen = durable_.load(std::memory_order_relaxed);
  while (seen < sequence &&
         !durable_.compare_exchange_weak(seen, sequence, std::memory_order_acq_rel)) {
  }
}

// --- Space ------------------------------------------------------------------------------------------

void CommitLog::AdvanceTail(const LogPosition& position) {
  std::lock_guard lock(mutex_);
  ring_.AdvanceTail(position);
  RenewReservation();
  // The checkpoint made them durable by other means.
  RaiseDurable(position.next_sequence - 1);
}

bool CommitLog::WantsGrowth() const {
  std::lock_guard lock(mutex_);
  if (growth_failed_ || poisoned_.load(std::memory_order_acquire)) return false;
  if (grown_end_ != ring_end_ || uint64_t{ring_end_} * kLogBlockSize >= options_.limit)
    return false;
  return reserved_.UsedBlocks() * 2 > ring_end_ - kLogFirstBlock;
}

Status CommitLog::Grow() {
  uint64_t from = 0;
  {
    std::lock_guard lock(mutex_);
    if (growth_failed_ || ring_end_ == 0) return absl::OkStatus();
    from = uint64_t{grown_end_} * kLogBlockSize;
  }
  const uint64_t to = std::min(from + options_.step, options_.limit);
  if (to <= from) return absl::OkStatus();

  Status status = ExtendWithZeros(file_.get(), from, to);
  if (status.ok()) {
    if (KV_BROKEN(kLogGrowthSkipSync)) {
      status = absl::OkStatus();
    } else {
      KV_RETURN_IF_ERROR(SyncLog());
    }
  }
  std::lock_guard lock(mutex_);
  if (!status.ok()) {
    growth_failed_ = true;
    // Only tidiness: the blocks past the ring's end are never looked at while the log stays this size.
    (void)file_->Truncate(from);
    return status;
  }
  grown_end_ = static_cast<uint32_t>(to / kLogBlockSize);
  return absl::OkStatus();
}

uint64_t CommitLog::UsedBytes() const {
  std::lock_guard lock(mutex_);
  return uint64_t{reserved_.UsedBlocks()} * kLogBlockSize;
}

uint64_t CommitLog::CapacityBytes() const {
  std::lock_guard lock(mutex_);
  const uint64_t now = uint64_t{grown_end_} * kLogBlockSize;
  const uint64_t size = growth_failed_ ? now : std::max(now, options_.limit);
  return size < kLogBlockSize ? 0 : size - kLogFirstBlock * kLogBlockSize;
}

// --- State ------------------------------------------------------------------------------------------

LogPosition CommitLog::end() const {
  std::lock_guard lock(mutex_);
  return end_;
}

bool CommitLog::HasBuffered() const {
  std::lock_guard lock(mutex_);
  return !buffer_->empty();
}

Status CommitLog::status() const {
  return poisoned_.load(std::memory_order_acquire) ? PoisonedStatus() : absl::OkStatus();
}

Status CommitLog::Poison(const Status& error) {
  std::lock_guard lock(mutex_);
  if (error_.ok()) error_ = error;
  poisoned_.store(true, std::memory_order_release);
  return error;
}

Status CommitLog::PoisonedStatus() const {
  std::lock_guard lock(mutex_);
  return absl::FailedPreconditionError(
      absl::StrCat("commit log ", path_,
                   " takes no more records after an I/O error: ", std::string(error_.message())));
}

}  // namespace kvsql::pager
