// The pager on its own, with trees of one page each: a tree's root page holds one number.
#include "pager/pager.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>
#include <random>
#include <thread>

#include "base/bytes.h"

namespace kvsql::pager {
namespace {

constexpr size_t kValueOffset = sizeof(PageHeader);

Status SetCell(PageWriter& txn, TreeId tree, uint64_t value) {
  TreeRoot root = txn.root(tree);
  if (!root.exists) {
    KV_RETURN_IF_ERROR(txn.CreateTreeAs(tree, KeyKind::kBytes));
    KV_ASSIGN_OR_RETURN(const NewPage page, txn.Allocate(PageType::kBytesLeaf, 0, tree));
    std::memset(page.data + kValueOffset, 0, txn.page_size() - kValueOffset);
    root =
        TreeRoot{.page = page.id, .height = 0, .kind = KeyKind::kBytes, .exists = true, .count = 1};
  }
  KV_ASSIGN_OR_RETURN(uint8_t * page, txn.Modify(&root.page));
  StoreLe<uint64_t>(page + kValueOffset, value);
  txn.SetRoot(tree, root);
  return absl::OkStatus();
}

StatusOr<uint64_t> GetCell(const PageReader& reader, const TreeRoot& root) {
  if (!root.exists) return 0;
  const uint8_t* page = reader.Fetch(root.page);
  if (page == nullptr) return reader.FetchError(root.page);
  return LoadLe<uint64_t>(page + kValueOffset);
}

struct Change {
  TreeId tree;
  uint64_t value;
};

std::vector<uint8_t> EncodeRecord(const std::vector<Change>& changes) {
  std::vector<uint8_t> record(changes.size() * 12);
  for (size_t i = 0; i < changes.size(); ++i) {
    StoreLe<uint32_t>(record.data() + i * 12, changes[i].tree);
    StoreLe<uint64_t>(record.data() + i * 12 + 4, changes[i].value);
  }
  return record;
}

Status Replay(WriteTransaction& txn, Bytes record) {
  for (size_t at = 0; at + 12 <= record.size(); at += 12) {
    KV_RETURN_IF_ERROR(SetCell(txn, LoadLe<uint32_t>(record.data() + at),
                               LoadLe<uint64_t>(record.data() + at + 4)));
  }
  return absl::OkStatus();
}

Status Apply(Pager& pager, const std::vector<Change>& changes, Durability level = Durability::kFull,
             bool direct = false) {
  KV_ASSIGN_OR_RETURN(auto txn, pager.BeginWrite());
  for (const Change& change : changes) KV_RETURN_IF_ERROR(SetCell(*txn, change.tree, change.value));
  const std::vector<uint8_t> record = EncodeRecord(changes);
  return txn->Commit(direct ? Bytes() : Bytes(record), level);
}

uint64_t Read(const std::shared_ptr<Pager>& pager, TreeId tree) {
  Snapshot snapshot(pager);
  EXPECT_TRUE(snapshot.Begin());
  const auto value = GetCell(snapshot.pages(), snapshot.root(tree));
  EXPECT_TRUE(value.ok()) << value.status();
  return value.value_or(UINT64_MAX);
}

class PagerTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "pagerXXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
    options_.path = directory_ + "/db";
    options_.replay = Replay;
    options_.background = false;
  }
  void TearDown() override { std::system(("rm -rf " + directory_).c_str()); }

  std::shared_ptr<Pager> Open() {
    auto pager = Pager::Open(options_);
    EXPECT_TRUE(pager.ok()) << pager.status();
    return pager.ok() ? *pager : nullptr;
  }
  // What a process leaves that is killed now.
  std::string CopyFiles(const std::string& name) {
    const std::string copy = directory_ + "/" + name;
    std::system(("cp " + options_.path + " " + copy).c_str());
    std::system(("cp " + options_.path + "-log " + copy + "-log 2>/dev/null").c_str());
    return copy;
  }
  bool Exists(const std::string& path) {
    struct stat info;
    return stat(path.c_str(), &info) == 0;
  }
  uint64_t SizeOf(const std::string& path) {
    struct stat info;
    return stat(path.c_str(), &info) == 0 ? static_cast<uint64_t>(info.st_size) : 0;
  }

  std::string directory_;
  PagerOptions options_;
};

TEST_F(PagerTest, MemoryModeKeepsSnapshotsApart) {
  options_.path.clear();
  auto pager = Open();
  ASSERT_TRUE(Apply(*pager, {{1, 10}}).ok());
  Snapshot old(pager);
  ASSERT_TRUE(old.Begin());
  for (uint64_t i = 0; i < 100; ++i) ASSERT_TRUE(Apply(*pager, {{1, 11 + i}, {2, i}}).ok());
  EXPECT_EQ(*GetCell(old.pages(), old.root(1)), 10u);
  EXPECT_FALSE(old.root(2).exists);
  EXPECT_EQ(Read(pager, 1), 110u);
  old.End();
  ASSERT_TRUE(Apply(*pager, {{1, 5}}).ok());
  EXPECT_EQ(pager->stats().pending_pages, 0u);
  // Pages were reused: no growth with the number of commits.
  EXPECT_LE(pager->stats().page_count, 300u);
}

TEST_F(PagerTest, RollbackLeavesNothing) {
  auto pager = Open();
  ASSERT_TRUE(Apply(*pager, {{1, 1}}).ok());
  const uint64_t free = pager->stats().free_pages;
  {
    auto txn = *pager->BeginWrite();
    ASSERT_TRUE(SetCell(*txn, 1, 7).ok());
    ASSERT_TRUE(SetCell(*txn, 2, 7).ok());
    EXPECT_EQ(*GetCell(*txn, txn->root(1)), 7u);
  }
  EXPECT_EQ(Read(pager, 1), 1u);
  EXPECT_EQ(Read(pager, 2), 0u);
  EXPECT_EQ(pager->stats().free_pages, free);
}

TEST_F(PagerTest, MarksRestorePagesAndRoots) {
  auto pager = Open();
  auto txn = *pager->BeginWrite();
  ASSERT_TRUE(SetCell(*txn, 1, 1).ok());
  const auto outer = txn->SetMark();
  ASSERT_TRUE(SetCell(*txn, 1, 2).ok());
  ASSERT_TRUE(SetCell(*txn, 2, 2).ok());
  const auto inner = txn->SetMark();
  ASSERT_TRUE(SetCell(*txn, 1, 3).ok());
  txn->Free(txn->root(2).page);
  txn->DropTree(2);
  txn->RollbackToMark(inner);
  EXPECT_EQ(*GetCell(*txn, txn->root(1)), 2u);
  EXPECT_EQ(*GetCell(*txn, txn->root(2)), 2u);
  ASSERT_TRUE(SetCell(*txn, 1, 4).ok());
  txn->ReleaseMark(inner);
  EXPECT_EQ(*GetCell(*txn, txn->root(1)), 4u);
  txn->RollbackToMark(outer);
  txn->RollbackToMark(outer);
  EXPECT_EQ(*GetCell(*txn, txn->root(1)), 1u);
  EXPECT_FALSE(txn->root(2).exists);
  ASSERT_TRUE(SetCell(*txn, 3, 9).ok());
  ASSERT_TRUE(txn->Commit({}, Durability::kFull).ok());
  txn.reset();
  EXPECT_EQ(Read(pager, 1), 1u);
  EXPECT_EQ(Read(pager, 3), 9u);
  ASSERT_TRUE(pager->Close().ok());
  pager = Open();
  EXPECT_EQ(Read(pager, 3), 9u);
}

TEST_F(PagerTest, CommitsSurviveCloseAndReopen) {
  auto pager = Open();
  for (uint64_t i = 1; i <= 500; ++i)
    ASSERT_TRUE(Apply(*pager, {{1, i}, {TreeId(i % 40 + 2), i}}).ok());
  EXPECT_TRUE(Exists(options_.path + "-log"));
  ASSERT_TRUE(pager->Close().ok());
  EXPECT_FALSE(Exists(options_.path + "-log"));
  EXPECT_FALSE(pager->BeginWrite().ok());
  pager = Open();
  EXPECT_EQ(Read(pager, 1), 500u);
  for (uint64_t tree = 2; tree < 42; ++tree) EXPECT_GT(Read(pager, tree), 400u);
}

TEST_F(PagerTest, AKilledProcessLosesNothing) {
  auto pager = Open();
  for (uint64_t i = 1; i <= 300; ++i) {
    ASSERT_TRUE(Apply(*pager, {{1, i}}, i % 3 == 0 ? Durability::kNormal : Durability::kFull).ok());
    if (i % 37 == 0) {
      PagerOptions copy = options_;
      copy.path = CopyFiles("copy");
      auto recovered = Pager::Open(copy);
      ASSERT_TRUE(recovered.ok()) << recovered.status();
      EXPECT_EQ(Read(*recovered, 1), i);
      ASSERT_TRUE(Apply(**recovered, {{2, i}}).ok());
      EXPECT_EQ(Read(*recovered, 1), i);
      EXPECT_EQ(Read(*recovered, 2), i);
      ASSERT_TRUE((*recovered)->Close().ok());
    }
  }
}

// The opened state's root table comes from the file; the first writer must copy what it changes of it.
TEST_F(PagerTest, TheFirstTransactionOfASessionLeavesTheOpenedStateAlone) {
  auto pager = Open();
  ASSERT_TRUE(Apply(*pager, {{1, 1}, {2, 2}}).ok());
  ASSERT_TRUE(pager->Close().ok());
  for (const bool commit : {false, true}) {
    pager = Open();
    {
      Snapshot snapshot(pager);
      ASSERT_TRUE(snapshot.Begin());
      const TreeRoot before = snapshot.root(1);
      {
        auto txn = *pager->BeginWrite();
        ASSERT_TRUE(SetCell(*txn, 1, 10).ok());
        txn->DropTree(2);
        EXPECT_EQ(snapshot.root(1), before);
        EXPECT_TRUE(snapshot.root(2).exists);
        if (commit) {
          ASSERT_TRUE(txn->Commit({}, Durability::kFull).ok());
        } else {
          txn->Rollback();
        }
      }
      EXPECT_EQ(snapshot.root(1), before);
      EXPECT_EQ(*GetCell(snapshot.pages(), snapshot.root(2)), 2u);
    }
    EXPECT_EQ(Read(pager, 1), commit ? 10u : 1u);
    EXPECT_EQ(Read(pager, 2), commit ? 0u : 2u);
    ASSERT_TRUE(Apply(*pager, {{3, 3}}).ok());
    ASSERT_TRUE(pager->Close().ok());
  }
}

TEST_F(PagerTest, SmallSessionsCreateNoLogAndStaySmall) {
  auto pager = Open();
  ASSERT_TRUE(Apply(*pager, {{1, 1}}).ok());
  EXPECT_FALSE(Exists(options_.path + "-log"));
  EXPECT_LE(SizeOf(options_.path), 256u << 10);
  ASSERT_TRUE(pager->Close().ok());
  EXPECT_LE(SizeOf(options_.path), 128u << 10);
}

TEST_F(PagerTest, TheLogWrapsManyTimes) {
  options_.log_limit = 64 << 10;
  auto pager = Open();
  std::mt19937_64 random(1);
  std::map<TreeId, uint64_t> model;
  for (int i = 0; i < 2000; ++i) {
    std::vector<Change> changes;
    for (uint64_t k = 0; k < 1 + random() % 20; ++k) {
      changes.push_back({TreeId(1 + random() % 100), random()});
      model[changes.back().tree] = changes.back().value;
    }
    ASSERT_TRUE(
        Apply(*pager, changes, i % 5 == 0 ? Durability::kFull : Durability::kNormal, i % 97 == 0)
            .ok());
  }
  EXPECT_GT(pager->stats().checkpoints, 10u);
  PagerOptions copy = options_;
  copy.path = CopyFiles("copy");
  auto recovered = Pager::Open(copy);
  ASSERT_TRUE(recovered.ok()) << recovered.status();
  for (const auto& [tree, value] : model) {
    EXPECT_EQ(Read(pager, tree), value);
    EXPECT_EQ(Read(*recovered, tree), value);
  }
}

TEST_F(PagerTest, LargeValuesLiveInExtents) {
  auto pager = Open();
  std::vector<uint8_t> small(50000, 7);
  std::vector<uint8_t> large(3 << 20, 9);
  std::vector<PageRun> small_runs;
  std::vector<PageRun> large_runs;
  {
    auto txn = *pager->BeginWrite();
    const Bytes pieces[] = {Bytes(small).first(100), Bytes(small).subspan(100)};
    small_runs = *txn->WriteExtent(pieces, 8);
    const Bytes piece = large;
    large_runs = *txn->WriteExtent(std::span(&piece, 1), 8);
    ASSERT_TRUE(SetCell(*txn, 1, 1).ok());
    ASSERT_TRUE(txn->Commit({}, Durability::kFull).ok());
  }
  const auto check = [&](const std::shared_ptr<Pager>& p) {
    Snapshot snapshot(p);
    ASSERT_TRUE(snapshot.Begin());
    for (const auto& [runs, byte] : {std::pair(small_runs, 7), std::pair(large_runs, 9)}) {
      for (const PageRun& run : runs) {
        const uint8_t* bytes = snapshot.pages().FetchRun(run, nullptr, nullptr);
        ASSERT_NE(bytes, nullptr);
        EXPECT_EQ(bytes[0], byte);
        EXPECT_EQ(bytes[run.pages * 4096 / 2], byte);
      }
    }
  };
  check(pager);
  ASSERT_TRUE(pager->Close().ok());
  pager = Open();
  check(pager);
  {
    auto txn = *pager->BeginWrite();
    for (const PageRun& run : large_runs) txn->FreeRun(run, 1);
    ASSERT_TRUE(txn->Commit({}, Durability::kFull).ok());
  }
  EXPECT_GT(pager->stats().free_pages, large.size() / 4096);
}

TEST_F(PagerTest, ASecondOpenSharesThePager) {
  auto first = Open();
  ASSERT_TRUE(Apply(*first, {{1, 1}}).ok());
  ASSERT_EQ(symlink(options_.path.c_str(), (directory_ + "/alias").c_str()), 0);
  PagerOptions alias = options_;
  alias.path = directory_ + "/alias";
  auto second = Pager::Open(alias);
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_EQ(*second, first);
  ASSERT_TRUE(first->Close().ok());
  ASSERT_TRUE(Apply(**second, {{1, 2}}).ok());
  ASSERT_TRUE((*second)->Close().ok());
  EXPECT_FALSE(Apply(**second, {{1, 3}}).ok());
  first = Open();
  EXPECT_NE(*second, first);
  EXPECT_EQ(Read(first, 1), 2u);
}

TEST_F(PagerTest, AForkedChildCanOnlyLetGo) {
  auto pager = Open();
  ASSERT_TRUE(Apply(*pager, {{1, 1}}).ok());
  Snapshot snapshot(pager);
  const pid_t child = fork();
  if (child == 0) {
    bool right = !snapshot.Begin() && !pager->BeginWrite().ok() && pager->Close().ok();
    snapshot = Snapshot();
    pager.reset();
    // The child may not take the file from its parent.
    options_.busy_timeout = std::chrono::milliseconds(1);
    right = right && absl::IsUnavailable(Pager::Open(options_).status());
    _exit(right ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  ASSERT_TRUE(Apply(*pager, {{1, 2}}).ok());
  EXPECT_EQ(Read(pager, 1), 2u);
}

TEST_F(PagerTest, ReadersWritersAndCheckpointsTogether) {
  options_.background = true;
  options_.log_limit = 512 << 10;
  auto pager = Open();
  std::atomic<bool> stop{false};
  std::vector<std::thread> readers;
  for (int i = 0; i < 2; ++i) {
    readers.emplace_back([&] {
      Snapshot snapshot(pager);
      uint64_t last = 0;
      while (!stop.load()) {
        ASSERT_TRUE(snapshot.Begin());
        const uint64_t a = *GetCell(snapshot.pages(), snapshot.root(1));
        const uint64_t b = *GetCell(snapshot.pages(), snapshot.root(2));
        // Both cells are written by every commit, ascending.
        ASSERT_EQ(a, b);
        ASSERT_GE(a, last);
        last = a;
        snapshot.End();
      }
    });
  }
  std::atomic<uint64_t> next{1};
  std::vector<std::thread> writers;
  for (int i = 0; i < 4; ++i) {
    writers.emplace_back([&, i] {
      for (int k = 0; k < 500; ++k) {
        auto txn = pager->BeginWrite();
        ASSERT_TRUE(txn.ok());
        const uint64_t value = next.fetch_add(1);
        const std::vector<Change> changes = {
            {1, value}, {2, value}, {TreeId(3 + value % 60), value}};
        for (const Change& c : changes) ASSERT_TRUE(SetCell(**txn, c.tree, c.value).ok());
        ASSERT_TRUE(
            (*txn)
                ->Commit(EncodeRecord(changes), i == 0 ? Durability::kFull : Durability::kNormal)
                .ok());
      }
    });
  }
  for (auto& t : writers) t.join();
  stop = true;
  for (auto& t : readers) t.join();
  EXPECT_EQ(Read(pager, 1), 2000u);
  ASSERT_TRUE(pager->Close().ok());
  pager = Open();
  EXPECT_EQ(Read(pager, 1), 2000u);
}

}  // namespace
}  // namespace kvsql::pager
