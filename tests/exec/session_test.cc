#include "exec/session.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/exec/sql_fixture.h"

namespace kvsql::exec {
namespace {

class SessionTest : public SqlTest {
 protected:
  SessionTest() { Run("CREATE TABLE t(id INTEGER PRIMARY KEY, v)"); }
};

TEST_F(SessionTest, TransactionsCommitAndRollBack) {
  EXPECT_EQ(Run("BEGIN; INSERT INTO t VALUES (1, 'a'); SELECT v FROM t WHERE id = 1"), "'a'");
  EXPECT_TRUE(session_->in_transaction());
  EXPECT_EQ(Run(other(), "SELECT v FROM t WHERE id = 1"), "");
  EXPECT_EQ(Run("COMMIT"), "");
  EXPECT_EQ(Run(other(), "SELECT v FROM t WHERE id = 1"), "'a'");
  EXPECT_EQ(Run("BEGIN; DELETE FROM t; SELECT count(*) FROM t; ROLLBACK; SELECT count(*) FROM t"),
            "0;1");
  EXPECT_EQ(Run("COMMIT"), "FAILED_PRECONDITION: cannot commit - no transaction is active");
  EXPECT_EQ(Run("ROLLBACK"), "FAILED_PRECONDITION: cannot rollback - no transaction is active");
  EXPECT_EQ(Run("BEGIN; BEGIN"),
            "FAILED_PRECONDITION: cannot start a transaction within a transaction");
}

TEST_F(SessionTest, ATransactionReadsOneState) {
  Run("INSERT INTO t VALUES (1, 'a')");
  EXPECT_EQ(Run("BEGIN; SELECT v FROM t WHERE id = 1"), "'a'");
  Run(other(), "UPDATE t SET v = 'b' WHERE id = 1");
  EXPECT_EQ(Run("SELECT v FROM t WHERE id = 1"), "'a'");
  EXPECT_EQ(Run("INSERT INTO t VALUES (2, 'x')").substr(0, 7), "ABORTED");
  EXPECT_EQ(Run("ROLLBACK; SELECT v FROM t WHERE id = 1"), "'b'");
}

TEST_F(SessionTest, AReadingTransactionMayWriteIfNothingChanged) {
  Run("INSERT INTO t VALUES (1, 'a')");
  EXPECT_EQ(Run("BEGIN; SELECT v FROM t WHERE id = 1; UPDATE t SET v = 'b' WHERE id = 1; COMMIT"),
            "'a'");
  EXPECT_EQ(Run("SELECT v FROM t WHERE id = 1"), "'b'");
}

TEST_F(SessionTest, TemporaryTablesAreTheSessionsOwn) {
  Run("INSERT INTO t VALUES (1, 'main')");
  Run(other(), "CREATE TEMP TABLE t(id, v); INSERT INTO t VALUES (2, 'temp')");
  EXPECT_EQ(Run(other(), "SELECT v FROM t"), "'temp'");
  EXPECT_EQ(Run("SELECT v FROM t WHERE id = 1"), "'main'");
  EXPECT_EQ(Run("SELECT name FROM sqlite_temp_schema"), "");
  EXPECT_EQ(Run("SELECT * FROM temp.t").substr(0, 9), "NOT_FOUND");
  // Nothing of it is in the database, nor are plans that name it shared.
  EXPECT_EQ(Run("SELECT count(*) FROM sqlite_schema"), "1");
  EXPECT_EQ(Run("SELECT v FROM t"), "'main'");
  other_.reset();
  EXPECT_EQ(Run(other(), "SELECT v FROM t"), "'main'");
}

TEST_F(SessionTest, ATransactionOfTemporaryTablesDoesNotKeepWritersWaiting) {
  Run("BEGIN; CREATE TEMP TABLE u(a); INSERT INTO u VALUES (1)");
  EXPECT_EQ(session_->write_txn(), nullptr);
  EXPECT_EQ(Run(other(), "INSERT INTO t VALUES (1, 'a')"), "");
  EXPECT_EQ(Run("COMMIT; SELECT a FROM u"), "1");
}

TEST_F(SessionTest, RowsOnShowStayWhenATemporaryTableChanges) {
  Run("CREATE TEMP TABLE u(a); INSERT INTO u VALUES (1), (2), (3); BEGIN; INSERT INTO u VALUES "
      "(4)");
  const StatementPtr statement = Prepare("SELECT a FROM u ORDER BY rowid");
  ASSERT_TRUE(statement->Step().value());
  Run("DELETE FROM u; DROP TABLE u");
  EXPECT_EQ(ShowRow(*statement), "1");
  for (const char* value : {"2", "3", "4"}) {
    ASSERT_TRUE(statement->Step().value());
    EXPECT_EQ(ShowRow(*statement), value);
  }
  EXPECT_FALSE(statement->Step().value());
  EXPECT_EQ(Run("ROLLBACK; SELECT count(*) FROM u"), "3");
}

TEST_F(SessionTest, SavepointsNest) {
  EXPECT_EQ(
      Run("SAVEPOINT a; INSERT INTO t VALUES (1, 1); SAVEPOINT b; INSERT INTO t VALUES (2, 2); "
          "SELECT count(*) FROM t; ROLLBACK TO b; SELECT count(*) FROM t; INSERT INTO t VALUES (3, "
          "3); "
          "RELEASE b; SELECT count(*) FROM t"),
      "2;1;2");
  EXPECT_EQ(Run(other(), "SELECT count(*) FROM t"), "0");
  EXPECT_EQ(Run("RELEASE A"), "");  // the outermost: commits
  EXPECT_FALSE(session_->in_transaction());
  EXPECT_EQ(Run(other(), "SELECT count(*) FROM t"), "2");
  EXPECT_EQ(Run("RELEASE a"), "NOT_FOUND: no such savepoint: a");
  EXPECT_EQ(Run("BEGIN; SAVEPOINT s; ROLLBACK TO s; INSERT INTO t VALUES (9, 9); ROLLBACK TO s; "
                "SELECT count(*) FROM t; RELEASE s; COMMIT"),
            "2");
}

TEST_F(SessionTest, SavepointsBeforeTheFirstWriteHold) {
  EXPECT_EQ(Run("BEGIN; SAVEPOINT a; SAVEPOINT b; INSERT INTO t VALUES (1, 1); ROLLBACK TO a; "
                "SELECT count(*) FROM t; COMMIT"),
            "0");
}

TEST_F(SessionTest, ShownRowsOutliveTheirTransaction) {
  Run("INSERT INTO t VALUES (1, 'long enough to stand in the page, not in the view')");
  Run("BEGIN");
  StatementPtr select = Prepare("SELECT v, id + 1, v || '!' FROM t WHERE id = 1");
  ASSERT_TRUE(*select->Step());
  EXPECT_EQ(Run("UPDATE t SET v = 'changed' WHERE id = 1"), "");
  EXPECT_EQ(ShowRow(*select).substr(0, 13), "'long enough ");
  EXPECT_EQ(Run("DELETE FROM t; COMMIT"), "");
  EXPECT_EQ(ShowRow(*select),
            "'long enough to stand in the page, not in the view',2,"
            "'long enough to stand in the page, not in the view!'");
  EXPECT_FALSE(*select->Step());
}

TEST_F(SessionTest, InsideATransactionOfTheApi) {
  std::unique_ptr<kv::WriteTxn> txn = store_->BeginWrite().value();
  {
    Session inside(store_, &cache_, txn.get());
    EXPECT_EQ(Run(&inside, "INSERT INTO t VALUES (5, 'x'); SELECT v FROM t WHERE id = 5"), "'x'");
    EXPECT_EQ(Run(&inside, "COMMIT").substr(0, 19), "FAILED_PRECONDITION");
    EXPECT_EQ(Run(&inside,
                  "SAVEPOINT s; DELETE FROM t; ROLLBACK TO s; RELEASE s; SELECT count(*) FROM t"),
              "1");
    inside.Detach();
    EXPECT_EQ(Run(&inside, "SELECT count(*) FROM t").substr(0, 19), "FAILED_PRECONDITION");
  }
  ASSERT_TRUE(txn->Commit().ok());
  EXPECT_EQ(Run("SELECT v FROM t WHERE id = 5"), "'x'");
}

TEST_F(SessionTest, PinnedToASnapshot) {
  Run("INSERT INTO t VALUES (1, 'a')");
  kv::ReadTxn snapshot(store_);
  ASSERT_TRUE(snapshot.Begin());
  Session pinned(store_, &cache_, &snapshot);
  Run("UPDATE t SET v = 'b' WHERE id = 1");
  EXPECT_EQ(Run(&pinned, "SELECT v FROM t WHERE id = 1"), "'a'");
  EXPECT_EQ(Run(&pinned, "DELETE FROM t").substr(0, 19), "FAILED_PRECONDITION");
  pinned.Detach();
  snapshot.End();
}

TEST_F(SessionTest, TheSerialTellsTransactionsApart) {
  const uint64_t start = session_->transaction_serial();
  Run("SELECT count(*) FROM t");
  EXPECT_EQ(session_->transaction_serial(), start);
  Run("BEGIN");
  const uint64_t begun = session_->transaction_serial();
  EXPECT_NE(begun, start);
  EXPECT_EQ(session_->read_txn(), nullptr);
  ASSERT_TRUE(session_->EnsureRead().ok());
  EXPECT_NE(session_->read_txn(), nullptr);
  EXPECT_NE(session_->transaction_serial(), begun);
  ASSERT_TRUE(session_->EnsureWrite().ok());
  EXPECT_EQ(session_->read_txn(), nullptr);
  EXPECT_NE(session_->write_txn(), nullptr);
  Run("ROLLBACK");
  EXPECT_EQ(session_->write_txn(), nullptr);
  EXPECT_EQ(session_->EnsureWrite().status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(SessionTest, TextsThatDifferInLiteralsShareAPlan) {
  for (int i = 0; i < 50; ++i) {
    const std::string n = std::to_string(i);
    ASSERT_EQ(Run("INSERT INTO t VALUES (" + n + ", 'v''" + n + "')"), "");
    ASSERT_EQ(Run("INSERT INTO t VALUES (" + std::to_string(1000 + i) + ", NULL), (" +
                  std::to_string(2000 + i) + ", -1.5)"),
              "");
    ASSERT_EQ(Run("SELECT v FROM t WHERE id = " + n), "'v'" + n + "'");
    ASSERT_EQ(Run("UPDATE t SET v = x'0" + std::to_string(i % 10) + "' WHERE id = " + n +
                  "; SELECT v FROM t WHERE id = " + n),
              "x'0" + std::to_string(i % 10) + "'");
  }
  EXPECT_EQ(Run("SELECT v FROM t WHERE id = '7'"), "x'07'");
  // CREATE TABLE, INSERT (a matrix of any height), SELECT by integer and by text, UPDATE; the script.
  EXPECT_LE(cache_.size(), 8u);
}

TEST_F(SessionTest, AStatementInUseIsNotLentTwice) {
  Run("INSERT INTO t VALUES (1, 'a'), (2, 'b')");
  StatementPtr first = Prepare("SELECT v FROM t WHERE id = 1");
  ASSERT_TRUE(*first->Step());
  StatementPtr second = Prepare("SELECT v FROM t WHERE id = 2");
  ASSERT_NE(first.get(), second.get());
  ASSERT_TRUE(*second->Step());
  EXPECT_EQ(ShowRow(*first), "'a'");
  EXPECT_EQ(ShowRow(*second), "'b'");
  Statement* const pooled = first.get();
  first.reset();
  second.reset();
  StatementPtr again = Prepare("SELECT v FROM t WHERE id = 2");
  EXPECT_TRUE(again.get() == pooled || again != nullptr);
  ASSERT_TRUE(*again->Step());
  EXPECT_EQ(ShowRow(*again), "'b'");
}

TEST_F(SessionTest, AStatementKnowsItsOwnText) {
  for (const char* sql :
       {"SELECT v FROM t WHERE id = 1;", "SELECT v FROM t WHERE id = 22", "SELECT 3"}) {
    for (int i = 0; i < 2; ++i) EXPECT_EQ(Prepare(sql)->sql(), sql);
  }
}

TEST_F(SessionTest, PooledStatementsForgetTheirBindings) {
  Run("INSERT INTO t VALUES (1, 'a')");
  {
    StatementPtr select = Prepare("SELECT v FROM t WHERE id = ?");
    ASSERT_TRUE(select->Bind(1, kv::ValueView::Integer(1)).ok());
    ASSERT_TRUE(*select->Step());
  }
  StatementPtr select = Prepare("SELECT v FROM t WHERE id = ?");
  EXPECT_FALSE(*select->Step());
}

TEST_F(SessionTest, LiteralsOfDifferentTypesDoNotShareComparisons) {
  Run("CREATE TABLE b(k BLOB PRIMARY KEY, v); INSERT INTO b VALUES ('1', 'text'), (1, 'integer')");
  EXPECT_EQ(Run("SELECT v FROM b WHERE k = 1"), "'integer'");
  EXPECT_EQ(Run("SELECT v FROM b WHERE k = '1'"), "'text'");
  EXPECT_EQ(Run("SELECT v FROM b WHERE k = 1.0"), "'integer'");
  EXPECT_EQ(Run("SELECT v FROM b WHERE k = -1"), "");
}

TEST_F(SessionTest, PlansOfAPrivateSchemaStayPrivate) {
  Run("BEGIN; CREATE TABLE p(id INTEGER PRIMARY KEY, x); INSERT INTO p VALUES (1, 'private')");
  EXPECT_EQ(Run("SELECT x FROM p WHERE id = 1"), "'private'");
  EXPECT_EQ(Run(other(), "SELECT x FROM p WHERE id = 1").substr(0, 9), "NOT_FOUND");
  Run("ROLLBACK");
  EXPECT_EQ(Run("SELECT x FROM p WHERE id = 1").substr(0, 9), "NOT_FOUND");
}

}  // namespace
}  // namespace kvsql::exec
