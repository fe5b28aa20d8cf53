#include "pager/writer_lock.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace kvsql::pager {
namespace {

using std::chrono::milliseconds;

TEST(WriterLockTest, TimesOutWhileHeld) {
  WriterLock lock;
  ASSERT_TRUE(lock.Acquire(milliseconds(0)));
  EXPECT_FALSE(lock.Acquire(milliseconds(10)));
  lock.Release();
  EXPECT_TRUE(lock.Acquire(milliseconds(0)));
  lock.Release();
}

TEST(WriterLockTest, ServesInOrderOfArrival) {
  WriterLock lock;
  ASSERT_TRUE(lock.Acquire(milliseconds(0)));
  std::vector<int> order;
  std::vector<std::thread> threads;
  for (int i = 0; i < 5; ++i) {
    threads.emplace_back([&, i] {
      ASSERT_TRUE(lock.Acquire(milliseconds(10000)));
      order.push_back(i);
      lock.Release();
    });
    std::this_thread::sleep_for(milliseconds(20));
  }
  lock.Release();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4}));
}

TEST(WriterLockTest, ExcludesEachOther) {
  WriterLock lock;
  int inside = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 2000; ++k) {
        ASSERT_TRUE(lock.Acquire(milliseconds(10000)));
        ASSERT_EQ(++inside, 1);
        --inside;
        lock.Release();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace kvsql::pager
