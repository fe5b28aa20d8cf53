// The seam between kvsql and the operating system's files. Every byte that kvsql reads or writes, every
// sync, rename and lock passes through here, so that the simulated file system of the tests can stand
// in for the real one and take the power away at any event.
//
// Thread safety: every method may be called from any thread; calls that overlap in bytes must be ordered
// by the caller. EINTR, short transfers and IOV_MAX are handled below this seam.
//
// Errors: RESOURCE_EXHAUSTED for ENOSPC/EDQUOT/EFBIG, NOT_FOUND for ENOENT, ALREADY_EXISTS for EEXIST,
// PERMISSION_DENIED for EACCES/EROFS/EPERM, UNAVAILABLE for a lock that is held, INTERNAL for EIO and the
// rest. The message names the call, the path, the offset and the errno text.
#ifndef KVSQL_PAGER_FILE_H_
#define KVSQL_PAGER_FILE_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"

namespace kvsql::pager {

using Bytes = std::span<const uint8_t>;
using MutableBytes = std::span<uint8_t>;

// What tells one file from another whatever its name: device and inode.
struct FileIdentity {
  uint64_t device = 0;
  uint64_t inode = 0;
  friend auto operator<=>(const FileIdentity&, const FileIdentity&) = default;
};

// A read-only shared mapping of a file from offset 0. Later writes through the file are visible in it.
// May reach beyond the end of the file; touching bytes there is SIGBUS. Unmapped by the destructor.
class FileMapping {
 public:
  virtual ~FileMapping() = default;
  const uint8_t* data() const { return data_; }
  uint64_t size() const { return size_; }

 protected:
  FileMapping(const uint8_t* data, uint64_t size) : data_(data), size_(size) {}

 private:
  const uint8_t* data_;
  uint64_t size_;
};

class File {
 public:
  virtual ~File() = default;

  // Reads up to out.size() bytes at `offset` through the page cache; returns how many there were before
  // the end of the file.
  virtual StatusOr<size_t> ReadAt(uint64_t offset, MutableBytes out) = 0;
  // The same, but from the device: what a power failure would have left. `offset` and size are multiples
  // of 4096. Falls back to dropping the range from the page cache first.
  virtual StatusOr<size_t> ReadDirect(uint64_t offset, MutableBytes out) = 0;

  // Writes all of `pieces`, one after the other, at `offset` through the page cache. Not durable before
  // SyncData.
  virtual Status WriteAt(uint64_t offset, std::span<const Bytes> pieces) = 0;
  Status WriteAt(uint64_t offset, Bytes piece) { return WriteAt(offset, std::span(&piece, 1)); }
  // Writes `data` and makes exactly this range durable, but nothing else that was written before (S19).
  // offset, size and address of `data` are multiples of 4096. O_DIRECT+O_DSYNC, else RWF_DSYNC.
  virtual Status WriteDurable(uint64_t offset, Bytes data) = 0;
  // fdatasync: makes all that was written before durable, and the file's length.
  virtual Status SyncData() = 0;

  // Makes sure that blocks exist for the range, extending the file with zeros as needed, so that later
  // writes to it cannot meet a full disk (posix_fallocate).
  virtual Status Allocate(uint64_t offset, uint64_t size) = 0;
  virtual Status Truncate(uint64_t size) = 0;
  virtual StatusOr<uint64_t> Size() = 0;
  virtual FileIdentity identity() const = 0;

  // Maps `size` bytes; RESOURCE_EXHAUSTED if the address space refuses. MADV_DONTFORK.
  virtual StatusOr<std::unique_ptr<FileMapping>> Map(uint64_t size) = 0;
};

// A lock on a whole file, between processes; released by the destructor, explicitly (S37).
class FileLock {
 public:
  virtual ~FileLock() = default;
};

enum class LockMode { kShared, kExclusive };

enum class OpenMode {
  kReadOnly,
  kReadWrite,        // NOT_FOUND if there is none
  kCreateExclusive,  // ALREADY_EXISTS if there is one; mode 0644 less umask
};

class FileSystem {
 public:
  virtual ~FileSystem() = default;

  virtual StatusOr<std::unique_ptr<File>> Open(const std::string& path, OpenMode mode) = 0;
  // Gives `from` the name `to`, replacing what was there. Durable after SyncDirectory of the parent.
  virtual Status Rename(const std::string& from, const std::string& to) = 0;
  // The same, but ALREADY_EXISTS if `to` exists (RENAME_NOREPLACE, else link + unlink).
  virtual Status RenameNoReplace(const std::string& from, const std::string& to) = 0;
  virtual Status Unlink(const std::string& path) = 0;
  // Makes names in the directory that holds `path` durable.
  virtual Status SyncParentDirectory(const std::string& path) = 0;
  // Absolute path with symbolic links resolved; `path` itself need not exist, its parent must.
  virtual StatusOr<std::string> RealPath(const std::string& path) = 0;
  // Identity of what the name means now; NOT_FOUND if nothing.
  virtual StatusOr<FileIdentity> Identify(const std::string& path) = 0;
  // Takes an OFD lock on the file, on a descriptor of its own that is never mapped (S37). Does not wait:
  // UNAVAILABLE if another holds it; the message names the holder's pid where /proc tells it.
  virtual StatusOr<std::unique_ptr<FileLock>> TryLock(const std::string& path, LockMode mode) = 0;

  // The real one; lives for ever.
  static FileSystem* Posix();
};

}  // namespace kvsql::pager

#endif  // KVSQL_PAGER_FILE_H_
