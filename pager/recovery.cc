// Opening: creation, the choice of the meta, replay of the log, and what must happen before the first write
// (S32-S35).
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/hash.h"
#include "pager/aligned.h"
#include "pager/log_reader.h"
#include "pager/pager.h"
#include "pager/test_switches.h"

namespace kvsql::pager {
namespace {

// How far txids jump when a file is opened after an unclean end, so that none ever names two states.
constexpr TxId kTxidJump = TxId{1} << 20;

}  // namespace

Status Pager::ReadOwnPage(PageId page, std::vector<uint8_t>* out) {
  out->resize(page_size());
  KV_ASSIGN_OR_RETURN(const size_t got, file_->ReadAt(BytesOf(page), *out));
  if (got != page_size())
    return DataLoss(name(), ": page ", page, " lies beyond the end of the file");
  const PageHeader* header = HeaderOf(out->data());
  const uint64_t checksum = Hash64(out->data() + 8, page_size() - 8, salt_);
  if (header->checksum != checksum || header->page != page) {
    return DataLoss(name(), ": page ", page, " has checksum ", absl::Hex(header->checksum),
                    " and number ", header->page, ", expected ", absl::Hex(checksum), " and ",
                    page);
  }
  return absl::OkStatus();
}

// Reads both slots, from the device or through the page cache, and finds the newest that verifies and whose
// pages the file has.
Status Pager::ReadMetas(bool direct, MetaPage* newest, int* slot) {
  const AlignedBytes slots = Aligned(kMetaSlots * kMetaSlotBytes);
  const MutableBytes buffer(slots.get(), kMetaSlots * kMetaSlotBytes);
  std::memset(buffer.data(), 0, buffer.size());
  KV_ASSIGN_OR_RETURN(const size_t got,
                      direct ? file_->ReadDirect(0, buffer) : file_->ReadAt(0, buffer));
  KV_ASSIGN_OR_RETURN(const uint64_t file_bytes, file_->Size());
  *slot = -1;
  Status why[kMetaSlots];
  bool any_magic = false;
  for (int i = 0; i < kMetaSlots; ++i) {
    const uint8_t* bytes = buffer.data() + i * kMetaSlotBytes;
    uint64_t magic = 0;
    std::memcpy(&magic, bytes, sizeof(magic));
    any_magic |= magic == kMetaMagic;
    StatusOr<MetaPage> meta = got < (i + 1u) * kMetaSlotBytes
                                  ? DataLoss("the file ends before it")
                                  : DecodeMeta(bytes, options_.read_only);
    if (!meta.ok()) {
      // A newer version's meta must not be passed over for an older one.
      if (absl::IsFailedPrecondition(meta.status())) {
        return absl::FailedPreconditionError(
            absl::StrCat(name(), ": ", std::string(meta.status().message())));
      }
      why[i] = meta.status();
      continue;
    }
    if (uint64_t{meta->page_count} * meta->page_size > file_bytes) {
      why[i] = DataLoss("it names ", meta->page_count, " pages of ", meta->page_size,
                        " bytes, the file has ", file_bytes, " bytes");
      continue;
    }
    if (*slot < 0 || meta->counter > newest->counter) {
      *newest = *meta;
      *slot = i;
      chosen_slot_bytes_.assign(bytes, bytes + kMetaSlotBytes);
    }
  }
  if (*slot >= 0) return absl::OkStatus();
  if (!any_magic) {
    return absl::FailedPreconditionError(absl::StrCat(name(), " is not a kvsql database"));
  }
  return DataLoss(name(), ": neither meta slot is usable; slot 0: ", std::string(why[0].message()),
                  "; slot 1: ", std::string(why[1].message()));
}

// Makes durable what was chosen: the very bytes go to their own slot once more (S32).
Status Pager::RewriteMetaSlot() {
  const AlignedBytes slot = Aligned(kMetaSlotBytes);
  std::memcpy(slot.get(), chosen_slot_bytes_.data(), kMetaSlotBytes);
  return file_->WriteDurable(static_cast<uint64_t>(durable_slot_) * kMetaSlotBytes,
                             Bytes(slot.get(), kMetaSlotBytes));
}

Status Pager::LoadState() {
  const MetaPage& meta = durable_meta_;
  options_.page_size = meta.page_size;
  page_shift_ = static_cast<uint8_t>(std::countr_zero(meta.page_size));
  first_page_ = std::max<PageId>(1, kMetaSlots * kMetaSlotBytes / meta.page_size);
  salt_ = meta.salt;
  frames_.set_page_size(meta.page_size);
  map_.set_page_size(meta.page_size);
  newest_txid_ = meta.txid;
  {
    std::lock_guard lock(space_mutex_);
    durable_txid_ = meta.txid;
    KV_RETURN_IF_ERROR(MapAtLeastLocked(BytesOf(meta.page_count)));
    table_.Reserve(meta.page_count);
    file_pages_.store(meta.page_count, std::memory_order_release);
  }
  newest_roots_ = RootTable();
  KV_RETURN_IF_ERROR(map_.LoadDirectory(
      meta.map_directory, meta.page_count, meta.txid,
      [this](PageId page, std::vector<uint8_t>* out) { return ReadOwnPage(page, out); },
      &newest_roots_));
  State* state = NewState(meta.txid, newest_roots_, nullptr);
  state->page_count = meta.page_count;
  state->reader =
      PageReader(this, &table_, mapping_->data(), meta.page_count, meta.txid, page_shift_);
  state->log_end = meta.log_position();
  std::lock_guard lock(space_mutex_);
  PublishLocked(state, {});
  return absl::OkStatus();
}

// The bitmaps, which only writers need, are read when the first one comes.
Status Pager::LoadAllocationMap() {
  if (map_.loaded()) return absl::OkStatus();
  const MetaPage& meta = durable_meta_;
  if (meta.map_directory == kNoPage) {
    map_.InitEmpty(first_page_);
  } else {
    KV_RETURN_IF_ERROR(map_.LoadBitmaps(
        first_page_, meta.page_count, meta.txid,
        [this](PageId page, std::vector<uint8_t>* out) { return ReadOwnPage(page, out); }));
  }
  std::lock_guard lock(space_mutex_);
  allocator_.Extend(meta.page_count);
  for (PageId page = 0; page < meta.page_count; ++page) {
    if (map_.IsAllocated(page)) allocator_.Claim(page);
  }
  map_reserve_ = map_.PagesNeeded(meta.page_count);
  return absl::OkStatus();
}

// The file exists and is locked.
Status Pager::OpenExisting() {
  KV_RETURN_IF_ERROR(ReadMetas(/*direct=*/false, &durable_meta_, &durable_slot_));
  const bool clean = durable_meta_.log_id == 0;
  if (clean) {
    // Nothing to replay. The meta may still be only in the page cache, left by a killed process: that is
    // settled before the first write.
    return LoadState();
  }
  const std::string log_path = real_path_ + "-log";
  LogIdentity identity;
  identity.database_id = durable_meta_.database_id;
  LogOptions log_options;
  log_options.limit = options_.log_limit;
  if (!options_.read_only && !KV_BROKEN(kRecoverySkipSync)) {
    KV_RETURN_IF_ERROR(file_->SyncData());
    if (auto log_file = fs_->Open(log_path, OpenMode::kReadWrite); log_file.ok()) {
      KV_RETURN_IF_ERROR((*log_file)->SyncData());
    }
  }
  if (!options_.read_only) {
    KV_RETURN_IF_ERROR(ReadMetas(/*direct=*/true, &durable_meta_, &durable_slot_));
    if (!KV_BROKEN(kRecoverySkipSync)) KV_RETURN_IF_ERROR(RewriteMetaSlot());
  }
  KV_RETURN_IF_ERROR(LoadState());
  if (durable_meta_.log_id == 0) return absl::OkStatus();
  return ReplayLogRecords(log_path);
}

Status Pager::ReplayLogRecords(const std::string& log_path) {
  LogIdentity identity;
  identity.database_id = durable_meta_.database_id;
  identity.log_id = durable_meta_.log_id;
  identity.generation = durable_meta_.log_generation;
  identity.salt = durable_meta_.log_salt;
  // A read-only open replays in memory too, and writes nothing (S34).
  std::unique_ptr<File> read_only_file;
  File* log_file = nullptr;
  Status opened;
  if (options_.read_only) {
    auto file = fs_->Open(log_path, OpenMode::kReadOnly);
    opened = file.status();
    if (opened.ok()) {
      read_only_file = std::move(file).value();
      log_file = read_only_file.get();
    }
  } else {
    LogOptions log_options;
    log_options.limit = options_.log_limit;
    auto log = CommitLog::Open(fs_, log_path, identity, log_options);
    opened = log.status();
    if (opened.ok()) {
      log_ = std::move(log).value();
      log_file = log_->file();
    }
  }
  if (!opened.ok()) {
    if (options_.accept_missing_log && (absl::IsNotFound(opened) || absl::IsDataLoss(opened))) {
      return absl::OkStatus();
    }
    if (absl::IsNotFound(opened)) {
      return DataLoss(name(), ": its commit log ", log_path, " is missing");
    }
    return opened;
  }
  KV_RETURN_IF_ERROR(LoadAllocationMap());
  replaying_ = true;
  const StatusOr<LogPosition> end = ReplayLog(
      log_file, log_path, identity, durable_meta_.log_position(),
      [&](const LogRecord& record) -> Status {
        replay_position_ = record.after;
        newest_txid_ = record.txid - 1;
        std::unique_ptr<WriteTransaction> txn(new WriteTransaction(shared_from_this()));
        KV_RETURN_IF_ERROR(options_.replay(*txn, record.payload));
        return txn->Commit(record.payload, Durability::kFull);
      },
      ReplayOptions{.accept_lost_records = options_.accept_missing_log});
  replaying_ = false;
  return end.status();
}

// With the writer lock held, before the first transaction of the session.
Status Pager::PrepareFirstWrite() {
  if (in_memory()) {
    first_write_prepared_ = true;
    return absl::OkStatus();
  }
  std::lock_guard lock(checkpoint_mutex_);
  const Status prepared = [&]() -> Status {
    if (durable_meta_.log_id == 0 && !KV_BROKEN(kRecoverySkipSync)) {
      KV_RETURN_IF_ERROR(file_->SyncData());
      // The creator's meta: its name may not be durable yet, if another process still makes it so (S39).
      if (durable_meta_.counter == 1) KV_RETURN_IF_ERROR(fs_->SyncParentDirectory(real_path_));
      MetaPage on_disk;
      int slot = -1;
      KV_RETURN_IF_ERROR(ReadMetas(/*direct=*/true, &on_disk, &slot));
      if (on_disk.counter != durable_meta_.counter) {
        return DataLoss(name(), ": the disk holds meta ", on_disk.counter, ", this process opened ",
                        durable_meta_.counter);
      }
      KV_RETURN_IF_ERROR(RewriteMetaSlot());
    }
    KV_RETURN_IF_ERROR(LoadAllocationMap());
    if (durable_meta_.log_id == 0) return absl::OkStatus();
    // Replayed pages got numbers beyond the end of the file: give it room for them.
    {
      std::lock_guard space(space_mutex_);
      KV_ASSIGN_OR_RETURN(const uint64_t size, file_->Size());
      const uint64_t wanted = BytesOf(allocator_.page_count());
      if (size < wanted) {
        KV_RETURN_IF_ERROR(file_->Allocate(size, wanted - size));
        KV_RETURN_IF_ERROR(MapAtLeastLocked(wanted));
      }
      file_pages_.store(allocator_.page_count(), std::memory_order_release);
    }
    // A checkpoint of what was replayed, under a new generation of the log and with txids that no leftover
    // record carries; until its meta is durable no block of the log is written (S33).
    newest_txid_ += kTxidJump;
    State* state = NewState(newest_txid_, newest_roots_, newest_attachment_);
    if (log_ != nullptr) {
      state->log_end = log_->StartGeneration(durable_meta_.log_generation + 1, RandomBits());
    }
    CheckpointWork work;
    Delta nothing;
    {
      std::lock_guard space(space_mutex_);
      checkpoint_txid_ = newest_txid_;
      work.deltas = std::move(deltas_);
      deltas_.clear();
    }
    work.state = state;
    work.publish = state;
    work.publish_delta = &nothing;
    work.log = log_ == nullptr ? LogChoice::kNone : LogChoice::kKeep;
    work.log_position = state->log_end;
    if (KV_BROKEN(kRecoverySkipMeta)) {
      std::lock_guard space(space_mutex_);
      deltas_ = std::move(work.deltas);
      PublishLocked(state, {});
    } else {
      KV_RETURN_IF_ERROR(RunCheckpoint(std::move(work)));
    }
    log_ready_.store(log_ != nullptr, std::memory_order_release);
    return absl::OkStatus();
  }();
  if (!prepared.ok()) {
    Poison(prepared);
    return prepared;
  }
  first_write_prepared_ = true;
  return absl::OkStatus();
}

}  // namespace kvsql::pager
