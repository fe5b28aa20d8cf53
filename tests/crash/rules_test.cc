// The harness bites: with any storage rule about durability broken, it reports a failure within a bounded number
// of points.
//
// Not here: kLogGrowthSkipSync. A durable write beyond the durable length makes the length durable, and
// leftovers fail by chain and salt; the sync is there so that later writes find their blocks.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include "pager/test_switches.h"
#include "tests/crash/powerfail.h"
#include "tests/crash/store_subject.h"

namespace kvsql::testing {
namespace {

using pager::Rule;

struct BrokenRule {
  Rule rule;
  const char* name;
  std::vector<std::string_view> kinds;  // where it shows soonest
  uint64_t points = 6000;               // it must show within
  Rule also = Rule::kCount;             // broken too: each of the two is safe alone
};

constexpr int kNoticed = 10;
constexpr int kNothing = 11;

void PrintTo(const BrokenRule& rule, std::ostream* out) { *out << rule.name; }

const std::vector<BrokenRule>& BrokenRules() {
  static const std::vector<BrokenRule> rules = {
#define KVSQL_RULE(rule, ...) {Rule::rule, #rule, __VA_ARGS__}
      KVSQL_RULE(kLogSkipSync, {"normal-full"}),
      KVSQL_RULE(kLogFullAsNormal, {"small"}),
      KVSQL_RULE(kLogSyncOwnRangeOnly, {"normal-full"}),
      KVSQL_RULE(kLogRewriteDurableBlock, {"small"}),
      KVSQL_RULE(kLogOverwriteTail, {"log-full"}),
      KVSQL_RULE(kLogIgnorePoison, {"failed-sync"}),
      KVSQL_RULE(kLogCreateSkipSync, {"log-creation"}),
      KVSQL_RULE(kLogCreateSkipDirectorySync, {"log-creation"}),
      KVSQL_RULE(kLogIgnoreChain, {"log-wrap", "normal-full"}),
      KVSQL_RULE(kLogIgnoreChecksum, {"small", "log-wrap"}),
      KVSQL_RULE(kLogNoGenerationSalt, {"log-wrap", "small"}),
      KVSQL_RULE(kReuseIgnoresDurable, {"checkpoint", "growth"}),
      KVSQL_RULE(kReuseIgnoresSnapshots, {"snapshots"}),
      KVSQL_RULE(kReuseIgnoresCheckpoint, {"checkpoint"}, 10000, Rule::kReuseIgnoresSnapshots),
      KVSQL_RULE(kSkipDataSync, {"large", "growth"}),
      KVSQL_RULE(kSkipMetaSync, {"large", "log-wrap"}),
      KVSQL_RULE(kMetaOverDurable, {"close", "log-creation"}),
      KVSQL_RULE(kSkipMapUpdate, {"checkpoint", "growth"}),
      KVSQL_RULE(kTruncateBeforeMeta, {"truncation"}),
      KVSQL_RULE(kUnlinkLogBeforeMeta, {"close"}),
      KVSQL_RULE(kAdvanceTailEarly, {"log-full"}),
      KVSQL_RULE(kAppendWithoutMeta, {"log-creation"}),
      KVSQL_RULE(kAckBeforeFlush, {"small"}),
      KVSQL_RULE(kRecoverySkipSync, {"normal-full", "small"}, 15000),
      KVSQL_RULE(kRecoveryKeepGeneration, {"small", "normal-full"}),
      KVSQL_RULE(kRecoverySkipMeta, {"small"}),
#undef KVSQL_RULE
  };
  return rules;
}

class BrokenRuleTest : public ::testing::TestWithParam<BrokenRule> {};

INSTANTIATE_TEST_SUITE_P(Rules, BrokenRuleTest, ::testing::ValuesIn(BrokenRules()),
                         [](const auto& test) { return std::string(test.param.name); });

// In a process of its own: a database with a broken rule may well run into one of its own checks, which is
// noticing too.
TEST_P(BrokenRuleTest, IsNoticed) {
  std::cout.flush();
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(120);  // nor may it hang
    PowerfailOptions options;
    options.make = &MakeStoreSubject;
    options.points = GetParam().points;
    options.kinds = GetParam().kinds;
    pager::Break(GetParam().rule, true);
    if (GetParam().also != Rule::kCount) pager::Break(GetParam().also, true);
    const PowerfailReport report = RunPowerfail(options);
    if (report.failures.empty()) _exit(kNothing);
    std::cout << "noticed after " << report.points() << " points, " << report.failed_kind << " "
              << report.failed_seed << ": " << report.failures[0].what << std::endl;
    _exit(kNoticed);
  }
  int result = 0;
  ASSERT_EQ(waitpid(child, &result, 0), child);
  if (WIFSIGNALED(result) && WTERMSIG(result) != SIGALRM) {
    std::cout << "noticed: ended by signal " << WTERMSIG(result) << "\n";
  } else {
    ASSERT_TRUE(WIFEXITED(result)) << "it hangs";
    EXPECT_EQ(WEXITSTATUS(result), kNoticed)
        << "nothing noticed in " << GetParam().points << " points";
  }
}

// A durable record that the device lost is no end of the log (S17). No power failure makes one: the harness
// spoils it.
TEST(LostRecordTest, IsDataLossAndTheSwitchWouldHideIt) {
  for (const bool broken : {false, true}) {
    SimFileSystem fs(DiskState(), HarnessSimOptions());
    SubjectOptions options;
    options.file_system = &fs;
    const auto history = std::make_shared<History>();
    std::unique_ptr<Subject> subject = MakeStoreSubject();
    ASSERT_TRUE(subject->Open(options).ok());
    TxnRunner runner(subject.get(), history);
    Random random(1);
    std::vector<uint64_t> records;
    fs.SetObserver([&](const SimEvent& event) {
      if (event.stage == SimEvent::Stage::kInFlight && event.offset >= kSimBlock &&
          event.path.find("-log") != std::string::npos) {
        records.push_back(event.offset);
      }
    });
    for (int i = 0; i < 8; ++i) ASSERT_TRUE(runner.Run({}, Durability::kFull, &random).ok());
    fs.SetObserver(nullptr);
    ASSERT_GE(records.size(), 4u);
    SimFileSystem next(fs.Capture(), HarnessSimOptions());
    const uint8_t noise[] = {1, 2, 3, 4, 5, 6, 7, 8};
    next.Corrupt("/db-log", records[1] + 60, noise);
    pager::Break(Rule::kLogAcceptLostRecords, broken);
    options.file_system = &next;
    const Status opened = MakeStoreSubject()->Open(options);
    pager::Break(Rule::kLogAcceptLostRecords, false);
    if (broken) {
      EXPECT_TRUE(opened.ok()) << opened;
    } else {
      EXPECT_TRUE(absl::IsDataLoss(opened)) << opened;
    }
    fs.InjectFault({fs.calls() + 1, SimFault::Kind::kIoError, /*sticky=*/true});
  }
}

}  // namespace
}  // namespace kvsql::testing
