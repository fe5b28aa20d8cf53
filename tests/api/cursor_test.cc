#include <kvsql/keyspace.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/api/api_test_util.h"

namespace kvsql {
namespace {

using Keys = std::vector<std::string>;

class CursorTest : public MemoryTest {
 protected:
  CursorTest() {
    for (const char* key : {"a", "b1", "b2", "b3", "c"}) {
      EXPECT_OK(k.put(key, std::string("value of ") + key));
    }
  }
  Keyspace k = Must(db.keyspace("k"));
};

TEST_F(CursorTest, WalksForwardAndBackward) {
  EXPECT_EQ(KeysOf(k.scan()), (Keys{"a", "b1", "b2", "b3", "c"}));
  EXPECT_EQ(KeysOf(k.scan(KeyRange::All(), Direction::kBackward)),
            (Keys{"c", "b3", "b2", "b1", "a"}));
}

TEST_F(CursorTest, KeepsToItsRange) {
  EXPECT_EQ(KeysOf(k.scan(KeyRange::Prefix("b"))), (Keys{"b1", "b2", "b3"}));
  EXPECT_EQ(KeysOf(k.scan(KeyRange::Prefix("b"), Direction::kBackward)), (Keys{"b3", "b2", "b1"}));
  EXPECT_EQ(KeysOf(k.scan(KeyRange::Between("b1", "b3"))), (Keys{"b1", "b2"}));
  EXPECT_EQ(KeysOf(k.scan(KeyRange::Between("b1", "b3"), Direction::kBackward)),
            (Keys{"b2", "b1"}));
  EXPECT_EQ(KeysOf(k.scan(KeyRange::Between("b0", "b21"), Direction::kBackward)),
            (Keys{"b2", "b1"}));
  EXPECT_EQ(KeysOf(k.scan(KeyRange::From("b3"))), (Keys{"b3", "c"}));
  EXPECT_EQ(KeysOf(k.scan(KeyRange::From("b3"), Direction::kBackward)), (Keys{"c", "b3"}));
  EXPECT_EQ(KeysOf(k.scan(KeyRange::Before("b1"))), (Keys{"a"}));
  EXPECT_EQ(KeysOf(k.scan(KeyRange::Before("b1"), Direction::kBackward)), (Keys{"a"}));
  EXPECT_EQ(KeysOf(k.scan(KeyRange::Between("c", "a"))), Keys{});
  EXPECT_EQ(KeysOf(k.scan(KeyRange::Between("c", "a"), Direction::kBackward)), Keys{});
  EXPECT_EQ(KeysOf(k.scan(KeyRange::Prefix("bb"))), Keys{});
  EXPECT_EQ(KeysOf(k.scan(KeyRange::Prefix("bb"), Direction::kBackward)), Keys{});
}

TEST_F(CursorTest, ShowsValues) {
  Cursor cursor = k.scan(KeyRange::Prefix("b2"));
  ASSERT_TRUE(cursor.valid());
  EXPECT_EQ(cursor.value(), "value of b2");
  cursor.next();
  EXPECT_FALSE(cursor.valid());
  EXPECT_EQ(cursor.key(), "");
  EXPECT_EQ(cursor.value(), "");
  EXPECT_OK(cursor.status());
}

TEST_F(CursorTest, WorksInRangeFor) {
  std::string all;
  for (const auto& [key, value] : k.scan(KeyRange::Prefix("b"))) {
    all.append(key).append("=").append(value).append(";");
  }
  EXPECT_EQ(all, "b1=value of b1;b2=value of b2;b3=value of b3;");
}

TEST_F(CursorTest, SeeksInItsRange) {
  Cursor forward = k.scan(KeyRange::Between("b1", "c"));
  forward.seek("b2");
  EXPECT_EQ(forward.key(), "b2");
  forward.seek("b21");
  EXPECT_EQ(forward.key(), "b3");
  forward.seek("a");
  EXPECT_EQ(forward.key(), "b1");
  forward.seek("c");
  EXPECT_FALSE(forward.valid());
  forward.rewind();
  EXPECT_EQ(forward.key(), "b1");

  Cursor backward = k.scan(KeyRange::Between("b1", "c"), Direction::kBackward);
  EXPECT_EQ(backward.key(), "b3");
  backward.seek("b21");
  EXPECT_EQ(backward.key(), "b2");
  backward.seek("z");
  EXPECT_EQ(backward.key(), "b3");
  backward.seek("a");
  EXPECT_FALSE(backward.valid());
  backward.rewind();
  EXPECT_EQ(backward.key(), "b3");
}

TEST_F(CursorTest, GoesBothWays) {
  Cursor cursor = k.scan(KeyRange::Prefix("b"));
  cursor.next();
  cursor.prev();
  EXPECT_EQ(cursor.key(), "b1");
  cursor.prev();
  EXPECT_FALSE(cursor.valid());
  cursor.next();  // nothing to stand on: stays where it is
  EXPECT_FALSE(cursor.valid());
  cursor.rewind();
  EXPECT_EQ(cursor.key(), "b1");
}

// Long walks cross many leaves, and look for their range's end once in each.
TEST_F(CursorTest, StaysInItsRangeOverManyLeaves) {
  Keyspace big = Must(db.keyspace("big"));
  Keys all;
  {
    WriteTransaction transaction = Must(db.begin());
    for (int i = 0; i < 2'000; ++i) {
      all.push_back(std::to_string(100'000 + 3 * i));
      EXPECT_OK(big.put(all.back(), std::string(200, 'v'), transaction));
    }
    EXPECT_OK(transaction.commit());
  }
  for (int begin = 99'990; begin < 106'010; begin += 397) {
    for (int end = begin; end < 106'050; end += 701) {
      const std::string low = std::to_string(begin);
      const std::string high = std::to_string(end);
      Keys expected;
      for (const std::string& key : all) {
        if (key >= low && key < high) expected.push_back(key);
      }
      const KeyRange range = KeyRange::Between(low, high);
      EXPECT_EQ(KeysOf(big.scan(range)), expected) << low << " " << high;
      Keys visited;
      const auto visit = [&](const VisitedEntry& entry) {
        visited.emplace_back(entry.key());
        return true;
      };
      EXPECT_OK(big.for_each(range, Direction::kForward, visit));
      EXPECT_EQ(visited, expected);
      visited.clear();
      std::reverse(expected.begin(), expected.end());
      EXPECT_OK(big.for_each(range, Direction::kBackward, visit));
      EXPECT_EQ(visited, expected) << low << " " << high;
      EXPECT_EQ(KeysOf(big.scan(range, Direction::kBackward)), expected) << low << " " << high;
    }
  }
}

TEST_F(CursorTest, TurnsRoundAnywhere) {
  Keyspace big = Must(db.keyspace("big"));
  for (int i = 0; i < 500; ++i)
    EXPECT_OK(big.put(std::to_string(1'000 + i), std::string(100, 'v')));
  for (const Direction direction : {Direction::kForward, Direction::kBackward}) {
    Cursor cursor = big.scan(KeyRange::Between("1050", "1450"), direction);
    const int step = direction == Direction::kForward ? 1 : -1;
    int at = step > 0 ? 1'050 : 1'449;
    // Seven onward, three back, until the range's end.
    for (int i = 0; cursor.valid(); ++i) {
      ASSERT_EQ(cursor.key(), std::to_string(at));
      const bool onward = i % 10 < 7;
      onward ? cursor.next() : cursor.prev();
      at += onward ? step : -step;
    }
    EXPECT_OK(cursor.status());
    EXPECT_EQ(at, step > 0 ? 1'450 : 1'049);
  }
}

TEST_F(CursorTest, ForEachStopsWhenTheVisitorSaysSo) {
  Keys visited;
  EXPECT_OK(k.for_each(KeyRange::Prefix("b"), Direction::kBackward, [&](const VisitedEntry& entry) {
    EXPECT_EQ(entry.value(), "value of " + std::string(entry.key()));
    visited.emplace_back(entry.key());
    return visited.size() < 2;
  }));
  EXPECT_EQ(visited, (Keys{"b3", "b2"}));
}

TEST_F(CursorTest, ForEachShowsOneStateAndLetsItsVisitorUseTheHandle) {
  Keys visited;
  const auto visit = [&](const VisitedEntry& entry) {
    visited.emplace_back(entry.key());
    EXPECT_TRUE(Must(k.contains("a")));
    EXPECT_OK(k.put("b9", "late"));
    const Status nested =
        k.for_each(KeyRange::All(), Direction::kForward, [](const VisitedEntry&) { return true; });
    EXPECT_EQ(nested.code(), absl::StatusCode::kFailedPrecondition);
    return true;
  };
  EXPECT_OK(k.for_each(KeyRange::All(), Direction::kForward, visit));
  EXPECT_EQ(visited, (Keys{"a", "b1", "b2", "b3", "c"}));
  EXPECT_EQ(KeysOf(k.scan(KeyRange::Prefix("b"))), (Keys{"b1", "b2", "b3", "b9"}));
}

TEST_F(CursorTest, ForEachReadsFromSnapshotsAndTransactions) {
  const Snapshot snapshot = Must(db.snapshot());
  WriteTransaction transaction = Must(db.begin());
  EXPECT_OK(k.put("b15", "new", transaction));
  const auto keys = [&](ReadFrom from) {
    Keys visited;
    EXPECT_OK(k.for_each(
        KeyRange::Prefix("b1"), Direction::kForward,
        [&](const VisitedEntry& entry) {
          visited.emplace_back(entry.key());
          return true;
        },
        from));
    return visited;
  };
  EXPECT_EQ(keys(transaction), (Keys{"b1", "b15"}));
  EXPECT_EQ(keys(snapshot), (Keys{"b1"}));
  EXPECT_EQ(keys({}), (Keys{"b1"}));
  EXPECT_OK(transaction.rollback());
}

TEST_F(CursorTest, ForEachTellsWhyItCannot) {
  const auto visit = [](const VisitedEntry&) { return true; };
  Keyspace moved = std::move(k);
  EXPECT_EQ(k.for_each(KeyRange::All(), Direction::kForward, visit).code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_OK(db.drop_keyspace("k"));
  EXPECT_EQ(moved.for_each(KeyRange::All(), Direction::kForward, visit).code(),
            absl::StatusCode::kNotFound);
}

TEST_F(CursorTest, ShowsTheStateOfItsStart) {
  const Snapshot snapshot = Must(db.snapshot());
  Cursor own = k.scan();
  EXPECT_OK(k.put("b15", "late"));
  EXPECT_TRUE(Must(k.erase("b2")));
  EXPECT_EQ(KeysOf(std::move(own)), (Keys{"a", "b1", "b2", "b3", "c"}));
  EXPECT_EQ(KeysOf(k.scan(KeyRange::All(), snapshot)), (Keys{"a", "b1", "b2", "b3", "c"}));
  EXPECT_EQ(KeysOf(k.scan()), (Keys{"a", "b1", "b15", "b3", "c"}));
}

TEST_F(CursorTest, OutlivesItsSnapshotAndItsKeyspace) {
  std::optional<Cursor> cursor;
  {
    Keyspace copy = k;
    const Snapshot snapshot = Must(db.snapshot());
    cursor = copy.scan(KeyRange::Prefix("b"), snapshot);
  }
  EXPECT_OK(k.erase_range(KeyRange::All()));
  EXPECT_EQ(KeysOf(*std::move(cursor)), (Keys{"b1", "b2", "b3"}));
}

TEST_F(CursorTest, FollowsTheWritesOfItsTransaction) {
  WriteTransaction transaction = Must(db.begin());
  Cursor cursor = k.scan(KeyRange::Prefix("b"), transaction);
  EXPECT_EQ(cursor.key(), "b1");
  EXPECT_OK(k.put("b15", "new", transaction));
  cursor.next();
  EXPECT_EQ(cursor.key(), "b15");
  EXPECT_EQ(cursor.value(), "new");
  EXPECT_TRUE(Must(k.erase("b15", transaction)));
  EXPECT_TRUE(Must(k.erase("b2", transaction)));
  cursor.next();
  EXPECT_EQ(cursor.key(), "b3");
  EXPECT_TRUE(Must(k.erase("b3", transaction)));
  cursor.prev();
  EXPECT_EQ(cursor.key(), "b1");
  EXPECT_OK(transaction.rollback());
}

TEST_F(CursorTest, DeletesWhileWalking) {
  for (int i = 0; i < 3000; ++i)
    EXPECT_OK(k.put("x" + std::to_string(i), "v", Durability::kNormal));
  WriteTransaction transaction = Must(db.begin());
  int seen = 0;
  for (Cursor cursor = k.scan(KeyRange::Prefix("x"), transaction); cursor.valid(); cursor.next()) {
    EXPECT_TRUE(Must(k.erase(cursor.key(), transaction)));
    ++seen;
  }
  EXPECT_EQ(seen, 3000);
  EXPECT_OK(transaction.commit());
  EXPECT_EQ(Must(k.count(KeyRange::Prefix("x"))), 0u);
}

TEST_F(CursorTest, EndsWithItsTransaction) {
  WriteTransaction transaction = Must(db.begin());
  Cursor cursor = k.scan(KeyRange::All(), transaction);
  EXPECT_TRUE(cursor.valid());
  EXPECT_OK(transaction.commit());
  EXPECT_EQ(cursor.key(), "");
  EXPECT_EQ(cursor.value(), "");
  EXPECT_CODE(cursor.status(), kFailedPrecondition);
  cursor.next();
  EXPECT_FALSE(cursor.valid());
  cursor.rewind();
  EXPECT_FALSE(cursor.valid());
  EXPECT_CODE(cursor.status(), kFailedPrecondition);
}

TEST_F(CursorTest, EndsWithItsKeyspace) {
  WriteTransaction transaction = Must(db.begin());
  Cursor cursor = k.scan(KeyRange::All(), transaction);
  EXPECT_OK(transaction.drop_keyspace("k"));
  cursor.next();
  EXPECT_FALSE(cursor.valid());
  EXPECT_CODE(cursor.status(), kNotFound);
}

TEST_F(CursorTest, MovedFromCursorIsNotValid) {
  Cursor cursor = k.scan();
  Cursor moved = std::move(cursor);
  EXPECT_FALSE(cursor.valid());
  EXPECT_CODE(cursor.status(), kFailedPrecondition);
  cursor.next();
  cursor.rewind();
  EXPECT_FALSE(cursor.valid());
  EXPECT_EQ(moved.key(), "a");
}

}  // namespace
}  // namespace kvsql
