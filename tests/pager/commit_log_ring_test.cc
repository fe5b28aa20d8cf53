#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <vector>

#include "pager/log_ring.h"

namespace kvsql::pager {
namespace {

constexpr uint64_t kBlock = kLogBlockSize;

bool PlaceAlone(LogRing* ring, uint64_t bytes) {
  ring->StartFreshBlock();
  if (!ring->Place(bytes)) return false;
  ring->StartFreshBlock();
  return true;
}

TEST(LogRingTest, NewRingIsEmptyAndHasRoomUpToItsEnd) {
  LogRing ring(16, LogPosition{});
  EXPECT_EQ(ring.UsedBlocks(), 0u);
  EXPECT_EQ(ring.Room(), 15 * kBlock);
  EXPECT_FALSE(LogRing().Place(1));
}

TEST(LogRingTest, HeadNeverRunsOverTail) {
  LogRing ring(4, LogPosition{});
  EXPECT_TRUE(PlaceAlone(&ring, 1));
  EXPECT_TRUE(PlaceAlone(&ring, kBlock + 1));
  EXPECT_FALSE(PlaceAlone(&ring, 1)) << "the ring is full";
  ring.AdvanceTail({.offset = 2 * kBlock, .next_sequence = 2});
  EXPECT_TRUE(PlaceAlone(&ring, kBlock)) << "block 1 is free again";
  EXPECT_TRUE(ring.wrapped());
  EXPECT_FALSE(PlaceAlone(&ring, 1));
  EXPECT_EQ(ring.UsedBlocks(), 3u);
}

TEST(LogRingTest, RecordIsNeverCutByTheEnd) {
  LogRing ring(6, LogPosition{});
  EXPECT_TRUE(PlaceAlone(&ring, 3 * kBlock));
  EXPECT_FALSE(PlaceAlone(&ring, 3 * kBlock)) << "two blocks before the end, none before the tail";
  ring.AdvanceTail({.offset = 4 * kBlock, .next_sequence = 2});
  EXPECT_TRUE(PlaceAlone(&ring, 3 * kBlock)) << "from the first block";
  EXPECT_EQ(ring.head(), 4 * kBlock);
}

TEST(LogRingTest, EmptyRingTakesARecordOfItsWholeSizeWhereverTheHeadStands) {
  LogRing ring(8, LogPosition{});
  EXPECT_TRUE(PlaceAlone(&ring, 5 * kBlock));
  ring.AdvanceTail({.offset = 6 * kBlock, .next_sequence = 2});
  EXPECT_TRUE(PlaceAlone(&ring, 7 * kBlock));
  EXPECT_FALSE(ring.wrapped());
  EXPECT_FALSE(PlaceAlone(&ring, 1));
}

TEST(LogRingTest, TailFollowsTheHeadRoundTheRing) {
  LogRing ring(4, LogPosition{});
  uint64_t sequence = 1;
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(PlaceAlone(&ring, 2 * kBlock));
    ring.AdvanceTail({.offset = ring.head(), .next_sequence = ++sequence});
    ASSERT_EQ(ring.UsedBlocks(), 0u);
  }
}

TEST(LogRingTest, SecondCheckpointAtTheSamePlaceTakesNothingBack) {
  LogRing ring(4, LogPosition{});
  EXPECT_TRUE(PlaceAlone(&ring, 100));
  const LogPosition position{.offset = kBlock + 104, .next_sequence = 2};
  ring.AdvanceTail(position);
  EXPECT_TRUE(PlaceAlone(&ring, 2 * kBlock));
  LogRing again = ring;
  again.AdvanceTail(position);
  EXPECT_TRUE(PlaceAlone(&ring, kBlock));
  EXPECT_TRUE(PlaceAlone(&again, kBlock));
}

// Invariant 2 of LogRing, which the log's promises rest on: a reservation holds whatever comes between.
TEST(LogRingTest, ReservationHoldsThroughSyncsCheckpointsAndGrowth) {
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    std::mt19937 random(seed);
    uint32_t end = 3 + random() % 20;
    LogRing placed(end, LogPosition{});
    uint64_t next = 1;                                // sequence of the next record to be reserved
    std::deque<uint64_t> waiting;                     // sizes
    std::vector<LogPosition> cuts;                    // where flushes ended
    std::vector<std::pair<uint64_t, uint64_t>> live;  // placed bytes per flush, [begin, end)
    std::vector<uint64_t> live_last;                  // and the sequence of the last record in it
    uint64_t placed_next = 1;
    const auto reservation = [&] {
      LogRing r = placed;
      r.StartFreshBlock();
      for (uint64_t size : waiting) {
        EXPECT_TRUE(r.Place(size)) << "seed " << seed;
      }
      return r;
    };
    LogRing reserved = reservation();
    for (int step = 0; step < 60; ++step) {
      const uint32_t what = random() % 10;
      if (what < 5) {
        const uint64_t size = 8 + random() % (random() % 4 == 0 ? 8 * kBlock : kBlock / 2) / 8 * 8;
        if (reserved.Place(size)) {
          waiting.push_back(size);
          ++next;
        }
      } else if (what < 8) {
        const bool fresh = random() % 2 == 0;
        if (fresh) placed.StartFreshBlock();
        while (!waiting.empty()) {
          uint64_t bytes = 0, records = 0;
          const uint64_t room = placed.Room();
          while (records < waiting.size() && bytes + waiting[records] <= room) {
            bytes += waiting[records++];
          }
          const uint64_t from = placed.head();
          if (records > 0) {
            placed.Take(bytes, records);
            waiting.erase(waiting.begin(), waiting.begin() + static_cast<ptrdiff_t>(records));
            placed_next += records;
            for (const auto& [b, e] : live) {
              ASSERT_TRUE(from + bytes <= b || e <= from) << "overwrites live bytes, seed " << seed;
            }
            live.emplace_back(from, from + bytes);
            live_last.push_back(placed_next - 1);
            cuts.push_back({.offset = from + bytes, .next_sequence = placed_next});
          }
          if (!waiting.empty()) {
            ASSERT_TRUE(placed.Wrap()) << "seed " << seed;
          }
        }
        if (random() % 2 == 0) placed.StartFreshBlock();
        reserved = reservation();
      } else if (what == 8 && !cuts.empty()) {
        const size_t chosen = random() % cuts.size();
        const LogPosition cut = cuts[chosen];
        cuts.erase(cuts.begin(), cuts.begin() + static_cast<ptrdiff_t>(chosen));
        while (!live.empty() && live_last.front() < cut.next_sequence) {
          live.erase(live.begin());
          live_last.erase(live_last.begin());
        }
        placed.AdvanceTail(cut);
        reserved = reservation();
      } else if (what == 9 && !placed.wrapped() && end < 60) {
        end += 1 + random() % 8;
        placed.Extend(end);
        reserved = reservation();
      }
      if (HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace kvsql::pager
