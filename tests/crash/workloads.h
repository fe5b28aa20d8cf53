// The runs of the database during which the power goes: one kind for each thing that can be under way.
#ifndef KVSQL_TESTS_CRASH_WORKLOADS_H_
#define KVSQL_TESTS_CRASH_WORKLOADS_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/crash/explorer.h"

namespace kvsql::testing {

// One run: a database on a simulated disk, under watch.
class Run {
 public:
  Run(SubjectFactory make, SimOptions sim, uint64_t seed);
  ~Run();

  // Before Open.
  SubjectOptions& options() { return options_; }
  SimFileSystem& fs() { return *fs_; }
  Random& random() { return random_; }
  History& history() { return *history_; }
  Subject& subject() { return *subject_; }

  std::unique_ptr<Subject> Make() const { return make_(); }
  bool Open();
  // Closes, and counts everything as durable.
  bool Close();
  // Runs transactions; false if one fails that must not.
  bool Commit(const TxnShape& shape, Durability level = Durability::kFull);
  bool Commits(int count, const TxnShape& shape, Durability level = Durability::kFull);
  bool RollBack(const TxnShape& shape);
  bool DeleteRange(uint32_t lo, uint32_t hi);
  bool Checkpoint();
  bool Sync();
  bool Truncate();
  TxnRunner& runner() { return *runner_; }
  // Notes a failure of the run itself if `status` is one.
  bool Expect(const char* doing, const Status& status);
  void SetHook(SimFileSystem::Observer hook) { recorder_->SetHook(std::move(hook)); }
  // Crashes of this run may lose what the page cache shows.
  void NoDeaths() { deaths_ = false; }
  bool deaths() const { return deaths_; }
  // Nor may what was not written be other than zero.
  void NoLeftovers() { leftovers_ = false; }
  bool leftovers() const { return leftovers_; }

  std::vector<CrashPoint> TakePoints() { return recorder_->TakePoints(); }
  const std::vector<std::string>& errors() const { return errors_; }

 private:
  const SubjectFactory make_;
  Random random_;
  SubjectOptions options_;
  std::unique_ptr<SimFileSystem> fs_;
  std::shared_ptr<History> history_;
  std::unique_ptr<Recorder> recorder_;
  std::unique_ptr<Subject> subject_;
  std::unique_ptr<TxnRunner> runner_;
  std::mutex errors_mutex_;
  std::vector<std::string> errors_;
  bool deaths_ = true;
  bool leftovers_ = true;
};

struct Workload {
  std::string_view name;
  int weight;  // its share of the points
  void (*run)(Run& run);
};

const std::vector<Workload>& AllWorkloads();

}  // namespace kvsql::testing

#endif  // KVSQL_TESTS_CRASH_WORKLOADS_H_
