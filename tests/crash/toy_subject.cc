#include "tests/crash/toy_subject.h"

#include <stdlib.h>

#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include "base/hash.h"

namespace kvsql::testing {
namespace {

using pager::Bytes;

constexpr size_t kBlock = 4096;

struct RecordHeader {
  uint64_t checksum;
  uint64_t sequence;
  uint64_t previous;  // checksum of the record before
  uint64_t bytes;
};

using Rows = std::map<uint32_t, std::string>;

struct FreeDeleter {
  void operator()(uint8_t* memory) const { free(memory); }
};

// A record is the whole map: a toy.
std::string Encode(const Rows& rows) {
  std::string text;
  for (const auto& [key, value] : rows) {
    const uint32_t size = static_cast<uint32_t>(value.size());
    text.append(reinterpret_cast<const char*>(&key), 4);
    text.append(reinterpret_cast<const char*>(&size), 4);
    text += value;
  }
  return text;
}

bool Decode(std::string_view text, Rows* rows) {
  rows->clear();
  while (!text.empty()) {
    uint32_t key, size;
    if (text.size() < 8) return false;
    memcpy(&key, text.data(), 4);
    memcpy(&size, text.data() + 4, 4);
    if (text.size() - 8 < size) return false;
    (*rows)[key] = text.substr(8, size);
    text.remove_prefix(8 + size);
  }
  return true;
}

class ToySnapshot final : public SubjectSnapshot {
 public:
  explicit ToySnapshot(Rows rows) : rows_(std::move(rows)) {}
  StatusOr<Contents> Read() override {
    Contents contents;
    for (const auto& [key, value] : rows_) contents[key] = FingerprintOf(value);
    return contents;
  }

 private:
  const Rows rows_;
};

class ToySubject;

class ToyTxn final : public SubjectTxn {
 public:
  ToyTxn(ToySubject* toy, std::unique_lock<std::mutex> lock, Rows rows)
      : toy_(toy), lock_(std::move(lock)), rows_(std::move(rows)) {}

  StatusOr<uint64_t> Counter() override {
    uint64_t counter = 0;
    if (const auto it = rows_.find(kCounterKey); it != rows_.end()) {
      memcpy(&counter, it->second.data(), 8);
    }
    return counter;
  }
  Status Put(uint32_t key, std::string_view value) override {
    rows_[key] = value;
    return absl::OkStatus();
  }
  Status Delete(uint32_t key) override {
    rows_.erase(key);
    return absl::OkStatus();
  }
  Status DeleteRange(uint32_t lo, uint32_t hi) override {
    rows_.erase(rows_.lower_bound(lo), rows_.lower_bound(hi));
    return absl::OkStatus();
  }
  Status SetSavepoint() override {
    savepoints_.push_back(rows_);
    return absl::OkStatus();
  }
  Status RollbackToSavepoint() override {
    rows_ = savepoints_.back();
    return ReleaseSavepoint();
  }
  Status ReleaseSavepoint() override {
    savepoints_.pop_back();
    return absl::OkStatus();
  }
  Status Commit(Durability level) override;

 private:
  ToySubject* const toy_;
  std::unique_lock<std::mutex> lock_;
  Rows rows_;
  std::vector<Rows> savepoints_;
};

class ToySubject final : public Subject {
 public:
  explicit ToySubject(ToyBugs bugs) : bugs_(bugs) {}

  Status Open(const SubjectOptions& options) override {
    pager::FileSystem* const fs = options.file_system;
    auto file = fs->Open(options.path, pager::OpenMode::kReadWrite);
    if (absl::IsNotFound(file.status())) {
      file = fs->Open(options.path, pager::OpenMode::kCreateExclusive);
    }
    KV_RETURN_IF_ERROR(file.status());
    file_ = std::move(file).value();
    if (!bugs_.skip_directory_sync) KV_RETURN_IF_ERROR(fs->SyncParentDirectory(options.path));
    if (!bugs_.skip_recovery_sync) KV_RETURN_IF_ERROR(file_->SyncData());
    KV_ASSIGN_OR_RETURN(const uint64_t size, file_->Size());
    std::vector<uint8_t> bytes(size);
    KV_RETURN_IF_ERROR(file_->ReadAt(0, bytes).status());
    Replay(bytes);
    // What lies behind the end never counts again: it follows another record.
    return absl::OkStatus();
  }
  Status Close() override { return Sync(); }
  StatusOr<std::unique_ptr<SubjectTxn>> Begin() override {
    std::unique_lock lock(mutex_);
    Rows rows = rows_;
    return std::unique_ptr<SubjectTxn>(
        std::make_unique<ToyTxn>(this, std::move(lock), std::move(rows)));
  }
  Status Checkpoint() override { return Sync(); }
  Status Sync() override {
    std::lock_guard lock(mutex_);
    unsynced_ = false;
    return file_->SyncData();
  }
  Status Truncate() override { return absl::OkStatus(); }
  StatusOr<std::unique_ptr<SubjectSnapshot>> Snapshot() override {
    std::lock_guard lock(mutex_);
    return std::unique_ptr<SubjectSnapshot>(std::make_unique<ToySnapshot>(rows_));
  }
  Status Check() override { return absl::OkStatus(); }
  Status Health() override { return absl::OkStatus(); }

  // With mutex_ held.
  Status Append(Rows rows, Durability level) {
    const std::string text = Encode(rows);
    const size_t size = (sizeof(RecordHeader) + text.size() + kBlock - 1) / kBlock * kBlock;
    const std::unique_ptr<uint8_t, FreeDeleter> record(
        static_cast<uint8_t*>(aligned_alloc(kBlock, size)));
    memset(record.get(), 0, size);
    memcpy(record.get() + sizeof(RecordHeader), text.data(), text.size());
    RecordHeader header = {0, sequence_ + 1, previous_, text.size()};
    memcpy(record.get(), &header, sizeof header);
    header.checksum = Checksum(record.get(), text.size());
    memcpy(record.get(), &header, sizeof header);
    const Bytes bytes(record.get(), size);
    const bool cached =
        level == Durability::kNormal || bugs_.skip_sync || (unsynced_ && !bugs_.sync_own_range);
    if (cached) {
      KV_RETURN_IF_ERROR(file_->WriteAt(end_, bytes));
      if (level == Durability::kFull && !bugs_.skip_sync) KV_RETURN_IF_ERROR(file_->SyncData());
      unsynced_ = level == Durability::kNormal;
    } else {
      KV_RETURN_IF_ERROR(file_->WriteDurable(end_, bytes));
    }
    end_ += size;
    ++sequence_;
    previous_ = header.checksum;
    rows_ = std::move(rows);
    return absl::OkStatus();
  }

 private:
  static uint64_t Checksum(const uint8_t* record, size_t bytes) {
    return Hash64(record + 8, sizeof(RecordHeader) - 8 + bytes, 1);
  }

  void Replay(const std::vector<uint8_t>& bytes) {
    while (end_ + kBlock <= bytes.size()) {
      RecordHeader header;
      memcpy(&header, bytes.data() + end_, sizeof header);
      if (header.bytes > bytes.size() - end_ - sizeof header) {
        if (!bugs_.no_chain) return;
        end_ += kBlock;
        continue;
      }
      const bool right = bugs_.no_checksum
                             ? header.sequence != 0
                             : Checksum(bytes.data() + end_, header.bytes) == header.checksum;
      const bool follows = header.sequence == sequence_ + 1 && header.previous == previous_;
      Rows rows;
      if (!right || (!follows && !bugs_.no_chain) ||
          !Decode(
              {reinterpret_cast<const char*>(bytes.data()) + end_ + sizeof header, header.bytes},
              &rows)) {
        if (!bugs_.no_chain) return;
        end_ += kBlock;
        continue;
      }
      rows_ = std::move(rows);
      sequence_ = header.sequence;
      previous_ = header.checksum;
      end_ += (sizeof header + header.bytes + kBlock - 1) / kBlock * kBlock;
    }
  }

  const ToyBugs bugs_;
  std::unique_ptr<pager::File> file_;
  std::mutex mutex_;
  Rows rows_;
  uint64_t end_ = 0;
  uint64_t sequence_ = 0;
  uint64_t previous_ = 0;
  bool unsynced_ = false;
};

Status ToyTxn::Commit(Durability level) { return toy_->Append(std::move(rows_), level); }

}  // namespace

SubjectFactory ToyFactory(ToyBugs bugs) {
  return [bugs]() -> std::unique_ptr<Subject> { return std::make_unique<ToySubject>(bugs); };
}

}  // namespace kvsql::testing
