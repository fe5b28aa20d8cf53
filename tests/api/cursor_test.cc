#include <kvsql/keyspace.h>

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
