#include <kvsql/table.h>

#include <string>

#include "tests/api/api_test_util.h"

namespace kvsql {
namespace {

class TableTest : public MemoryTest {
 protected:
  void Execute(std::string_view sql) { ASSERT_OK(connection.execute(sql)); }

  Connection connection = Must(db.connect());
};

TEST_F(TableTest, ReadsRowsByIntegerPrimaryKey) {
  Execute("CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, score REAL, data BLOB)");
  Execute("INSERT INTO t VALUES (42, 'Ada', 1.5, x'0102'), (-7, NULL, 2.5, NULL)");
  Table t = Must(db.table("t"));
  EXPECT_EQ(t.name(), "t");
  Row row = Must(t.get_row(42));
  ASSERT_TRUE(row.exists());
  EXPECT_EQ(row.column_count(), 4u);
  EXPECT_EQ(row.column_name(1), "name");
  EXPECT_EQ(row.column_name(4), "");
  EXPECT_EQ(row.rowid(), 42);
  EXPECT_EQ(row.integer(0), 42);
  EXPECT_EQ(row.text(1), "Ada");
  EXPECT_EQ(row.real(2), 1.5);
  EXPECT_EQ(row.blob(3).size(), 2u);
  EXPECT_EQ(row.type(3), ValueType::kBlob);
  EXPECT_EQ(row["name"].text(), "Ada");
  EXPECT_EQ(row["NAME"].text(), "Ada");
  EXPECT_EQ(row[0].integer(), 42);
  EXPECT_EQ(row.column_index("score"), 2u);
  EXPECT_EQ(row.column_index("none"), std::nullopt);
  EXPECT_TRUE(row["none"].is_null());
  EXPECT_TRUE(row.at(4).is_null());
  EXPECT_OK(row.status());

  row = Must(t.get_row(int16_t{-7}));
  EXPECT_EQ(row.integer(0), -7);
  EXPECT_TRUE(row.is_null(1));
  EXPECT_FALSE(Must(t.get_row(1)).exists());
  EXPECT_FALSE(Must(t.get_row(size_t{1} << 63)).exists());
  EXPECT_EQ(Must(t.count()), 2u);
}

TEST_F(TableTest, KeysGetTheAffinityOfTheirColumn) {
  Execute("CREATE TABLE t(id INTEGER PRIMARY KEY, x)");
  Execute("CREATE TABLE s(name TEXT PRIMARY KEY, x)");
  Execute("INSERT INTO t VALUES (42, 'a')");
  Execute("INSERT INTO s VALUES ('42', 'b')");
  Table t = Must(db.table("t"));
  Table s = Must(db.table("s"));
  EXPECT_TRUE(Must(t.get_row("42")).exists());
  EXPECT_TRUE(Must(t.get_row(42.0)).exists());
  EXPECT_FALSE(Must(t.get_row(42.5)).exists());
  EXPECT_FALSE(Must(t.get_row("x")).exists());
  EXPECT_FALSE(Must(t.get_row(nullptr)).exists());
  EXPECT_TRUE(Must(s.get_row("42")).exists());
  EXPECT_TRUE(Must(s.get_row(42)).exists());
}

TEST_F(TableTest, ReadsRowsByOtherPrimaryKeys) {
  Execute("CREATE TABLE by_text(name TEXT PRIMARY KEY, x)");
  Execute("CREATE TABLE pairs(a INTEGER, b TEXT, x, PRIMARY KEY(b, a)) WITHOUT ROWID");
  Execute("CREATE TABLE plain_pairs(a INTEGER, b TEXT, x, PRIMARY KEY(a, b))");
  Execute("INSERT INTO by_text VALUES ('one', 1), ('two', 2)");
  Execute("INSERT INTO pairs VALUES (1, 'x', 'first'), (2, 'x', 'second')");
  Execute("INSERT INTO plain_pairs VALUES (1, 'x', 'first'), (2, 'x', 'second')");
  Table by_text = Must(db.table("by_text"));
  EXPECT_EQ(Must(by_text.get_row("two"))["x"].integer(), 2);
  EXPECT_FALSE(Must(by_text.get_row("three")).exists());
  Table pairs = Must(db.table("pairs"));
  Row row = Must(pairs.get_row({"x", 2}));
  ASSERT_TRUE(row.exists());
  EXPECT_EQ(row["x"].text(), "second");
  EXPECT_EQ(row["a"].integer(), 2);
  EXPECT_EQ(row["b"].text(), "x");
  EXPECT_EQ(row.rowid(), 0);
  EXPECT_CODE(pairs.get_row("x"), kInvalidArgument);
  EXPECT_CODE(pairs.get_row(1), kInvalidArgument);
  EXPECT_CODE(pairs.get_row({1, 2, 3}), kInvalidArgument);
  EXPECT_EQ(Must(Must(db.table("plain_pairs")).get_row({1, "x"}))["x"].text(), "first");
}

TEST_F(TableTest, ReadsRowsByRowidWhereThereIsNoPrimaryKey) {
  Execute("CREATE TABLE t(x)");
  Execute("INSERT INTO t VALUES ('a'), ('b')");
  Table t = Must(db.table("t"));
  Row row = Must(t.get_row(2));
  EXPECT_EQ(row.text(0), "b");
  EXPECT_EQ(row.rowid(), 2);
  EXPECT_EQ(Must(t.get_row("2")).text(0), "b");
  EXPECT_FALSE(Must(t.get_row("x")).exists());
  EXPECT_CODE(t.get_row({1, 2}), kInvalidArgument);
}

TEST_F(TableTest, ReadsRowsByUniqueIndexes) {
  Execute("CREATE TABLE t(id INTEGER PRIMARY KEY, mail TEXT UNIQUE, a, b)");
  Execute("CREATE UNIQUE INDEX t_by_ab ON t(a, b)");
  Execute("CREATE INDEX t_by_b ON t(b)");
  Execute("INSERT INTO t VALUES (1, 'ada@example.org', 1, 'x'), (2, NULL, 1, 'y')");
  Table t = Must(db.table("t"));
  EXPECT_EQ(Must(t.get_row_by("mail", {"ada@example.org"})).integer(0), 1);
  EXPECT_FALSE(Must(t.get_row_by("mail", {"eve@example.org"})).exists());
  EXPECT_FALSE(Must(t.get_row_by("mail", {nullptr})).exists());
  EXPECT_EQ(Must(t.get_row_by("t_by_ab", {1, "y"})).integer(0), 2);
  EXPECT_EQ(Must(t.get_row_by("T_BY_AB", {1, "y"})).integer(0), 2);
  EXPECT_EQ(Must(t.get_row_by("a", {1, "y"})).integer(0), 2);
  EXPECT_CODE(t.get_row_by("t_by_ab", {1}), kInvalidArgument);
  EXPECT_CODE(t.get_row_by("t_by_b", {"x"}), kInvalidArgument);
  EXPECT_CODE(t.get_row_by("none", {"x"}), kNotFound);
  EXPECT_CODE(t.get_row_by("b", {"x"}), kNotFound);
}

// What SQL says of rows holds for those that come through the key door.
TEST_F(TableTest, WritesKeepChecksDefaultsAndPartialIndexes) {
  Execute(
      "CREATE TABLE t(id INTEGER PRIMARY KEY, a CHECK (a > 0), b DEFAULT (1 + 2), c DEFAULT "
      "(upper('x')))");
  Execute("CREATE UNIQUE INDEX t_big ON t(b) WHERE a > 10");
  Execute("CREATE UNIQUE INDEX t_sum ON t(a + b)");
  Table t = Must(db.table("t"));
  EXPECT_EQ(Must(t.insert_row({1, 5})), 1);
  EXPECT_EQ(Must(t.get_row(1)).integer(2), 3);
  EXPECT_EQ(Must(t.get_row(1)).text(3), "X");
  const StatusOr<int64_t> refused = t.insert_row({2, -5});
  EXPECT_CODE(refused, kInvalidArgument);
  EXPECT_EQ(refused.status().message(), "CHECK constraint failed: a > 0");
  EXPECT_CODE(t.put_row({1, 0}), kInvalidArgument);
  EXPECT_EQ(Must(t.insert_row({2, 11, 100})), 2);
  EXPECT_EQ(Must(t.insert_row({3, 1, 100})), 3);
  EXPECT_CODE(t.insert_row({4, 12, 100}), kAlreadyExists);  // t_big
  EXPECT_CODE(t.insert_row({4, 4, 4}), kAlreadyExists);     // t_sum
  EXPECT_EQ(Must(t.get_row_by("t_big", {100})).integer(0), 2);
  EXPECT_CODE(t.get_row_by("b", {100}), kNotFound);
  EXPECT_CODE(t.get_row_by("t_sum", {8}), kInvalidArgument);
  EXPECT_EQ(Must(t.put_row({2, 12, 100})), 2);
  EXPECT_TRUE(Must(t.erase_row(2)));
  EXPECT_EQ(Must(t.insert_row({4, 12, 100})), 4);
  EXPECT_TRUE(Must(t.erase_row(1)));
  Statement check = Must(connection.query("PRAGMA integrity_check"));
  ASSERT_TRUE(Must(check.step()));
  EXPECT_EQ(check.text(0), "ok");
}

TEST_F(TableTest, ConflictClausesHoldForInsertRow) {
  Execute(
      "CREATE TABLE t(id INTEGER PRIMARY KEY, a UNIQUE ON CONFLICT REPLACE, b NOT NULL ON CONFLICT "
      "IGNORE)");
  Table t = Must(db.table("t"));
  Must(t.insert_row({1, 5, 1}));
  Must(t.insert_row({2, 5, 2}));
  EXPECT_FALSE(Must(t.get_row(1)).exists());
  Must(t.insert_row({3, 6, nullptr}));
  EXPECT_EQ(Must(t.count()), 1u);
}

TEST_F(TableTest, InsertRowKeepsConstraints) {
  Execute("CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT NOT NULL, mail UNIQUE, n DEFAULT 7)");
  Table t = Must(db.table("t"));
  EXPECT_EQ(Must(t.insert_row({5, "Ada", "a@x"})), 5);
  EXPECT_EQ(Must(t.insert_row({nullptr, "Eve", "e@x", 8})), 6);
  EXPECT_EQ(Must(t.get_row(5))["n"].integer(), 7);
  EXPECT_EQ(Must(t.get_row(6))["n"].integer(), 8);
  EXPECT_CODE(t.insert_row({5, "Bob", "b@x"}), kAlreadyExists);
  EXPECT_CODE(t.insert_row({7, "Bob", "a@x"}), kAlreadyExists);
  EXPECT_CODE(t.insert_row({7, nullptr, "b@x"}), kInvalidArgument);
  EXPECT_CODE(t.insert_row({1, 2, 3, 4, 5}), kInvalidArgument);
  EXPECT_CODE(t.insert_row({"x", "Bob", "b@x"}), kInvalidArgument);
  EXPECT_EQ(Must(t.count()), 2u);
  const Status taken = t.insert_row({5, "Bob", "b@x"}).status();
  EXPECT_NE(std::string(taken.message()).find("t.id"), std::string::npos) << taken;
}

TEST_F(TableTest, PutRowReplacesWhatIsInTheWay) {
  Execute("CREATE TABLE t(id INTEGER PRIMARY KEY, mail UNIQUE)");
  Table t = Must(db.table("t"));
  EXPECT_OK(t.put_row({1, "a"}));
  EXPECT_OK(t.put_row({2, "b"}));
  EXPECT_OK(t.put_row({1, "b"}));
  EXPECT_EQ(Must(t.count()), 1u);
  EXPECT_EQ(Must(t.get_row_by("mail", {"b"})).rowid(), 1);
}

TEST_F(TableTest, EraseRowTellsIfThereWasOne) {
  Execute("CREATE TABLE t(a TEXT, b TEXT, PRIMARY KEY(a, b))");
  Table t = Must(db.table("t"));
  EXPECT_OK(t.insert_row({"x", "y"}));
  EXPECT_FALSE(Must(t.erase_row({"x", "z"})));
  EXPECT_TRUE(Must(t.erase_row({"x", "y"})));
  EXPECT_EQ(Must(t.count()), 0u);
  EXPECT_CODE(t.erase_row("x"), kInvalidArgument);
}

TEST_F(TableTest, LargeColumnsAreRead) {
  Execute("CREATE TABLE t(id INTEGER PRIMARY KEY, small, large)");
  Table t = Must(db.table("t"));
  const std::string large(300000, 'l');
  EXPECT_OK(t.insert_row({1, "s", std::string_view(large)}));
  EXPECT_TRUE(Must(t.get_row(1)).text(2) == large);
  EXPECT_EQ(Must(t.get_row(1)).text(1), "s");
}

TEST_F(TableTest, RowEndsWithTheNextCallOnItsHandle) {
  Execute("CREATE TABLE t(id INTEGER PRIMARY KEY, x)");
  Execute("INSERT INTO t VALUES (1, 'a'), (2, 'b')");
  Table t = Must(db.table("t"));
  Row first = Must(t.get_row(1));
  EXPECT_EQ(first.text(1), "a");
  Row second = Must(t.get_row(2));
  EXPECT_EQ(second.text(1), "b");
  EXPECT_TRUE(first.at(1).is_null());
  EXPECT_EQ(first.column_count(), 0u);
  EXPECT_CODE(first.status(), kFailedPrecondition);
  EXPECT_OK(second.status());
  // Destroying the old row does not end the new one.
  first = Row();
  EXPECT_EQ(second.text(1), "b");
  EXPECT_OK(Row().status());
  EXPECT_EQ(Row().rowid(), 0);
}

TEST_F(TableTest, RowKeepsItsStateWhileOthersWrite) {
  Execute("CREATE TABLE t(id INTEGER PRIMARY KEY, x)");
  Execute("INSERT INTO t VALUES (1, 'before')");
  Table reader = Must(db.table("t"));
  Table writer = reader;
  Row row = Must(reader.get_row(1));
  for (int i = 0; i < 100; ++i) EXPECT_OK(writer.put_row({1, std::string(i, 'x')}));
  EXPECT_EQ(row.text(1), "before");
}

TEST_F(TableTest, RowMayBePassedToAWriteOfItsHandle) {
  Execute("CREATE TABLE t(id INTEGER PRIMARY KEY, x)");
  Execute("INSERT INTO t VALUES (1, 'text')");
  Table t = Must(db.table("t"));
  Row row = Must(t.get_row(1));
  EXPECT_OK(t.insert_row({2, row[1]}));
  EXPECT_EQ(Must(t.get_row(2)).text(1), "text");
}

TEST_F(TableTest, RowOutlivesItsHandle) {
  Execute("CREATE TABLE t(id INTEGER PRIMARY KEY, x)");
  Execute("INSERT INTO t VALUES (1, 'a')");
  Row row;
  {
    Table t = Must(db.table("t"));
    row = Must(t.get_row(1));
  }
  EXPECT_EQ(row.text(1), "a");
}

TEST_F(TableTest, RowsOfASnapshotStayTogether) {
  Execute("CREATE TABLE t(id INTEGER PRIMARY KEY, x)");
  Execute("INSERT INTO t VALUES (1, 'a'), (2, 'b')");
  Table t = Must(db.table("t"));
  const Snapshot snapshot = Must(db.snapshot());
  Row first = Must(t.get_row(1, snapshot));
  Row second = Must(t.get_row(2, snapshot));
  Execute("UPDATE t SET x = 'changed' WHERE id = 1");
  EXPECT_EQ(first.text(1), "a");
  EXPECT_EQ(second.text(1), "b");
  EXPECT_EQ(Must(t.get_row(1)).text(1), "changed");
  EXPECT_EQ(first.text(1), "a");
  EXPECT_EQ(Must(t.get_row(1, snapshot)).text(1), "a");
  EXPECT_EQ(Must(t.count(snapshot)), 2u);
}

TEST_F(TableTest, RowOfATransactionEndsWithItsNextWrite) {
  Execute("CREATE TABLE t(id INTEGER PRIMARY KEY, x)");
  Execute("INSERT INTO t VALUES (1, 'a'), (2, 'b')");
  Table t = Must(db.table("t"));
  WriteTransaction transaction = Must(db.begin());
  Row first = Must(t.get_row(1, transaction));
  Row second = Must(t.get_row(2, transaction));
  EXPECT_EQ(first.text(1), "a");
  EXPECT_EQ(second.text(1), "b");
  EXPECT_OK(t.put_row({3, "c"}, transaction));
  EXPECT_TRUE(first.at(1).is_null());
  EXPECT_CODE(second.status(), kFailedPrecondition);
  Row third = Must(t.get_row(3, transaction));
  EXPECT_EQ(third.text(1), "c");
  EXPECT_OK(transaction.commit());
  EXPECT_TRUE(third.at(1).is_null());
  EXPECT_CODE(third.status(), kFailedPrecondition);
}

TEST_F(TableTest, RowOfATransactionOutlivesIt) {
  Execute("CREATE TABLE t(id INTEGER PRIMARY KEY, x)");
  Execute("INSERT INTO t VALUES (1, 'a')");
  Row row;
  {
    WriteTransaction transaction = Must(db.begin());
    Table t = Must(db.table("t"));
    row = Must(t.get_row(1, transaction));
  }
  EXPECT_TRUE(row.exists());
  EXPECT_CODE(row.status(), kFailedPrecondition);
}

TEST_F(TableTest, HeldRowKeepsTheDatabaseOpen) {
  TempDir dir;
  Database file = Must(Database::Open(dir.file("a")));
  EXPECT_OK(Must(file.connect()).execute("CREATE TABLE t(id INTEGER PRIMARY KEY, x)"));
  Table t = Must(file.table("t"));
  EXPECT_OK(t.insert_row({1, "a"}));
  {
    Row row = Must(t.get_row(1));
    EXPECT_CODE(file.close(), kFailedPrecondition);
    EXPECT_EQ(row.text(1), "a");
  }
  EXPECT_OK(file.close());
}

TEST_F(TableTest, HandleFollowsTheSchema) {
  EXPECT_CODE(db.table("t"), kNotFound);
  Execute("CREATE TABLE t(id INTEGER PRIMARY KEY, x)");
  Execute("INSERT INTO t VALUES (1, 'old')");
  Table t = Must(db.table("T"));
  EXPECT_EQ(Must(t.get_row(1)).text(1), "old");
  const Snapshot before = Must(db.snapshot());
  Execute("DROP TABLE t");
  EXPECT_CODE(t.get_row(1), kNotFound);
  EXPECT_CODE(t.insert_row({1, 2}), kNotFound);
  EXPECT_CODE(t.count(), kNotFound);
  EXPECT_EQ(Must(t.get_row(1, before)).text(1), "old");
  Execute("CREATE TABLE t(a TEXT, b TEXT PRIMARY KEY, c)");
  Execute("INSERT INTO t VALUES ('x', 'key', 'new')");
  EXPECT_EQ(Must(t.get_row("key"))["c"].text(), "new");
  EXPECT_EQ(Must(t.get_row(1, before)).text(1), "old");
}

TEST_F(TableTest, KeyspacesAreNoTables) {
  Must(db.keyspace("k"));
  EXPECT_CODE(db.table("k"), kNotFound);
}

}  // namespace
}  // namespace kvsql
