#include "pager/core_registry.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

namespace kvsql::pager {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

struct Core {
  CoreRegistry::Registration registration;  // released last
  std::atomic<bool> close_only{false};
  int number = 0;
};

void ForkedCore(void* core) { static_cast<Core*>(core)->close_only = true; }

StatusOr<CoreRegistry::Entered> Enter(uint64_t inode, milliseconds patience = milliseconds(5000)) {
  return CoreRegistry::Instance().Enter(nullptr, {1, inode}, steady_clock::now() + patience);
}

std::shared_ptr<Core> Open(uint64_t inode) {
  auto entered = Enter(inode);
  if (!entered.ok()) return nullptr;
  if (entered->core != nullptr) return std::static_pointer_cast<Core>(entered->core);
  auto core = std::make_shared<Core>();
  core->registration = std::move(entered->registration);
  core->registration.Publish(core, &ForkedCore);
  return core;
}

TEST(CoreRegistryTest, SecondOpenSharesTheCore) {
  auto first = Open(1);
  EXPECT_EQ(Open(1), first);
  EXPECT_NE(Open(2), first);
}

TEST(CoreRegistryTest, FileSystemsAreKeptApart) {
  auto first = Open(1);
  const auto* other = reinterpret_cast<const FileSystem*>(&first);
  auto entered =
      CoreRegistry::Instance().Enter(other, {1, 1}, steady_clock::now() + milliseconds(10));
  ASSERT_TRUE(entered.ok());
  EXPECT_EQ(entered->core, nullptr);
}

TEST(CoreRegistryTest, AfterTheLastHandleAFreshCoreIsOpened) {
  auto first = Open(1);
  first->number = 7;
  first.reset();
  EXPECT_EQ(Open(1)->number, 0);
}

TEST(CoreRegistryTest, FailedOpenLetsTheNextOneTry) {
  { auto entered = Enter(1); }  // gives up
  EXPECT_NE(Open(1), nullptr);
}

TEST(CoreRegistryTest, WhoEntersWaitsForTheOpener) {
  auto entered = Enter(1);
  ASSERT_TRUE(entered.ok());
  EXPECT_EQ(Enter(1, milliseconds(20)).status().code(), absl::StatusCode::kUnavailable);
  std::shared_ptr<Core> second;
  std::thread waiter([&] { second = Open(1); });
  std::this_thread::sleep_for(milliseconds(20));
  auto core = std::make_shared<Core>();
  core->registration = std::move(entered->registration);
  core->registration.Publish(core, nullptr);
  waiter.join();
  EXPECT_EQ(second, core);
}

TEST(CoreRegistryTest, ClosingCoreIsNotHandedOut) {
  auto first = Open(1);
  first->registration.BeginClose();
  EXPECT_EQ(Enter(1, milliseconds(20)).status().code(), absl::StatusCode::kUnavailable);
  std::shared_ptr<Core> second;
  std::thread waiter([&] { second = Open(1); });
  std::this_thread::sleep_for(milliseconds(20));
  first->registration.Release();
  waiter.join();
  ASSERT_NE(second, nullptr);
  EXPECT_NE(second, first);
  first.reset();  // has nothing left to release
  EXPECT_EQ(Open(1), second);
}

TEST(CoreRegistryTest, ManyThreadsNeverHaveTwoCoresOfOneFile) {
  std::atomic<int> alive{0};
  std::atomic<bool> wrong{false};
  struct Counted {
    CoreRegistry::Registration registration;
    std::atomic<int>* alive;
    ~Counted() { --*alive; }
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 300; ++i) {
        auto entered = Enter(3, milliseconds(60000));
        if (!entered.ok()) {
          wrong = true;
          return;
        }
        if (entered->core != nullptr) continue;
        if (++alive != 1) wrong = true;
        auto core = std::make_shared<Counted>();
        core->alive = &alive;
        core->registration = std::move(entered->registration);
        core->registration.Publish(core, nullptr);
        if (i % 3 == 0) std::this_thread::yield();
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_FALSE(wrong);
  EXPECT_EQ(alive, 0);
}

TEST(CoreRegistryTest, ForkedChildHasCloseOnlyCoresAndMayOpenAnew) {
  auto core = Open(1);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    int failures = 0;
    if (!core->close_only || !core->registration.forked()) failures |= 1;
    auto own = Open(1);
    if (own == nullptr || own == core || own->registration.forked()) failures |= 2;
    core.reset();  // must not release the child's own registration
    if (Open(1) != own) failures |= 4;
    _exit(failures);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_FALSE(core->close_only);
  EXPECT_FALSE(core->registration.forked());
  EXPECT_EQ(Open(1), core);
}

}  // namespace
}  // namespace kvsql::pager
