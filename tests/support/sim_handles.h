// What SimFileSystem hands out: an open file and a lock. For sim_file.cc only.
#ifndef KVSQL_TESTS_SUPPORT_SIM_HANDLES_H_
#define KVSQL_TESTS_SUPPORT_SIM_HANDLES_H_

#include <cstdint>
#include <memory>
#include <string>

#include "tests/support/sim_file.h"

namespace kvsql::testing {

// A file handle; the inode lives as long as it, whatever happens to its name.
class SimFile final : public pager::File {
 public:
  SimFile(SimFileSystem* fs, uint64_t inode, std::string path, bool writable);
  ~SimFile() override;

  StatusOr<size_t> ReadAt(uint64_t offset, MutableBytes out) override;
  StatusOr<size_t> ReadDirect(uint64_t offset, MutableBytes out) override;
  Status WriteAt(uint64_t offset, std::span<const Bytes> pieces) override;
  Status WriteDurable(uint64_t offset, Bytes data) override;
  Status SyncData() override;
  Status Allocate(uint64_t offset, uint64_t size) override;
  Status Truncate(uint64_t size) override;
  StatusOr<uint64_t> Size() override;
  pager::FileIdentity identity() const override;
  StatusOr<std::unique_ptr<pager::FileMapping>> Map(uint64_t size) override;

 private:
  Status Writable(const char* call) const;
  Status NoSpace(const char* call, uint64_t offset) const;
  Status Fail(const SimFileSystem::Started& started);
  // A failed sync: some of the writes arrive, the others are gone; changes of size stay in the journal.
  void DropPending(DiskFile* disk);

  SimFileSystem* const fs_;
  const uint64_t inode_;
  const std::string path_;
  const bool writable_;
};

class SimLock final : public pager::FileLock {
 public:
  SimLock(SimFileSystem* fs, uint64_t inode, pager::LockMode mode);
  ~SimLock() override;

 private:
  SimFileSystem* const fs_;
  const uint64_t inode_;
  const pager::LockMode mode_;
};

}  // namespace kvsql::testing

#endif  // KVSQL_TESTS_SUPPORT_SIM_HANDLES_H_
