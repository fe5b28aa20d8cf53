// Takes the power away, or kills the process, at recorded points of a run, and looks at what comes back.
//
// A Recorder watches the simulated file system during a run of the database and keeps points: the disk as it
// was, and the oracle's bounds. The Explorer makes crash images of a point (tests/support/crash_plan.h),
// opens the database from each, and asks:
//   - the state found is one of those allowed (tests/crash/history.h) and the checker passes;
//   - further commits work, and are there after a close or another crash;
//   - the same once more for crashes inside the recovery and the commits after it, and inside that recovery.
//
// Thread safety: a Recorder's file system may be used by many threads; the Explorer is used by one.
#ifndef KVSQL_TESTS_CRASH_EXPLORER_H_
#define KVSQL_TESTS_CRASH_EXPLORER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "tests/crash/history.h"
#include "tests/crash/subject.h"
#include "tests/support/crash_plan.h"
#include "tests/support/observer_slot.h"
#include "tests/support/sim_file.h"

namespace kvsql::testing {

// A moment at which the power may go.
struct CrashPoint {
  DiskState disk;
  Bounds bounds;
  SimEvent event;
  // The states that `bounds` speak of.
  std::shared_ptr<const History> history;
};

// Keeps at most `limit` points of all that pass, each with the same chance.
class Recorder {
 public:
  Recorder(SimFileSystem* fs, std::shared_ptr<const History> history, size_t limit, uint64_t seed);
  // Ends the watching.
  ~Recorder();

  // Called for every event, after the point was taken; may work on the database. When SetHook returns, no
  // other thread is in the former hook.
  void SetHook(SimFileSystem::Observer hook) { hook_.Set(std::move(hook)); }
  // The oracle of the points from now on; `fixed`: with these bounds, whatever the history's are.
  void SetHistory(std::shared_ptr<const History> history,
                  std::optional<Bounds> fixed = std::nullopt);
  // Ends the watching, and takes the present moment as a last point.
  std::vector<CrashPoint> TakePoints();

 private:
  void OnEvent(const SimEvent& event);
  void TakePoint(const SimEvent& event, bool always);

  SimFileSystem* const fs_;
  const size_t limit_;
  ObserverSlot<SimEvent> hook_;
  std::mutex mutex_;
  std::shared_ptr<const History> history_;
  std::optional<Bounds> fixed_;
  Random random_;
  uint64_t passed_ = 0;
  std::vector<CrashPoint> points_;
};

struct Failure {
  std::string what;
  std::string where;  // the event, the plan and those of the crashes before it
};

struct ExplorerOptions {
  SubjectFactory make;
  SubjectOptions subject;
  SimOptions sim;
  int plans_per_point = 4;
  int max_depth = 3;  // crashes in a row
  // Also process deaths. Not after a failed sync: the page cache then holds what the disk will never get,
  // and no sync says so.
  bool deaths = true;
  // Also old bytes in what a file got but nobody wrote.
  bool leftovers = true;
};

class Explorer {
 public:
  Explorer(ExplorerOptions options, uint64_t seed) : options_(std::move(options)), random_(seed) {}

  // Explores one point; false once a failure has been found.
  bool Explore(const CrashPoint& point) { return Explore(point, 1, ""); }
  bool Explore(const std::vector<CrashPoint>& points, uint64_t budget);

  // Points explored so far, by depth (index 0: first crashes), and by process deaths.
  uint64_t points(size_t depth) const { return depth < points_.size() ? points_[depth] : 0; }
  uint64_t all_points() const;
  uint64_t deaths() const { return deaths_; }
  const std::vector<Failure>& failures() const { return failures_; }

 private:
  bool Explore(const CrashPoint& point, int depth, const std::string& trail);
  // Opens the database on a disk after a crash. `death`: only the process died, the page cache lives.
  bool Recover(const CrashPoint& point, DiskState disk, bool death, int depth,
               const std::string& trail);
  void Fail(const std::string& what, const std::string& trail);

  const ExplorerOptions options_;
  Random random_;
  std::vector<uint64_t> points_;
  uint64_t deaths_ = 0;
  std::vector<Failure> failures_;
};

// Runs one transaction with random operations and keeps the oracle's books.
//
// `shape` says how large; the contents of the newest state come from the history.
struct TxnShape {
  int operations = 3;
  uint32_t keys = 200;       // keys are below
  size_t value_bytes = 100;  // at most
  int deletes_percent = 20;
  int range_deletes_percent = 3;
  int objects_percent = 3;     // operations on objects of the catalog
  int savepoints_percent = 0;  // chance that an operation is followed by savepoint work
};

class TxnRunner {
 public:
  TxnRunner(Subject* subject, std::shared_ptr<History> history)
      : subject_(subject), history_(std::move(history)) {}

  // OK: acknowledged. ABORTED: rolled back on purpose. Else what Begin, an operation or the commit said.
  // Thread-safe: transactions queue up at Begin.
  Status Run(const TxnShape& shape, Durability level, Random* random, bool roll_back = false);
  // Deletes the keys in [lo, hi).
  Status RunDelete(uint32_t lo, uint32_t hi, Durability level);

 private:
  using Body = std::function<Status(SubjectTxn& txn, uint64_t index, Contents* contents)>;
  Status RunIn(const Body& body, Durability level, bool roll_back);

  Subject* const subject_;
  const std::shared_ptr<History> history_;
};

// `bytes` of text that `seed` determines.
std::string ValueOf(uint64_t seed, size_t bytes);

}  // namespace kvsql::testing

#endif  // KVSQL_TESTS_CRASH_EXPLORER_H_
