// The bytes of one simulated file as the page cache shows them: a memory file, so that mappings of it are
// real, follow every write, and raise SIGBUS past its end.
//
// Thread safety: none for the methods; mappings are read by anybody.
#ifndef KVSQL_TESTS_SUPPORT_SIM_PAGE_CACHE_H_
#define KVSQL_TESTS_SUPPORT_SIM_PAGE_CACHE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "pager/file.h"
#include "tests/support/sim_disk.h"

namespace kvsql::testing {

class MemoryFile {
 public:
  MemoryFile();
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  uint64_t size() const { return size_; }
  // How many bytes there were before the end.
  size_t Read(uint64_t offset, MutableBytes out) const;
  void Write(uint64_t offset, Bytes data);
  void Resize(uint64_t size);
  // All the bytes anew.
  void Replace(Bytes bytes);
  // Null if the address space refuses.
  std::unique_ptr<pager::FileMapping> Map(uint64_t size) const;

 private:
  int fd_;
  uint64_t size_ = 0;
};

}  // namespace kvsql::testing

#endif  // KVSQL_TESTS_SUPPORT_SIM_PAGE_CACHE_H_
