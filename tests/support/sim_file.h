// A file system in memory that knows what has been synced, for taking the power away at any event.
//
// It behaves as the harshest of the real ones: what is not synced may be lost or arrive in any part and
// order (tests/support/crash_plan.h), a durable write syncs its own range only, names need a sync of their
// directory, a failed sync drops what it should have written and says so once.
//
// One SimFileSystem is one power-up of the machine and one process. A process death is a new
// SimFileSystem from Capture(): the page cache survives, with all that is pending. A power failure is one
// from a crash image of Capture(). The old object lives on, so that the code under test can run on
// and be ended in an orderly way; nothing it does reaches the new one.
//
// Every call has a number, from 1 on. Faults name the call that is to fail. An observer is told of every call
// that changes something, before and after it, and in the middle of a durable write; it runs without the
// file system's mutex and may call in again, or run a whole transaction of the code under test.
//
// All paths are absolute; all directories exist. Mappings are real ones (of a memory file), so reads past
// the end of the file are SIGBUS here too.
//
// Thread safety: any thread may call anything.
#ifndef KVSQL_TESTS_SUPPORT_SIM_FILE_H_
#define KVSQL_TESTS_SUPPORT_SIM_FILE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "pager/file.h"
#include "tests/support/observer_slot.h"
#include "tests/support/sim_disk.h"
#include "tests/support/sim_page_cache.h"

namespace kvsql::testing {

enum class SimCall : uint8_t {
  kRead,
  kReadDirect,
  kSize,
  kMap,
  kOpen,
  kLock,
  kIdentify,
  kRealPath,
  // From here on calls change something.
  kWrite,
  kWriteDurable,
  kSync,
  kAllocate,
  kTruncate,
  kCreate,
  kRename,
  kUnlink,
  kSyncDirectory,
};
const char* SimCallName(SimCall call);
inline bool ChangesDisk(SimCall call) { return call >= SimCall::kWrite; }

struct SimEvent {
  enum class Stage : uint8_t {
    kBefore,
    kInFlight,  // of kWriteDurable: the device has begun
    kAfter,
  };
  uint64_t number = 0;
  SimCall call = SimCall::kWrite;
  Stage stage = Stage::kBefore;
  std::string path;
  uint64_t offset = 0;
  uint64_t size = 0;
  int durable_writes = 0;  // kInFlight: how many durable writes are, this one included
};

struct SimFault {
  enum class Kind : uint8_t {
    kIoError,        // INTERNAL, perhaps after a part of the transfer
    kNoSpace,        // RESOURCE_EXHAUSTED, perhaps after a part of the transfer; not for pure reads
    kDenied,         // PERMISSION_DENIED
    kSyncDropsData,  // of kSync: EIO; what was pending is dropped but stays in the page cache, clean
    kSyncEvictsData,  // the same, and the page cache forgets it too
  };
  uint64_t call = 0;
  Kind kind = Kind::kIoError;
  bool sticky = false;  // all later calls that the fault fits fail too
};

struct SimOptions {
  // Blocks in all files together; what goes beyond is ENOSPC.
  uint64_t disk_bytes = UINT64_MAX;
  // Whether a pending write there may be torn between any two bytes (metas, log blocks).
  std::function<bool(const std::string& path, uint64_t offset)> byte_tears;
  // Whether the sector that was being written when the power went may hold anything.
  std::function<bool(const std::string& path, uint64_t offset)> noise_tears;
  uint64_t seed = 1;
};

class SimFileSystem final : public pager::FileSystem {
 public:
  using Observer = std::function<void(const SimEvent&)>;

  explicit SimFileSystem(DiskState disk = {}, SimOptions options = {});
  ~SimFileSystem() override;

  // What is on the disk and on its way there, now.
  DiskState Capture() const;

  // When it returns, no other thread is in the former one.
  void SetObserver(Observer observer) { observer_.Set(std::move(observer)); }
  void InjectFault(const SimFault& fault);
  void ClearFault();
  // The call that the fault has hit, if it has.
  std::optional<SimEvent> FaultHit() const;
  void SetDiskBytes(uint64_t bytes);

  // Number of the last call.
  uint64_t calls() const;
  uint64_t UsedBytes() const;
  std::vector<std::string> Names() const;
  // The page cache's bytes of a file; empty if there is none.
  std::vector<uint8_t> Contents(const std::string& path) const;
  // Changes bytes behind everybody's back, on the disk and in the page cache (bit rot).
  void Corrupt(const std::string& path, uint64_t offset, Bytes bytes);
  // Puts a file there, durable (a leftover of somebody else).
  void PutFile(const std::string& path, Bytes bytes);

  StatusOr<std::unique_ptr<pager::File>> Open(const std::string& path,
                                              pager::OpenMode mode) override;
  Status Rename(const std::string& from, const std::string& to) override;
  Status RenameNoReplace(const std::string& from, const std::string& to) override;
  Status Unlink(const std::string& path) override;
  Status SyncParentDirectory(const std::string& path) override;
  StatusOr<std::string> RealPath(const std::string& path) override;
  StatusOr<pager::FileIdentity> Identify(const std::string& path) override;
  StatusOr<std::unique_ptr<pager::FileLock>> TryLock(const std::string& path,
                                                     pager::LockMode mode) override;

 private:
  friend class SimFile;
  friend class SimLock;

  struct Inode {
    std::string path;  // the last name it was given
    std::unique_ptr<MemoryFile> cache;
    std::vector<bool> blocks;  // which blocks of the file take space
    int handles = 0;
    int shared_locks = 0;
    bool exclusive_lock = false;
  };

  // A call that has been numbered. Begin tells the observer and decides whether it is to fail.
  struct Started {
    SimEvent event;
    std::optional<SimFault::Kind> fault;
  };
  Started Begin(SimCall call, const std::string& path, uint64_t offset = 0, uint64_t size = 0);
  void Tell(SimEvent event, SimEvent::Stage stage);
  static Status FaultStatus(const Started& started);
  static bool Fits(SimFault::Kind kind, SimCall call);

  // All below with mutex_ held.
  Inode& InodeOf(uint64_t inode) { return inodes_.at(inode); }
  DiskFile& DiskOf(uint64_t inode) { return disk_.files.at(inode); }
  uint64_t Lookup(const std::string& path) const;  // 0: nothing
  // Puts bytes into the page cache and the list of pending operations; returns the operation's id.
  uint64_t AddWrite(uint64_t inode, uint64_t offset, Bytes data);
  void AddResize(uint64_t inode, uint64_t size);
  // How many of the bytes from `offset` on there is space for; takes it.
  uint64_t TakeSpace(uint64_t inode, uint64_t offset, uint64_t size);
  bool HasSpace(uint64_t inode, uint64_t offset, uint64_t size) const;
  void FreeSpace(uint64_t inode, uint64_t from);
  void AddInode(uint64_t inode, const std::string& path);
  void Release(uint64_t inode);
  void ReleaseUnnamed();
  void ReplaceName(const std::string& from, const std::string& to);

  const uint64_t device_;
  ObserverSlot<SimEvent> observer_;

  mutable std::mutex mutex_;
  DiskState disk_;
  SimOptions options_;
  std::map<std::string, uint64_t> names_;
  std::map<uint64_t, Inode> inodes_;
  uint64_t used_blocks_ = 0;
  uint64_t calls_ = 0;
  int durable_writes_ = 0;  // in flight
  std::optional<SimFault> fault_;
  std::optional<SimEvent> fault_hit_;
  std::mt19937_64 random_;
};

}  // namespace kvsql::testing

#endif  // KVSQL_TESTS_SUPPORT_SIM_FILE_H_
