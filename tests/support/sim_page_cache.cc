#include "tests/support/sim_page_cache.h"

#include <sys/mman.h>
#include <unistd.h>

#include "base/check.h"

namespace kvsql::testing {
namespace {

class MemoryMapping final : public pager::FileMapping {
 public:
  MemoryMapping(void* address, uint64_t size)
      : FileMapping(static_cast<const uint8_t*>(address), size) {}
  ~MemoryMapping() override { munmap(const_cast<uint8_t*>(data()), size()); }
};

}  // namespace

MemoryFile::MemoryFile() : fd_(memfd_create("kvsql_sim", MFD_CLOEXEC)) { KV_CHECK(fd_ >= 0); }

MemoryFile::~MemoryFile() { close(fd_); }

size_t MemoryFile::Read(uint64_t offset, MutableBytes out) const {
  const ssize_t n = pread(fd_, out.data(), out.size(), static_cast<off_t>(offset));
  KV_CHECK(n >= 0);
  return n;
}

void MemoryFile::Write(uint64_t offset, Bytes data) {
  const ssize_t n = pwrite(fd_, data.data(), data.size(), static_cast<off_t>(offset));
  KV_CHECK(n == static_cast<ssize_t>(data.size()));
  if (offset + data.size() > size_) size_ = offset + data.size();
}

void MemoryFile::Resize(uint64_t size) {
  KV_CHECK(ftruncate(fd_, static_cast<off_t>(size)) == 0);
  size_ = size;
}

void MemoryFile::Replace(Bytes bytes) {
  // No moment at which the file is shorter than both: a mapping may be in use.
  if (bytes.size() > size_) Resize(bytes.size());
  if (!bytes.empty()) Write(0, bytes);
  if (bytes.size() < size_) Resize(bytes.size());
}

std::unique_ptr<pager::FileMapping> MemoryFile::Map(uint64_t size) const {
  void* address = mmap(nullptr, size, PROT_READ, MAP_SHARED | MAP_NORESERVE, fd_, 0);
  if (address == MAP_FAILED) return nullptr;
  return std::make_unique<MemoryMapping>(address, size);
}

}  // namespace kvsql::testing
