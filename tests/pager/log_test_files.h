// Files in memory for the tests of the commit log. They keep a list of what was done to them, so that a
// test can build the file that a power failure at any point would have left.
#ifndef KVSQL_TESTS_PAGER_LOG_TEST_FILES_H_
#define KVSQL_TESTS_PAGER_LOG_TEST_FILES_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "pager/commit_log.h"
#include "pager/file.h"
#include "pager/log_reader.h"

namespace kvsql::pager {

struct FileEvent {
  enum Kind { kWrite, kDurableWrite, kSync, kTruncate, kAllocate };
  Kind kind;
  uint64_t offset = 0;
  std::vector<uint8_t> bytes;
  uint64_t size = 0;  // kTruncate, kAllocate: the file's size afterwards
};

struct MemInode {
  std::mutex mutex;
  std::vector<uint8_t> bytes;
  std::vector<FileEvent> events;
  uint64_t number = 0;
  int fail_syncs = 0;  // the next so many
  int fail_writes = 0;
  bool disk_full = false;  // Allocate answers RESOURCE_EXHAUSTED
};

class MemFile : public File {
 public:
  explicit MemFile(std::shared_ptr<MemInode> inode) : inode_(std::move(inode)) {}

  StatusOr<size_t> ReadAt(uint64_t offset, MutableBytes out) override {
    std::lock_guard lock(inode_->mutex);
    if (offset >= inode_->bytes.size()) return 0;
    const size_t n = std::min<uint64_t>(out.size(), inode_->bytes.size() - offset);
    std::copy_n(inode_->bytes.begin() + static_cast<ptrdiff_t>(offset), n, out.begin());
    return n;
  }
  StatusOr<size_t> ReadDirect(uint64_t offset, MutableBytes out) override {
    if (offset % 4096 != 0 || out.size() % 4096 != 0 ||
        reinterpret_cast<uintptr_t>(out.data()) % 4096 != 0) {
      return absl::InternalError("ReadDirect is not aligned");
    }
    return ReadAt(offset, out);
  }
  using File::WriteAt;
  Status WriteAt(uint64_t offset, std::span<const Bytes> pieces) override {
    std::vector<uint8_t> all;
    for (Bytes piece : pieces) all.insert(all.end(), piece.begin(), piece.end());
    return Write(FileEvent::kWrite, offset, std::move(all));
  }
  Status WriteDurable(uint64_t offset, Bytes data) override {
    if (offset % 4096 != 0 || data.size() % 4096 != 0 ||
        reinterpret_cast<uintptr_t>(data.data()) % 4096 != 0) {
      return absl::InternalError("WriteDurable is not aligned");
    }
    return Write(FileEvent::kDurableWrite, offset, {data.begin(), data.end()});
  }
  Status SyncData() override {
    std::lock_guard lock(inode_->mutex);
    if (inode_->fail_syncs > 0) {
      --inode_->fail_syncs;
      return absl::InternalError("fdatasync: EIO");
    }
    inode_->events.push_back({.kind = FileEvent::kSync, .bytes = {}});
    return absl::OkStatus();
  }
  Status Allocate(uint64_t offset, uint64_t size) override {
    std::lock_guard lock(inode_->mutex);
    if (inode_->disk_full) return absl::ResourceExhaustedError("posix_fallocate: ENOSPC");
    inode_->bytes.resize(std::max<uint64_t>(inode_->bytes.size(), offset + size));
    inode_->events.push_back(
        {.kind = FileEvent::kAllocate, .bytes = {}, .size = inode_->bytes.size()});
    return absl::OkStatus();
  }
  Status Truncate(uint64_t size) override {
    std::lock_guard lock(inode_->mutex);
    inode_->bytes.resize(size);
    inode_->events.push_back({.kind = FileEvent::kTruncate, .bytes = {}, .size = size});
    return absl::OkStatus();
  }
  StatusOr<uint64_t> Size() override {
    std::lock_guard lock(inode_->mutex);
    return inode_->bytes.size();
  }
  FileIdentity identity() const override { return {1, inode_->number}; }
  StatusOr<std::unique_ptr<FileMapping>> Map(uint64_t) override {
    return absl::UnimplementedError("Map");
  }

 private:
  Status Write(FileEvent::Kind kind, uint64_t offset, std::vector<uint8_t> data) {
    std::lock_guard lock(inode_->mutex);
    if (inode_->fail_writes > 0) {
      --inode_->fail_writes;
      return absl::InternalError("pwrite: EIO");
    }
    if (inode_->bytes.size() < offset + data.size()) inode_->bytes.resize(offset + data.size());
    std::copy(data.begin(), data.end(), inode_->bytes.begin() + static_cast<ptrdiff_t>(offset));
    inode_->events.push_back({.kind = kind, .offset = offset, .bytes = std::move(data)});
    return absl::OkStatus();
  }

  const std::shared_ptr<MemInode> inode_;
};

class MemFileSystem : public FileSystem {
 public:
  StatusOr<std::unique_ptr<File>> Open(const std::string& path, OpenMode mode) override {
    auto it = names.find(path);
    if (mode == OpenMode::kCreateExclusive) {
      if (it != names.end()) return absl::AlreadyExistsError(path);
      it = names.emplace(path, std::make_shared<MemInode>()).first;
      it->second->number = ++inodes_;
      it->second->disk_full = disk_full;
    }
    if (it == names.end()) return absl::NotFoundError(path);
    return std::make_unique<MemFile>(it->second);
  }
  Status Rename(const std::string& from, const std::string& to) override {
    names[to] = names.at(from);
    names.erase(from);
    calls.push_back("rename " + from + " " + to);
    return absl::OkStatus();
  }
  Status RenameNoReplace(const std::string& from, const std::string& to) override {
    if (names.contains(to)) return absl::AlreadyExistsError(to);
    return Rename(from, to);
  }
  Status Unlink(const std::string& path) override {
    if (names.erase(path) == 0) return absl::NotFoundError(path);
    calls.push_back("unlink " + path);
    return absl::OkStatus();
  }
  Status SyncParentDirectory(const std::string& path) override {
    calls.push_back("sync directory of " + path);
    return absl::OkStatus();
  }
  StatusOr<std::string> RealPath(const std::string& path) override { return path; }
  StatusOr<FileIdentity> Identify(const std::string& path) override {
    auto it = names.find(path);
    if (it == names.end()) return absl::NotFoundError(path);
    return FileIdentity{1, it->second->number};
  }
  StatusOr<std::unique_ptr<FileLock>> TryLock(const std::string&, LockMode) override {
    return std::make_unique<FileLock>();
  }

  std::map<std::string, std::shared_ptr<MemInode>> names;
  std::vector<std::string> calls;
  bool disk_full = false;

 private:
  uint64_t inodes_ = 0;
};

// What one replayed record says.
struct Replayed {
  TxId txid;
  uint64_t sequence;
  std::string payload;
  friend bool operator==(const Replayed&, const Replayed&) = default;
};

inline Bytes AsPayload(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

struct ReplayOutcome {
  Status status;
  std::vector<Replayed> records;
  LogPosition end;
};

inline ReplayOutcome ReplayBytes(std::vector<uint8_t> bytes, const LogIdentity& identity,
                                 const LogPosition& from, const ReplayOptions& options = {}) {
  auto inode = std::make_shared<MemInode>();
  inode->bytes = std::move(bytes);
  MemFile file(inode);
  ReplayOutcome outcome;
  auto end = ReplayLog(
      &file, "test-log", identity, from,
      [&](const LogRecord& r) {
        outcome.records.push_back(
            {r.txid, r.sequence,
             std::string(reinterpret_cast<const char*>(r.payload.data()), r.payload.size())});
        return absl::OkStatus();
      },
      options);
  outcome.status = end.status();
  if (end.ok()) outcome.end = *end;
  return outcome;
}

// A fresh log in memory, and what was appended to it.
class LogHarness {
 public:
  static constexpr char kPath[] = "db-log";

  explicit LogHarness(const LogOptions& options = {}) {
    identity.database_id = {1, 2, 3};
    identity.log_id = 77;
    identity.generation = 1;
    identity.salt = 0x1234567890abcdef;
    auto created = CommitLog::Create(&fs, kPath, identity, options);
    if (!created.ok()) std::abort();
    log = std::move(created).value();
    start = log->end();
  }

  MemInode& inode() { return *fs.names.at(kPath); }
  std::vector<uint8_t> bytes() { return inode().bytes; }

  uint64_t Append(const std::string& payload, Durability level) {
    if (!log->HasRoomFor(payload.size())) std::abort();
    const TxId txid = 1000 + appended.size();
    const uint64_t sequence = log->Append(txid, AsPayload(payload), level);
    appended.push_back({txid, sequence, payload});
    return sequence;
  }
  // Appends and flushes one record.
  LogFlushResult Commit(const std::string& payload, Durability level) {
    Append(payload, level);
    return Flush();
  }
  LogFlushResult Flush(Durability level = Durability::kNormal) {
    auto flushed = log->Flush(level);
    if (!flushed.ok()) std::abort();
    return *flushed;
  }
  ReplayOutcome Replay(const ReplayOptions& options = {}) {
    return ReplayBytes(bytes(), identity, start, options);
  }
  // The first n of what was appended.
  std::vector<Replayed> Prefix(size_t n) const {
    return {appended.begin(), appended.begin() + static_cast<ptrdiff_t>(n)};
  }

  MemFileSystem fs;
  LogIdentity identity;
  std::unique_ptr<CommitLog> log;
  LogPosition start;
  std::vector<Replayed> appended;
};

}  // namespace kvsql::pager

#endif  // KVSQL_TESTS_PAGER_LOG_TEST_FILES_H_
