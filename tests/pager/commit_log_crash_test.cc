// What replay finds after a power failure at any point, built from the list of writes and syncs.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "pager/commit_log.h"
#include "pager/log_buffer.h"
#include "pager/log_file.h"
#include "pager/test_switches.h"
#include "tests/pager/log_test_files.h"

namespace kvsql::pager {
namespace {

constexpr auto kFull = Durability::kFull;
constexpr auto kNormal = Durability::kNormal;
constexpr uint64_t kBlock = kLogBlockSize;

void Overlay(std::vector<uint8_t>* image, const FileEvent& e, size_t begin, size_t end) {
  if (image->size() < e.offset + end) image->resize(e.offset + end);
  std::copy(e.bytes.begin() + static_cast<ptrdiff_t>(begin),
            e.bytes.begin() + static_cast<ptrdiff_t>(end),
            image->begin() + static_cast<ptrdiff_t>(e.offset + begin));
}

// The file as power failure after the first `count` events may leave it: everything synced, a random part
// of the rest, and a random part of the event that was going on.
std::vector<uint8_t> ImageAt(const std::vector<FileEvent>& events, size_t count,
                             std::mt19937* random) {
  size_t synced = 0;  // plain writes before this are durable
  for (size_t i = 0; i < count; ++i) {
    if (events[i].kind == FileEvent::kSync) synced = i;
  }
  std::vector<uint8_t> image;
  const uint32_t mood = (*random)() % 4;
  for (size_t i = 0; i < events.size() && i <= count; ++i) {
    const FileEvent& e = events[i];
    if (e.size > image.size()) image.resize(e.size);
    if (e.bytes.empty()) continue;
    const bool certain = i < count && (e.kind == FileEvent::kDurableWrite || i < synced);
    if (certain) {
      Overlay(&image, e, 0, e.bytes.size());
      continue;
    }
    if (mood == 0) continue;  // nothing else arrived
    if (mood == 1) {          // torn at a byte
      Overlay(&image, e, 0, (*random)() % (e.bytes.size() + 1));
      continue;
    }
    for (size_t at = 0; at < e.bytes.size(); at += 512) {  // any subset of the sectors
      if ((*random)() % 2 == 0) Overlay(&image, e, at, std::min(at + 512, e.bytes.size()));
    }
  }
  return image;
}

// A random run, with the facts that a crash is judged by.
struct Run {
  LogHarness h;
  struct Fact {
    size_t events;     // so many had happened
    uint64_t durable;  // when the log said so
    LogPosition tail;  // and a durable meta named this
  };
  std::vector<Fact> facts;

  Run(uint32_t seed, const LogOptions& options, bool full_only) : h(options) {
    std::mt19937 random(seed);
    LogPosition tail = h.start;
    const auto note = [&] {
      facts.push_back({h.inode().events.size(), h.log->durable_sequence(), tail});
    };
    note();
    for (int step = 0; step < 60; ++step) {
      const uint32_t what = random() % 16;
      if (what == 0) {
        if (!h.log->Sync().ok()) std::abort();
      } else if (what == 1) {
        tail = h.log->end();
        h.log->AdvanceTail(tail);
      } else if (what == 2 && h.log->WantsGrowth()) {
        if (!h.log->Grow().ok()) std::abort();
      } else {
        const uint32_t group = random() % 4 == 0 ? 1 + random() % 6 : 1;
        for (uint32_t i = 0; i < group; ++i) {
          const size_t size = random() % 8 == 0 ? random() % (3 * kBlock) : random() % 400;
          std::string payload(size, '\0');
          for (char& c : payload) c = static_cast<char>(random());
          if (!h.log->HasRoomFor(size)) break;
          h.Append(payload, full_only || random() % 3 == 0 ? kFull : kNormal);
        }
        h.Flush();
        if (!h.log->HasRoomFor(3 * kBlock)) {
          tail = h.log->end();
          h.log->AdvanceTail(tail);
        }
      }
      note();
    }
  }

  // Empty if the file that a crash after `count` events left is fine; else what is wrong.
  std::string Judge(size_t count, std::mt19937* random) const {
    const Fact* fact = &facts.front();
    for (const Fact& f : facts) {
      if (f.events <= count) fact = &f;
    }
    const ReplayOutcome outcome = ReplayBytes(
        ImageAt(const_cast<Run*>(this)->h.inode().events, count, random), h.identity, fact->tail);
    if (!outcome.status.ok()) return std::string(outcome.status.message());
    const size_t first = fact->tail.next_sequence - 1;
    for (size_t i = 0; i < outcome.records.size(); ++i) {
      if (first + i >= h.appended.size() || outcome.records[i] != h.appended[first + i]) {
        return "replayed something else at record " + std::to_string(first + i + 1);
      }
    }
    const size_t last = first + outcome.records.size();
    if (last < fact->durable) {
      return "lost durable record " + std::to_string(last + 1) + " of " +
             std::to_string(fact->durable);
    }
    return "";
  }
};

const LogOptions kSmall{.limit = 24 * kBlock, .initial = 10 * kBlock, .step = 7 * kBlock};

std::string WorstOf(uint32_t seeds, bool full_only) {
  for (uint32_t seed = 0; seed < seeds; ++seed) {
    const Run run(seed, kSmall, full_only);
    std::mt19937 random(seed);
    const size_t events = const_cast<Run&>(run).h.inode().events.size();
    for (size_t count = run.facts.front().events; count <= events; ++count) {
      for (int variant = 0; variant < 4; ++variant) {
        std::string wrong = run.Judge(count, &random);
        if (!wrong.empty()) {
          return absl::StrCat("seed ", seed, ", after event ", count, ": ", wrong);
        }
      }
    }
  }
  return "";
}

TEST(CommitLogCrashTest, MixedLevelsKeepAPrefixWithEverythingDurable) {
  EXPECT_EQ(WorstOf(120, false), "");
}

TEST(CommitLogCrashTest, FullCommitsAreNeverLost) { EXPECT_EQ(WorstOf(60, true), ""); }

#ifdef KVSQL_TESTING
class CommitLogBrokenRuleTest : public testing::TestWithParam<Rule> {};

TEST_P(CommitLogBrokenRuleTest, IsNoticed) {
  ScopedBreak broken(GetParam());
  EXPECT_NE(WorstOf(120, false), "");
}

INSTANTIATE_TEST_SUITE_P(Writing, CommitLogBrokenRuleTest,
                         testing::Values(Rule::kLogSkipSync, Rule::kLogFullAsNormal,
                                         Rule::kLogSyncOwnRangeOnly, Rule::kLogOverwriteTail));
INSTANTIATE_TEST_SUITE_P(Reading, CommitLogBrokenRuleTest,
                         testing::Values(Rule::kLogIgnoreChain, Rule::kLogIgnoreChecksum));
#endif

TEST(CommitLogCrashTest, FlushTornAtAnyByteLeavesAPrefix) {
  for (const bool group : {false, true}) {
    LogHarness h;
    h.Commit("before", kFull);
    const std::vector<uint8_t> old = h.bytes();
    const size_t records = group ? 9 : 1;
    for (size_t i = 0; i < records; ++i) h.Append(std::string(600 + i, 'q'), kFull);
    h.Flush();
    const FileEvent write = h.inode().events.back();
    size_t longest = 1;
    for (size_t cut = 0; cut <= write.bytes.size(); ++cut) {
      std::vector<uint8_t> image = old;
      Overlay(&image, write, 0, cut);
      const ReplayOutcome outcome = ReplayBytes(image, h.identity, h.start);
      ASSERT_TRUE(outcome.status.ok()) << outcome.status << " cut at " << cut;
      ASSERT_EQ(outcome.records, h.Prefix(outcome.records.size())) << "cut at " << cut;
      ASSERT_GE(outcome.records.size(), longest) << "cut at " << cut;
      longest = outcome.records.size();
    }
    EXPECT_EQ(longest, records + 1);
  }
}

TEST(CommitLogCrashTest, FlippedBytesNeverGiveAWrongRecord) {
  LogHarness h;
  for (int i = 0; i < 5; ++i) h.Append(std::string(50, static_cast<char>('a' + i)), kNormal);
  h.Flush();
  const size_t bytes = 5 * LogRecordSize(50);
  for (size_t at = 0; at < bytes; ++at) {
    std::vector<uint8_t> image = h.bytes();
    image[kBlock + at] ^= 0x41;
    const ReplayOutcome outcome = ReplayBytes(image, h.identity, h.start);
    ASSERT_TRUE(outcome.status.ok()) << outcome.status;
    ASSERT_EQ(outcome.records, h.Prefix(outcome.records.size()));
    // Only the zeros between two records are covered by nothing.
    const size_t in_record = at % LogRecordSize(50);
    ASSERT_EQ(outcome.records.size(), in_record < 56 + 50 ? at / LogRecordSize(50) : 5u);
  }
}

// Breaks the record that starts at `offset`.
std::vector<uint8_t> WithBroken(std::vector<uint8_t> image, uint64_t offset) {
  image[offset + 60] ^= 1;
  return image;
}

TEST(CommitLogCrashTest, LaterFlushBehindABrokenDurableOneIsDataLoss) {
  LogHarness h;
  for (int i = 0; i < 3; ++i) h.Commit(std::string(100, 'f'), kFull);
  const auto image = WithBroken(h.bytes(), 2 * kBlock);
  const ReplayOutcome outcome = ReplayBytes(image, h.identity, h.start);
  EXPECT_EQ(outcome.status.code(), absl::StatusCode::kDataLoss) << outcome.status;
  EXPECT_NE(outcome.status.message().find("record 2"), std::string::npos) << outcome.status;
  const ReplayOutcome accepted =
      ReplayBytes(image, h.identity, h.start, {.accept_lost_records = true});
  EXPECT_TRUE(accepted.status.ok());
  EXPECT_EQ(accepted.records, h.Prefix(1));
#ifdef KVSQL_TESTING
  ScopedBreak broken(Rule::kLogAcceptLostRecords);
  EXPECT_TRUE(ReplayBytes(image, h.identity, h.start).status.ok());
#endif
}

TEST(CommitLogCrashTest, BrokenLastFlushIsTheEnd) {
  LogHarness h;
  for (int i = 0; i < 3; ++i) h.Commit(std::string(100, 'f'), kFull);
  const ReplayOutcome outcome = ReplayBytes(WithBroken(h.bytes(), 3 * kBlock), h.identity, h.start);
  EXPECT_TRUE(outcome.status.ok()) << outcome.status;
  EXPECT_EQ(outcome.records, h.Prefix(2));
}

TEST(CommitLogCrashTest, BrokenRecordInTheMiddleOfTheLastGroupIsTheEnd) {
  LogHarness h;
  for (int i = 0; i < 6; ++i) h.Append(std::string(kBlock - 56, 'f'), kFull);
  h.Flush();
  const ReplayOutcome outcome = ReplayBytes(WithBroken(h.bytes(), 3 * kBlock), h.identity, h.start);
  EXPECT_TRUE(outcome.status.ok()) << outcome.status;
  EXPECT_EQ(outcome.records, h.Prefix(2));
}

TEST(CommitLogCrashTest, BrokenUnsyncedNormalRecordIsTheEnd) {
  LogHarness h;
  for (int i = 0; i < 6; ++i) h.Commit(std::string(kBlock - 56, 'n'), kNormal);
  const ReplayOutcome outcome = ReplayBytes(WithBroken(h.bytes(), 3 * kBlock), h.identity, h.start);
  EXPECT_TRUE(outcome.status.ok()) << outcome.status;
  EXPECT_EQ(outcome.records, h.Prefix(2));
}

TEST(CommitLogCrashTest, BrokenNormalRecordThatWasSyncedIsDataLoss) {
  LogHarness h;
  for (int i = 0; i < 3; ++i) h.Commit(std::string(kBlock - 56, 'n'), kNormal);
  ASSERT_TRUE(h.log->Sync().ok());
  h.Commit("after the sync", kNormal);
  EXPECT_EQ(ReplayBytes(WithBroken(h.bytes(), 2 * kBlock), h.identity, h.start).status.code(),
            absl::StatusCode::kDataLoss);
}

TEST(CommitLogCrashTest, LeftoversOfEarlierGenerationsAreIgnored) {
  LogHarness h;
  for (int i = 0; i < 5; ++i) h.Commit("old " + std::to_string(i), kFull);
  h.identity.generation = 2;
  h.identity.salt = 99;
  const LogPosition start = h.log->StartGeneration(2, 99);
  EXPECT_EQ(start, LogPosition{});
  EXPECT_TRUE(ReplayBytes(h.bytes(), h.identity, start).records.empty());
  h.appended.clear();
  // The same payload in the same place: record 2 of the old generation would fit behind, but for the salt.
  h.appended.clear();
  h.Commit("old 0", kFull);
  const ReplayOutcome outcome = ReplayBytes(h.bytes(), h.identity, start);
  EXPECT_TRUE(outcome.status.ok()) << outcome.status;
  EXPECT_EQ(outcome.records, h.appended);
}

#ifdef KVSQL_TESTING
TEST(CommitLogCrashTest, WithoutASaltLeftoversWouldCount) {
  ScopedBreak broken(Rule::kLogNoGenerationSalt);
  LogHarness h;
  for (int i = 0; i < 5; ++i) h.Commit("old", kFull);
  h.identity.salt = 99;
  const LogPosition start = h.log->StartGeneration(2, 99);
  EXPECT_EQ(ReplayBytes(h.bytes(), h.identity, start).records.size(), 5u);
}
#endif

TEST(CommitLogCrashTest, LeftoversOfEarlierRoundsAreIgnoredAtEveryPoint) {
  LogHarness h({.limit = 6 * kBlock, .initial = 6 * kBlock});
  for (int i = 0; i < 40; ++i) {
    const LogPosition tail = h.log->end();
    h.log->AdvanceTail(tail);
    h.Commit(std::string(static_cast<size_t>(i * 991 % 5000), 'r'), i % 2 == 0 ? kFull : kNormal);
    const ReplayOutcome outcome = ReplayBytes(h.bytes(), h.identity, tail);
    ASSERT_TRUE(outcome.status.ok()) << outcome.status;
    ASSERT_EQ(outcome.records.size(), 1u);
    ASSERT_EQ(outcome.records[0], h.appended.back());
  }
}

TEST(CommitLogCrashTest, PayloadThatLooksLikeARecordIsNotTaken) {
  LogHarness h;
  h.Commit("first", kFull);
  h.Commit("second", kFull);
  const std::vector<uint8_t> image = h.bytes();
  // The very bytes of record 2, moved to where a record 3 would be looked for.
  std::string copy(image.begin() + 2 * kBlock, image.begin() + 2 * kBlock + 64);
  std::vector<uint8_t> forged = image;
  std::copy(copy.begin(), copy.end(), forged.begin() + 3 * kBlock);
  EXPECT_EQ(ReplayBytes(forged, h.identity, h.start).records, h.appended);
}

TEST(CommitLogCrashTest, RandomBytesNeverCrashTheReader) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 200; ++round) {
    LogHarness h;
    for (int i = 0; i < 4; ++i) h.Commit(std::string(300, 'z'), kFull);
    std::vector<uint8_t> image = h.bytes();
    for (int i = 0; i < 30; ++i) {
      const uint64_t block = 1 + random() % 5;
      image[block * kBlock + random() % 64] = static_cast<uint8_t>(random());
    }
    if (round % 3 == 0) image.resize(kBlock + random() % (image.size() - kBlock));
    const ReplayOutcome outcome = ReplayBytes(image, h.identity, h.start);
    ASSERT_LE(outcome.records.size(), 4u);
    ASSERT_EQ(outcome.records, h.Prefix(outcome.records.size()));
  }
}

TEST(CommitLogCrashTest, ErrorOfTheCallerStopsReplay) {
  LogHarness h;
  for (int i = 0; i < 3; ++i) h.Commit("x", kFull);
  int seen = 0;
  const auto end = ReplayLog(h.log->file(), "db-log", h.identity, h.start, [&](const LogRecord&) {
    return ++seen == 2 ? absl::ResourceExhaustedError("disk full") : absl::OkStatus();
  });
  EXPECT_EQ(end.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(seen, 2);
}

TEST(CommitLogCrashTest, ReplayMayGoOnFromAnyRecord) {
  LogHarness h;
  for (int i = 0; i < 8; ++i) h.Append("group member " + std::to_string(i), kFull);
  h.Flush();
  std::vector<LogPosition> after;
  ASSERT_TRUE(ReplayLog(h.log->file(), "db-log", h.identity, h.start, [&](const LogRecord& r) {
                after.push_back(r.after);
                return absl::OkStatus();
              }).ok());
  ASSERT_EQ(after.size(), 8u);
  for (size_t i = 0; i < after.size(); ++i) {
    EXPECT_EQ(ReplayBytes(h.bytes(), h.identity, after[i]).records.size(), 7 - i);
  }
}

}  // namespace
}  // namespace kvsql::pager
