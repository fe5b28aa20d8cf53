#include "tests/support/sim_file.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/support/crash_plan.h"

namespace kvsql::testing {
namespace {

using pager::File;
using pager::LockMode;
using pager::OpenMode;

Bytes AsBytes(const std::string& text) {
  return Bytes(reinterpret_cast<const uint8_t*>(text.data()), text.size());
}

struct Aligned {
  explicit Aligned(size_t size, char fill)
      : memory(static_cast<uint8_t*>(aligned_alloc(4096, size))), bytes(memory, size) {
    memset(memory, fill, size);
  }
  ~Aligned() { free(memory); }
  uint8_t* memory;
  Bytes bytes;
};

class SimFileTest : public ::testing::Test {
 protected:
  std::unique_ptr<File> Create(const std::string& path) {
    return fs_->Open(path, OpenMode::kCreateExclusive).value();
  }
  // A file whose name and first content are durable.
  std::unique_ptr<File> CreateDurable(const std::string& path, const std::string& text) {
    auto file = Create(path);
    EXPECT_TRUE(file->WriteAt(0, AsBytes(text)).ok());
    EXPECT_TRUE(file->SyncData().ok());
    EXPECT_TRUE(fs_->SyncParentDirectory(path).ok());
    return file;
  }
  // The contents of `path` that crashes at this moment can leave; "none" where the name is gone.
  std::set<std::string> Outcomes(const std::string& path, int plans = 2000) {
    std::set<std::string> outcomes;
    const DiskState state = fs_->Capture();
    CrashEnumerator enumerator(state, 7);
    for (int i = 0; i < plans; ++i) {
      const auto plan = enumerator.Next();
      if (!plan) break;
      outcomes.insert(ContentsIn(ApplyPlan(state, *plan), path));
    }
    return outcomes;
  }
  static std::string ContentsIn(const DiskState& disk, const std::string& path) {
    SimFileSystem fs(disk);
    if (!fs.Identify(path).ok()) return "none";
    const std::vector<uint8_t> bytes = fs.Contents(path);
    return std::string(bytes.begin(), bytes.end());
  }

  std::unique_ptr<SimFileSystem> fs_ = std::make_unique<SimFileSystem>();
};

TEST_F(SimFileTest, AnUnsyncedWriteMayBeLostOrArrive) {
  auto file = CreateDurable("/f", "old");
  ASSERT_TRUE(file->WriteAt(0, AsBytes("new")).ok());
  EXPECT_EQ(Outcomes("/f"), (std::set<std::string>{"old", "new"}));
  ASSERT_TRUE(file->SyncData().ok());
  EXPECT_EQ(Outcomes("/f"), (std::set<std::string>{"new"}));
}

TEST_F(SimFileTest, AllSubsetsOfUnsyncedWritesAreFound) {
  const std::string old(4 * kSector, '.');
  auto file = CreateDurable("/f", old);
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(file->WriteAt(i * kSector, AsBytes("x")).ok());
  EXPECT_EQ(Outcomes("/f").size(), 16u);
}

TEST_F(SimFileTest, TwoWritesToOneSectorArriveInOrder) {
  auto file = CreateDurable("/f", "....");
  ASSERT_TRUE(file->WriteAt(0, AsBytes("a")).ok());
  ASSERT_TRUE(file->WriteAt(1, AsBytes("b")).ok());
  EXPECT_EQ(Outcomes("/f"), (std::set<std::string>{"....", "a...", "ab.."}));
}

TEST_F(SimFileTest, LengthMayBeLostOrComeWithoutTheBytes) {
  auto file = CreateDurable("/f", "old");
  ASSERT_TRUE(file->WriteAt(3, AsBytes("++")).ok());
  const auto outcomes = Outcomes("/f");
  EXPECT_TRUE(outcomes.contains("old"));
  EXPECT_TRUE(outcomes.contains("old++"));
  EXPECT_TRUE(outcomes.contains(std::string("old\0\0", 5)));
  EXPECT_GT(outcomes.size(), 3u) << "no leftover bytes";
}

TEST_F(SimFileTest, BytesOfARemovedFileShineThroughInUnwrittenBlocks) {
  CreateDurable("/victim", std::string(8192, 'v')).reset();
  ASSERT_TRUE(fs_->Unlink("/victim").ok());
  ASSERT_TRUE(fs_->SyncParentDirectory("/victim").ok());
  auto file = CreateDurable("/f", "");
  ASSERT_TRUE(file->Allocate(0, 4096).ok());
  EXPECT_TRUE(Outcomes("/f").contains(std::string(4096, 'v')));
  ASSERT_TRUE(file->SyncData().ok());
  EXPECT_EQ(Outcomes("/f"), (std::set<std::string>{std::string(4096, '\0')}));
}

TEST_F(SimFileTest, ACutMayBeLostAndWhatItCutNeverComesBackOnceItIsDurable) {
  auto file = CreateDurable("/f", "abcdef");
  ASSERT_TRUE(file->WriteAt(5, AsBytes("F")).ok());
  ASSERT_TRUE(file->Truncate(2).ok());
  EXPECT_EQ(Outcomes("/f"), (std::set<std::string>{"abcdef", "abcdeF", "ab"}));
  ASSERT_TRUE(file->SyncData().ok());
  ASSERT_TRUE(file->Truncate(6).ok());
  ASSERT_TRUE(file->SyncData().ok());
  EXPECT_EQ(Outcomes("/f"), (std::set<std::string>{std::string("ab\0\0\0\0", 6)}));
}

TEST_F(SimFileTest, NamesNeedTheDirectorySync) {
  auto file = Create("/f");
  ASSERT_TRUE(file->WriteAt(0, AsBytes("x")).ok());
  ASSERT_TRUE(file->SyncData().ok());
  EXPECT_EQ(Outcomes("/f"), (std::set<std::string>{"none", "x"}));
  ASSERT_TRUE(fs_->SyncParentDirectory("/f").ok());
  EXPECT_EQ(Outcomes("/f"), (std::set<std::string>{"x"}));
  ASSERT_TRUE(fs_->Unlink("/f").ok());
  file.reset();
  EXPECT_EQ(Outcomes("/f"), (std::set<std::string>{"none", "x"})) << "a removed file comes back";
}

TEST_F(SimFileTest, ARenameReplacesAtOnceOrNotAtAll) {
  CreateDurable("/f", "old");
  auto temp = Create("/t");
  ASSERT_TRUE(temp->WriteAt(0, AsBytes("new")).ok());
  ASSERT_TRUE(temp->SyncData().ok());
  ASSERT_TRUE(fs_->Rename("/t", "/f").ok());
  EXPECT_EQ(Outcomes("/f"), (std::set<std::string>{"old", "new"}));
  EXPECT_FALSE(fs_->Identify("/t").ok());
  EXPECT_EQ(fs_->Identify("/f").value(), temp->identity());
}

TEST_F(SimFileTest, ADurableWriteSyncsItsOwnRangeOnly) {
  auto file = CreateDurable("/f", std::string(8192, '.'));
  ASSERT_TRUE(file->WriteAt(0, AsBytes("a")).ok());
  const Aligned block(4096, 'D');
  ASSERT_TRUE(file->WriteDurable(4096, block.bytes).ok());
  const std::string lost = std::string(4096, '.') + std::string(4096, 'D');
  const std::string kept = "a" + lost.substr(1);
  EXPECT_EQ(Outcomes("/f"), (std::set<std::string>{lost, kept}));
}

TEST_F(SimFileTest, ADurableWriteIsNotUndoneByAnOlderPendingWrite) {
  auto file = CreateDurable("/f", std::string(4096, '.'));
  ASSERT_TRUE(file->WriteAt(0, AsBytes("a")).ok());
  const Aligned block(4096, 'D');
  ASSERT_TRUE(file->WriteDurable(0, block.bytes).ok());
  ASSERT_TRUE(file->SyncData().ok());
  EXPECT_EQ(Outcomes("/f"), (std::set<std::string>{std::string(4096, 'D')}));
}

TEST_F(SimFileTest, ADurableWriteBeyondTheEndMakesTheLengthDurable) {
  auto file = CreateDurable("/f", "");
  const Aligned block(4096, 'D');
  ASSERT_TRUE(file->WriteDurable(4096, block.bytes).ok());
  EXPECT_EQ(Outcomes("/f"),
            (std::set<std::string>{std::string(4096, '\0') + std::string(4096, 'D')}));
}

TEST_F(SimFileTest, ADurableWriteInFlightTearsBetweenSectorsAndWhereAllowedBetweenBytes) {
  for (const bool byte_tears : {false, true}) {
    SimOptions options;
    options.byte_tears = [&](const std::string&, uint64_t) { return byte_tears; };
    fs_ = std::make_unique<SimFileSystem>(DiskState(), options);
    auto file = CreateDurable("/f", std::string(4096, '.'));
    std::set<std::string> outcomes;
    fs_->SetObserver([&](const SimEvent& event) {
      if (event.stage == SimEvent::Stage::kInFlight) outcomes = Outcomes("/f", 300);
    });
    const Aligned block(4096, 'D');
    ASSERT_TRUE(file->WriteDurable(0, block.bytes).ok());
    EXPECT_GT(outcomes.size(), 50u);
    bool in_sector = false;
    for (const std::string& outcome : outcomes) {
      for (size_t i = 1; i < outcome.size(); ++i) {
        in_sector |= outcome[i] != outcome[i - 1] && i % kSector != 0;
      }
    }
    EXPECT_EQ(in_sector, byte_tears);
  }
}

TEST_F(SimFileTest, WhereAllowedASectorBeingWrittenMayHoldAnything) {
  SimOptions options;
  options.noise_tears = [](const std::string&, uint64_t) { return true; };
  fs_ = std::make_unique<SimFileSystem>(DiskState(), options);
  auto file = CreateDurable("/f", std::string(2 * kSector, '.'));
  ASSERT_TRUE(file->WriteAt(1, AsBytes("x")).ok());
  bool noise = false;
  for (const std::string& outcome : Outcomes("/f", 200)) {
    // Also the bytes of the sector that the write left alone, but no other sector.
    noise |= outcome[0] != '.' && outcome[kSector - 1] != '.';
    EXPECT_EQ(outcome.substr(kSector), std::string(kSector, '.'));
  }
  EXPECT_TRUE(noise);
}

TEST_F(SimFileTest, TheObserverKnowsHowManyDurableWritesAreInFlight) {
  auto a = CreateDurable("/a", std::string(4096, '.'));
  auto b = CreateDurable("/b", std::string(4096, '.'));
  const Aligned block(4096, 'D');
  std::vector<int> in_flight;
  fs_->SetObserver([&](const SimEvent& event) {
    if (event.stage != SimEvent::Stage::kInFlight) return;
    in_flight.push_back(event.durable_writes);
    if (event.path == "/a") {
      EXPECT_TRUE(b->WriteDurable(0, block.bytes).ok());
    }
  });
  ASSERT_TRUE(a->WriteDurable(0, block.bytes).ok());
  EXPECT_EQ(in_flight, (std::vector<int>{1, 2}));
}

TEST_F(SimFileTest, AFailedSyncDropsAndForgets) {
  auto file = CreateDurable("/f", "old");
  ASSERT_TRUE(file->WriteAt(0, AsBytes("new")).ok());
  fs_->InjectFault({fs_->calls() + 1, SimFault::Kind::kSyncDropsData});
  EXPECT_FALSE(file->SyncData().ok());
  EXPECT_TRUE(fs_->FaultHit().has_value());
  EXPECT_TRUE(file->SyncData().ok()) << "the kernel reports it once";
  std::string text(3, ' ');
  ASSERT_TRUE(file->ReadAt(0, MutableBytes(reinterpret_cast<uint8_t*>(text.data()), 3)).ok());
  EXPECT_EQ(text, "new") << "the page cache keeps it";
  std::vector<uint8_t> direct(4096);
  ASSERT_EQ(file->ReadDirect(0, direct).value(), 3u);
  const auto outcomes = Outcomes("/f");
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_EQ(std::string(direct.begin(), direct.begin() + 3), *outcomes.begin());
}

TEST_F(SimFileTest, ProcessDeathKeepsThePageCacheAndPowerFailureAfterItDoesNot) {
  auto file = CreateDurable("/f", "old");
  ASSERT_TRUE(file->WriteAt(0, AsBytes("new")).ok());
  auto lock = fs_->TryLock("/f", LockMode::kExclusive);
  auto next = std::make_unique<SimFileSystem>(fs_->Capture());
  EXPECT_TRUE(next->TryLock("/f", LockMode::kExclusive).ok()) << "locks die with the process";
  auto again = next->Open("/f", OpenMode::kReadWrite).value();
  std::string text(3, ' ');
  ASSERT_TRUE(again->ReadAt(0, MutableBytes(reinterpret_cast<uint8_t*>(text.data()), 3)).ok());
  EXPECT_EQ(text, "new");
  // What the first process does now does not reach the second.
  ASSERT_TRUE(file->WriteAt(0, AsBytes("zzz")).ok());
  again.reset();
  lock = absl::CancelledError();
  file.reset();
  fs_ = std::move(next);
  EXPECT_EQ(Outcomes("/f"), (std::set<std::string>{"old", "new"}));
}

TEST_F(SimFileTest, MappingsFollowWritesOfEveryKind) {
  auto file = Create("/f");
  ASSERT_TRUE(file->Allocate(0, 8192).ok());
  auto mapping = file->Map(1 << 30).value();
  ASSERT_TRUE(file->WriteAt(1, AsBytes("w")).ok());
  const Aligned block(4096, 'D');
  ASSERT_TRUE(file->WriteDurable(4096, block.bytes).ok());
  EXPECT_EQ(mapping->data()[1], 'w');
  EXPECT_EQ(mapping->data()[8191], 'D');
}

TEST_F(SimFileTest, AFullDiskRefusesNewBlocksButNotOldOnes) {
  fs_->SetDiskBytes(3 * kSimBlock);
  auto file = Create("/f");
  ASSERT_TRUE(file->Allocate(0, 2 * kSimBlock).ok());
  EXPECT_TRUE(absl::IsResourceExhausted(file->Allocate(0, 4 * kSimBlock)));
  EXPECT_EQ(file->Size().value(), 2 * kSimBlock);
  auto other = Create("/g");
  EXPECT_TRUE(absl::IsResourceExhausted(other->WriteAt(0, AsBytes(std::string(8192, 'x')))));
  EXPECT_TRUE(file->WriteAt(0, AsBytes(std::string(2 * kSimBlock, 'y'))).ok());
  EXPECT_EQ(fs_->UsedBytes(), 3 * kSimBlock);
  ASSERT_TRUE(fs_->Unlink("/g").ok());
  other.reset();
  EXPECT_EQ(fs_->UsedBytes(), 2 * kSimBlock);
  ASSERT_TRUE(file->Truncate(kSimBlock).ok());
  EXPECT_EQ(fs_->UsedBytes(), kSimBlock);
}

TEST_F(SimFileTest, FaultsHitTheCallTheyNameOnce) {
  auto file = CreateDurable("/f", "old");
  const uint64_t next = fs_->calls() + 1;
  fs_->InjectFault({next + 1, SimFault::Kind::kIoError});
  EXPECT_TRUE(file->WriteAt(0, AsBytes("a")).ok());
  EXPECT_FALSE(fs_->FaultHit().has_value());
  EXPECT_TRUE(absl::IsInternal(file->Size().status()));
  EXPECT_TRUE(file->Size().ok());
  fs_->InjectFault({fs_->calls() + 1, SimFault::Kind::kNoSpace, /*sticky=*/true});
  EXPECT_TRUE(file->Size().ok()) << "a size needs no space";
  EXPECT_TRUE(absl::IsResourceExhausted(file->Allocate(0, 10)));
  EXPECT_TRUE(absl::IsResourceExhausted(file->SyncData()));
  fs_->ClearFault();
  EXPECT_TRUE(file->SyncData().ok());
}

TEST_F(SimFileTest, TheObserverSeesEveryChangeAndMayCallIn) {
  std::vector<std::string> seen;
  fs_->SetObserver([&](const SimEvent& event) {
    seen.push_back(std::string(SimCallName(event.call)) + "/" +
                   std::to_string(static_cast<int>(event.stage)));
    if (seen.size() == 1) {
      EXPECT_FALSE(fs_->Identify("/f").ok());
      fs_->Open("/g", OpenMode::kCreateExclusive).value();
    }
  });
  Create("/f");
  EXPECT_EQ(seen, (std::vector<std::string>{"create/0", "create/0", "create/2", "create/2"}));
}

TEST_F(SimFileTest, LocksExclude) {
  CreateDurable("/f", "x");
  auto shared = fs_->TryLock("/f", LockMode::kShared).value();
  EXPECT_TRUE(fs_->TryLock("/f", LockMode::kShared).ok());
  EXPECT_TRUE(absl::IsUnavailable(fs_->TryLock("/f", LockMode::kExclusive).status()));
  shared.reset();
  auto exclusive = fs_->TryLock("/f", LockMode::kExclusive).value();
  EXPECT_TRUE(absl::IsUnavailable(fs_->TryLock("/f", LockMode::kShared).status()));
}

TEST_F(SimFileTest, NoPlanComesTwice) {
  auto file = CreateDurable("/f", std::string(64 * kSector, '.'));
  for (int i = 0; i < 12; ++i) {
    ASSERT_TRUE(file->WriteAt(i * 5 * kSector, AsBytes(std::string(2 * kSector, 'x'))).ok());
  }
  const DiskState state = fs_->Capture();
  CrashEnumerator enumerator(state, 3);
  std::set<uint64_t> seen;
  for (int i = 0; i < 500; ++i) {
    const auto plan = enumerator.Next();
    ASSERT_TRUE(plan);
    EXPECT_TRUE(seen.insert(plan->Fingerprint()).second);
  }
}

TEST_F(SimFileTest, NothingPendingLeavesOnePlan) {
  CreateDurable("/f", "x");
  const DiskState state = fs_->Capture();
  CrashEnumerator enumerator(state, 3);
  EXPECT_TRUE(enumerator.Next());
  EXPECT_FALSE(enumerator.Next());
}

}  // namespace
}  // namespace kvsql::testing
