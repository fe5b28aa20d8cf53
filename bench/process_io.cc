#include "bench/process_io.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "bench/fatal.h"

namespace kvsql::bench {

uint64_t ProcessWriteBytes() {
  std::ifstream file("/proc/self/io");
  std::string name;
  uint64_t value = 0;
  while (file >> name >> value) {
    if (name == "write_bytes:") return value;
  }
  Fatal("/proc/self/io has no write_bytes: commit_bytes cannot be measured here");
}

void CacheInSinglePages(const std::string& path) {
  const int fd = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) Fatal(absl::StrCat("cannot open ", path, ": ", strerror(errno)));
  // Only clean pages can leave the cache. RANDOM turns off the read-ahead, which would bring long
  // folios in again.
  if (fdatasync(fd) != 0 || posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) != 0 ||
      posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM) != 0) {
    Fatal(absl::StrCat("cannot empty the cache of ", path, ": ", strerror(errno)));
  }
  char page[4096];
  off_t offset = 0;
  while (pread(fd, page, sizeof(page), offset) > 0) offset += sizeof(page);
  close(fd);
}

}  // namespace kvsql::bench
