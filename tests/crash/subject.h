// The database as the power-failure harness sees it: a map that commits.
//
// The harness (tests/crash/explorer.h) knows nothing but this interface and the simulated disk below, so it
// is tried on a toy (tests/crash/toy_subject.h), on the bare pager and on the whole store alike.
//
// Thread safety: one Subject may be used by many threads, a SubjectTxn by one.
#ifndef KVSQL_TESTS_CRASH_SUBJECT_H_
#define KVSQL_TESTS_CRASH_SUBJECT_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "pager/file.h"
#include "pager/types.h"

namespace kvsql::testing {

using pager::Durability;

// The one key that every transaction of the harness writes: the number of the commit, as 8 bytes.
inline constexpr uint32_t kCounterKey = 0xFFFFFFFF;

// Keys from here on, a few, stand for objects of the catalog: to put one creates the object if it is not
// there and sets its value, to delete one drops it.
inline constexpr uint32_t kFirstObjectKey = 0xF0000000;
inline constexpr uint32_t kObjects = 4;

// What a database holds: key -> fingerprint of the value.
using Contents = std::map<uint32_t, uint64_t>;
uint64_t FingerprintOf(std::string_view value);

struct SubjectOptions {
  pager::FileSystem* file_system = nullptr;
  std::string path = "/db";
  uint32_t page_size = 4096;
  uint64_t log_limit = 8u << 20;
  uint64_t dirty_budget = 64u << 20;
  bool background = false;
};

class SubjectTxn {
 public:
  virtual ~SubjectTxn() = default;  // rolls back
  // The value of the counter; 0 if there is none yet.
  virtual StatusOr<uint64_t> Counter() = 0;
  virtual Status Put(uint32_t key, std::string_view value) = 0;
  virtual Status Delete(uint32_t key) = 0;
  // Deletes the keys in [lo, hi).
  virtual Status DeleteRange(uint32_t lo, uint32_t hi) = 0;
  virtual Status SetSavepoint() = 0;
  // Back to the innermost savepoint, which ends.
  virtual Status RollbackToSavepoint() = 0;
  virtual Status ReleaseSavepoint() = 0;
  virtual Status Commit(Durability level) = 0;
};

// One state of the database, for as long as it is kept.
class SubjectSnapshot {
 public:
  virtual ~SubjectSnapshot() = default;
  // All it holds, every value read whole.
  virtual StatusOr<Contents> Read() = 0;
};

class Subject {
 public:
  virtual ~Subject() = default;
  virtual Status Open(const SubjectOptions& options) = 0;
  virtual Status Close() = 0;
  virtual StatusOr<std::unique_ptr<SubjectTxn>> Begin() = 0;
  virtual Status Checkpoint() = 0;
  // Makes all that is committed durable.
  virtual Status Sync() = 0;
  virtual Status Truncate() = 0;
  virtual StatusOr<std::unique_ptr<SubjectSnapshot>> Snapshot() = 0;
  // What a new reader finds.
  StatusOr<Contents> Read() {
    KV_ASSIGN_OR_RETURN(const std::unique_ptr<SubjectSnapshot> snapshot, Snapshot());
    return snapshot->Read();
  }
  // The checker: DATA_LOSS with what is wrong.
  virtual Status Check() = 0;
  // OK, or why nothing can be written any more.
  virtual Status Health() = 0;
};

using SubjectFactory = std::function<std::unique_ptr<Subject>()>;

}  // namespace kvsql::testing

#endif  // KVSQL_TESTS_CRASH_SUBJECT_H_
