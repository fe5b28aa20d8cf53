#include <kvsql/connection.h>

#include <string>

#include "tests/api/api_test_util.h"

namespace kvsql {
namespace {

class ConnectionTest : public MemoryTest {
 protected:
  void SetUp() override {
    ASSERT_OK(connection.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, score REAL)"));
  }
  Connection connection = Must(db.connect());
};

TEST_F(ConnectionTest, ExecutesOneOrMoreStatements) {
  EXPECT_OK(connection.execute(
      "INSERT INTO t VALUES (1, 'a', 1.5); INSERT INTO t VALUES (2, 'b', 2.5);"));
  EXPECT_EQ(Must(Must(db.table("t")).count()), 2u);
  EXPECT_OK(connection.execute(""));
  EXPECT_OK(connection.execute("-- nothing\n;;"));
  EXPECT_CODE(
      connection.execute("INSERT INTO t VALUES (3, 'c', 1); INSERT INTO t VALUES (1, 'x', 1); "
                         "INSERT INTO t VALUES (4, 'd', 1)"),
      kAlreadyExists);
  EXPECT_TRUE(Must(Must(db.table("t")).get_row(3)).exists());
  EXPECT_FALSE(Must(Must(db.table("t")).get_row(4)).exists());
}

TEST_F(ConnectionTest, ExecutesWithParameters) {
  EXPECT_OK(connection.execute("INSERT INTO t VALUES (?, ?, ?)", {7, "Ada", nullptr}));
  Statement found = Must(connection.query("SELECT name, score FROM t WHERE id = ?", {7}));
  ASSERT_TRUE(Must(found.step()));
  EXPECT_EQ(found.text(0), "Ada");
  EXPECT_TRUE(found.is_null(1));
  EXPECT_FALSE(Must(found.step()));
  EXPECT_CODE(connection.execute("INSERT INTO t VALUES (?, ?, ?)", {7}), kInvalidArgument);
  EXPECT_CODE(
      connection.execute("INSERT INTO t VALUES (1, 'a', 1); INSERT INTO t VALUES (?, 'b', 1)", {7}),
      kInvalidArgument);
}

TEST_F(ConnectionTest, ErrorsNameWhatIsWrong) {
  const Status syntax = connection.execute("SELEC 1");
  EXPECT_CODE(syntax, kInvalidArgument);
  EXPECT_NE(std::string(syntax.message()).find("SELEC"), std::string::npos) << syntax;
  const Status table = connection.execute("SELECT a FROM none WHERE id = 1");
  EXPECT_FALSE(table.ok());
  EXPECT_NE(std::string(table.message()).find("none"), std::string::npos) << table;
  const Status column = connection.execute("SELECT wrong FROM t WHERE id = 1");
  EXPECT_FALSE(column.ok());
  EXPECT_NE(std::string(column.message()).find("wrong"), std::string::npos) << column;
}

TEST_F(ConnectionTest, PrepareTakesOneStatement) {
  EXPECT_CODE(connection.prepare("SELECT id FROM t WHERE id = 1; SELECT id FROM t WHERE id = 2"),
              kInvalidArgument);
  EXPECT_CODE(connection.prepare(""), kInvalidArgument);
  EXPECT_CODE(connection.prepare("  -- comment"), kInvalidArgument);
  EXPECT_OK(connection.prepare("SELECT id FROM t WHERE id = 1; -- end\n"));
}

TEST_F(ConnectionTest, StatementsRunAgainWithOtherParameters) {
  Statement insert = Must(connection.prepare("INSERT INTO t VALUES (?, ?, ?)"));
  EXPECT_FALSE(insert.is_read_only());
  EXPECT_EQ(insert.parameter_count(), 3);
  for (int i = 0; i < 100; ++i) {
    EXPECT_OK(insert.bind(1, i));
    EXPECT_OK(insert.bind(2, "name " + std::to_string(i)));
    EXPECT_OK(insert.bind(3, i / 2.0));
    EXPECT_OK(insert.execute());
  }
  Statement select = Must(connection.prepare("SELECT name, score, id FROM t WHERE id = :id"));
  EXPECT_TRUE(select.is_read_only());
  EXPECT_EQ(select.sql(), "SELECT name, score, id FROM t WHERE id = :id");
  EXPECT_EQ(select.parameter_count(), 1);
  EXPECT_EQ(select.parameter_name(1), ":id");
  EXPECT_EQ(select.parameter_position(":id"), 1);
  EXPECT_EQ(select.parameter_position(":none"), std::nullopt);
  EXPECT_EQ(select.column_count(), 3);
  EXPECT_EQ(select.column_name(0), "name");
  EXPECT_EQ(select.column_name(3), "");
  for (int i = 0; i < 100; ++i) {
    EXPECT_OK(select.bind(":id", i));
    ASSERT_TRUE(Must(select.step()));
    EXPECT_EQ(select.text(0), "name " + std::to_string(i));
    EXPECT_EQ(select.real(1), i / 2.0);
    EXPECT_EQ(select[2].integer(), i);
    EXPECT_EQ(select.type(2), ValueType::kInteger);
    EXPECT_TRUE(select.is_null(3));
    EXPECT_TRUE(select.is_null(-1));
    select.reset();
  }
}

TEST_F(ConnectionTest, BindChecksPositionAndName) {
  Statement select = Must(connection.prepare("SELECT id FROM t WHERE id = ?1"));
  EXPECT_CODE(select.bind(0, 1), kOutOfRange);
  EXPECT_CODE(select.bind(2, 1), kOutOfRange);
  EXPECT_CODE(select.bind(-1, 1), kOutOfRange);
  EXPECT_CODE(select.bind(":x", 1), kNotFound);
  EXPECT_CODE(select.bind_all({1, 2}), kInvalidArgument);
  EXPECT_OK(select.bind_all({1}));
}

TEST_F(ConnectionTest, BindWaitsForReset) {
  EXPECT_OK(connection.execute("INSERT INTO t VALUES (1, 'a', 1)"));
  Statement select = Must(connection.prepare("SELECT id FROM t WHERE id = ?"));
  EXPECT_OK(select.bind(1, 1));
  EXPECT_TRUE(Must(select.step()));
  EXPECT_CODE(select.bind(1, 2), kFailedPrecondition);
  select.reset();
  EXPECT_OK(select.bind(1, 2));
  EXPECT_FALSE(Must(select.step()));
  // Done: the next step starts again.
  EXPECT_OK(select.bind(1, 1));
  EXPECT_TRUE(Must(select.step()));
  select.reset();
  select.clear_bindings();
  EXPECT_FALSE(Must(select.step()));
}

TEST_F(ConnectionTest, BoundTextIsCopied) {
  Statement insert = Must(connection.prepare("INSERT INTO t(id, name) VALUES (1, ?)"));
  std::string name = "before";
  EXPECT_OK(insert.bind(1, name));
  name = "after!";
  EXPECT_OK(insert.execute());
  EXPECT_EQ(Must(Must(db.table("t")).get_row(1)).text(1), "before");
}

TEST_F(ConnectionTest, CountsChangesAndRowids) {
  EXPECT_EQ(connection.last_insert_rowid(), 0);
  EXPECT_OK(connection.execute("INSERT INTO t(name) VALUES ('a'), ('b')"));
  EXPECT_EQ(connection.changes(), 2);
  EXPECT_EQ(connection.last_insert_rowid(), 2);
  EXPECT_OK(connection.execute("UPDATE t SET name = 'c' WHERE id = 1"));
  EXPECT_EQ(connection.changes(), 1);
  EXPECT_OK(connection.execute("DELETE FROM t WHERE id = 77"));
  EXPECT_EQ(connection.changes(), 0);
  EXPECT_EQ(connection.total_changes(), 3);
}

TEST_F(ConnectionTest, TransactionsBySql) {
  EXPECT_FALSE(connection.in_transaction());
  EXPECT_OK(connection.execute("BEGIN"));
  EXPECT_TRUE(connection.in_transaction());
  EXPECT_CODE(connection.execute("BEGIN"), kFailedPrecondition);
  EXPECT_OK(connection.execute("INSERT INTO t VALUES (1, 'a', 1)"));
  EXPECT_EQ(Must(Must(db.table("t")).count()), 0u);
  EXPECT_OK(connection.execute("COMMIT"));
  EXPECT_FALSE(connection.in_transaction());
  EXPECT_EQ(Must(Must(db.table("t")).count()), 1u);
  EXPECT_CODE(connection.execute("COMMIT"), kFailedPrecondition);
  EXPECT_OK(connection.execute("BEGIN IMMEDIATE; DELETE FROM t WHERE id = 1; ROLLBACK"));
  EXPECT_EQ(Must(Must(db.table("t")).count()), 1u);
  EXPECT_OK(
      connection.execute("SAVEPOINT s; INSERT INTO t VALUES (2, 'b', 1); ROLLBACK TO s; "
                         "INSERT INTO t VALUES (3, 'c', 1); RELEASE s"));
  EXPECT_FALSE(connection.in_transaction());
  EXPECT_FALSE(Must(Must(db.table("t")).get_row(2)).exists());
  EXPECT_TRUE(Must(Must(db.table("t")).get_row(3)).exists());
}

TEST_F(ConnectionTest, DestructorRollsBack) {
  {
    Connection other = Must(db.connect());
    EXPECT_OK(other.execute("BEGIN; INSERT INTO t VALUES (1, 'a', 1)"));
  }
  EXPECT_EQ(Must(Must(db.table("t")).count()), 0u);
  EXPECT_OK(connection.execute("INSERT INTO t VALUES (1, 'a', 1)"));
}

TEST_F(ConnectionTest, StatementOutlivesItsConnection) {
  EXPECT_OK(connection.execute("INSERT INTO t VALUES (1, 'a', 1)"));
  std::optional<Statement> select;
  {
    Connection other = Must(db.connect());
    select = Must(other.prepare("SELECT name FROM t WHERE id = 1"));
  }
  EXPECT_TRUE(Must(select->step()));
  EXPECT_EQ(select->text(0), "a");
}

TEST_F(ConnectionTest, StatementFollowsTheSchema) {
  EXPECT_OK(connection.execute("INSERT INTO t VALUES (1, 'a', 1.5)"));
  Statement select = Must(connection.prepare("SELECT name FROM t WHERE id = 1"));
  EXPECT_TRUE(Must(select.step()));
  select.reset();
  Connection other = Must(db.connect());
  EXPECT_OK(other.execute("DROP TABLE t; CREATE TABLE t(name TEXT, x, id INTEGER PRIMARY KEY)"));
  EXPECT_FALSE(Must(select.step()));
  EXPECT_OK(other.execute("INSERT INTO t VALUES ('new', 0, 1)"));
  EXPECT_TRUE(Must(select.step()));
  EXPECT_EQ(select.text(0), "new");
  select.reset();
  EXPECT_OK(other.execute("DROP TABLE t"));
  EXPECT_FALSE(select.step().ok());
}

TEST_F(ConnectionTest, SnapshotConnectionReadsOnly) {
  EXPECT_OK(connection.execute("INSERT INTO t VALUES (1, 'before', 1)"));
  Connection pinned = Must(db.connect(Must(db.snapshot())));
  EXPECT_OK(connection.execute("UPDATE t SET name = 'after' WHERE id = 1"));
  Statement select = Must(pinned.query("SELECT name FROM t WHERE id = 1"));
  EXPECT_TRUE(Must(select.step()));
  EXPECT_EQ(select.text(0), "before");
  EXPECT_CODE(pinned.execute("INSERT INTO t VALUES (2, 'x', 1)"), kFailedPrecondition);
  EXPECT_CODE(pinned.execute("CREATE TABLE u(x)"), kFailedPrecondition);
}

TEST_F(ConnectionTest, MovedFromHandlesAnswerFailedPrecondition) {
  Statement select = Must(connection.prepare("SELECT name FROM t WHERE id = 1"));
  Statement moved_select = std::move(select);
  EXPECT_CODE(select.step(), kFailedPrecondition);
  EXPECT_CODE(select.bind(1, 1), kFailedPrecondition);
  EXPECT_EQ(select.column_count(), 0);
  EXPECT_EQ(select.sql(), "");
  select.reset();
  Connection moved = std::move(connection);
  EXPECT_CODE(connection.execute("SELECT 1"), kFailedPrecondition);
  EXPECT_CODE(connection.prepare("SELECT 1"), kFailedPrecondition);
  EXPECT_FALSE(connection.in_transaction());
  EXPECT_EQ(connection.changes(), 0);
  Keyspace k = Must(db.keyspace("k"));
  EXPECT_CODE(k.put("a", "1", connection), kFailedPrecondition);
  EXPECT_CODE(k.get("a", connection), kFailedPrecondition);
  EXPECT_OK(k.put("a", "1", moved));
}

}  // namespace
}  // namespace kvsql
