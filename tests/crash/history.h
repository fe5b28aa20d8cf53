// What has been committed, and which of it a crash may not take away: the oracle.
//
// State number i is the contents after the commit that set the counter to i; state 0 is the empty database.
// Marks only grow:
//
//   durable <= acknowledged <= called
//
// After a power failure the state must be one of durable..called, after a process death one of
// acknowledged..called.
//
// Thread safety: any thread. To take a point of the disk: read a Bounds before the disk is captured for its
// lower marks, and one after it for `called`.
#ifndef KVSQL_TESTS_CRASH_HISTORY_H_
#define KVSQL_TESTS_CRASH_HISTORY_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/status.h"
#include "tests/crash/subject.h"

namespace kvsql::testing {

struct Bounds {
  uint64_t durable = 0;
  uint64_t acknowledged = 0;
  uint64_t called = 0;
};

class History {
 public:
  History();
  // Another life that begins in state `found` of `parent`. What was durable in the parent stays so, at most
  // up to `found`.
  History(const History& parent, uint64_t found, uint64_t durable);

  Bounds bounds() const;
  uint64_t newest() const;  // the last state that was called for
  std::shared_ptr<const Contents> state(uint64_t index) const;

  // A transaction that sets the counter to `index` is about to call commit. An index that is there already
  // belonged to a commit that failed, and is replaced.
  void Calling(uint64_t index, Contents contents);
  void Acknowledged(uint64_t index, Durability level);
  // Everything acknowledged up to `index` is durable.
  void Synced(uint64_t index);

  // Which of the states lowest..called `found` is; DATA_LOSS with the difference if it is none.
  StatusOr<uint64_t> Identify(const Contents& found, uint64_t lowest, uint64_t highest) const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<const Contents>> states_;
  Bounds bounds_;
};

}  // namespace kvsql::testing

#endif  // KVSQL_TESTS_CRASH_HISTORY_H_
