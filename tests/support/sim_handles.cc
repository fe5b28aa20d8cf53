#include "tests/support/sim_handles.h"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "base/check.h"

namespace kvsql::testing {

using pager::FileIdentity;
using pager::FileMapping;
using pager::LockMode;

SimFile::SimFile(SimFileSystem* fs, uint64_t inode, std::string path, bool writable)
    : fs_(fs), inode_(inode), path_(std::move(path)), writable_(writable) {}
SimFile::~SimFile() {
  std::lock_guard lock(fs_->mutex_);
  --fs_->InodeOf(inode_).handles;
  fs_->Release(inode_);
}

StatusOr<size_t> SimFile::ReadAt(uint64_t offset, MutableBytes out) {
  const auto started = fs_->Begin(SimCall::kRead, path_, offset, out.size());
  if (started.fault) return fs_->FaultStatus(started);
  std::lock_guard lock(fs_->mutex_);
  return fs_->InodeOf(inode_).cache->Read(offset, out);
}

StatusOr<size_t> SimFile::ReadDirect(uint64_t offset, MutableBytes out) {
  KV_CHECK(offset % 4096 == 0 && out.size() % 4096 == 0);
  const auto started = fs_->Begin(SimCall::kReadDirect, path_, offset, out.size());
  if (started.fault) return fs_->FaultStatus(started);
  std::lock_guard lock(fs_->mutex_);
  const DiskFile& disk = fs_->DiskOf(inode_);
  if (!disk.dropped) return fs_->InodeOf(inode_).cache->Read(offset, out);
  // A direct read writes dirty pages back first, but not those that a failed sync marked clean.
  const BlockBytes view = disk.View();
  const uint64_t n =
      offset >= view.size() ? 0 : std::min<uint64_t>(out.size(), view.size() - offset);
  view.Read(offset, out.subspan(0, n));
  return n;
}

Status SimFile::WriteAt(uint64_t offset, std::span<const Bytes> pieces) {
  std::vector<uint8_t> data;
  for (const Bytes& piece : pieces) data.insert(data.end(), piece.begin(), piece.end());
  const auto started = fs_->Begin(SimCall::kWrite, path_, offset, data.size());
  KV_RETURN_IF_ERROR(Writable("write"));
  Status status;
  {
    std::lock_guard lock(fs_->mutex_);
    uint64_t size = data.size();
    if (started.fault) {
      status = fs_->FaultStatus(started);
      size = size == 0 ? 0 : fs_->random_() % size;
      if (fs_->random_() % 2 == 0) size = 0;
    }
    const uint64_t fits = fs_->TakeSpace(inode_, offset, size);
    if (fits < size && status.ok()) status = NoSpace("write", offset);
    if (fits > 0) fs_->AddWrite(inode_, offset, Bytes(data.data(), fits));
  }
  fs_->Tell(started.event, SimEvent::Stage::kAfter);
  return status;
}

Status SimFile::WriteDurable(uint64_t offset, Bytes data) {
  KV_CHECK(offset % 4096 == 0 && data.size() % 4096 == 0);
  KV_CHECK(reinterpret_cast<uintptr_t>(data.data()) % 4096 == 0);
  const auto started = fs_->Begin(SimCall::kWriteDurable, path_, offset, data.size());
  KV_RETURN_IF_ERROR(Writable("write durably"));
  if (data.empty()) return absl::OkStatus();
  Status status;
  uint64_t id = 0;
  {
    std::lock_guard lock(fs_->mutex_);
    uint64_t size = data.size();
    if (started.fault) {
      status = fs_->FaultStatus(started);
      size = fs_->random_() % (size / kSector + 1) * kSector;
    }
    const uint64_t fits = fs_->TakeSpace(inode_, offset, size);
    if (fits < size && status.ok()) status = NoSpace("write durably", offset);
    if (fits > 0) id = fs_->AddWrite(inode_, offset, data.subspan(0, fits));
  }
  if (id != 0) {
    SimEvent in_flight = started.event;
    {
      std::lock_guard lock(fs_->mutex_);
      in_flight.durable_writes = ++fs_->durable_writes_;
    }
    fs_->Tell(in_flight, SimEvent::Stage::kInFlight);
    std::lock_guard lock(fs_->mutex_);
    --fs_->durable_writes_;
    // After an error nobody knows how much is on the disk: it stays pending.
    if (status.ok()) fs_->DiskOf(inode_).PersistWrite(id);
  }
  fs_->Tell(started.event, SimEvent::Stage::kAfter);
  return status;
}

Status SimFile::SyncData() {
  const auto started = fs_->Begin(SimCall::kSync, path_);
  Status status;
  {
    std::lock_guard lock(fs_->mutex_);
    DiskFile& disk = fs_->DiskOf(inode_);
    if (!started.fault) {
      disk.PersistAll();
    } else {
      status = fs_->FaultStatus(started);
      if (*started.fault == SimFault::Kind::kSyncDropsData ||
          *started.fault == SimFault::Kind::kSyncEvictsData) {
        DropPending(&disk);
        if (*started.fault == SimFault::Kind::kSyncEvictsData) {
          fs_->InodeOf(inode_).cache->Replace(disk.View().ToVector());
        }
      }
    }
  }
  fs_->Tell(started.event, SimEvent::Stage::kAfter);
  return status;
}

Status SimFile::Allocate(uint64_t offset, uint64_t size) {
  const auto started = fs_->Begin(SimCall::kAllocate, path_, offset, size);
  KV_RETURN_IF_ERROR(Writable("allocate"));
  if (started.fault) return Fail(started);
  Status status;
  {
    std::lock_guard lock(fs_->mutex_);
    if (fs_->HasSpace(inode_, offset, size)) {
      fs_->TakeSpace(inode_, offset, size);
      if (offset + size > fs_->InodeOf(inode_).cache->size()) {
        fs_->AddResize(inode_, offset + size);
      }
    } else {
      status = NoSpace("allocate", offset);
    }
  }
  fs_->Tell(started.event, SimEvent::Stage::kAfter);
  return status;
}

Status SimFile::Truncate(uint64_t size) {
  const auto started = fs_->Begin(SimCall::kTruncate, path_, size);
  KV_RETURN_IF_ERROR(Writable("truncate"));
  if (started.fault) return Fail(started);
  {
    std::lock_guard lock(fs_->mutex_);
    fs_->AddResize(inode_, size);
  }
  fs_->Tell(started.event, SimEvent::Stage::kAfter);
  return absl::OkStatus();
}

StatusOr<uint64_t> SimFile::Size() {
  const auto started = fs_->Begin(SimCall::kSize, path_);
  if (started.fault) return fs_->FaultStatus(started);
  std::lock_guard lock(fs_->mutex_);
  return fs_->InodeOf(inode_).cache->size();
}

FileIdentity SimFile::identity() const { return {fs_->device_, inode_}; }

StatusOr<std::unique_ptr<FileMapping>> SimFile::Map(uint64_t size) {
  const auto started = fs_->Begin(SimCall::kMap, path_, 0, size);
  if (started.fault) return fs_->FaultStatus(started);
  std::lock_guard lock(fs_->mutex_);
  std::unique_ptr<FileMapping> mapping = fs_->InodeOf(inode_).cache->Map(size);
  if (mapping == nullptr) {
    return absl::ResourceExhaustedError(absl::StrCat("mmap ", path_, " (", size, " bytes)"));
  }
  return mapping;
}

Status SimFile::Writable(const char* call) const {
  if (writable_) return absl::OkStatus();
  return absl::InternalError(absl::StrCat(call, " ", path_, ": opened read-only"));
}
Status SimFile::NoSpace(const char* call, uint64_t offset) const {
  return absl::ResourceExhaustedError(
      absl::StrCat(call, " ", path_, " at ", offset, ": no space left on simulated device"));
}
Status SimFile::Fail(const SimFileSystem::Started& started) {
  fs_->Tell(started.event, SimEvent::Stage::kAfter);
  return fs_->FaultStatus(started);
}

void SimFile::DropPending(DiskFile* disk) {
  std::vector<PendingOp> writes;
  for (const PendingOp& op : disk->pending) {
    if (op.kind == PendingOp::Kind::kWrite && fs_->random_() % 3 == 0) writes.push_back(op);
  }
  for (const PendingOp& op : writes) disk->PersistWrite(op.id);
  std::erase_if(disk->pending,
                [](const PendingOp& op) { return op.kind == PendingOp::Kind::kWrite; });
  disk->dropped = true;
}

SimLock::SimLock(SimFileSystem* fs, uint64_t inode, LockMode mode)
    : fs_(fs), inode_(inode), mode_(mode) {}
SimLock::~SimLock() {
  std::lock_guard lock(fs_->mutex_);
  SimFileSystem::Inode& inode = fs_->InodeOf(inode_);
  if (mode_ == LockMode::kExclusive) {
    inode.exclusive_lock = false;
  } else {
    --inode.shared_locks;
  }
  --inode.handles;
  fs_->Release(inode_);
}

}  // namespace kvsql::testing
