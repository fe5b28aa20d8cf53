// Which of the things that were on their way to the disk a power failure let arrive.
//
// A CrashPlan chooses, for one DiskState, what became of every pending operation; ApplyPlan makes the
// disk that the next power-up finds. CrashEnumerator gives the plans of one state: every subset of a
// few operations, random subsets of many, and tears; no plan twice.
#ifndef KVSQL_TESTS_SUPPORT_CRASH_PLAN_H_
#define KVSQL_TESTS_SUPPORT_CRASH_PLAN_H_

#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/support/sim_disk.h"

namespace kvsql::testing {

using Random = std::mt19937_64;

// What became of one pending write.
struct WriteFate {
  enum class Kind : uint8_t {
    kLost,
    kWhole,
    kSectors,     // some of its sectors arrived
    kFirstBytes,  // its first `bytes` bytes arrived: torn in the middle of a sector
    kLastBytes,   // its bytes from `bytes` on arrived
    kNoise,       // its sectors before number `bytes` arrived, and that one holds noise
  };
  Kind kind = Kind::kLost;
  std::vector<bool> sectors;
  uint64_t bytes = 0;
};

// What became of one file. Its pending writes and changes of size are counted apart, in order.
struct FileFate {
  uint64_t inode = 0;
  std::vector<WriteFate> writes;
  // How many of the changes of size arrived; they go through the file system's journal, in order.
  size_t sizes = 0;
};

struct CrashPlan {
  std::vector<FileFate> files;
  std::vector<bool> directory;  // which directory operations arrived
  // Bytes that became part of a file but were not written: zeros, or (from 1 on) old bytes of another
  // or the same file, or noise, chosen by this number.
  uint64_t leftover = 0;

  // Equal plans for one state have equal fingerprints.
  uint64_t Fingerprint() const;
  // Which operations arrived, for a failure's report.
  std::string Describe(const DiskState& state) const;
};

// The disk after the power failure: nothing is pending any more.
DiskState ApplyPlan(const DiskState& state, const CrashPlan& plan);

class CrashEnumerator {
 public:
  // Up to this many operations, all subsets come.
  static constexpr size_t kExhaustive = 5;

  // `leftovers`: unwritten bytes may be other than zero.
  CrashEnumerator(const DiskState& state, uint64_t seed, bool leftovers = true);

  // Another plan, or nothing when no new one is found. All subsets of a few operations, or everything lost
  // and everything kept of many, come in random order among random subsets with tears.
  std::optional<CrashPlan> Next();

 private:
  static constexpr uint64_t kAllArrived = UINT64_MAX;

  CrashPlan Subset(uint64_t mask) const;
  CrashPlan RandomPlan();
  void Tear(const PendingOp& op, WriteFate* fate);

  const DiskState& state_;
  Random random_;
  std::set<uint64_t> seen_;
  std::vector<uint64_t> masks_;  // subsets still to come
  size_t operations_ = 0;
  const bool leftovers_;
};

}  // namespace kvsql::testing

#endif  // KVSQL_TESTS_SUPPORT_CRASH_PLAN_H_
