#include "tests/support/sim_file.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "tests/support/sim_handles.h"

namespace kvsql::testing {

using pager::File;
using pager::FileIdentity;
using pager::FileLock;
using pager::LockMode;
using pager::OpenMode;

namespace {

// Devices differ, so that no two power-ups share a core in a registry by device and inode.
uint64_t NextDevice() {
  static std::atomic<uint64_t> next{0x51000000};
  return next.fetch_add(1);
}

}  // namespace

const char* SimCallName(SimCall call) {
  static const char* const kNames[] = {
      "read",     "read directly", "size",   "map",           "open",          "lock",
      "identify", "real path",     "write",  "write durably", "sync",          "allocate",
      "truncate", "create",        "rename", "unlink",        "sync directory"};
  return kNames[static_cast<int>(call)];
}

SimFileSystem::SimFileSystem(DiskState disk, SimOptions options)
    : device_(NextDevice()),
      disk_(std::move(disk)),
      options_(std::move(options)),
      random_(options_.seed) {
  names_ = disk_.VisibleNames();
  ReleaseUnnamed();
  for (const auto& [name, inode] : names_) {
    if (inodes_.contains(inode)) continue;
    AddInode(inode, name);
    Inode& made = InodeOf(inode);
    const BlockBytes view = DiskOf(inode).View();
    made.cache->Replace(view.ToVector());
    // Who knows which blocks are holes: all take space.
    made.blocks.assign((view.size() + kSimBlock - 1) / kSimBlock, true);
    used_blocks_ += made.blocks.size();
  }
}

SimFileSystem::~SimFileSystem() = default;

DiskState SimFileSystem::Capture() const {
  std::lock_guard lock(mutex_);
  return disk_;
}

void SimFileSystem::InjectFault(const SimFault& fault) {
  std::lock_guard lock(mutex_);
  fault_ = fault;
  fault_hit_.reset();
}

void SimFileSystem::ClearFault() {
  std::lock_guard lock(mutex_);
  fault_.reset();
}

std::optional<SimEvent> SimFileSystem::FaultHit() const {
  std::lock_guard lock(mutex_);
  return fault_hit_;
}

void SimFileSystem::SetDiskBytes(uint64_t bytes) {
  std::lock_guard lock(mutex_);
  options_.disk_bytes = bytes;
}

uint64_t SimFileSystem::calls() const {
  std::lock_guard lock(mutex_);
  return calls_;
}

uint64_t SimFileSystem::UsedBytes() const {
  std::lock_guard lock(mutex_);
  return used_blocks_ * kSimBlock;
}

std::vector<std::string> SimFileSystem::Names() const {
  std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  for (const auto& [name, inode] : names_) names.push_back(name);
  return names;
}

std::vector<uint8_t> SimFileSystem::Contents(const std::string& path) const {
  std::lock_guard lock(mutex_);
  const uint64_t inode = Lookup(path);
  if (inode == 0) return {};
  MemoryFile& cache = *inodes_.at(inode).cache;
  std::vector<uint8_t> bytes(cache.size());
  cache.Read(0, bytes);
  return bytes;
}

void SimFileSystem::Corrupt(const std::string& path, uint64_t offset, Bytes bytes) {
  std::lock_guard lock(mutex_);
  const uint64_t inode = Lookup(path);
  KV_CHECK(inode != 0);
  InodeOf(inode).cache->Write(offset, bytes);
  DiskFile& disk = DiskOf(inode);
  disk.PersistAll();
  disk.durable.Write(offset, bytes);
}

void SimFileSystem::PutFile(const std::string& path, Bytes bytes) {
  std::lock_guard lock(mutex_);
  const uint64_t inode = disk_.next_inode++;
  AddInode(inode, path);
  names_[path] = inode;
  disk_.names[path] = inode;
  TakeSpace(inode, 0, bytes.size());
  if (!bytes.empty()) AddWrite(inode, 0, bytes);
  DiskOf(inode).PersistAll();
}

StatusOr<std::unique_ptr<File>> SimFileSystem::Open(const std::string& path, OpenMode mode) {
  const bool create = mode == OpenMode::kCreateExclusive;
  const Started started = Begin(create ? SimCall::kCreate : SimCall::kOpen, path);
  if (started.fault) return FaultStatus(started);
  std::unique_ptr<File> file;
  {
    std::lock_guard lock(mutex_);
    uint64_t inode = Lookup(path);
    if (create) {
      if (inode != 0)
        return absl::AlreadyExistsError(absl::StrCat("create ", path, ": file exists"));
      inode = disk_.next_inode++;
      AddInode(inode, path);
      names_[path] = inode;
      disk_.directory_ops.push_back({DirectoryOp::Kind::kCreate, "", path, inode});
    } else if (inode == 0) {
      return absl::NotFoundError(absl::StrCat("open ", path, ": no such file"));
    }
    ++InodeOf(inode).handles;
    file = std::make_unique<SimFile>(this, inode, path, mode != OpenMode::kReadOnly);
  }
  if (create) Tell(started.event, SimEvent::Stage::kAfter);
  return file;
}

Status SimFileSystem::Rename(const std::string& from, const std::string& to) {
  const Started started = Begin(SimCall::kRename, from);
  if (started.fault) return FaultStatus(started);
  {
    std::lock_guard lock(mutex_);
    if (Lookup(from) == 0)
      return absl::NotFoundError(absl::StrCat("rename ", from, ": no such file"));
    ReplaceName(from, to);
  }
  Tell(started.event, SimEvent::Stage::kAfter);
  return absl::OkStatus();
}

Status SimFileSystem::RenameNoReplace(const std::string& from, const std::string& to) {
  const Started started = Begin(SimCall::kRename, from);
  if (started.fault) return FaultStatus(started);
  {
    std::lock_guard lock(mutex_);
    if (Lookup(from) == 0)
      return absl::NotFoundError(absl::StrCat("rename ", from, ": no such file"));
    if (Lookup(to) != 0)
      return absl::AlreadyExistsError(absl::StrCat("rename to ", to, ": file exists"));
    ReplaceName(from, to);
  }
  Tell(started.event, SimEvent::Stage::kAfter);
  return absl::OkStatus();
}

Status SimFileSystem::Unlink(const std::string& path) {
  const Started started = Begin(SimCall::kUnlink, path);
  if (started.fault) return FaultStatus(started);
  {
    std::lock_guard lock(mutex_);
    const uint64_t inode = Lookup(path);
    if (inode == 0) return absl::NotFoundError(absl::StrCat("unlink ", path, ": no such file"));
    names_.erase(path);
    disk_.directory_ops.push_back({DirectoryOp::Kind::kRemove, path, "", inode});
    Release(inode);
  }
  Tell(started.event, SimEvent::Stage::kAfter);
  return absl::OkStatus();
}

Status SimFileSystem::SyncParentDirectory(const std::string& path) {
  const Started started = Begin(SimCall::kSyncDirectory, path);
  if (started.fault) return FaultStatus(started);
  {
    std::lock_guard lock(mutex_);
    disk_.PersistDirectory(DiskState::ParentOf(path));
    ReleaseUnnamed();
  }
  Tell(started.event, SimEvent::Stage::kAfter);
  return absl::OkStatus();
}

StatusOr<std::string> SimFileSystem::RealPath(const std::string& path) {
  const Started started = Begin(SimCall::kRealPath, path);
  if (started.fault) return FaultStatus(started);
  return path;
}

StatusOr<FileIdentity> SimFileSystem::Identify(const std::string& path) {
  const Started started = Begin(SimCall::kIdentify, path);
  if (started.fault) return FaultStatus(started);
  std::lock_guard lock(mutex_);
  const uint64_t inode = Lookup(path);
  if (inode == 0) return absl::NotFoundError(absl::StrCat("stat ", path, ": no such file"));
  return FileIdentity{device_, inode};
}

StatusOr<std::unique_ptr<FileLock>> SimFileSystem::TryLock(const std::string& path, LockMode mode) {
  const Started started = Begin(SimCall::kLock, path);
  if (started.fault) return FaultStatus(started);
  std::lock_guard lock(mutex_);
  const uint64_t number = Lookup(path);
  if (number == 0) return absl::NotFoundError(absl::StrCat("lock ", path, ": no such file"));
  Inode& inode = InodeOf(number);
  if (inode.exclusive_lock || (mode == LockMode::kExclusive && inode.shared_locks > 0)) {
    return absl::UnavailableError(absl::StrCat("lock ", path, ": held by this process"));
  }
  if (mode == LockMode::kExclusive) {
    inode.exclusive_lock = true;
  } else {
    ++inode.shared_locks;
  }
  ++inode.handles;
  return std::unique_ptr<FileLock>(std::make_unique<SimLock>(this, number, mode));
}

bool SimFileSystem::Fits(SimFault::Kind kind, SimCall call) {
  switch (kind) {
    case SimFault::Kind::kIoError:
      return true;
    case SimFault::Kind::kNoSpace:
      return call == SimCall::kWrite || call == SimCall::kWriteDurable || call == SimCall::kSync ||
             call == SimCall::kAllocate || call == SimCall::kTruncate || call == SimCall::kCreate ||
             call == SimCall::kRename || call == SimCall::kMap;
    case SimFault::Kind::kDenied:
      return call == SimCall::kOpen || call == SimCall::kCreate || call == SimCall::kRename ||
             call == SimCall::kUnlink || call == SimCall::kSyncDirectory;
    case SimFault::Kind::kSyncDropsData:
    case SimFault::Kind::kSyncEvictsData:
      return call == SimCall::kSync;
  }
  return false;
}

Status SimFileSystem::FaultStatus(const Started& started) {
  const std::string message =
      absl::StrCat(SimCallName(started.event.call), " ", started.event.path, " at ",
                   started.event.offset, ": injected at call ", started.event.number);
  switch (*started.fault) {
    case SimFault::Kind::kNoSpace:
      return absl::ResourceExhaustedError(message);
    case SimFault::Kind::kDenied:
      return absl::PermissionDeniedError(message);
    default:
      return absl::InternalError(message);
  }
}

SimFileSystem::Started SimFileSystem::Begin(SimCall call, const std::string& path, uint64_t offset,
                                            uint64_t size) {
  Started started;
  started.event.call = call;
  started.event.path = path;
  started.event.offset = offset;
  started.event.size = size;
  {
    std::lock_guard lock(mutex_);
    started.event.number = ++calls_;
  }
  Tell(started.event, SimEvent::Stage::kBefore);
  std::lock_guard lock(mutex_);
  if (fault_ && Fits(fault_->kind, call) &&
      (started.event.number == fault_->call ||
       (fault_->sticky && started.event.number > fault_->call))) {
    started.fault = fault_->kind;
    fault_hit_ = started.event;
  }
  return started;
}

void SimFileSystem::Tell(SimEvent event, SimEvent::Stage stage) {
  if (!ChangesDisk(event.call)) return;
  event.stage = stage;
  observer_(event);
}

uint64_t SimFileSystem::Lookup(const std::string& path) const {
  const auto it = names_.find(path);
  return it == names_.end() ? 0 : it->second;
}

uint64_t SimFileSystem::AddWrite(uint64_t inode, uint64_t offset, Bytes data) {
  Inode& node = InodeOf(inode);
  if (offset + data.size() > node.cache->size()) AddResize(inode, offset + data.size());
  node.cache->Write(offset, data);
  PendingOp op;
  op.id = disk_.next_op++;
  op.offset = offset;
  op.data = std::make_shared<const std::vector<uint8_t>>(data.begin(), data.end());
  op.byte_tears = options_.byte_tears && options_.byte_tears(node.path, offset);
  op.noise_tears = options_.noise_tears && options_.noise_tears(node.path, offset);
  DiskOf(inode).pending.push_back(std::move(op));
  return disk_.next_op - 1;
}

void SimFileSystem::AddResize(uint64_t inode, uint64_t size) {
  Inode& node = InodeOf(inode);
  if (size < node.cache->size()) {
    disk_.Bury(DiskOf(inode).View());
    FreeSpace(inode, size);
  }
  node.cache->Resize(size);
  PendingOp op;
  op.id = disk_.next_op++;
  op.kind = PendingOp::Kind::kResize;
  op.size = size;
  DiskOf(inode).pending.push_back(std::move(op));
}

bool SimFileSystem::HasSpace(uint64_t inode, uint64_t offset, uint64_t size) const {
  const std::vector<bool>& blocks = inodes_.at(inode).blocks;
  uint64_t needed = 0;
  for (uint64_t b = offset / kSimBlock; b * kSimBlock < offset + size; ++b) {
    needed += b >= blocks.size() || !blocks[b];
  }
  return (used_blocks_ + needed) * kSimBlock <= options_.disk_bytes || needed == 0;
}

uint64_t SimFileSystem::TakeSpace(uint64_t inode, uint64_t offset, uint64_t size) {
  std::vector<bool>& blocks = InodeOf(inode).blocks;
  for (uint64_t b = offset / kSimBlock; b * kSimBlock < offset + size; ++b) {
    if (b < blocks.size() && blocks[b]) continue;
    if ((used_blocks_ + 1) * kSimBlock > options_.disk_bytes) {
      return b * kSimBlock > offset ? b * kSimBlock - offset : 0;
    }
    if (b >= blocks.size()) blocks.resize(b + 1);
    blocks[b] = true;
    ++used_blocks_;
  }
  return size;
}

void SimFileSystem::FreeSpace(uint64_t inode, uint64_t from) {
  std::vector<bool>& blocks = InodeOf(inode).blocks;
  for (uint64_t b = (from + kSimBlock - 1) / kSimBlock; b < blocks.size(); ++b) {
    used_blocks_ -= blocks[b];
    blocks[b] = false;
  }
}

void SimFileSystem::AddInode(uint64_t inode, const std::string& path) {
  Inode& node = inodes_[inode];
  node.path = path;
  node.cache = std::make_unique<MemoryFile>();
  disk_.files.try_emplace(inode);
}

// Forgets an inode that has lost its last name and handle: the cache at once, the bytes on the disk when
// no crash can bring the name back.
void SimFileSystem::Release(uint64_t inode) {
  const auto node = inodes_.find(inode);
  for (const auto& [name, named] : names_) {
    if (named == inode) return;
  }
  if (node != inodes_.end()) {
    if (node->second.handles > 0) return;
    FreeSpace(inode, 0);
    inodes_.erase(node);
  }
  const auto file = disk_.files.find(inode);
  if (file == disk_.files.end() || disk_.MayBeNamed(inode)) return;
  disk_.Bury(file->second.View());
  disk_.files.erase(file);
}

void SimFileSystem::ReleaseUnnamed() {
  std::vector<uint64_t> all;
  for (const auto& [inode, file] : disk_.files) all.push_back(inode);
  for (uint64_t inode : all) Release(inode);
}

void SimFileSystem::ReplaceName(const std::string& from, const std::string& to) {
  const uint64_t inode = Lookup(from);
  const uint64_t replaced = Lookup(to);
  names_.erase(from);
  names_[to] = inode;
  InodeOf(inode).path = to;
  disk_.directory_ops.push_back({DirectoryOp::Kind::kRename, from, to, inode});
  if (replaced != 0 && replaced != inode) Release(replaced);
}

}  // namespace kvsql::testing
