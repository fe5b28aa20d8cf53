// The real file system: pager/file.h on Linux system calls.
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/check.h"
#include "pager/descriptor.h"
#include "pager/file.h"
#include "pager/posix_error.h"
#include "pager/posix_lock.h"

namespace kvsql::pager {
namespace {

// Direct transfers need offset, size and memory on the device's logical block; 4096 suits every device.
constexpr uint64_t kDirectAlign = 4096;

bool Aligned(uint64_t value) { return value % kDirectAlign == 0; }
bool Aligned(const void* address) { return Aligned(reinterpret_cast<uintptr_t>(address)); }

struct FreeDeleter {
  void operator()(uint8_t* memory) const { free(memory); }
};
using AlignedBuffer = std::unique_ptr<uint8_t, FreeDeleter>;

AlignedBuffer MakeAlignedBuffer(size_t size) {
  return AlignedBuffer(static_cast<uint8_t*>(aligned_alloc(kDirectAlign, size)));
}

// Calls until it is not interrupted.
template <typename Call>
auto Retry(Call call) {
  decltype(call()) result;
  do {
    result = call();
  } while (result < 0 && errno == EINTR);
  return result;
}

class PosixMapping final : public FileMapping {
 public:
  PosixMapping(void* address, uint64_t size)
      : FileMapping(static_cast<const uint8_t*>(address), size), generation_(ForkGeneration()) {}
  ~PosixMapping() override {
    // A forked child has no copy of the mapping; something else may live at the address there.
    if (generation_ == ForkGeneration()) munmap(const_cast<uint8_t*>(data()), size());
  }

 private:
  const uint64_t generation_;
};

class PosixFile final : public File {
 public:
  PosixFile(Descriptor fd, std::string path, int access, const struct stat& info)
      : fd_(std::move(fd)),
        path_(std::move(path)),
        access_(access),
        identity_{info.st_dev, info.st_ino} {}

  StatusOr<size_t> ReadAt(uint64_t offset, MutableBytes out) override {
    size_t done = 0;
    while (done < out.size()) {
      const ssize_t n = Retry(
          [&] { return pread(fd_.get(), out.data() + done, out.size() - done, offset + done); });
      if (n < 0) return Error("read", offset + done);
      if (n == 0) break;
      done += n;
    }
    return done;
  }

  StatusOr<size_t> ReadDirect(uint64_t offset, MutableBytes out) override {
    KV_DCHECK(Aligned(offset) && Aligned(out.size()));
    if (const int direct = DirectDescriptor(); direct >= 0) {
      AlignedBuffer bounce;
      uint8_t* target = out.data();
      if (!Aligned(target)) {
        bounce = MakeAlignedBuffer(out.size());
        if (bounce == nullptr) return PosixError(ENOMEM, "read directly", path_);
        target = bounce.get();
      }
      size_t done = 0;
      ssize_t n = 0;
      // A count off the grid is the end of the file.
      while (done < out.size() && Aligned(done)) {
        n = Retry([&] { return pread(direct, target + done, out.size() - done, offset + done); });
        if (n <= 0) break;
        done += n;
      }
      if (n >= 0) {
        if (bounce != nullptr) memcpy(out.data(), target, done);
        return done;
      }
      if (errno != EINVAL) return Error("read directly", offset + done);
      // The filesystem took the flag but not the transfer.
    }
    posix_fadvise(fd_.get(), offset, out.size(), POSIX_FADV_DONTNEED);
    return ReadAt(offset, out);
  }

  Status WriteAt(uint64_t offset, std::span<const Bytes> pieces) override {
    return WritePieces(offset, pieces, /*flags=*/0, "write");
  }

  Status WriteDurable(uint64_t offset, Bytes data) override {
    KV_DCHECK(Aligned(offset) && Aligned(data.size()) && Aligned(data.data()));
    if (const int direct = DirectDescriptor(); direct >= 0) {
      size_t done = 0;
      while (done < data.size()) {
        const ssize_t n = Retry(
            [&] { return pwrite(direct, data.data() + done, data.size() - done, offset + done); });
        if (n < 0) break;
        // A short transfer goes on from the last whole block.
        const size_t whole = n / kDirectAlign * kDirectAlign;
        if (whole == 0) {
          errno = EIO;
          break;
        }
        done += whole;
      }
      if (done == data.size()) return absl::OkStatus();
      if (errno != EINVAL) return Error("write durably", offset + done);
      // O_DIRECT refused: what was written is durable, the rest goes the other way, now and later.
      direct_state_.store(DirectState::kRefused, std::memory_order_release);
      offset += done;
      data = data.subspan(done);
    }
    if (!dsync_refused_.load(std::memory_order_relaxed)) {
      Status status = WritePieces(offset, std::span(&data, 1), RWF_DSYNC, "write durably");
      if (status.ok() || (errno != EOPNOTSUPP && errno != ENOSYS && errno != EINVAL)) return status;
      dsync_refused_.store(true, std::memory_order_relaxed);
    }
    KV_RETURN_IF_ERROR(WritePieces(offset, std::span(&data, 1), /*flags=*/0, "write durably"));
    return SyncData();
  }

  Status SyncData() override {
    if (Retry([&] { return fdatasync(fd_.get()); }) != 0)
      return PosixError(errno, "fdatasync", path_);
    return absl::OkStatus();
  }

  Status Allocate(uint64_t offset, uint64_t size) override {
    if (size == 0) return absl::OkStatus();
    // Not posix_fallocate: where the filesystem cannot, the C library's substitute reads and writes a byte
    // per block of a size it guesses, and the error comes as a result instead of errno.
    if (Retry([&] { return fallocate(fd_.get(), 0, offset, size); }) == 0) return absl::OkStatus();
    if (errno != EOPNOTSUPP && errno != ENOSYS) return Error("allocate", offset);
    return AllocateByWriting(offset, offset + size);
  }

  Status Truncate(uint64_t size) override {
    if (Retry([&] { return ftruncate(fd_.get(), size); }) != 0) return Error("truncate", size);
    return absl::OkStatus();
  }

  StatusOr<uint64_t> Size() override {
    struct stat info;
    if (fstat(fd_.get(), &info) != 0) return PosixError(errno, "fstat", path_);
    return info.st_size;
  }

  FileIdentity identity() const override { return identity_; }

  StatusOr<std::unique_ptr<FileMapping>> Map(uint64_t size) override {
    void* address = mmap(nullptr, size, PROT_READ, MAP_SHARED | MAP_NORESERVE, fd_.get(), 0);
    if (address == MAP_FAILED) {
      return PosixError(errno, "mmap", absl::StrCat(path_, " (", size, " bytes)"));
    }
    madvise(address, size, MADV_DONTFORK);
    return std::unique_ptr<FileMapping>(std::make_unique<PosixMapping>(address, size));
  }

 private:
  enum class DirectState : uint8_t { kUntried, kOpen, kRefused };

  Status Error(const char* call, uint64_t offset) const {
    const int error = errno;
    Status status = PosixError(error, call, absl::StrCat(path_, " at ", offset));
    errno = error;
    return status;
  }

  // All of `pieces` from `offset` on, by pwritev2 with `flags`. errno is left as the failing call set it.
  Status WritePieces(uint64_t offset, std::span<const Bytes> pieces, int flags, const char* call) {
    constexpr size_t kBatch = std::min(IOV_MAX, 64);
    iovec vector[kBatch];
    size_t next = 0;  // the first piece that is not all written
    size_t skip = 0;  // how much of it is
    while (true) {
      size_t count = 0;
      size_t wanted = 0;
      for (size_t i = next; i < pieces.size() && count < kBatch; ++i) {
        const Bytes rest = pieces[i].subspan(i == next ? skip : 0);
        if (rest.empty()) {
          if (count == 0) next = i + 1, skip = 0;
          continue;
        }
        vector[count++] = {const_cast<uint8_t*>(rest.data()), rest.size()};
        wanted += rest.size();
      }
      if (count == 0) return absl::OkStatus();
      ssize_t n = Retry([&] {
        if (flags != 0) return pwritev2(fd_.get(), vector, count, offset, flags);
        if (count == 1) return pwrite(fd_.get(), vector[0].iov_base, vector[0].iov_len, offset);
        return pwritev(fd_.get(), vector, count, offset);
      });
      if (n < 0) return Error(call, offset);
      if (n == 0 && wanted > 0) {
        errno = EIO;
        return Error(call, offset);
      }
      offset += n;
      while (n > 0) {
        const size_t rest = pieces[next].size() - skip;
        const size_t step = std::min<size_t>(rest, n);
        skip += step;
        n -= step;
        if (skip == pieces[next].size()) ++next, skip = 0;
      }
    }
  }

  // Blocks for [offset, end) where fallocate is not supported: what is there is written again, the rest as
  // zeros.
  Status AllocateByWriting(uint64_t offset, uint64_t end) {
    std::vector<uint8_t> buffer(std::min<uint64_t>(end - offset, 256 << 10));
    while (offset < end) {
      const size_t size = std::min<uint64_t>(buffer.size(), end - offset);
      KV_ASSIGN_OR_RETURN(const size_t got, ReadAt(offset, MutableBytes(buffer.data(), size)));
      memset(buffer.data() + got, 0, size - got);
      const Bytes piece(buffer.data(), size);
      KV_RETURN_IF_ERROR(WritePieces(offset, std::span(&piece, 1), /*flags=*/0, "allocate"));
      offset += size;
    }
    return absl::OkStatus();
  }

  // A second descriptor on the same inode with O_DIRECT and O_DSYNC, or -1 where that is refused. The
  // first one stays without them: the page cache serves the mapping and the unsynced writes.
  int DirectDescriptor() {
    DirectState state = direct_state_.load(std::memory_order_acquire);
    if (state == DirectState::kUntried) [[unlikely]] {
      std::lock_guard lock(direct_mutex_);
      state = direct_state_.load(std::memory_order_relaxed);
      if (state == DirectState::kUntried) {
        state = OpenDirect() ? DirectState::kOpen : DirectState::kRefused;
        direct_state_.store(state, std::memory_order_release);
      }
    }
    return state == DirectState::kOpen ? direct_.get() : -1;
  }

  bool OpenDirect() {
    const int flags = access_ | O_DIRECT | O_DSYNC;
    // Through /proc it is the same inode even if the name has moved; without /proc the name must still
    // lead there.
    direct_ = Descriptor::Open(absl::StrCat("/proc/self/fd/", fd_.get()), flags);
    if (!direct_.valid()) direct_ = Descriptor::Open(path_, flags);
    struct stat info;
    if (!direct_.valid() || fstat(direct_.get(), &info) != 0) return false;
    if (FileIdentity{info.st_dev, info.st_ino} != identity_) {
      direct_.Close();
      return false;
    }
    return true;
  }

  const Descriptor fd_;
  const std::string path_;
  const int access_;
  const FileIdentity identity_;

  std::mutex direct_mutex_;  // held while direct_ is opened; it never changes afterwards
  std::atomic<DirectState> direct_state_{DirectState::kUntried};
  Descriptor direct_;
  std::atomic<bool> dsync_refused_{false};
};

// The directory of `path`, and the name in it.
std::pair<std::string, std::string> SplitPath(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {".", path};
  return {slash == 0 ? "/" : path.substr(0, slash), path.substr(slash + 1)};
}

class PosixFileSystem final : public FileSystem {
 public:
  StatusOr<std::unique_ptr<File>> Open(const std::string& path, OpenMode mode) override {
    const int access = mode == OpenMode::kReadOnly ? O_RDONLY : O_RDWR;
    const int create = mode == OpenMode::kCreateExclusive ? O_CREAT | O_EXCL : 0;
    Descriptor fd = Descriptor::Open(path, access | create, 0644);
    if (!fd.valid()) return PosixError(errno, create ? "create" : "open", path);
    struct stat info;
    if (fstat(fd.get(), &info) != 0) return PosixError(errno, "fstat", path);
    if (!S_ISREG(info.st_mode)) {
      return absl::FailedPreconditionError(absl::StrCat("open ", path, ": not a regular file"));
    }
    return std::unique_ptr<File>(std::make_unique<PosixFile>(std::move(fd), path, access, info));
  }

  Status Rename(const std::string& from, const std::string& to) override {
    if (rename(from.c_str(), to.c_str()) != 0) return NameError("rename", from, to);
    return absl::OkStatus();
  }

  Status RenameNoReplace(const std::string& from, const std::string& to) override {
    if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) {
      return absl::OkStatus();
    }
    if (errno != EINVAL && errno != ENOSYS) return NameError("rename", from, to);
    // A filesystem without the flag. Between the two calls the file has both names, which is harmless.
    if (link(from.c_str(), to.c_str()) != 0) return NameError("link", from, to);
    return Unlink(from);
  }

  Status Unlink(const std::string& path) override {
    if (unlink(path.c_str()) != 0) return PosixError(errno, "unlink", path);
    return absl::OkStatus();
  }

  Status SyncParentDirectory(const std::string& path) override {
    const std::string directory = SplitPath(path).first;
    const Descriptor fd = Descriptor::Open(directory, O_RDONLY | O_DIRECTORY);
    if (!fd.valid()) return PosixError(errno, "open directory", directory);
    // EINVAL: a filesystem whose directories need no sync.
    if (Retry([&] { return fsync(fd.get()); }) != 0 && errno != EINVAL) {
      return PosixError(errno, "fsync directory", directory);
    }
    return absl::OkStatus();
  }

  StatusOr<std::string> RealPath(const std::string& path) override {
    std::string name = path;
    // realpath() wants the last component to exist; a dangling symbolic link is followed by hand.
    for (int hops = 0; hops < 40; ++hops) {
      if (StatusOr<std::string> real = Resolve(name);
          real.ok() || !absl::IsNotFound(real.status())) {
        return real;
      }
      const auto [directory, last] = SplitPath(name);
      KV_ASSIGN_OR_RETURN(std::string parent, Resolve(directory));
      if (last.empty() || last == "." || last == "..") {
        return absl::NotFoundError(absl::StrCat("realpath ", path, ": no file name in it"));
      }
      if (parent.back() != '/') parent += '/';
      const std::string resolved = parent + last;
      char target[PATH_MAX];
      const ssize_t size = readlink(resolved.c_str(), target, sizeof target);
      if (size < 0) return resolved;
      name = std::string(target, size);
      if (!name.empty() && name[0] != '/') name = parent + name;
    }
    return PosixError(ELOOP, "realpath", path);
  }

  StatusOr<FileIdentity> Identify(const std::string& path) override {
    struct stat info;
    if (stat(path.c_str(), &info) != 0) return PosixError(errno, "stat", path);
    return FileIdentity{info.st_dev, info.st_ino};
  }

  StatusOr<std::unique_ptr<FileLock>> TryLock(const std::string& path, LockMode mode) override {
    return TryLockPosix(path, mode);
  }

 private:
  static Status NameError(const char* call, const std::string& from, const std::string& to) {
    const int error = errno;
    return PosixError(error, call, absl::StrCat(from, " to ", to));
  }

  static StatusOr<std::string> Resolve(const std::string& path) {
    const std::unique_ptr<char, decltype(&free)> real(realpath(path.c_str(), nullptr), &free);
    if (real == nullptr) return PosixError(errno, "realpath", path);
    return std::string(real.get());
  }
};

}  // namespace

FileSystem* FileSystem::Posix() {
  static PosixFileSystem* const file_system = new PosixFileSystem;
  return file_system;
}

}  // namespace kvsql::pager
