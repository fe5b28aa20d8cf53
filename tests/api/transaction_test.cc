#include <kvsql/transaction.h>

#include <string>

#include "tests/api/api_test_util.h"

namespace kvsql {
namespace {

class TransactionTest : public MemoryTest {
 protected:
  TransactionTest() {
    EXPECT_OK(Must(db.connect()).execute("CREATE TABLE t(id INTEGER PRIMARY KEY, x)"));
  }
  Keyspace k = Must(db.keyspace("k"));
};

TEST_F(TransactionTest, CommitMakesAllVisibleAtOnce) {
  Table t = Must(db.table("t"));
  WriteTransaction transaction = Must(db.begin());
  EXPECT_TRUE(transaction.active());
  EXPECT_OK(k.put("a", "1", transaction));
  EXPECT_OK(t.insert_row({1, "one"}, transaction));
  EXPECT_OK(transaction.execute("INSERT INTO t VALUES (2, 'two')"));
  EXPECT_EQ(Must(k.get("a", transaction)), "1");
  EXPECT_EQ(Must(t.get_row(2, transaction)).text(1), "two");
  EXPECT_EQ(Must(k.get("a")), std::nullopt);
  EXPECT_FALSE(Must(t.get_row(1)).exists());
  EXPECT_OK(transaction.commit());
  EXPECT_FALSE(transaction.active());
  EXPECT_EQ(Must(k.get("a")), "1");
  EXPECT_EQ(Must(t.get_row(1)).text(1), "one");
  EXPECT_EQ(Must(t.get_row(2)).text(1), "two");
}

TEST_F(TransactionTest, ViewsReadInItMayBePutInIt) {
  WriteTransaction transaction = Must(db.begin());
  const auto value = [](int i) { return std::string(40, static_cast<char>('a' + i % 26)); };
  for (int i = 0; i < 200; ++i) {
    EXPECT_OK(k.put("source" + std::to_string(i), value(i), transaction));
  }
  for (int i = 0; i < 200; ++i) {
    const PinnedBytes view = Must(k.get_view("source" + std::to_string(i), transaction));
    EXPECT_OK(k.put("copy" + std::to_string(i), view.view(), transaction));
  }
  for (int i = 0; i < 200; ++i) {
    EXPECT_EQ(Must(k.get("copy" + std::to_string(i), transaction)), value(i));
  }
}

TEST_F(TransactionTest, RollbackForgetsAll) {
  Table t = Must(db.table("t"));
  WriteTransaction transaction = Must(db.begin());
  EXPECT_OK(k.put("a", "1", transaction));
  EXPECT_OK(transaction.execute("INSERT INTO t VALUES (2, 'two')"));
  EXPECT_OK(transaction.rollback());
  EXPECT_EQ(Must(k.get("a")), std::nullopt);
  EXPECT_EQ(Must(t.count()), 0u);
}

TEST_F(TransactionTest, DestructorRollsBack) {
  {
    WriteTransaction transaction = Must(db.begin());
    EXPECT_OK(k.put("a", "1", transaction));
  }
  EXPECT_EQ(Must(k.get("a")), std::nullopt);
  EXPECT_OK(k.put("a", "2"));
}

TEST_F(TransactionTest, AssignmentRollsBackTheOldOne) {
  WriteTransaction transaction = Must(db.begin());
  EXPECT_OK(k.put("a", "1", transaction));
  EXPECT_OK(transaction.commit());
  transaction = Must(db.begin());
  EXPECT_TRUE(transaction.active());
  EXPECT_OK(k.put("b", "1", transaction));
  WriteTransaction other = std::move(transaction);
  EXPECT_FALSE(transaction.active());
  EXPECT_OK(other.commit());
  EXPECT_EQ(Must(k.get("b")), "1");
}

TEST_F(TransactionTest, EndedTransactionAnswersFailedPrecondition) {
  Table t = Must(db.table("t"));
  WriteTransaction transaction = Must(db.begin());
  Statement statement = Must(transaction.prepare("SELECT x FROM t WHERE id = 1"));
  EXPECT_OK(transaction.commit(Durability::kNormal));
  EXPECT_CODE(transaction.commit(), kFailedPrecondition);
  EXPECT_CODE(transaction.rollback(), kFailedPrecondition);
  EXPECT_CODE(transaction.savepoint("s"), kFailedPrecondition);
  EXPECT_CODE(transaction.rollback_to("s"), kFailedPrecondition);
  EXPECT_CODE(transaction.release("s"), kFailedPrecondition);
  EXPECT_CODE(transaction.keyspace("k"), kFailedPrecondition);
  EXPECT_CODE(transaction.keyspaces(), kFailedPrecondition);
  EXPECT_CODE(transaction.drop_keyspace("k"), kFailedPrecondition);
  EXPECT_CODE(transaction.table("t"), kFailedPrecondition);
  EXPECT_CODE(transaction.execute("SELECT 1"), kFailedPrecondition);
  EXPECT_CODE(transaction.prepare("SELECT 1"), kFailedPrecondition);
  EXPECT_CODE(statement.step(), kFailedPrecondition);
  EXPECT_CODE(k.get("a", transaction), kFailedPrecondition);
  EXPECT_CODE(k.put("a", "1", transaction), kFailedPrecondition);
  EXPECT_CODE(t.get_row(1, transaction), kFailedPrecondition);
  EXPECT_CODE(k.scan(KeyRange::All(), transaction).status(), kFailedPrecondition);
  EXPECT_CODE(db.write(Batch(), transaction), kFailedPrecondition);
}

TEST_F(TransactionTest, SavepointsNest) {
  WriteTransaction transaction = Must(db.begin());
  EXPECT_OK(k.put("a", "0", transaction));
  EXPECT_OK(transaction.savepoint("outer"));
  EXPECT_OK(k.put("a", "1", transaction));
  EXPECT_OK(transaction.savepoint("inner"));
  EXPECT_OK(k.put("a", "2", transaction));
  EXPECT_OK(k.put("b", "2", transaction));
  EXPECT_OK(transaction.rollback_to("INNER"));
  EXPECT_EQ(Must(k.get("a", transaction)), "1");
  EXPECT_EQ(Must(k.get("b", transaction)), std::nullopt);
  EXPECT_OK(k.put("c", "3", transaction));
  EXPECT_OK(transaction.release("inner"));
  EXPECT_CODE(transaction.release("inner"), kNotFound);
  EXPECT_CODE(transaction.rollback_to("inner"), kNotFound);
  EXPECT_EQ(Must(k.get("c", transaction)), "3");
  EXPECT_OK(transaction.rollback_to("outer"));
  EXPECT_EQ(Must(k.get("a", transaction)), "0");
  EXPECT_EQ(Must(k.get("c", transaction)), std::nullopt);
  EXPECT_OK(transaction.commit());
  EXPECT_EQ(Must(k.get("a")), "0");
}

TEST_F(TransactionTest, SavepointsAreThoseOfSql) {
  WriteTransaction transaction = Must(db.begin());
  EXPECT_OK(transaction.execute("SAVEPOINT s"));
  EXPECT_OK(k.put("a", "1", transaction));
  EXPECT_OK(transaction.rollback_to("s"));
  EXPECT_EQ(Must(k.get("a", transaction)), std::nullopt);
  EXPECT_OK(transaction.savepoint("t"));
  EXPECT_OK(k.put("a", "2", transaction));
  EXPECT_OK(transaction.execute("ROLLBACK TO t"));
  EXPECT_EQ(Must(k.get("a", transaction)), std::nullopt);
  EXPECT_OK(transaction.execute("RELEASE s"));
  EXPECT_CODE(transaction.release("t"), kNotFound);
}

TEST_F(TransactionTest, SqlCannotEndIt) {
  WriteTransaction transaction = Must(db.begin());
  EXPECT_CODE(transaction.execute("BEGIN"), kFailedPrecondition);
  EXPECT_CODE(transaction.execute("COMMIT"), kFailedPrecondition);
  EXPECT_CODE(transaction.execute("ROLLBACK"), kFailedPrecondition);
  EXPECT_TRUE(transaction.active());
  EXPECT_OK(transaction.commit());
}

TEST_F(TransactionTest, KeyspacesMadeInsideAreItsOwnUntilCommit) {
  WriteTransaction transaction = Must(db.begin());
  Keyspace inside = Must(transaction.keyspace("new"));
  EXPECT_OK(inside.put("a", "1", transaction));
  EXPECT_EQ(Must(inside.get("a", transaction)), "1");
  EXPECT_CODE(inside.get("a"), kNotFound);
  EXPECT_EQ(Must(transaction.keyspaces()), (std::vector<std::string>{"k", "new"}));
  EXPECT_EQ(Must(db.keyspaces()), (std::vector<std::string>{"k"}));
  EXPECT_EQ(Must(db.keyspaces(transaction)), (std::vector<std::string>{"k", "new"}));
  EXPECT_CODE(transaction.keyspace("none", {.create_if_missing = false}), kNotFound);
  EXPECT_OK(transaction.commit());
  EXPECT_EQ(Must(inside.get("a")), "1");
}

TEST_F(TransactionTest, HandlesFollowSchemaChangesAndTheirRollback) {
  EXPECT_OK(k.put("a", "outer"));
  WriteTransaction transaction = Must(db.begin());
  EXPECT_EQ(Must(k.get("a", transaction)), "outer");
  EXPECT_OK(transaction.savepoint("s"));
  EXPECT_OK(transaction.drop_keyspace("k"));
  EXPECT_CODE(k.get("a", transaction), kNotFound);
  EXPECT_EQ(Must(k.get("a")), "outer");
  Must(transaction.keyspace("k"));
  EXPECT_EQ(Must(k.get("a", transaction)), std::nullopt);
  EXPECT_OK(k.put("a", "inner", transaction));
  EXPECT_EQ(Must(k.get("a", transaction)), "inner");
  EXPECT_OK(transaction.drop_keyspace("k"));
  EXPECT_CODE(k.get("a", transaction), kNotFound);
  EXPECT_OK(transaction.rollback_to("s"));
  EXPECT_EQ(Must(k.get("a", transaction)), "outer");
  EXPECT_OK(transaction.commit());
  EXPECT_EQ(Must(k.get("a")), "outer");
}

TEST_F(TransactionTest, TablesMadeInsideHaveHandles) {
  WriteTransaction transaction = Must(db.begin());
  EXPECT_OK(transaction.execute("CREATE TABLE u(id INTEGER PRIMARY KEY, x)"));
  EXPECT_CODE(db.table("u"), kNotFound);
  Table u = Must(transaction.table("u"));
  EXPECT_OK(u.insert_row({1, "a"}, transaction));
  EXPECT_EQ(Must(u.get_row(1, transaction)).text(1), "a");
  EXPECT_CODE(u.get_row(1), kNotFound);
  EXPECT_OK(transaction.commit());
  EXPECT_EQ(Must(u.get_row(1)).text(1), "a");
}

TEST_F(TransactionTest, ViewsMayBeWrittenBack) {
  WriteTransaction transaction = Must(db.begin());
  for (int i = 0; i < 200; ++i) {
    EXPECT_OK(k.put("k" + std::to_string(i), std::string(50, 'a' + i % 26), transaction));
  }
  for (int i = 0; i < 200; ++i) {
    const std::string key = "k" + std::to_string(i);
    const PinnedBytes view = Must(k.get_view(key, transaction));
    EXPECT_OK(k.put(key + "copy", view, transaction));
  }
  for (int i = 0; i < 200; ++i) {
    EXPECT_EQ(Must(k.get("k" + std::to_string(i) + "copy", transaction)),
              std::string(50, 'a' + i % 26));
  }
  EXPECT_OK(k.put("pointer", "target", transaction));
  EXPECT_OK(k.put("target", "x", transaction));
  EXPECT_TRUE(Must(k.erase(Must(k.get_view("pointer", transaction)), transaction)));
  EXPECT_FALSE(Must(k.contains("target", transaction)));
}

TEST_F(TransactionTest, SqlCountsChanges) {
  WriteTransaction transaction = Must(db.begin());
  EXPECT_EQ(transaction.changes(), 0);
  EXPECT_OK(transaction.execute("INSERT INTO t VALUES (5, 'a'), (9, 'b')"));
  EXPECT_EQ(transaction.changes(), 2);
  EXPECT_EQ(transaction.last_insert_rowid(), 9);
  EXPECT_OK(transaction.execute("DELETE FROM t WHERE id = ?", {5}));
  EXPECT_EQ(transaction.changes(), 1);
  Statement statement = Must(transaction.prepare("SELECT x FROM t WHERE id = ?"));
  EXPECT_OK(statement.bind(1, 9));
  EXPECT_TRUE(Must(statement.step()));
  EXPECT_EQ(statement.text(0), "b");
}

TEST_F(TransactionTest, LargeTransactionsCommit) {
  TempDir dir;
  Database file = Must(Database::Open(dir.file("a"), {.transaction_memory = 1 << 20}));
  Keyspace keys = Must(file.keyspace("keys"));
  {
    WriteTransaction transaction = Must(file.begin());
    for (int i = 0; i < 30000; ++i) {
      ASSERT_OK(keys.put(std::to_string(i), std::string(100, 'v'), transaction));
    }
    EXPECT_OK(transaction.commit());
  }
  EXPECT_EQ(Must(keys.count()), 30000u);
  EXPECT_OK(file.close());
  Database again = Must(Database::Open(dir.file("a")));
  EXPECT_EQ(Must(Must(again.keyspace("keys")).count()), 30000u);
  EXPECT_TRUE(Must(again.check_integrity()).ok());
}

class BatchTest : public MemoryTest {
 protected:
  Keyspace k = Must(db.keyspace("k"));
  Keyspace other = Must(db.keyspace("other"));
};

TEST_F(BatchTest, DoesAllInOneCommit) {
  EXPECT_OK(k.put("old", "x"));
  EXPECT_OK(k.put("r1", "x"));
  EXPECT_OK(k.put("r2", "x"));
  Batch batch;
  EXPECT_TRUE(batch.empty());
  batch.put(k, "a", "1");
  batch.put(other, "a", "2");
  batch.put("k", "b", "3");
  batch.erase(k, "old");
  batch.erase(k, "none");
  batch.erase_range(k, KeyRange::Prefix("r"));
  batch.put(k, "r3", "after the range was erased");
  EXPECT_EQ(batch.size(), 7u);
  const uint64_t before = Must(db.snapshot()).transaction_id();
  EXPECT_OK(db.write(batch));
  EXPECT_EQ(Must(db.snapshot()).transaction_id(), before + 1);
  EXPECT_EQ(KeysOf(k.scan()), (std::vector<std::string>{"a", "b", "r3"}));
  EXPECT_EQ(Must(other.get("a")), "2");
  batch.clear();
  EXPECT_TRUE(batch.empty());
  batch.put(other, "b", "4");
  EXPECT_OK(db.write(batch, Durability::kNormal));
  EXPECT_EQ(Must(other.get("b")), "4");
}

TEST_F(BatchTest, DoesNothingIfItCannotDoAll) {
  Batch batch;
  batch.put(k, "a", "1");
  batch.put(k, std::string(70000, 'k'), "too long");
  EXPECT_CODE(db.write(batch), kInvalidArgument);
  EXPECT_EQ(Must(k.count()), 0u);
  batch.clear();
  batch.put(k, "a", "1");
  batch.put("none", "a", "1");
  EXPECT_CODE(db.write(batch), kNotFound);
  EXPECT_EQ(Must(k.count()), 0u);
}

TEST_F(BatchTest, InATransactionAnErrorLeavesTheRest) {
  WriteTransaction transaction = Must(db.begin());
  EXPECT_OK(k.put("before", "1", transaction));
  Batch batch;
  batch.put(k, "a", "1");
  EXPECT_OK(db.write(batch, transaction));
  batch.put(k, "b", "1");
  batch.put(k, std::string(70000, 'k'), "too long");
  EXPECT_CODE(db.write(batch, transaction), kInvalidArgument);
  EXPECT_EQ(KeysOf(k.scan(KeyRange::All(), transaction)),
            (std::vector<std::string>{"a", "before"}));
  EXPECT_OK(transaction.commit());
  EXPECT_EQ(Must(k.count()), 2u);
}

TEST_F(BatchTest, EmptyBatchIsNoCommit) {
  const uint64_t before = Must(db.snapshot()).transaction_id();
  EXPECT_OK(db.write(Batch()));
  EXPECT_EQ(Must(db.snapshot()).transaction_id(), before);
}

}  // namespace
}  // namespace kvsql
