// Readers and writers of one database side by side; meant to be run under TSan too.
#include <kvsql/kvsql.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "tests/api/api_test_util.h"

namespace kvsql {
namespace {

class ThreadsTest : public ::testing::Test {
 protected:
  // A small map, for TSan refuses large ones.
  TempDir dir;
  Database db = Must(Database::Open(
      dir.file("a"), {.durability = Durability::kNormal, .map_size = uint64_t{64} << 20}));
};

TEST_F(ThreadsTest, ReadersSeeOnlyWholeCommits) {
  constexpr int kKeys = 50;
  Keyspace k = Must(db.keyspace("k"));
  const auto write_all = [&](Keyspace& keys, int generation) {
    WriteTransaction transaction = Must(db.begin());
    for (int i = 0; i < kKeys; ++i) {
      ASSERT_OK(keys.put(std::to_string(i), std::to_string(generation), transaction));
    }
    ASSERT_OK(transaction.commit());
  };
  write_all(k, 0);
  std::atomic<bool> stop{false};
  std::atomic<uint64_t> reads{0};
  std::vector<std::thread> readers;
  for (int reader = 0; reader < 3; ++reader) {
    readers.emplace_back([&, reader, mine = k]() mutable {
      std::string first;
      std::string value;
      while (!stop.load()) {
        if (reader == 0) {
          const Snapshot snapshot = Must(db.snapshot());
          ASSERT_TRUE(Must(mine.get("0", &first, snapshot)));
          for (int i = 1; i < kKeys; ++i) {
            ASSERT_TRUE(Must(mine.get(std::to_string(i), &value, snapshot)));
            ASSERT_EQ(value, first);
          }
        } else if (reader == 1) {
          int seen = 0;
          for (const auto& [key, found] : mine.scan()) {
            if (seen++ == 0) first = found;
            ASSERT_EQ(found, first);
          }
          ASSERT_EQ(seen, kKeys);
        } else {
          // Never backwards.
          ASSERT_TRUE(Must(mine.get("7", &first)));
          ASSERT_TRUE(Must(mine.get("7", &value)));
          ASSERT_LE(std::stoi(first), std::stoi(value));
        }
        reads.fetch_add(1);
      }
    });
  }
  for (int generation = 1; generation <= 300; ++generation) write_all(k, generation);
  while (reads.load() < 100) std::this_thread::yield();
  stop.store(true);
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(Must(k.get("0")), "300");
}

TEST_F(ThreadsTest, SnapshotIsSharedByThreads) {
  Keyspace k = Must(db.keyspace("k"));
  for (int i = 0; i < 100; ++i) EXPECT_OK(k.put(std::to_string(i), "before"));
  const Snapshot snapshot = Must(db.snapshot());
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 3; ++thread) {
    threads.emplace_back([&, mine = k, copy = snapshot]() mutable {
      for (int round = 0; round < 50; ++round) {
        for (int i = 0; i < 100; ++i) {
          ASSERT_EQ(Must(mine.get(std::to_string(i), copy)), "before");
        }
      }
    });
  }
  threads.emplace_back([&, mine = k]() mutable {
    for (int i = 0; i < 500; ++i) ASSERT_OK(mine.put(std::to_string(i % 100), "after"));
  });
  for (std::thread& thread : threads) thread.join();
}

TEST_F(ThreadsTest, WritersTakeTurns) {
  Keyspace k = Must(db.keyspace("k"));
  EXPECT_OK(k.put("sum", "0"));
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, mine = k]() mutable {
      for (int i = 0; i < 100; ++i) {
        WriteTransaction transaction = Must(db.begin());
        const int sum = std::stoi(*Must(mine.get("sum", transaction)));
        ASSERT_OK(mine.put("sum", std::to_string(sum + 1), transaction));
        ASSERT_OK(transaction.commit());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Must(k.get("sum")), "400");
}

TEST_F(ThreadsTest, CompareAndPutIsAtomic) {
  Keyspace k = Must(db.keyspace("k"));
  EXPECT_OK(k.put("sum", "0"));
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 3; ++thread) {
    threads.emplace_back([&, mine = k]() mutable {
      for (int done = 0; done < 50;) {
        const std::string now = *Must(mine.get("sum"));
        if (Must(mine.compare_and_put("sum", now, std::to_string(std::stoi(now) + 1)))) ++done;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Must(k.get("sum")), "150");
}

TEST_F(ThreadsTest, RowsAndSqlBesideAWriter) {
  EXPECT_OK(Must(db.connect()).execute("CREATE TABLE t(id INTEGER PRIMARY KEY, a, b)"));
  Table t = Must(db.table("t"));
  for (int i = 0; i < 100; ++i) EXPECT_OK(t.insert_row({i, 0, 0}));
  std::atomic<bool> stop{false};
  std::atomic<uint64_t> reads{0};
  std::vector<std::thread> readers;
  readers.emplace_back([&, mine = t]() mutable {
    for (int i = 0; !stop.load(); i = (i + 7) % 100) {
      const Row row = Must(mine.get_row(i));
      ASSERT_TRUE(row.exists());
      ASSERT_EQ(row.integer(1), row.integer(2));
      reads.fetch_add(1);
    }
  });
  readers.emplace_back([&] {
    Connection connection = Must(db.connect());
    Statement select = Must(connection.prepare("SELECT a, b FROM t WHERE id = ?"));
    for (int i = 0; !stop.load(); i = (i + 7) % 100) {
      ASSERT_OK(select.bind(1, i));
      ASSERT_TRUE(Must(select.step()));
      ASSERT_EQ(select.integer(0), select.integer(1));
      select.reset();
      reads.fetch_add(1);
    }
  });
  Connection writer = Must(db.connect());
  Statement update = Must(writer.prepare("UPDATE t SET a = ?1, b = ?1 WHERE id = ?2"));
  for (int i = 0; i < 1000; ++i) {
    ASSERT_OK(update.bind_all({i, i % 100}));
    ASSERT_OK(update.execute());
  }
  while (reads.load() < 1000) std::this_thread::yield();
  stop.store(true);
  for (std::thread& reader : readers) reader.join();
}

TEST_F(ThreadsTest, SchemaChangesBesideReaders) {
  Keyspace k = Must(db.keyspace("k"));
  EXPECT_OK(k.put("a", "1"));
  std::atomic<bool> stop{false};
  std::thread reader([&, mine = k]() mutable {
    while (!stop.load()) {
      const StatusOr<std::optional<std::string>> value = mine.get("a");
      if (value.ok()) {
        ASSERT_TRUE(*value == std::nullopt || *value == "1");
      } else {
        ASSERT_EQ(value.status().code(), absl::StatusCode::kNotFound);
      }
    }
  });
  for (int i = 0; i < 100; ++i) {
    ASSERT_OK(db.drop_keyspace("k"));
    ASSERT_OK(Must(db.keyspace("k")).put("a", "1"));
  }
  stop.store(true);
  reader.join();
}

TEST_F(ThreadsTest, CloseIsRefusedOrEndsEverything) {
  Keyspace k = Must(db.keyspace("k"));
  EXPECT_OK(k.put("a", "1"));
  std::atomic<bool> started{false};
  std::thread reader([&, mine = k]() mutable {
    for (;;) {
      const StatusOr<std::optional<std::string>> value = mine.get("a");
      if (!value.ok()) {
        ASSERT_EQ(value.status().code(), absl::StatusCode::kFailedPrecondition);
        return;
      }
      ASSERT_EQ(*value, "1");
      started.store(true);
    }
  });
  while (!started.load()) std::this_thread::yield();
  Status closed = db.close();
  while (!closed.ok()) {
    ASSERT_EQ(closed.code(), absl::StatusCode::kFailedPrecondition);
    closed = db.close();
  }
  reader.join();
  EXPECT_EQ(Must(Must(Must(Database::Open(dir.file("a"))).keyspace("k")).get("a")), "1");
}

}  // namespace
}  // namespace kvsql
