#include "exec/statement.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/exec/sql_fixture.h"

namespace kvsql::exec {
namespace {

class StatementTest : public SqlTest {};

TEST_F(StatementTest, ReadsRowsByEveryKindOfKey) {
  EXPECT_EQ(Run("CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT UNIQUE, a, b, UNIQUE(a, b))"),
            "");
  EXPECT_EQ(Run("INSERT INTO t VALUES (1, 'one', 1, 'x'), (2, 'two', 1, 'y'), (-5, NULL, 2, 'x')"),
            "");
  EXPECT_EQ(Run("SELECT * FROM t WHERE id = 2"), "2,'two',1,'y'");
  EXPECT_EQ(Run("SELECT rowid, name FROM t WHERE _rowid_ = -5"), "-5,NULL");
  EXPECT_EQ(Run("SELECT id FROM t WHERE name = 'one'"), "1");
  EXPECT_EQ(Run("SELECT id FROM t WHERE 'two' = t.name"), "2");
  EXPECT_EQ(Run("SELECT id FROM t AS q WHERE q.b = 'y' AND a = 1"), "2");
  EXPECT_EQ(Run("SELECT id FROM t WHERE a = 1 AND b = 'z'"), "");
  EXPECT_EQ(Run("SELECT id FROM t WHERE id = 2 AND name = 'one'"), "");
  EXPECT_EQ(Run("SELECT id FROM t WHERE id = 2 AND name = 'two' AND a < 5"), "2");
  EXPECT_EQ(Run("SELECT id FROM t WHERE id = '2'"), "2");
  EXPECT_EQ(Run("SELECT id FROM t WHERE id = 2.0"), "2");
  EXPECT_EQ(Run("SELECT id FROM t WHERE id = 2.5"), "");
  EXPECT_EQ(Run("SELECT id FROM t WHERE id = 'x'"), "");
  EXPECT_EQ(Run("SELECT id FROM t WHERE id = NULL"), "");
  EXPECT_EQ(Run("SELECT id FROM t WHERE id = 1 + 1"), "2");
  EXPECT_EQ(Run("SELECT count(*) FROM t"), "3");
}

TEST_F(StatementTest, ReadsWithoutRowidAndCompositeKeys) {
  EXPECT_EQ(
      Run("CREATE TABLE w(a TEXT COLLATE nocase, b INT, c, PRIMARY KEY (b DESC, a)) WITHOUT ROWID"),
      "");
  EXPECT_EQ(Run("INSERT INTO w VALUES ('Key', 1, 'v'), ('key2', 1, 'w')"), "");
  EXPECT_EQ(Run("SELECT a, c FROM w WHERE a = 'kEY' AND b = '1'"), "'Key','v'");
  EXPECT_EQ(Run("INSERT INTO w VALUES ('KEY', 1, 'x')"),
            "ALREADY_EXISTS: UNIQUE constraint failed: w.b, w.a");
  EXPECT_EQ(Run("INSERT INTO w VALUES (NULL, 1, 'x')"),
            "INVALID_ARGUMENT: NOT NULL constraint failed: w.a");
  EXPECT_EQ(Run("UPDATE w SET c = c || '!', a = 'K3' WHERE a = 'key' AND b = 1"), "");
  EXPECT_EQ(Run("SELECT * FROM w WHERE a = 'k3' AND b = 1"), "'K3',1,'v!'");
  EXPECT_EQ(Run("DELETE FROM w WHERE b = 1 AND a = 'K3'; SELECT count(*) FROM w"), "1");
}

TEST_F(StatementTest, UpdatesAndDeletesByKey) {
  Run("CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT UNIQUE, n INT DEFAULT 7)");
  Run("INSERT INTO t(name) VALUES ('a'), ('b')");
  EXPECT_EQ(session_->last_insert_rowid(), 2);
  EXPECT_EQ(session_->changes(), 2);
  EXPECT_EQ(
      Run("UPDATE t SET n = n + 1, name = name || n WHERE id = 1; SELECT * FROM t WHERE id = 1"),
      "1,'a7',8");
  EXPECT_EQ(session_->changes(), 1);
  EXPECT_EQ(Run("UPDATE t SET name = 'b' WHERE id = 1"),
            "ALREADY_EXISTS: UNIQUE constraint failed: t.name");
  EXPECT_EQ(Run("UPDATE OR IGNORE t SET name = 'b' WHERE id = 1; SELECT name FROM t WHERE id = 1"),
            "'a7'");
  EXPECT_EQ(Run("UPDATE OR REPLACE t SET name = 'b' WHERE id = 1; SELECT count(*) FROM t"), "1");
  EXPECT_EQ(Run("UPDATE t SET id = 50 WHERE name = 'b'; SELECT id FROM t WHERE name = 'b'"), "50");
  EXPECT_EQ(Run("UPDATE t SET n = 1 WHERE id = 99"), "");
  EXPECT_EQ(session_->changes(), 0);
  EXPECT_EQ(Run("DELETE FROM t WHERE id = 50"), "");
  EXPECT_EQ(session_->changes(), 1);
  EXPECT_EQ(Run("SELECT count(*) FROM t"), "0");
  EXPECT_EQ(session_->total_changes(), 6);
}

TEST_F(StatementTest, ConflictModes) {
  Run("CREATE TABLE t(id INTEGER PRIMARY KEY, u UNIQUE, v)");
  Run("INSERT INTO t VALUES (1, 'a', 1), (2, 'b', 2)");
  EXPECT_EQ(Run("INSERT INTO t VALUES (3, 'c', 3), (4, 'a', 4)"),
            "ALREADY_EXISTS: UNIQUE constraint failed: t.u");
  EXPECT_EQ(Run("SELECT count(*) FROM t"), "2");
  EXPECT_EQ(Run("INSERT OR FAIL INTO t VALUES (3, 'c', 3), (4, 'a', 4), (5, 'e', 5)"),
            "ALREADY_EXISTS: UNIQUE constraint failed: t.u");
  EXPECT_EQ(Run("SELECT count(*) FROM t"), "3");
  EXPECT_EQ(Run("INSERT OR IGNORE INTO t VALUES (4, 'a', 4), (5, 'e', 5)"), "");
  EXPECT_EQ(session_->changes(), 1);
  EXPECT_EQ(Run("REPLACE INTO t VALUES (1, 'b', 9); SELECT count(*) FROM t; SELECT * FROM t WHERE "
                "id = 1"),
            "3;1,'b',9");
  Run("BEGIN; INSERT INTO t VALUES (77, 'q', 1)");
  EXPECT_EQ(Run("INSERT OR ROLLBACK INTO t VALUES (78, 'q', 1)"),
            "ALREADY_EXISTS: UNIQUE constraint failed: t.u");
  EXPECT_FALSE(session_->in_transaction());
  EXPECT_EQ(Run("SELECT count(*) FROM t"), "3");
}

TEST_F(StatementTest, AFailedStatementInATransactionIsUndoneAlone) {
  Run("CREATE TABLE t(id INTEGER PRIMARY KEY)");
  Run("BEGIN; INSERT INTO t VALUES (1)");
  EXPECT_EQ(Run("INSERT INTO t VALUES (2), (3), (1)"),
            "ALREADY_EXISTS: UNIQUE constraint failed: t.id");
  EXPECT_EQ(Run("SELECT count(*) FROM t; COMMIT; SELECT count(*) FROM t"), "1;1");
}

TEST_F(StatementTest, BindsParameters) {
  Run("CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, x BLOB)");
  StatementPtr insert = Prepare("INSERT INTO t VALUES (:id, :name, ?5)");
  EXPECT_EQ(insert->ParameterCount(), 5);
  EXPECT_EQ(insert->ParameterName(1), ":id");
  EXPECT_EQ(insert->ParameterName(4), "");
  EXPECT_EQ(insert->ParameterName(5), "?5");
  EXPECT_EQ(insert->ParameterPosition(":name"), 2);
  EXPECT_EQ(insert->ParameterPosition(":none"), std::nullopt);
  for (int i = 1; i <= 3; ++i) {
    std::string name = "name " + std::to_string(i);
    ASSERT_TRUE(insert->Bind(1, kv::ValueView::Integer(i)).ok());
    ASSERT_TRUE(insert->Bind(2, kv::ValueView::Text(name)).ok());
    name.assign(name.size(), '#');  // bound bytes are copies
    ASSERT_TRUE(insert->Bind(5, kv::ValueView::Blob("\x01")).ok());
    StatusOr<bool> row = insert->Step();
    ASSERT_TRUE(row.ok()) << row.status();
    EXPECT_FALSE(*row);
  }
  EXPECT_EQ(Error(insert->Bind(6, kv::ValueView())),
            "OUT_OF_RANGE: no parameter 6: the statement has 5");
  EXPECT_EQ(Error(insert->Bind(0, kv::ValueView())),
            "OUT_OF_RANGE: no parameter 0: the statement has 5");

  StatementPtr select = Prepare("SELECT name AS n, x, id FROM t WHERE id = ?");
  EXPECT_EQ(select->column_count(), 3);
  EXPECT_EQ(select->column_name(0), "n");
  EXPECT_EQ(select->column_name(2), "id");
  EXPECT_EQ(select->declared_type(2), "INTEGER");
  ASSERT_TRUE(select->Bind(1, kv::ValueView::Integer(2)).ok());
  EXPECT_TRUE(*select->Step());
  EXPECT_EQ(ShowRow(*select), "'name 2',x'01',2");
  EXPECT_EQ(select->Bind(1, kv::ValueView()).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_FALSE(*select->Step());
  EXPECT_EQ(ShowRow(*select), "NULL,NULL,NULL");
  EXPECT_TRUE(*select->Step());  // begins anew, bindings stay
  select->Reset();
  select->ClearBindings();
  EXPECT_FALSE(*select->Step());
}

TEST_F(StatementTest, NamesColumnsAsSqliteDoes) {
  Run("CREATE TABLE t(\"Id\" INTEGER PRIMARY KEY, bb TEXT)");
  StatementPtr statement = Prepare(
      "SELECT ID, rowid, t.BB, (bb), bb || 'x', 1+  2, bb AS \"q\", bb z, main.t.bb FROM t WHERE "
      "id = 1");
  std::string names;
  for (int i = 0; i < statement->column_count(); ++i)
    names += std::string(statement->column_name(i)) + "|";
  EXPECT_EQ(names, "Id|Id|bb|bb|bb || 'x'|1+  2|q|z|bb|");
}

TEST_F(StatementTest, PlansAgainWhenTheSchemaChanges) {
  Run("CREATE TABLE t(a INTEGER PRIMARY KEY, b); INSERT INTO t VALUES (1, 'old')");
  StatementPtr select = Prepare("SELECT * FROM t WHERE a = ?");
  ASSERT_TRUE(select->Bind(1, kv::ValueView::Integer(1)).ok());
  EXPECT_TRUE(*select->Step());
  EXPECT_EQ(ShowRow(*select), "1,'old'");
  select->Reset();
  EXPECT_EQ(Run(other(),
                "DROP TABLE t; CREATE TABLE t(x, a TEXT PRIMARY KEY, c); INSERT INTO t VALUES (7, "
                "1, 'new')"),
            "");
  EXPECT_TRUE(*select->Step());
  EXPECT_EQ(ShowRow(*select), "7,'1','new'");
  select->Reset();
  Run("DROP TABLE t");
  StatusOr<bool> row = select->Step();
  EXPECT_EQ(Error(row.status()), "NOT_FOUND: no such table: t at line 1, column 15");
}

TEST_F(StatementTest, SchemaStatements) {
  EXPECT_EQ(Run("CREATE TABLE t(a, b)"), "");
  EXPECT_EQ(Run("CREATE TABLE T(a)").substr(0, 14), "ALREADY_EXISTS");
  EXPECT_EQ(Run("CREATE TABLE IF NOT EXISTS t(zzz)"), "");
  EXPECT_EQ(Run("INSERT INTO t VALUES (1, 2), (1, 3)"), "");
  EXPECT_EQ(Run("CREATE UNIQUE INDEX i ON t(a)"), "ALREADY_EXISTS: UNIQUE constraint failed: t.a");
  EXPECT_EQ(Run("CREATE UNIQUE INDEX i ON t(b DESC); SELECT a FROM t WHERE b = 3"), "1");
  EXPECT_EQ(Run("CREATE UNIQUE INDEX IF NOT EXISTS i ON t(b)"), "");
  EXPECT_EQ(Run("DROP INDEX i; DROP INDEX IF EXISTS i"), "");
  EXPECT_EQ(Run("SELECT a FROM t WHERE b = 3"), "1");
  EXPECT_EQ(Run("DROP TABLE t; DROP TABLE IF EXISTS t"), "");
  EXPECT_EQ(Run("DROP TABLE t").substr(0, 9), "NOT_FOUND");
  EXPECT_EQ(Run("BEGIN; CREATE TABLE q(a INTEGER PRIMARY KEY); INSERT INTO q VALUES (4); "
                "SELECT a FROM q WHERE a = 4; ROLLBACK"),
            "4");
  EXPECT_EQ(Run("SELECT a FROM q WHERE a = 4").substr(0, 9), "NOT_FOUND");
}

TEST_F(StatementTest, Pragmas) {
  Run("CREATE TABLE t(a TEXT NOT NULL DEFAULT 'q', b INT UNIQUE, c, PRIMARY KEY (c, a))");
  EXPECT_EQ(Run("PRAGMA table_info(t)"),
            "0,'a','TEXT',1,''q'',2;1,'b','INT',0,NULL,0;2,'c','',0,NULL,1");
  EXPECT_EQ(Run("PRAGMA index_list(t)"),
            "0,'sqlite_autoindex_t_2',1,'pk',0;1,'sqlite_autoindex_t_1',1,'u',0");
  EXPECT_EQ(Run("PRAGMA index_info('sqlite_autoindex_t_2')"), "0,2,'c';1,0,'a'");
  EXPECT_EQ(Run("PRAGMA integrity_check"), "'ok'");
  EXPECT_EQ(Run("PRAGMA no_such_pragma"), "");
}

TEST_F(StatementTest, SaysWhatIsNotSupportedAndWhere) {
  Run("CREATE TABLE t(a INTEGER PRIMARY KEY, b)");
  EXPECT_EQ(Run("SELECT *\nFROM t, json_each(b)"),
            "UNIMPLEMENTED: not supported yet: table functions at line 2, column 9");
  EXPECT_EQ(Run("SELECT nope FROM t WHERE a = 1"),
            "INVALID_ARGUMENT: no such column: nope at line 1, column 8");
  EXPECT_EQ(Run("SELECT row_number() OVER () FROM t"),
            "UNIMPLEMENTED: not supported yet: window functions at line 1, column 8");
  EXPECT_EQ(
      Run("INSERT INTO t VALUES (1)"),
      "INVALID_ARGUMENT: table t has 2 columns but 1 values were supplied at line 1, column 23");
  EXPECT_EQ(Run("INSERT INTO t(a, z) VALUES (1, 2)"),
            "INVALID_ARGUMENT: table t has no column named z at line 1, column 18");
  EXPECT_EQ(Run("CREATE TABLE x(a, b AS (a + 1))"),
            "UNIMPLEMENTED: not supported yet: generated columns at line 1, column 21");
}

TEST_F(StatementTest, ValuesAndConstants) {
  EXPECT_EQ(Run("VALUES (1, 'a'), (2, 'b' || 'c')"), "1,'a';2,'bc'");
  EXPECT_EQ(Run("SELECT 1, NULL WHERE 0"), "");
  EXPECT_EQ(Run("SELECT 1 WHERE 1 < 2; SELECT 2"), "1;2");
}

}  // namespace
}  // namespace kvsql::exec
