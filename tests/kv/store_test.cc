#include "kv/store.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <thread>

#include "btree/cursor.h"
#include "tests/kv/store_fixture.h"

namespace kvsql::kv {
namespace {

class StoreTest : public StoreFixture {};

TEST_F(StoreTest, WhatACommitPutIsThereAfterAReopen) {
  const TreeId tree = NewKeyspace("k");
  auto txn = Begin();
  EXPECT_OK(PutValue(*txn, tree, "a", "1"));
  EXPECT_OK(PutValue(*txn, tree, "b", std::string(100'000, 'x')));
  EXPECT_OK(txn->Commit());
  Reopen();
  ReadTxn read = Read();
  EXPECT_EQ(Take(read.FindKeyspace("K"))->tree, tree);
  EXPECT_EQ(Get(read, tree, "a"), "1");
  EXPECT_EQ(Get(read, tree, "b"), std::string(100'000, 'x'));
  EXPECT_EQ(Get(read, tree, "c"), std::nullopt);
}

TEST_F(StoreTest, RolledBackChangesAreGone) {
  const TreeId tree = NewKeyspace("k");
  {
    auto txn = Begin();
    EXPECT_OK(PutValue(*txn, tree, "a", "1"));
    EXPECT_EQ(Get(*txn, tree, "a"), "1");
    txn->Rollback();
    EXPECT_FALSE(txn->active());
    EXPECT_TRUE(absl::IsFailedPrecondition(PutValue(*txn, tree, "a", "2")));
  }
  {
    auto dropped = Begin();
    EXPECT_OK(PutValue(*dropped, tree, "b", "1"));
  }
  ReadTxn read = Read();
  EXPECT_EQ(Get(read, tree, "a"), std::nullopt);
  EXPECT_EQ(Get(read, tree, "b"), std::nullopt);
}

TEST_F(StoreTest, SnapshotsDoNotChange) {
  const TreeId tree = NewKeyspace("k");
  auto txn = Begin();
  EXPECT_OK(PutValue(*txn, tree, "a", "1"));
  EXPECT_OK(txn->Commit());
  ReadTxn before = Read();
  txn = Begin();
  EXPECT_OK(PutValue(*txn, tree, "a", "2"));
  EXPECT_OK(PutValue(*txn, tree, "b", "2"));
  ReadTxn during = Read();
  EXPECT_OK(txn->Commit());
  ReadTxn after = Read();
  EXPECT_EQ(Get(before, tree, "a"), "1");
  EXPECT_EQ(Get(during, tree, "b"), std::nullopt);
  EXPECT_EQ(Get(after, tree, "a"), "2");
  EXPECT_EQ(Get(after, tree, "b"), "2");
  before.End();
  EXPECT_TRUE(before.Begin());
  EXPECT_EQ(Get(before, tree, "a"), "2");
}

TEST_F(StoreTest, AnEmptyTransactionCommitsWithoutATrace) {
  NewKeyspace("k");
  const pager::TxId txid = Read().txid();
  auto txn = Begin();
  EXPECT_OK(txn->Commit());
  EXPECT_EQ(Read().txid(), txid);
}

TEST_F(StoreTest, KeyspaceOperations) {
  const TreeId tree = NewKeyspace("k");
  auto txn = Begin();
  EXPECT_TRUE(Take(PutIfAbsent(*txn, tree, "a", "1")));
  EXPECT_FALSE(Take(PutIfAbsent(*txn, tree, "a", "2")));
  EXPECT_FALSE(Take(CompareAndPut(*txn, tree, "a", "2", "3")));
  EXPECT_TRUE(Take(CompareAndPut(*txn, tree, "a", "1", "3")));
  EXPECT_FALSE(Take(CompareAndPut(*txn, tree, "a", std::nullopt, "4")));
  EXPECT_TRUE(Take(CompareAndPut(*txn, tree, "n", std::nullopt, "4")));
  EXPECT_FALSE(Take(CompareAndPut(*txn, tree, "none", "1", "4")));
  EXPECT_EQ(Get(*txn, tree, "a"), "3");
  EXPECT_TRUE(Take(Contains(*txn, tree, "n")));
  EXPECT_TRUE(Take(DeleteKey(*txn, tree, "n")));
  EXPECT_FALSE(Take(DeleteKey(*txn, tree, "n")));
  for (int i = 0; i < 1000; ++i) {
    EXPECT_OK(PutValue(*txn, tree, "key" + std::to_string(i), "v"));
  }
  EXPECT_EQ(Take(CountKeys(*txn, tree, std::nullopt, std::nullopt)), 1001u);
  EXPECT_EQ(Take(CountKeys(*txn, tree, "key5", PrefixEnd("key5"))), 111u);
  EXPECT_EQ(Take(DeleteKeys(*txn, tree, "key5", PrefixEnd("key5"))), 111u);
  EXPECT_EQ(Take(CountKeys(*txn, tree, std::nullopt, std::nullopt)), 890u);
  EXPECT_OK(txn->Commit());
  EXPECT_EQ(Take(CountKeys(Read(), tree, "b", std::nullopt)), 889u);
}

TEST_F(StoreTest, PrefixEnds) {
  EXPECT_EQ(PrefixEnd("ab"), "ac");
  EXPECT_EQ(PrefixEnd("a\xff\xff"), "b");
  EXPECT_EQ(PrefixEnd("\xff"), std::nullopt);
  EXPECT_EQ(PrefixEnd(""), std::nullopt);
}

TEST_F(StoreTest, KeysAndValuesOverTheLimitsAreRefused) {
  const TreeId tree = NewKeyspace("k");
  auto txn = Begin();
  EXPECT_TRUE(
      absl::IsInvalidArgument(PutValue(*txn, tree, std::string(kMaxKeyspaceKey + 1, 'k'), "v")));
  EXPECT_OK(PutValue(*txn, tree, std::string(kMaxKeyspaceKey, 'k'), "v"));
  EXPECT_EQ(Get(*txn, tree, std::string(kMaxKeyspaceKey, 'k')), "v");
  EXPECT_OK(txn->Commit());
}

TEST_F(StoreTest, SavepointsFollowTheRulesOfSql) {
  const TreeId tree = NewKeyspace("k");
  auto txn = Begin();
  EXPECT_OK(PutValue(*txn, tree, "a", "0"));
  EXPECT_OK(txn->SetSavepoint("one"));
  EXPECT_OK(PutValue(*txn, tree, "a", "1"));
  EXPECT_OK(txn->SetSavepoint("two"));
  EXPECT_OK(PutValue(*txn, tree, "a", "2"));
  EXPECT_OK(txn->SetSavepoint("ONE"));  // hides the outer one
  EXPECT_OK(PutValue(*txn, tree, "a", "3"));
  EXPECT_OK(txn->RollbackTo("one"));
  EXPECT_EQ(Get(*txn, tree, "a"), "2");
  EXPECT_OK(PutValue(*txn, tree, "b", "x"));
  EXPECT_OK(txn->RollbackTo("one"));  // still open
  EXPECT_EQ(Get(*txn, tree, "b"), std::nullopt);
  EXPECT_OK(txn->Release("one"));
  EXPECT_EQ(Get(*txn, tree, "a"), "2");
  EXPECT_OK(txn->RollbackTo("one"));  // the outer one now
  EXPECT_EQ(Get(*txn, tree, "a"), "0");
  EXPECT_TRUE(absl::IsNotFound(txn->RollbackTo("two")));
  EXPECT_TRUE(absl::IsNotFound(txn->Release("three")));
  EXPECT_OK(PutValue(*txn, tree, "c", "kept"));
  EXPECT_OK(txn->Commit());
  Reopen();
  ReadTxn read = Read();
  EXPECT_EQ(Get(read, tree, "a"), "0");
  EXPECT_EQ(Get(read, tree, "c"), "kept");
}

TEST_F(StoreTest, StatementMarksUndoWhatTheStatementDid) {
  const TreeId tree = NewKeyspace("k");
  auto txn = Begin();
  EXPECT_OK(PutValue(*txn, tree, "a", "0"));
  const WriteTxn::Mark outer = Take(txn->SetMark());
  EXPECT_OK(PutValue(*txn, tree, "a", "1"));
  const WriteTxn::Mark inner = Take(txn->SetMark());
  EXPECT_OK(PutValue(*txn, tree, "a", "2"));
  txn->RollbackToMark(inner);
  EXPECT_EQ(Get(*txn, tree, "a"), "1");
  txn->ReleaseMark(outer);
  EXPECT_EQ(txn->open_savepoints(), 0u);
  EXPECT_OK(txn->Commit());
  EXPECT_EQ(Get(Read(), tree, "a"), "1");
}

TEST_F(StoreTest, RandomSavepointsAgainstAModel) {
  const TreeId tree = NewKeyspace("k");
  using Model = std::map<std::string, std::string>;
  std::mt19937_64 random(11);
  Model committed;
  for (int round = 0; round < 60; ++round) {
    auto txn = Begin();
    Model now = committed;
    std::vector<std::pair<std::string, Model>> savepoints;
    const int steps = static_cast<int>(random() % 200);
    for (int step = 0; step < steps; ++step) {
      const std::string key = "k" + std::to_string(random() % 300);
      switch (random() % 10) {
        case 0:
          savepoints.emplace_back("s" + std::to_string(random() % 3), now);
          ASSERT_OK(txn->SetSavepoint(savepoints.back().first));
          break;
        case 1:
        case 2: {
          const std::string name = "s" + std::to_string(random() % 3);
          size_t i = savepoints.size();
          while (i > 0 && savepoints[i - 1].first != name) --i;
          const bool release = random() % 2 == 0;
          const Status status = release ? txn->Release(name) : txn->RollbackTo(name);
          ASSERT_EQ(status.ok(), i > 0);
          if (i == 0) break;
          if (!release) now = savepoints[i - 1].second;
          savepoints.resize(release ? i - 1 : i);
          break;
        }
        case 3:
          ASSERT_EQ(Take(DeleteKey(*txn, tree, key)), now.erase(key) > 0);
          break;
        case 4: {
          const std::string hi = *PrefixEnd(key);
          uint64_t expected = 0;
          for (auto i = now.lower_bound(key); i != now.end() && i->first < hi; ++expected) {
            i = now.erase(i);
          }
          ASSERT_EQ(Take(DeleteKeys(*txn, tree, key, hi)), expected);
          break;
        }
        default: {
          const std::string value(random() % (random() % 20 == 0 ? 5000 : 60), 'a' + step % 26);
          ASSERT_OK(PutValue(*txn, tree, key, value));
          now[key] = value;
        }
      }
      ASSERT_EQ(txn->Count(tree), now.size());
    }
    if (random() % 4 == 0) {
      txn->Rollback();
    } else {
      ASSERT_OK(txn->Commit());
      committed = now;
    }
    ReadTxn read = Read();
    btree::Cursor cursor(read.View(tree));
    cursor.SeekFirst();
    for (const auto& [key, value] : committed) {
      ASSERT_TRUE(cursor.Valid());
      ASSERT_EQ(cursor.key(), key);
      ASSERT_EQ(Get(read, tree, key), value);
      cursor.Next();
    }
    ASSERT_FALSE(cursor.Valid());
    read.End();
    if (round % 20 == 19) Reopen();
  }
}

TEST_F(StoreTest, LargeTransactionsGoDirect) {
  const TreeId tree = NewKeyspace("k");
  auto txn = Begin();
  const uint64_t direct = store_->pager()->stats().direct_commits;
  for (int i = 0; i < 5000; ++i) {
    EXPECT_OK(PutValue(*txn, tree, "key" + std::to_string(i), std::string(100, 'v')));
  }
  EXPECT_OK(txn->Commit());
  EXPECT_EQ(store_->pager()->stats().direct_commits, direct + 1);
  EXPECT_EQ(Take(CountKeys(Read(), tree, std::nullopt, std::nullopt)), 5000u);
}

TEST_F(StoreTest, ATransactionOverItsMemoryWritesPagesEarly) {
  EXPECT_OK(store_->Close());
  options_.dirty_budget = 256 * 1024;
  store_.reset();
  Reopen();
  const TreeId tree = NewKeyspace("k");
  std::mt19937_64 random(3);
  auto txn = Begin();
  std::map<std::string, std::string> model;
  for (int i = 0; i < 20'000; ++i) {
    const std::string key = "key" + std::to_string(random() % 30'000);
    const std::string value = std::to_string(i) + std::string(60, 'v');
    ASSERT_OK(PutValue(*txn, tree, key, value));
    model[key] = value;
    if (i % 97 == 0) {
      const std::string old = model.begin()->first;
      ASSERT_EQ(Get(*txn, tree, old), model.begin()->second);
    }
  }
  ASSERT_OK(txn->Commit());
  ReadTxn read = Read();
  for (const auto& [key, value] : model) ASSERT_EQ(Get(read, tree, key), value);
}

TEST_F(StoreTest, ReadersAndAWriterAtOnce) {
  const TreeId tree = NewKeyspace("k");
  constexpr int kKeys = 50;
  {
    auto txn = Begin();
    for (int i = 0; i < kKeys; ++i) EXPECT_OK(PutValue(*txn, tree, std::to_string(i), "0"));
    EXPECT_OK(txn->Commit());
  }
  std::atomic<bool> stop{false};
  std::vector<std::thread> readers;
  for (int r = 0; r < 2; ++r) {
    readers.emplace_back([&] {
      ReadTxn read(store_);
      while (!stop.load()) {
        ASSERT_TRUE(read.Begin());
        // Each commit writes the same value to all keys.
        const std::optional<std::string> first = Get(read, tree, "0");
        for (int i = 1; i < kKeys; ++i) ASSERT_EQ(Get(read, tree, std::to_string(i)), first);
        read.End();
      }
    });
  }
  for (int round = 1; round <= 200; ++round) {
    auto txn = Begin();
    for (int i = 0; i < kKeys; ++i) {
      ASSERT_OK(PutValue(*txn, tree, std::to_string(i), std::to_string(round)));
    }
    ASSERT_OK(txn->Commit(Durability::kNormal));
  }
  stop = true;
  for (std::thread& reader : readers) reader.join();
}

TEST_F(StoreTest, WritersTakeTurns) {
  const TreeId tree = NewKeyspace("k");
  constexpr int kThreads = 4;
  constexpr int kRounds = 40;
  std::vector<std::thread> writers;
  for (int t = 0; t < kThreads; ++t) {
    writers.emplace_back([&, t] {
      for (int i = 0; i < kRounds; ++i) {
        auto txn = Take(store_->BeginWrite(std::chrono::seconds(60)));
        const int count = std::stoi(Get(*txn, tree, "count").value_or("0"));
        ASSERT_OK(PutValue(*txn, tree, "count", std::to_string(count + 1)));
        ASSERT_OK(PutValue(*txn, tree, std::to_string(t) + "/" + std::to_string(i), "done"));
        ASSERT_OK(txn->Commit(i % 2 == 0 ? Durability::kFull : Durability::kNormal));
        // What was acknowledged is visible to whoever begins now.
        ReadTxn read(store_);
        ASSERT_TRUE(read.Begin());
        ASSERT_GT(std::stoi(*Get(read, tree, "count")), count);
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  Reopen();
  EXPECT_EQ(Get(Read(), tree, "count"), std::to_string(kThreads * kRounds));
  EXPECT_EQ(Take(CountKeys(Read(), tree, std::nullopt, std::nullopt)), 1u + kThreads * kRounds);
}

TEST_F(StoreTest, AWriterWaitsForItsTurnOnlySoLong) {
  auto first = Begin();
  EXPECT_TRUE(absl::IsUnavailable(store_->BeginWrite(std::chrono::milliseconds(20)).status()));
  first->Rollback();
  EXPECT_OK(store_->BeginWrite(std::chrono::milliseconds(20)).status());
}

TEST_F(StoreTest, ASnapshotOutlivesTheDropOfWhatItReads) {
  const TreeId tree = NewKeyspace("k");
  auto txn = Begin();
  for (int i = 0; i < 3000; ++i) {
    ASSERT_OK(PutValue(*txn, tree, std::to_string(i), std::string(100, 'a' + i % 26)));
  }
  ASSERT_OK(txn->Commit());
  ReadTxn old = Read();
  txn = Begin();
  ASSERT_OK(txn->DropKeyspace("k"));
  ASSERT_OK(txn->Commit());
  ASSERT_OK(store_->Checkpoint());
  const TreeId other = NewKeyspace("other");
  for (int round = 0; round < 5; ++round) {
    txn = Begin();
    for (int i = 0; i < 2000; ++i) {
      ASSERT_OK(PutValue(*txn, other, std::to_string(i), std::string(120, 'z')));
    }
    ASSERT_OK(txn->Commit());
    ASSERT_OK(store_->Checkpoint());
  }
  ASSERT_NE(Take(old.FindKeyspace("k")), nullptr);
  for (int i = 0; i < 3000; ++i) {
    ASSERT_EQ(Get(old, tree, std::to_string(i)), std::string(100, 'a' + i % 26));
  }
}

TEST_F(StoreTest, StoresOfOneFileShareItsStates) {
  const TreeId tree = NewKeyspace("k");
  std::shared_ptr<Store> second = Take(Store::Open(options_));
  EXPECT_EQ(second->pager(), store_->pager());
  auto txn = Take(second->BeginWrite());
  ASSERT_OK(PutValue(*txn, tree, "a", "1"));
  ASSERT_OK(txn->CreateKeyspace("of the second").status());
  ASSERT_OK(txn->Commit());
  ReadTxn read = Read();
  EXPECT_EQ(Get(read, tree, "a"), "1");
  EXPECT_NE(Take(read.FindKeyspace("of the second")), nullptr);
  ReadTxn of_second(second);
  ASSERT_TRUE(of_second.Begin());
  EXPECT_EQ(of_second.schema_generation(), read.schema_generation());
  of_second.End();
  ASSERT_OK(second->Close());
  // The file is still open for the first.
  txn = Begin();
  ASSERT_OK(PutValue(*txn, tree, "a", "2"));
  ASSERT_OK(txn->Commit());
}

TEST(MemoryStoreTest, WorksWithoutAFile) {
  const std::shared_ptr<Store> store = Take(Store::Open(StoreOptions()));
  auto txn = Take(store->BeginWrite());
  const TreeId tree = Take(txn->CreateKeyspace("k"))->tree;
  EXPECT_OK(PutValue(*txn, tree, "a", "1"));
  EXPECT_OK(txn->Commit());
  ReadTxn read(store);
  ASSERT_TRUE(read.Begin());
  FoundValue value;
  EXPECT_TRUE(Take(GetValue(read, tree, "a", &value)));
  read.End();
  EXPECT_EQ(Take(store->CheckIntegrity()), std::vector<std::string>());
  EXPECT_OK(store->Close());
  EXPECT_FALSE(read.Begin());
}

TEST(ReadOnlyStoreTest, ReadsAndRefusesToWrite) {
  TempDirectory directory;
  StoreOptions options;
  options.path = directory.File("test.kv");
  {
    const std::shared_ptr<Store> store = Take(Store::Open(options));
    auto txn = Take(store->BeginWrite());
    const TreeId tree = Take(txn->CreateKeyspace("k"))->tree;
    EXPECT_OK(PutValue(*txn, tree, "a", "1"));
    EXPECT_OK(txn->Commit());
    EXPECT_OK(store->Close());
  }
  options.read_only = true;
  const std::shared_ptr<Store> store = Take(Store::Open(options));
  EXPECT_TRUE(absl::IsFailedPrecondition(store->BeginWrite().status()));
  ReadTxn read(store);
  ASSERT_TRUE(read.Begin());
  FoundValue value;
  EXPECT_TRUE(Take(GetValue(read, Take(read.FindKeyspace("k"))->tree, "a", &value)));
  read.End();
  EXPECT_EQ(Take(store->CheckIntegrity()), std::vector<std::string>());
  EXPECT_OK(store->Close());
}

}  // namespace
}  // namespace kvsql::kv
