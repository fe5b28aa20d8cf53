// Every call into the file system fails in turn, with EIO and with ENOSPC. Whatever it is: the database says
// so, goes on or is poisoned, loses nothing that it acknowledged, and opens again.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/crash/explorer.h"
#include "tests/crash/powerfail.h"
#include "tests/crash/store_subject.h"

namespace kvsql::testing {
namespace {

class FaultRun {
 public:
  explicit FaultRun(uint64_t seed)
      : fs_(DiskState(), HarnessSimOptions()),
        history_(std::make_shared<History>()),
        random_(seed) {}

  // Everything that a database does in its life. Goes on after errors, as a stubborn user would.
  void Live(const SimFault& fault) {
    if (fault.call != 0) fs_.InjectFault(fault);
    SubjectOptions options = Options();
    for (int life = 0; life < 2; ++life) {
      subject_ = MakeStoreSubject();
      const Status opened = subject_->Open(options);
      if (!opened.ok()) subject_.reset();
      if (!Note(opened)) continue;
      TxnShape small = {.operations = 4, .keys = 100, .value_bytes = 200};
      TxnShape large = {.operations = 120, .keys = 400, .value_bytes = 3000};
      TxnShape value = {.operations = 1, .keys = 10, .value_bytes = 50000, .deletes_percent = 0};
      for (int i = 0; i < 5; ++i) Commit(small, Durability::kFull);
      for (int i = 0; i < 3; ++i) Commit(small, Durability::kNormal);
      Commit(small, Durability::kFull);
      Commit(value, Durability::kFull);
      Note(subject_->Checkpoint());
      Commit(large, Durability::kFull);
      Commit(small, Durability::kNormal);
      Note(subject_->Sync());
      Note(runner().RunDelete(50, 400, Durability::kFull));
      Note(subject_->Truncate());
      Commit(small, Durability::kFull);
      const bool healthy = subject_->Health().ok();
      const uint64_t newest = history_->bounds().acknowledged;
      if (Note(subject_->Close()) && healthy) history_->Synced(newest);
      subject_.reset();
    }
    fs_.ClearFault();
  }

  // The file opens again in this state, is whole, and takes commits; also after a power failure.
  void ExpectRecovery(int power_failures) {
    CrashPoint point;
    point.history = history_;
    point.bounds = history_->bounds();
    point.disk = fs_.Capture();
    {
      std::unique_ptr<Subject> subject = MakeStoreSubject();
      SubjectOptions options = Options();
      const Status opened = subject->Open(options);
      ASSERT_TRUE(opened.ok()) << opened;
      const auto contents = subject->Read();
      ASSERT_TRUE(contents.ok()) << contents.status();
      const auto found =
          history_->Identify(*contents, point.bounds.acknowledged, point.bounds.called);
      ASSERT_TRUE(found.ok()) << found.status();
      const Status checked = subject->Check();
      ASSERT_TRUE(checked.ok()) << checked;
      auto life = std::make_shared<History>(*history_, *found, *found);
      TxnRunner again(subject.get(), life);
      const Status committed = again.Run({}, Durability::kFull, &random_);
      ASSERT_TRUE(committed.ok()) << committed;
      const Status closed = subject->Close();
      ASSERT_TRUE(closed.ok()) << closed;
    }
    ExplorerOptions explore;
    explore.make = &MakeStoreSubject;
    explore.sim = HarnessSimOptions();
    explore.plans_per_point = power_failures;
    explore.deaths = false;
    explore.max_depth = 2;
    explore.leftovers = false;
    Explorer explorer(explore, random_());
    explorer.Explore(point);
    for (const Failure& failure : explorer.failures()) {
      ADD_FAILURE() << failure.what << "\n" << failure.where;
    }
  }

  uint64_t calls() const { return fs_.calls(); }
  const SimFileSystem& fs() const { return fs_; }
  bool poisoned() const { return poisoned_; }

 private:
  SubjectOptions Options() {
    SubjectOptions options;
    options.file_system = &fs_;
    options.log_limit = 64 << 10;
    return options;
  }
  TxnRunner& runner() {
    runner_ = std::make_unique<TxnRunner>(subject_.get(), history_);
    return *runner_;
  }
  void Commit(const TxnShape& shape, Durability level) {
    const bool was_healthy = subject_->Health().ok();
    const Status status = runner().Run(shape, level, &random_);
    if (!was_healthy) {
      EXPECT_FALSE(status.ok()) << "a poisoned database took a commit";
    }
    if (status.code() == absl::StatusCode::kUnknown) {
      EXPECT_FALSE(subject_->Health().ok()) << "unknown outcome, but not poisoned: " << status;
    }
    Note(status);
  }
  bool Note(const Status& status) {
    if (subject_ != nullptr && !subject_->Health().ok() &&
        subject_->Health().message().find("closed") == std::string_view::npos) {
      poisoned_ = true;
    }
    // Every error names what failed; before the fault there is none.
    if (!status.ok()) {
      EXPECT_TRUE(fs_.FaultHit()) << status;
      EXPECT_FALSE(status.message().empty());
    }
    return status.ok();
  }

  SimFileSystem fs_;
  const std::shared_ptr<History> history_;
  Random random_;
  std::unique_ptr<Subject> subject_;
  std::unique_ptr<TxnRunner> runner_;
  bool poisoned_ = false;
};

struct FaultKind {
  const char* name;
  SimFault::Kind kind;
  bool sticky;
};
void PrintTo(const FaultKind& kind, std::ostream* out) { *out << kind.name; }

class FaultTest : public ::testing::TestWithParam<FaultKind> {};

INSTANTIATE_TEST_SUITE_P(Faults, FaultTest,
                         ::testing::Values(FaultKind{"Eio", SimFault::Kind::kIoError, false},
                                           FaultKind{"EioForEver", SimFault::Kind::kIoError, true},
                                           FaultKind{"Enospc", SimFault::Kind::kNoSpace, false},
                                           FaultKind{"EnospcForEver", SimFault::Kind::kNoSpace,
                                                     true},
                                           FaultKind{"Eacces", SimFault::Kind::kDenied, false}),
                         [](const auto& test) { return std::string(test.param.name); });

TEST_P(FaultTest, AtEveryCall) {
  uint64_t calls = 0;
  {
    FaultRun whole(1);
    whole.Live({});
    calls = whole.calls();
    whole.ExpectRecovery(1);
  }
  ASSERT_GT(calls, 100u);
  int hits = 0;
  int poisonings = 0;
  for (uint64_t call = 1; call <= calls; ++call) {
    FaultRun run(1);
    run.Live({call, GetParam().kind, GetParam().sticky});
    const auto hit = run.fs().FaultHit();
    if (!hit) continue;  // a call that cannot fail so
    ++hits;
    poisonings += run.poisoned();
    SCOPED_TRACE(std::string("fault at call ") + std::to_string(call) + ": " +
                 SimCallName(hit->call) + " " + hit->path + " at " + std::to_string(hit->offset));
    if (GetParam().kind == SimFault::Kind::kNoSpace && hit->call == SimCall::kAllocate) {
      EXPECT_FALSE(run.poisoned()) << "a full disk is met where space is taken, and aborts cleanly";
    }
    run.ExpectRecovery(2);
    if (HasFailure()) break;
  }
  std::cout << calls << " calls, " << hits << " faults, " << poisonings << " poisonings\n";
  EXPECT_GT(hits, 0);
}

}  // namespace
}  // namespace kvsql::testing
