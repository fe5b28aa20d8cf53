#include "pager/commit_log.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "pager/log_file.h"
#include "pager/test_switches.h"
#include "tests/pager/log_test_files.h"

namespace kvsql::pager {
namespace {

constexpr auto kFull = Durability::kFull;
constexpr auto kNormal = Durability::kNormal;
constexpr uint64_t kBlock = kLogBlockSize;

std::vector<FileEvent> EventsFrom(LogHarness& h, size_t from) {
  return {h.inode().events.begin() + static_cast<ptrdiff_t>(from), h.inode().events.end()};
}

TEST(CommitLogTest, FreshLogReplaysNothing) {
  LogHarness h;
  const ReplayOutcome outcome = h.Replay();
  EXPECT_TRUE(outcome.status.ok()) << outcome.status;
  EXPECT_TRUE(outcome.records.empty());
  EXPECT_EQ(outcome.end, h.start);
}

TEST(CommitLogTest, FullCommitsComeBackInOrder) {
  LogHarness h;
  for (int i = 0; i < 10; ++i) {
    const LogFlushResult r = h.Commit("record " + std::to_string(i), kFull);
    EXPECT_EQ(r.written, static_cast<uint64_t>(i + 1));
    EXPECT_EQ(r.durable, r.written);
    EXPECT_EQ(r.end, h.log->end());
  }
  const ReplayOutcome outcome = h.Replay();
  ASSERT_TRUE(outcome.status.ok()) << outcome.status;
  EXPECT_EQ(outcome.records, h.appended);
  EXPECT_EQ(outcome.end, h.log->end());
}

TEST(CommitLogTest, EmptyAndUnalignedPayloadsComeBackExactly) {
  LogHarness h({.initial = 64 * kBlock});
  for (size_t size : {0, 1, 7, 8, 9, 4040, 4041, 8191}) h.Commit(std::string(size, 'x'), kFull);
  for (size_t size : {0, 1, 7, 8, 9, 4040, 4041, 8191}) h.Commit(std::string(size, 'y'), kNormal);
  EXPECT_EQ(h.Replay().records, h.appended);
}

TEST(CommitLogTest, OneFullCommitIsOneDurableBlockAndNothingElse) {
  LogHarness h;
  h.Commit("warm", kFull);
  const size_t before = h.inode().events.size();
  h.Commit("hello", kFull);
  const auto events = EventsFrom(h, before);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].kind, FileEvent::kDurableWrite);
  EXPECT_EQ(events[0].offset, 2 * kBlock);
  EXPECT_EQ(events[0].bytes.size(), kBlock);
}

TEST(CommitLogTest, GroupIsPackedIntoOneDurableWrite) {
  LogHarness h;
  for (int i = 0; i < 100; ++i) h.Append(std::string(100, 'g'), i == 50 ? kFull : kNormal);
  const size_t before = h.inode().events.size();
  const LogFlushResult r = h.Flush();
  EXPECT_EQ(r.durable, 100u) << "one member asked for full";
  const auto events = EventsFrom(h, before);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].kind, FileEvent::kDurableWrite);
  EXPECT_EQ(events[0].bytes.size(), LogBlockCeil(100 * LogRecordSize(100)));
  EXPECT_EQ(h.Replay().records, h.appended);
}

TEST(CommitLogTest, NormalCommitsArePackedAndUnsynced) {
  LogHarness h;
  const size_t before = h.inode().events.size();
  for (int i = 0; i < 5; ++i) h.Commit("small", kNormal);
  const auto events = EventsFrom(h, before);
  ASSERT_EQ(events.size(), 5u);
  for (size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(events[i].kind, FileEvent::kWrite);
    EXPECT_EQ(events[i].offset, kBlock + i * LogRecordSize(5));
  }
  EXPECT_EQ(events[0].bytes.size(), kBlock) << "a new block is written whole";
  EXPECT_EQ(events[1].bytes.size(), LogRecordSize(5)) << "then only the bytes that are new";
  EXPECT_EQ(h.log->durable_sequence(), 0u);
  EXPECT_TRUE(h.log->HasUnsynced());
  EXPECT_EQ(h.Replay().records, h.appended);
}

TEST(CommitLogTest, SyncMakesNormalCommitsDurableAndLeavesTheirBlock) {
  LogHarness h;
  h.Commit("a", kNormal);
  ASSERT_TRUE(h.log->Sync().ok());
  EXPECT_EQ(h.log->durable_sequence(), 1u);
  const size_t before = h.inode().events.size();
  ASSERT_TRUE(h.log->Sync().ok());
  EXPECT_EQ(h.inode().events.size(), before) << "nothing new to sync";
  h.Commit("b", kNormal);
  EXPECT_EQ(h.inode().events.back().offset, 2 * kBlock);
  EXPECT_EQ(h.Replay().records, h.appended);
}

TEST(CommitLogTest, FullBehindUnsyncedNormalSyncsTheWholeLog) {
  LogHarness h;
  h.Commit("n1", kNormal);
  const size_t before = h.inode().events.size();
  const LogFlushResult r = h.Commit("f", kFull);
  EXPECT_EQ(r.durable, 2u);
  const auto events = EventsFrom(h, before);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].kind, FileEvent::kWrite);
  EXPECT_EQ(events[1].kind, FileEvent::kSync);
  h.Commit("n2", kNormal);
  EXPECT_EQ(h.inode().events.back().offset % kBlock, 0u) << "leaves the durable block";
  EXPECT_EQ(h.Replay().records, h.appended);
}

TEST(CommitLogTest, FullFlushOfNothingSyncsEarlierNormalCommits) {
  LogHarness h;
  h.Commit("n", kNormal);
  EXPECT_EQ(h.Flush(kFull).durable, 1u);
  EXPECT_EQ(h.inode().events.back().kind, FileEvent::kSync);
}

TEST(CommitLogTest, GoesRoundTheRingBehindCheckpoints) {
  LogHarness h({.limit = 8 * kBlock, .initial = 8 * kBlock});
  LogPosition tail = h.start;
  size_t behind_tail = 0;
  for (int i = 0; i < 200; ++i) {
    const std::string payload(static_cast<size_t>(i * 37 % 9000), static_cast<char>('a' + i % 26));
    const Durability level = i % 3 == 0 ? kNormal : kFull;
    if (!h.log->HasRoomFor(payload.size())) {
      tail = h.log->end();
      behind_tail = h.appended.size();
      h.log->AdvanceTail(tail);
      ASSERT_TRUE(h.log->HasRoomFor(payload.size())) << i;
    }
    h.Commit(payload, level);
    const ReplayOutcome outcome = ReplayBytes(h.bytes(), h.identity, tail);
    ASSERT_TRUE(outcome.status.ok()) << outcome.status;
    const std::vector<Replayed> expected(h.appended.begin() + static_cast<ptrdiff_t>(behind_tail),
                                         h.appended.end());
    ASSERT_EQ(outcome.records, expected) << i;
  }
  EXPECT_EQ(h.bytes().size(), 8 * kBlock) << "the file did not grow";
}

TEST(CommitLogTest, GroupAtTheEndOfTheFileIsCutBetweenRecords) {
  LogHarness h({.limit = 8 * kBlock, .initial = 8 * kBlock});
  for (int i = 0; i < 5; ++i) h.Commit("x", kFull);
  const LogPosition tail = h.log->end();
  h.log->AdvanceTail(tail);
  h.Commit("not empty", kFull);  // block 6; one is left before the end
  for (int i = 0; i < 3; ++i) h.Append(std::string(3000, 'r'), kFull);
  const size_t before = h.inode().events.size();
  EXPECT_EQ(h.Flush().durable, 9u);
  const auto events = EventsFrom(h, before);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].offset, 7 * kBlock);
  EXPECT_EQ(events[0].bytes.size(), kBlock);
  EXPECT_EQ(events[1].offset, kBlock);
  EXPECT_EQ(events[1].bytes.size(), 2 * kBlock);
  EXPECT_EQ(ReplayBytes(h.bytes(), h.identity, tail).records.size(), 4u);
}

TEST(CommitLogTest, RefusesARecordThatWouldReachTheTail) {
  LogHarness h({.limit = 4 * kBlock, .initial = 4 * kBlock});
  EXPECT_TRUE(h.log->FitsEmptyLog(3 * kBlock - 56));
  EXPECT_FALSE(h.log->FitsEmptyLog(3 * kBlock - 55));
  for (int i = 0; i < 3; ++i) h.Append(std::string(2 * kBlock / 3, 'x'), kFull);
  EXPECT_TRUE(h.log->HasRoomFor(kBlock - 500));
  EXPECT_FALSE(h.log->HasRoomFor(kBlock)) << "what is only buffered counts";
  h.Flush();
  EXPECT_FALSE(h.log->HasRoomFor(1)) << "it took three blocks";
  h.log->AdvanceTail(h.log->end());
  EXPECT_TRUE(h.log->HasRoomFor(3 * kBlock - 56));
}

TEST(CommitLogTest, CheckpointInTheMiddleKeepsWhatFollows) {
  LogHarness h;
  h.Commit("a", kNormal);
  const LogPosition middle = h.Commit("b", kNormal).end;
  h.Commit("c", kNormal);
  h.log->AdvanceTail(middle);
  h.Commit("d", kNormal);
  const ReplayOutcome outcome = ReplayBytes(h.bytes(), h.identity, middle);
  ASSERT_EQ(outcome.records.size(), 2u);
  EXPECT_EQ(outcome.records[0].payload, "c");
  EXPECT_EQ(outcome.records[1].payload, "d");
  EXPECT_EQ(h.log->durable_sequence(), 2u);
}

TEST(CommitLogTest, GrowsInStepsUpToTheLimit) {
  LogHarness h({.limit = 10 * kBlock, .initial = 4 * kBlock, .step = 4 * kBlock});
  EXPECT_FALSE(h.log->WantsGrowth());
  EXPECT_EQ(h.log->CapacityBytes(), 9 * kBlock);
  h.Commit("a", kFull);
  h.Commit("b", kFull);
  EXPECT_TRUE(h.log->WantsGrowth());
  h.Commit("c", kFull);
  EXPECT_FALSE(h.log->HasRoomFor(1));
  ASSERT_TRUE(h.log->Grow().ok());
  EXPECT_EQ(h.bytes().size(), 8 * kBlock);
  EXPECT_TRUE(h.log->HasRoomFor(4 * kBlock - 56));
  for (int i = 0; i < 4; ++i) h.Commit("d", kFull);
  EXPECT_TRUE(h.log->WantsGrowth());
  ASSERT_TRUE(h.log->Grow().ok());
  EXPECT_EQ(h.bytes().size(), 10 * kBlock) << "the last step is cut at the limit";
  h.Commit("e", kFull);
  h.Commit("f", kFull);
  EXPECT_FALSE(h.log->WantsGrowth());
  ASSERT_TRUE(h.log->Grow().ok());
  EXPECT_EQ(h.bytes().size(), 10 * kBlock);
  EXPECT_EQ(h.Replay().records, h.appended);
}

TEST(CommitLogTest, NewPartWaitsUntilTheHeadIsBeforeIt) {
  LogHarness h({.limit = 12 * kBlock, .initial = 5 * kBlock, .step = 4 * kBlock});
  h.Commit("1", kFull);
  h.Commit("2", kFull);
  LogPosition tail = h.Commit("3", kFull).end;
  h.log->AdvanceTail(tail);
  h.Commit("4", kFull);  // block 4, the last
  h.Commit("5", kFull);  // block 1: the head is round
  ASSERT_TRUE(h.log->Grow().ok());
  EXPECT_TRUE(h.log->HasRoomFor(1));
  h.Commit("6", kFull);
  EXPECT_EQ(h.inode().events.back().offset, 2 * kBlock) << "still before the tail";
  EXPECT_EQ(ReplayBytes(h.bytes(), h.identity, tail).records.size(), 3u);
  tail = h.log->end();
  h.log->AdvanceTail(tail);
  for (int i = 0; i < 5; ++i) h.Commit("7", kFull);
  EXPECT_EQ(h.inode().events.back().offset, 7 * kBlock) << "runs on into the new part";
  EXPECT_EQ(ReplayBytes(h.bytes(), h.identity, tail).records.size(), 5u);
}

TEST(CommitLogTest, FailedGrowthIsNotAskedAgainAndHarmsNothing) {
  LogHarness h({.limit = 16 * kBlock, .initial = 4 * kBlock, .step = 4 * kBlock});
  h.Commit("a", kFull);
  h.Commit("b", kFull);
  h.inode().disk_full = true;
  EXPECT_TRUE(h.log->WantsGrowth());
  EXPECT_EQ(h.log->Grow().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_FALSE(h.log->WantsGrowth());
  EXPECT_EQ(h.log->CapacityBytes(), 3 * kBlock);
  EXPECT_TRUE(h.log->CheckpointDue());
  EXPECT_TRUE(h.log->status().ok());
  h.Commit("c", kFull);
  EXPECT_EQ(h.Replay().records, h.appended);
}

TEST(CommitLogTest, WriteErrorPoisonsTheLog) {
  LogHarness h;
  h.Commit("a", kFull);
  h.Append("b", kFull);
  h.inode().fail_writes = 1;
  EXPECT_EQ(h.log->Flush(kFull).status().code(), absl::StatusCode::kInternal);
  EXPECT_FALSE(h.log->status().ok());
  EXPECT_EQ(h.log->Flush(kFull).status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(h.log->Sync().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(h.log->durable_sequence(), 1u);
}

TEST(CommitLogTest, FailedSyncPoisonsTheLogForOthersToo) {
  LogHarness h;
  h.Commit("a", kNormal);
  h.inode().fail_syncs = 1;
  EXPECT_FALSE(h.log->Sync().ok());
  EXPECT_EQ(h.log->durable_sequence(), 0u);
  // The kernel reports the lost write once; a later sync would succeed, and prove nothing.
  h.Append("b", kFull);
  EXPECT_EQ(h.log->Flush(kFull).status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(h.log->durable_sequence(), 0u);
}

#ifdef KVSQL_TESTING
TEST(CommitLogTest, WithoutPoisonALostWriteWouldCountAsDurable) {
  ScopedBreak broken(Rule::kLogIgnorePoison);
  LogHarness h;
  h.Commit("a", kNormal);
  h.inode().fail_syncs = 1;
  EXPECT_FALSE(h.log->Sync().ok());
  h.Append("b", kFull);
  ASSERT_TRUE(h.log->Flush(kFull).ok());
  EXPECT_EQ(h.log->durable_sequence(), 2u)
      << "the switch breaks what the test before this one shows";
}
#endif

TEST(CommitLogTest, GrownPartIsSyncedBeforeItIsUsed) {
  LogHarness h({.limit = 8 * kBlock, .initial = 4 * kBlock, .step = 4 * kBlock});
  for (int i = 0; i < 3; ++i) h.Commit("x", kFull);
  ASSERT_TRUE(h.log->Grow().ok());
  EXPECT_EQ(h.inode().events.back().kind, FileEvent::kSync);
#ifdef KVSQL_TESTING
  ScopedBreak broken(Rule::kLogGrowthSkipSync);
  LogHarness unsound({.limit = 8 * kBlock, .initial = 4 * kBlock, .step = 4 * kBlock});
  ASSERT_TRUE(unsound.log->Grow().ok());
  EXPECT_EQ(unsound.inode().events.back().kind, FileEvent::kWrite);
#endif
}

TEST(CommitLogTest, FailedSyncOfGrowthPoisonsSinceItMayHideLostRecords) {
  LogHarness h;
  h.Commit("a", kNormal);
  h.inode().fail_syncs = 1;
  EXPECT_FALSE(h.log->Grow().ok());
  EXPECT_FALSE(h.log->status().ok());
  EXPECT_FALSE(h.log->WantsGrowth());
}

TEST(CommitLogTest, DurableBlocksAreNeverWrittenAgain) {
  const auto rewrites = [](LogHarness& h) {
    for (int i = 0; i < 40; ++i) {
      h.Commit("payload", i % 4 == 0 ? kFull : kNormal);
      if (i % 7 == 0) {
        EXPECT_TRUE(h.log->Sync().ok());
      }
    }
    std::vector<bool> dirty(64), durable(64);
    int count = 0;
    for (const FileEvent& e : h.inode().events) {
      if (e.kind == FileEvent::kSync) {
        for (size_t b = 1; b < 64; ++b) durable[b] = durable[b] || dirty[b];
      }
      if (e.bytes.empty() || e.bytes.size() > 8 * kBlock) continue;  // the zeros of creation
      for (uint64_t b = e.offset / kBlock; b <= (e.offset + e.bytes.size() - 1) / kBlock; ++b) {
        if (b == 0) continue;
        if (durable[b]) ++count;
        (e.kind == FileEvent::kDurableWrite ? durable : dirty)[b] = true;
      }
    }
    return count;
  };
  LogHarness sound({.initial = 64 * kBlock});
  EXPECT_EQ(rewrites(sound), 0);
#ifdef KVSQL_TESTING
  LogHarness unsound({.initial = 64 * kBlock});
  ScopedBreak broken(Rule::kLogRewriteDurableBlock);
  EXPECT_GT(rewrites(unsound), 0);
#endif
}

TEST(CommitLogTest, AppendRunsBesideFlushAndSync) {
  LogHarness h({.limit = uint64_t{4} << 20, .initial = uint64_t{4} << 20});
  constexpr int kRecords = 5000;
  std::atomic<bool> done = false;
  std::thread flusher([&] {
    for (int i = 0; !done; ++i) {
      auto r = h.log->Flush(i % 8 == 0 ? kFull : kNormal);
      ASSERT_TRUE(r.ok());
      ASSERT_LE(r->durable, r->written);
    }
  });
  std::thread syncer([&] {
    while (!done) ASSERT_TRUE(h.log->Sync().ok());
  });
  LogPosition tail = h.start;
  for (int i = 0; i < kRecords; ++i) {
    const std::string payload(static_cast<size_t>(i % 300), 'p');
    while (!h.log->HasRoomFor(payload.size())) {
      tail = h.log->end();
      h.log->AdvanceTail(tail);
    }
    h.Append(payload, kNormal);
  }
  done = true;
  flusher.join();
  syncer.join();
  h.Flush(kFull);
  EXPECT_EQ(h.log->durable_sequence(), static_cast<uint64_t>(kRecords));
  const ReplayOutcome outcome = ReplayBytes(h.bytes(), h.identity, tail);
  ASSERT_TRUE(outcome.status.ok()) << outcome.status;
  const std::vector<Replayed> expected(
      h.appended.begin() + static_cast<ptrdiff_t>(tail.next_sequence - 1), h.appended.end());
  EXPECT_EQ(outcome.records, expected);
}

}  // namespace
}  // namespace kvsql::pager
