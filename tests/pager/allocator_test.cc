#include "pager/allocator.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace kvsql::pager {
namespace {

TEST(AllocatorTest, HandsOutTheLowestPageFirst) {
  Allocator allocator;
  allocator.Extend(200);
  for (PageId page = 0; page < 200; ++page) EXPECT_EQ(allocator.Take(), page);
  EXPECT_EQ(allocator.Take(), kNoPage);
  allocator.Release(150);
  allocator.Release(3);
  EXPECT_EQ(allocator.Take(), 3u);
  EXPECT_EQ(allocator.Take(), 150u);
}

TEST(AllocatorTest, FindsRunsAcrossWords) {
  Allocator allocator;
  allocator.Extend(1000);
  for (PageId page = 0; page < 1000; page += 70) allocator.Claim(page);
  EXPECT_EQ(allocator.TakeRun(69), 1u);
  EXPECT_EQ(allocator.TakeRun(70), kNoPage);
  EXPECT_EQ(allocator.TakeRun(5), 71u);
  uint32_t got = 0;
  EXPECT_EQ(allocator.TakeLongestRun(100, &got), 141u);
  EXPECT_EQ(got, 69u);
}

TEST(AllocatorTest, ShrinksByItsFreeTail) {
  Allocator allocator;
  allocator.Extend(300);
  for (int i = 0; i < 130; ++i) allocator.Take();
  EXPECT_EQ(allocator.FreeTailStart(), 130u);
  allocator.Shrink(135);
  EXPECT_EQ(allocator.page_count(), 135u);
  EXPECT_EQ(allocator.free_pages(), 5u);
  allocator.Extend(140);
  EXPECT_EQ(allocator.free_pages(), 10u);
  for (PageId page = 130; page < 140; ++page) EXPECT_EQ(allocator.Take(), page);
}

TEST(AllocatorTest, AgreesWithASetOfPages) {
  std::mt19937 random(7);
  Allocator allocator;
  std::set<PageId> free;
  uint32_t count = 0;
  for (int step = 0; step < 20000; ++step) {
    const uint32_t kind = random() % 100;
    if (kind < 2) {
      const uint32_t more = random() % 100;
      for (uint32_t i = 0; i < more; ++i) free.insert(count + i);
      count += more;
      allocator.Extend(count);
    } else if (kind < 50) {
      const PageId page = allocator.Take();
      if (free.empty()) {
        EXPECT_EQ(page, kNoPage);
      } else {
        EXPECT_EQ(page, *free.begin());
        free.erase(free.begin());
      }
    } else if (kind < 60) {
      const uint32_t pages = 1 + random() % 20;
      const PageId first = allocator.TakeRun(pages);
      PageId expected = kNoPage;
      for (const PageId start : free) {
        uint32_t length = 0;
        while (length < pages && free.contains(start + length)) ++length;
        if (length == pages) {
          expected = start;
          break;
        }
      }
      ASSERT_EQ(first, expected);
      if (first != kNoPage) {
        for (uint32_t i = 0; i < pages; ++i) free.erase(first + i);
      }
    } else if (count > 0) {
      const PageId page = random() % count;
      if (!free.contains(page)) {
        allocator.Release(page);
        free.insert(page);
      }
    }
    ASSERT_EQ(allocator.free_pages(), free.size());
  }
}

}  // namespace
}  // namespace kvsql::pager
