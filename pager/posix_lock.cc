#include "pager/posix_lock.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "pager/descriptor.h"
#include "pager/posix_error.h"

namespace kvsql::pager {
namespace {

struct flock WholeFile(short type) {
  struct flock lock = {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  return lock;  // from 0 to the end, whatever that becomes; l_pid must be 0 for OFD locks
}

class PosixLock final : public FileLock {
 public:
  explicit PosixLock(Descriptor fd) : fd_(std::move(fd)) {}
  ~PosixLock() override {
    // Explicitly, not by closing: a copy of the descriptor in a child between fork and exec would keep the
    // lock. In a forked child get() is -1, and the parent keeps its lock.
    if (const int fd = fd_.get(); fd >= 0) {
      struct flock unlock = WholeFile(F_UNLCK);
      fcntl(fd, F_OFD_SETLK, &unlock);
    }
  }

 private:
  Descriptor fd_;
};

// Directory entries that are numbers: processes in /proc, descriptors in /proc/N/fd.
std::vector<std::string> NumberedEntries(const std::string& directory) {
  std::vector<std::string> names;
  if (DIR* dir = opendir(directory.c_str()); dir != nullptr) {
    while (const dirent* entry = readdir(dir)) {
      const std::string_view name = entry->d_name;
      if (std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; })) {
        names.emplace_back(name);
      }
    }
    closedir(dir);
  }
  return names;
}

// /proc/PID/fdinfo/N has a line "lock: ... OFDLCK ..." where the descriptor carries such a lock.
bool CarriesOfdLock(const std::string& fdinfo) {
  FILE* file = fopen(fdinfo.c_str(), "re");
  if (file == nullptr) return false;
  char line[512];
  bool found = false;
  while (!found && fgets(line, sizeof line, file) != nullptr) {
    const std::string_view text = line;
    found = text.substr(0, 5) == "lock:" && text.find("OFDLCK") != text.npos;
  }
  fclose(file);
  return found;
}

std::string CommandName(const std::string& pid) {
  std::string name;
  if (FILE* file = fopen(("/proc/" + pid + "/comm").c_str(), "re"); file != nullptr) {
    char line[64];
    if (fgets(line, sizeof line, file) != nullptr) name = line;
    fclose(file);
  }
  while (!name.empty() && name.back() == '\n') name.pop_back();
  return name;
}

// Who holds the lock, for the error message: "process 12 (name)", "this process" or a guess. OFD locks name
// no holder, so this looks for a descriptor on the same inode, best one that shows the lock.
std::string DescribeHolder(const struct stat& file) {
  const std::string self = std::to_string(getpid());
  std::string opener;
  for (const std::string& pid : NumberedEntries("/proc")) {
    const std::string process = "/proc/" + pid;
    for (const std::string& number : NumberedEntries(process + "/fd")) {
      struct stat other;
      if (stat((process + "/fd/" + number).c_str(), &other) != 0) continue;
      if (other.st_dev != file.st_dev || other.st_ino != file.st_ino) continue;
      if (CarriesOfdLock(process + "/fdinfo/" + number)) {
        if (pid == self) return "this process";
        return "process " + pid + " (" + CommandName(pid) + ")";
      }
      if (pid != self) opener = pid;
    }
  }
  if (!opener.empty()) return "probably process " + opener + " (" + CommandName(opener) + ")";
  return "another process, which /proc does not show";
}

// Names the filesystem if it is shared by several machines: a mapping there does not see their writes, and
// syncs and locks promise less than the commit protocol needs (S39).
const char* NetworkFilesystem(int fd) {
  struct statfs info;
  if (fstatfs(fd, &info) != 0) return nullptr;
  switch (static_cast<uint32_t>(info.f_type)) {
    case 0x6969:
      return "NFS";
    case 0x517B:
      return "SMB";
    case 0xFF534D42:
      return "CIFS";
    case 0xFE534D42:
      return "SMB2";
    case 0x00C36400:
      return "Ceph";
    case 0x5346414F:
      return "AFS";
    case 0x0BD00BD0:
      return "Lustre";
    case 0x01161970:
      return "GFS2";
    case 0x7461636F:
      return "OCFS2";
    default:
      return nullptr;
  }
}

}  // namespace

StatusOr<std::unique_ptr<FileLock>> TryLockPosix(const std::string& path, LockMode mode) {
  // An exclusive OFD lock needs a descriptor that may write.
  const bool exclusive = mode == LockMode::kExclusive;
  Descriptor fd = Descriptor::Open(path, exclusive ? O_RDWR : O_RDONLY);
  if (!fd.valid()) return PosixError(errno, "open for locking", path);
  if (const char* network = NetworkFilesystem(fd.get()); network != nullptr) {
    return absl::FailedPreconditionError(absl::StrCat(
        "lock ", path, ": ", network, " is a network filesystem; kvsql needs a local one"));
  }
  struct flock lock = WholeFile(exclusive ? F_WRLCK : F_RDLCK);
  int result;
  do {
    result = fcntl(fd.get(), F_OFD_SETLK, &lock);
  } while (result != 0 && errno == EINTR);
  if (result != 0) {
    if (errno != EAGAIN && errno != EACCES) return PosixError(errno, "lock", path);
    struct stat info;
    const bool known = fstat(fd.get(), &info) == 0;
    fd.Close();
    return absl::UnavailableError(
        absl::StrCat("lock ", path, ": held by ",
                     known ? DescribeHolder(info) : std::string("another process")));
  }
  return std::unique_ptr<FileLock>(std::make_unique<PosixLock>(std::move(fd)));
}

}  // namespace kvsql::pager
