// The harness finds nothing in a toy that is right, and each way in which it can be wrong.
#include <gtest/gtest.h>

#include <memory>

#include "tests/crash/explorer.h"
#include "tests/crash/toy_subject.h"

namespace kvsql::testing {
namespace {

// Runs the toy and explores until `budget` points are through or a failure is found.
std::vector<Failure> Torture(const ToyBugs& bugs, uint64_t budget, uint64_t* points) {
  ExplorerOptions options;
  options.make = ToyFactory(bugs);
  options.sim.byte_tears = [](const std::string&, uint64_t) { return true; };
  Explorer explorer(options, 1);
  Random random(1);
  for (uint64_t seed = 1; explorer.all_points() < budget; ++seed) {
    SimFileSystem fs(DiskState(), options.sim);
    const auto history = std::make_shared<History>();
    Recorder recorder(&fs, history, 100, seed);
    std::unique_ptr<Subject> toy = options.make();
    SubjectOptions subject;
    subject.file_system = &fs;
    EXPECT_TRUE(toy->Open(subject).ok());
    TxnRunner runner(toy.get(), history);
    for (int i = 0; i < 12; ++i) {
      TxnShape shape;
      shape.operations = 1 + static_cast<int>(random() % 20);
      shape.savepoints_percent = 10;
      const Durability level = random() % 2 == 0 ? Durability::kFull : Durability::kNormal;
      EXPECT_TRUE(runner.Run(shape, level, &random).ok());
      EXPECT_TRUE(absl::IsAborted(runner.Run(shape, level, &random, /*roll_back=*/true)));
    }
    const auto crash_points = recorder.TakePoints();
    if (!explorer.Explore(crash_points, 300)) break;
  }
  *points = explorer.all_points();
  EXPECT_TRUE(!explorer.failures().empty() || explorer.points(2) > 0) << "no third crash was tried";
  return explorer.failures();
}

TEST(ToyTest, ARightDatabaseSurvives) {
  uint64_t points = 0;
  const auto failures = Torture({}, 5000, &points);
  ASSERT_TRUE(failures.empty()) << failures[0].what << "\n" << failures[0].where;
  EXPECT_GE(points, 5000u);
}

class ToyBugTest : public ::testing::TestWithParam<bool ToyBugs::*> {};

INSTANTIATE_TEST_SUITE_P(Bugs, ToyBugTest,
                         ::testing::Values(&ToyBugs::skip_sync, &ToyBugs::sync_own_range,
                                           &ToyBugs::no_checksum, &ToyBugs::no_chain,
                                           &ToyBugs::skip_directory_sync,
                                           &ToyBugs::skip_recovery_sync));

TEST_P(ToyBugTest, IsFound) {
  ToyBugs bugs;
  bugs.*GetParam() = true;
  uint64_t points = 0;
  const auto failures = Torture(bugs, 20000, &points);
  EXPECT_FALSE(failures.empty());
  RecordProperty("points", static_cast<int>(points));
  std::cout << "found after " << points << " points\n";
}

}  // namespace
}  // namespace kvsql::testing
