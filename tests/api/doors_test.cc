// What one door writes, the other sees: within a transaction and across.
#include <kvsql/kvsql.h>

#include <string>

#include "tests/api/api_test_util.h"

namespace kvsql {
namespace {

class DoorsTest : public MemoryTest {
 protected:
  DoorsTest() {
    EXPECT_OK(connection.execute(
        "CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT UNIQUE, n INTEGER DEFAULT 3)"));
  }
  std::string NameBySql(Connection& by, int64_t id) {
    Statement select = Must(by.query("SELECT name FROM t WHERE id = ?", {id}));
    return Must(select.step()) ? std::string(select.text(0)) : "(none)";
  }

  Connection connection = Must(db.connect());
  Keyspace k = Must(db.keyspace("k"));
};

TEST_F(DoorsTest, SqlWritesAreSeenByKey) {
  Table t = Must(db.table("t"));
  EXPECT_OK(connection.execute("INSERT INTO t(id, name) VALUES (1, 'a')"));
  EXPECT_EQ(Must(t.get_row(1))["name"].text(), "a");
  EXPECT_EQ(Must(t.get_row_by("name", {"a"}))["n"].integer(), 3);
  EXPECT_OK(connection.execute("UPDATE t SET name = 'b' WHERE id = 1"));
  EXPECT_EQ(Must(t.get_row(1))["name"].text(), "b");
  EXPECT_FALSE(Must(t.get_row_by("name", {"a"})).exists());
  EXPECT_EQ(Must(t.get_row_by("name", {"b"})).rowid(), 1);
  EXPECT_OK(connection.execute("DELETE FROM t WHERE name = 'b'"));
  EXPECT_FALSE(Must(t.get_row(1)).exists());
}

TEST_F(DoorsTest, KeyWritesAreSeenBySql) {
  Table t = Must(db.table("t"));
  EXPECT_OK(t.insert_row({1, "a"}));
  EXPECT_EQ(NameBySql(connection, 1), "a");
  Statement by_name = Must(connection.query("SELECT id, n FROM t WHERE name = 'a'"));
  EXPECT_TRUE(Must(by_name.step()));
  EXPECT_EQ(by_name.integer(0), 1);
  EXPECT_EQ(by_name.integer(1), 3);
  by_name.reset();
  EXPECT_CODE(connection.execute("INSERT INTO t(name) VALUES ('a')"), kAlreadyExists);
  EXPECT_OK(t.put_row({1, "c"}));
  EXPECT_EQ(NameBySql(connection, 1), "c");
  EXPECT_TRUE(Must(t.erase_row(1)));
  EXPECT_EQ(NameBySql(connection, 1), "(none)");
}

TEST_F(DoorsTest, BothDoorsInOneWriteTransaction) {
  Table t = Must(db.table("t"));
  WriteTransaction transaction = Must(db.begin());
  EXPECT_OK(transaction.execute("INSERT INTO t(id, name) VALUES (1, 'a')"));
  EXPECT_EQ(Must(t.get_row(1, transaction)).text(1), "a");
  EXPECT_OK(t.insert_row({2, "b"}, transaction));
  Statement select = Must(transaction.prepare("SELECT name FROM t WHERE id = 2"));
  EXPECT_TRUE(Must(select.step()));
  EXPECT_EQ(select.text(0), "b");
  select.reset();
  EXPECT_CODE(transaction.execute("INSERT INTO t(name) VALUES ('b')"), kAlreadyExists);
  EXPECT_CODE(t.insert_row({3, "a"}, transaction), kAlreadyExists);
  EXPECT_EQ(NameBySql(connection, 1), "(none)");
  EXPECT_OK(transaction.commit());
  EXPECT_EQ(NameBySql(connection, 1), "a");
  EXPECT_EQ(NameBySql(connection, 2), "b");
}

TEST_F(DoorsTest, KeysTakePartInAConnectionsTransaction) {
  Table t = Must(db.table("t"));
  EXPECT_OK(connection.execute("BEGIN"));
  EXPECT_OK(connection.execute("INSERT INTO t(id, name) VALUES (1, 'a')"));
  EXPECT_EQ(Must(t.get_row(1, connection)).text(1), "a");
  EXPECT_OK(t.insert_row({2, "b"}, connection));
  EXPECT_OK(k.put("key", "value", connection));
  EXPECT_EQ(NameBySql(connection, 2), "b");
  EXPECT_EQ(Must(k.get("key", connection)), "value");
  EXPECT_EQ(Must(k.get("key")), std::nullopt);
  EXPECT_FALSE(Must(t.get_row(2)).exists());
  EXPECT_OK(connection.execute("COMMIT"));
  EXPECT_EQ(Must(k.get("key")), "value");
  EXPECT_EQ(Must(t.get_row(2)).text(1), "b");
}

TEST_F(DoorsTest, RollbackOfAConnectionForgetsTheKeys) {
  EXPECT_OK(connection.execute("BEGIN"));
  EXPECT_OK(k.put("key", "value", connection));
  EXPECT_OK(connection.execute("SAVEPOINT s"));
  EXPECT_OK(k.put("key2", "value", connection));
  EXPECT_OK(connection.execute("ROLLBACK TO s"));
  EXPECT_FALSE(Must(k.contains("key2", connection)));
  EXPECT_TRUE(Must(k.contains("key", connection)));
  EXPECT_OK(connection.execute("ROLLBACK"));
  EXPECT_EQ(Must(k.count()), 0u);
}

TEST_F(DoorsTest, WithoutATransactionAConnectionMeansACommitOfItsOwn) {
  EXPECT_OK(k.put("key", "value", connection));
  EXPECT_EQ(Must(k.get("key")), "value");
  EXPECT_EQ(Must(k.get("key", connection)), "value");
}

TEST_F(DoorsTest, ReadTransactionOfAConnectionHoldsOneState) {
  EXPECT_OK(k.put("key", "1"));
  EXPECT_OK(connection.execute("BEGIN"));
  EXPECT_EQ(Must(k.get("key", connection)), "1");
  EXPECT_OK(k.put("key", "2"));
  EXPECT_OK(Must(db.connect()).execute("INSERT INTO t(id, name) VALUES (1, 'late')"));
  EXPECT_EQ(Must(k.get("key", connection)), "1");
  EXPECT_EQ(NameBySql(connection, 1), "(none)");
  EXPECT_CODE(k.put("key", "3", connection), kAborted);
  EXPECT_OK(connection.execute("ROLLBACK"));
  EXPECT_EQ(Must(k.get("key", connection)), "2");
}

TEST_F(DoorsTest, RowsAndCursorsOfAConnectionEndWithItsTransaction) {
  EXPECT_OK(connection.execute("INSERT INTO t(id, name) VALUES (1, 'a')"));
  EXPECT_OK(k.put("key", "value"));
  Table t = Must(db.table("t"));
  EXPECT_OK(connection.execute("BEGIN"));
  Row row = Must(t.get_row(1, connection));
  Cursor cursor = k.scan(KeyRange::All(), connection);
  EXPECT_EQ(row.text(1), "a");
  EXPECT_TRUE(cursor.valid());
  EXPECT_OK(connection.execute("COMMIT"));
  EXPECT_CODE(row.status(), kFailedPrecondition);
  EXPECT_OK(connection.execute("BEGIN"));
  EXPECT_EQ(Must(k.get("key", connection)), "value");
  EXPECT_CODE(row.status(), kFailedPrecondition);
  cursor.next();
  EXPECT_CODE(cursor.status(), kFailedPrecondition);
}

TEST_F(DoorsTest, SnapshotsAreSeenAlikeByBothDoors) {
  EXPECT_OK(connection.execute("INSERT INTO t(id, name) VALUES (1, 'a')"));
  EXPECT_OK(k.put("key", "1"));
  const Snapshot snapshot = Must(db.snapshot());
  EXPECT_OK(connection.execute("UPDATE t SET name = 'b' WHERE id = 1"));
  EXPECT_OK(k.put("key", "2"));
  Table t = Must(db.table("t"));
  Connection pinned = Must(db.connect(snapshot));
  EXPECT_EQ(NameBySql(pinned, 1), "a");
  EXPECT_EQ(Must(t.get_row(1, snapshot)).text(1), "a");
  EXPECT_EQ(Must(k.get("key", snapshot)), "1");
  EXPECT_EQ(Must(k.get("key", pinned)), "1");
  EXPECT_EQ(NameBySql(connection, 1), "b");
}

TEST_F(DoorsTest, EverythingSurvivesReopening) {
  TempDir dir;
  {
    Database file = Must(Database::Open(dir.file("a")));
    Connection sql = Must(file.connect());
    EXPECT_OK(sql.execute("CREATE TABLE t(a TEXT, b INTEGER, c, PRIMARY KEY(a, b)) WITHOUT ROWID"));
    EXPECT_OK(sql.execute("CREATE UNIQUE INDEX t_c ON t(c)"));
    EXPECT_OK(sql.execute("INSERT INTO t VALUES ('x', 1, 'first'), ('x', 2, 2.5)"));
    EXPECT_OK(Must(file.keyspace("k")).put("key", "value"));
    EXPECT_OK(file.close());
  }
  Database file = Must(Database::Open(dir.file("a")));
  Table t = Must(file.table("t"));
  EXPECT_EQ(Must(t.get_row({"x", 1}))["c"].text(), "first");
  EXPECT_EQ(Must(t.get_row_by("t_c", {2.5}))["b"].integer(), 2);
  EXPECT_EQ(Must(Must(file.keyspace("k")).get("key")), "value");
  Connection sql = Must(file.connect());
  Statement select = Must(sql.query("SELECT c FROM t WHERE a = 'x' AND b = 2"));
  EXPECT_TRUE(Must(select.step()));
  EXPECT_EQ(select.real(0), 2.5);
}

}  // namespace
}  // namespace kvsql
