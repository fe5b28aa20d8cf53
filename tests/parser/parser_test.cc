#include "parser/parser.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "tests/parser/expr_dump.h"

namespace kvsql::parser {
namespace {

std::string Grouping(const std::string& expr) {
  StatusOr<ParsedStatement> parsed = Parse("SELECT " + expr);
  if (!parsed.ok()) return std::string(parsed.status().message());
  const auto& select = As<SelectStatement>(*parsed->statement());
  return Dump(select.select->cores[0].columns[0].expr);
}

std::string ErrorOf(std::string_view sql) {
  StatusOr<ParsedStatement> parsed = Parse(sql);
  if (parsed.ok()) return "accepted";
  EXPECT_EQ(parsed.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(parsed.status().message());
}

TEST(ParserTest, GroupsOperatorsAsSqliteDoes) {
  EXPECT_EQ(Grouping("a OR b AND c"), "(a or (b and c))");
  EXPECT_EQ(Grouping("NOT a = b"), "(not (a = b))");
  EXPECT_EQ(Grouping("NOT a AND b"), "((not a) and b)");
  EXPECT_EQ(Grouping("a = NOT b = c"), "(a = (not (b = c)))");
  EXPECT_EQ(Grouping("a = b IS c"), "((a = b) is c)");
  EXPECT_EQ(Grouping("a IS b = c"), "((a is b) = c)");
  EXPECT_EQ(Grouping("a IS NOT b"), "(a isnot b)");
  EXPECT_EQ(Grouping("a IS NOT DISTINCT FROM b"), "(a is b)");
  EXPECT_EQ(Grouping("a IS DISTINCT FROM b"), "(a isnot b)");
  EXPECT_EQ(Grouping("a < b = c"), "((a < b) = c)");
  EXPECT_EQ(Grouping("a | b < c"), "((a | b) < c)");
  EXPECT_EQ(Grouping("a + b << c"), "((a + b) << c)");
  EXPECT_EQ(Grouping("a + b * c"), "(a + (b * c))");
  EXPECT_EQ(Grouping("a - b - c"), "((a - b) - c)");
  EXPECT_EQ(Grouping("a * b || c"), "(a * (b || c))");
  EXPECT_EQ(Grouping("a || b -> c"), "((a || b) -> c)");
  EXPECT_EQ(Grouping("-a || b"), "((-a) || b)");
  EXPECT_EQ(Grouping("a || b COLLATE nocase"), "(a || (b collate nocase))");
  EXPECT_EQ(Grouping("-a COLLATE nocase"), "((-a) collate nocase)");
  EXPECT_EQ(Grouping("- - ~a"), "(-(-(~a)))");
  EXPECT_EQ(Grouping("(a + b) * c"), "((a + b) * c)");
}

TEST(ParserTest, GroupsTernaryOperators) {
  EXPECT_EQ(Grouping("a BETWEEN 1 AND 2 AND b"), "((a between 1..2) and b)");
  EXPECT_EQ(Grouping("a NOT BETWEEN b = c AND 2 = d"), "((a not between (b = c)..2) = d)");
  EXPECT_EQ(Grouping("NOT a BETWEEN 1 AND 2"), "(not (a between 1..2))");
  EXPECT_EQ(Grouping("a LIKE b ESCAPE c = d"), "((a like b escape c) = d)");
  EXPECT_EQ(Grouping("a NOT GLOB b || c"), "(a not glob (b || c))");
  EXPECT_EQ(Grouping("a IN (1, 2) = b"), "((a in [1,2]) = b)");
  EXPECT_EQ(Grouping("a NOT IN ()"), "(a not in [])");
  EXPECT_EQ(Grouping("a IN t"), "(a in t)");
  EXPECT_EQ(Grouping("a IN (SELECT 1)"), "(a in select)");
  EXPECT_EQ(Grouping("a ISNULL"), "(isnull a)");
  EXPECT_EQ(Grouping("a NOT NULL"), "(notnull a)");
  EXPECT_EQ(Grouping("a NOTNULL AND b"), "((notnull a) and b)");
}

TEST(ParserTest, ReadsPrimaries) {
  EXPECT_EQ(Grouping("CASE a WHEN 1 THEN 2 ELSE 3 END"), "case(a; 1:2; 3)");
  EXPECT_EQ(Grouping("CASE WHEN a THEN 2 END"), "case(-; a:2; -)");
  EXPECT_EQ(Grouping("CAST(a AS VARCHAR ( 10 ,  2))"), "cast(a as VARCHAR(10,2))");
  EXPECT_EQ(Grouping("CAST(a AS)"), "cast(a as )");
  EXPECT_EQ(Grouping("count(*) FILTER (WHERE a)"), "count(*) filter a");
  EXPECT_EQ(Grouping("sum(DISTINCT a) OVER (PARTITION BY b ORDER BY c ROWS 2 PRECEDING)"),
            "sum(distinct a) over");
  EXPECT_EQ(Grouping("(1, a)"), "row(1,a)");
  EXPECT_EQ(Grouping("main.t.a"), "main.t.a");
  EXPECT_EQ(Grouping("replace(a, 'x', 'y')"), "replace(a,'x','y')");
  EXPECT_EQ(Grouping("EXISTS (SELECT 1)"), "exists");
  EXPECT_EQ(Grouping("NOT EXISTS (SELECT 1)"), "(not exists)");
  EXPECT_EQ(Grouping("'it''s'"), "'it's'");
  EXPECT_EQ(Grouping("x'00ff'"), "x2");
  EXPECT_EQ(Grouping("0x10"), "16");
  EXPECT_EQ(Grouping("0xffffffffffffffff"), "-1");
  EXPECT_EQ(Grouping("1e3"), "r1000.000000");
  EXPECT_EQ(Grouping(".5"), "r0.500000");
  EXPECT_EQ(Grouping("9223372036854775807"), "9223372036854775807");
  EXPECT_EQ(Grouping("9223372036854775808"), "r9223372036854775808.000000");
}

TEST(ParserTest, NumbersParametersAsSqliteDoes) {
  EXPECT_EQ(Grouping("? + ?5 + ? + :a + $b + :a + @a"),
            "((((((?1 + ?5) + ?6) + ?7) + ?8) + ?7) + ?9)");
  StatusOr<ParsedStatement> parsed = Parse("SELECT ?, :a, ?7, $x::y(z)");
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->parameter_names(),
            (std::vector<std::string>{"", ":a", "", "", "", "", "?7", "$x::y(z)"}));
  EXPECT_EQ(ErrorOf("SELECT ?0"),
            "variable number must be between ?1 and ?250000 at line 1, column 8");
}

TEST(ParserTest, LetsFallbackKeywordsBeNames) {
  for (const char* sql :
       {"SELECT key, value, desc, row FROM action", "SELECT a AS end FROM t first",
        "CREATE TABLE conflict(abort, match TEXT, generated, if INT)",
        "SELECT current_date, current_timestamp, rowid", "SELECT over FROM window",
        "SELECT filter, window, over FROM t over", "SELECT left(a, 2), right.b FROM right",
        "SELECT replace, glob, like FROM t", "SELECT like(a, b)", "INSERT INTO 't'('a') VALUES(1)",
        "SELECT a 'alias', b [x y], c \"z\", d `q` FROM t", "SELECT 1 x, 2 AS 'y'",
        "CREATE TABLE t(a INT GENERATED ALWAYS AS (b) STORED, b)", "SELECT t.* FROM main.t AS t",
        "SELECT * FROM t WINDOW w AS (ORDER BY a)", "SELECT sum(a) OVER w FROM t WINDOW w AS ()"}) {
    EXPECT_TRUE(Parse(sql).ok()) << sql << ": " << Parse(sql).status();
  }
  EXPECT_NE(ErrorOf("SELECT 1 AS from"), "accepted");
  EXPECT_NE(ErrorOf("CREATE TABLE select(a)"), "accepted");
}

TEST(ParserTest, AcceptsEveryKindOfStatement) {
  for (const char* sql : {
           "SELECT DISTINCT a, b FROM t AS x LEFT OUTER JOIN u USING (a) NATURAL JOIN v, w CROSS "
           "JOIN z ON 1 "
           "WHERE a > 1 GROUP BY a, b HAVING count(*) > 1 ORDER BY a DESC NULLS LAST, 2 LIMIT 5 "
           "OFFSET 2",
           "SELECT * FROM (SELECT 1) AS s, (a JOIN b ON a.x = b.x) j, json_each('[]') e FULL JOIN "
           "f INDEXED BY i "
           "ON 1",
           "WITH RECURSIVE c(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM c), d AS NOT "
           "MATERIALIZED (SELECT 1) "
           "SELECT * FROM c, d LIMIT 3, 4",
           "SELECT 1 UNION SELECT 2 EXCEPT SELECT 3 INTERSECT VALUES (4), (5)",
           "VALUES (1, 2), (3, 4)",
           "SELECT rank() OVER (w ROWS BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING EXCLUDE TIES), "
           "lag(a) OVER (ORDER BY b RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t "
           "WINDOW w AS (PARTITION BY c)",
           "INSERT OR REPLACE INTO main.t AS x (a, b) VALUES (1, ?), (2, :b) ON CONFLICT (a) WHERE "
           "b DO UPDATE "
           "SET b = excluded.b, (a, c) = (1, 2) WHERE 1 ON CONFLICT DO NOTHING RETURNING *, a AS q",
           "INSERT INTO t DEFAULT VALUES RETURNING rowid",
           "REPLACE INTO t SELECT * FROM u",
           "INSERT INTO t SELECT a FROM u WHERE 1 ON CONFLICT DO NOTHING",
           "WITH x AS (SELECT 1) UPDATE OR IGNORE t AS q INDEXED BY i SET a = 1 FROM u WHERE u.a = "
           "q.a RETURNING a",
           "UPDATE t SET a = a + 1 WHERE b ORDER BY a LIMIT 1",
           "DELETE FROM t NOT INDEXED WHERE a IN (SELECT 1) RETURNING *",
           "CREATE TEMP TABLE IF NOT EXISTS main.t (id INTEGER CONSTRAINT pk PRIMARY KEY DESC ON "
           "CONFLICT FAIL "
           "AUTOINCREMENT, a VARCHAR(10) NOT NULL ON CONFLICT ROLLBACK DEFAULT -1 COLLATE nocase "
           "UNIQUE, b DOUBLE "
           "PRECISION DEFAULT (1 + 2) CHECK (b > 0) REFERENCES u (x) ON DELETE SET NULL ON UPDATE "
           "CASCADE MATCH "
           "FULL DEFERRABLE INITIALLY DEFERRED, c DEFAULT true NULL, d AS (a || b), CONSTRAINT q "
           "UNIQUE (a, b "
           "DESC) ON CONFLICT IGNORE, CHECK (a <> b), FOREIGN KEY (a, b) REFERENCES v NOT "
           "DEFERRABLE)",
           "CREATE TABLE t (a, b, PRIMARY KEY (a, b COLLATE nocase DESC)) WITHOUT ROWID, STRICT",
           "CREATE TABLE t AS SELECT 1 AS a",
           "CREATE UNIQUE INDEX IF NOT EXISTS main.i ON t (a DESC, b COLLATE nocase, lower(c)) "
           "WHERE d IS NOT NULL",
           "CREATE VIEW v (a, b) AS SELECT 1, 2",
           "CREATE TRIGGER IF NOT EXISTS tr AFTER UPDATE OF a, b ON t FOR EACH ROW WHEN new.a > 1 "
           "BEGIN "
           "INSERT INTO u VALUES (CASE WHEN 1 THEN 2 END); UPDATE t SET a = 1; DELETE FROM t; "
           "SELECT RAISE(ABORT, 'no'); END",
           "CREATE VIRTUAL TABLE f USING fts5(a, b, tokenize = 'porter ascii', x(1, (2)))",
           "CREATE VIRTUAL TABLE f USING m",
           "DROP TABLE IF EXISTS main.t",
           "DROP INDEX i",
           "DROP VIEW v",
           "DROP TRIGGER IF EXISTS tr",
           "ALTER TABLE t RENAME TO u",
           "ALTER TABLE t RENAME COLUMN a TO b",
           "ALTER TABLE t RENAME a TO b",
           "ALTER TABLE t ADD COLUMN c INT DEFAULT 5",
           "ALTER TABLE t ADD c",
           "ALTER TABLE t DROP COLUMN c",
           "BEGIN",
           "BEGIN IMMEDIATE TRANSACTION",
           "BEGIN EXCLUSIVE",
           "COMMIT",
           "END TRANSACTION",
           "ROLLBACK",
           "ROLLBACK TRANSACTION TO SAVEPOINT s",
           "SAVEPOINT s",
           "RELEASE SAVEPOINT s",
           "RELEASE s",
           "PRAGMA main.user_version = -5",
           "PRAGMA journal_mode = WAL",
           "PRAGMA table_info('t')",
           "PRAGMA foreign_keys = ON",
           "PRAGMA integrity_check",
           "ATTACH DATABASE 'f' AS x",
           "ATTACH 'f' AS x KEY 'k'",
           "DETACH x",
           "ANALYZE",
           "ANALYZE main.t",
           "REINDEX nocase",
           "VACUUM main INTO 'f'",
           "EXPLAIN SELECT 1",
           "EXPLAIN QUERY PLAN DELETE FROM t",
       }) {
    StatusOr<ParsedStatement> parsed = Parse(sql);
    EXPECT_TRUE(parsed.ok()) << sql << ": " << parsed.status();
    if (parsed.ok()) {
      EXPECT_EQ(parsed->consumed(), std::string_view(sql).size()) << sql;
    }
  }
}

TEST(ParserTest, BuildsCreateTable) {
  StatusOr<ParsedStatement> parsed = Parse(
      "CREATE TABLE \"my t\" (id INTEGER PRIMARY KEY, a VARCHAR (10) NOT NULL DEFAULT -1, b) "
      "WITHOUT ROWID");
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  ASSERT_EQ(parsed->statement()->kind, StatementKind::kCreateTable);
  const auto& create = As<CreateTableStatement>(*parsed->statement());
  EXPECT_EQ(create.name.object.text, "my t");
  EXPECT_TRUE(create.without_rowid);
  ASSERT_EQ(create.columns.size(), 3u);
  EXPECT_EQ(create.columns[0].type.text, "INTEGER");
  ASSERT_EQ(create.columns[0].constraints.size(), 1u);
  EXPECT_EQ(create.columns[0].constraints[0].kind, ConstraintKind::kPrimaryKey);
  EXPECT_EQ(create.columns[1].type.text, "VARCHAR(10)");
  ASSERT_EQ(create.columns[1].constraints.size(), 2u);
  EXPECT_EQ(Dump(create.columns[1].constraints[1].expr), "(-1)");
  EXPECT_TRUE(create.columns[2].type.text.empty());
}

TEST(ParserTest, BuildsJoinsAndUpserts) {
  StatusOr<ParsedStatement> parsed =
      Parse("SELECT * FROM a NATURAL FULL OUTER JOIN b, c JOIN d ON a.x = d.x");
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  const auto from = As<SelectStatement>(*parsed->statement()).select->cores[0].from;
  ASSERT_EQ(from.size(), 4u);
  EXPECT_EQ(from[1].join, kJoinNatural | kJoinLeft | kJoinRight | kJoinOuter);
  EXPECT_EQ(from[2].join, kJoinComma);
  EXPECT_EQ(from[3].join, kJoinInner);
  EXPECT_EQ(Dump(from[3].on), "(a.x = d.x)");

  parsed = Parse("INSERT INTO t VALUES (1) ON CONFLICT (a) WHERE b DO UPDATE SET c = 1 WHERE d");
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  const auto& insert = As<InsertStatement>(*parsed->statement());
  ASSERT_EQ(insert.upserts.size(), 1u);
  EXPECT_EQ(Dump(insert.upserts[0].target_where), "b");
  EXPECT_EQ(Dump(insert.upserts[0].where), "d");
}

TEST(ParserTest, TakesOneStatementAtATime) {
  const std::string_view sql = " ; -- nothing\n SELECT ';' ; SELECT 2";
  StatusOr<ParsedStatement> parsed = Parse(sql);
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(sql.substr(parsed->consumed()), " SELECT 2");
  parsed = Parse(" /* open comment");
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->statement(), nullptr);
  parsed = Parse(
      "CREATE TRIGGER r INSERT ON t BEGIN SELECT 1; SELECT CASE WHEN 1 THEN 2 END; END; SELECT 2");
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(As<CreateTriggerStatement>(*parsed->statement()).body.size(), 2u);
  EXPECT_EQ(parsed->consumed(), 80u);
}

TEST(ParserTest, NamesTheOffendingTokenAndItsPlace) {
  EXPECT_EQ(ErrorOf("SELECT * FORM t"), "near \"FORM\": syntax error at line 1, column 10");
  EXPECT_EQ(ErrorOf("SELECT 1\n  FROM\n WHERE a"),
            "near \"WHERE\": syntax error at line 3, column 2");
  EXPECT_EQ(ErrorOf("SELECT 'abc"), "unrecognized token: \"'abc\" at line 1, column 8");
  EXPECT_EQ(ErrorOf("SELECT 12abc"), "unrecognized token: \"12abc\" at line 1, column 8");
  EXPECT_EQ(ErrorOf("SELECT \xc3\xa9, ^"), "unrecognized token: \"^\" at line 1, column 11");
  EXPECT_EQ(ErrorOf("SELECT (1"), "incomplete input at line 1, column 10");
  EXPECT_EQ(ErrorOf("SELECT (1;"), "near \";\": syntax error at line 1, column 10");
  EXPECT_EQ(ErrorOf("SELEC 1"), "near \"SELEC\": syntax error at line 1, column 1");
  EXPECT_EQ(ErrorOf("INSERT INTO t VALUES (1,)"), "near \")\": syntax error at line 1, column 25");
  EXPECT_EQ(ErrorOf("SELECT 0x12345678901234567"),
            "hex literal too big: 0x12345678901234567 at line 1, column 8");
  EXPECT_EQ(ErrorOf("VALUES (1), (2, 3)"),
            "all VALUES must have the same number of terms at line 1, column 13");
  EXPECT_EQ(ErrorOf("SELECT * FROM a LEFT INNER JOIN b"),
            "unknown join type: LEFT INNER at line 1, column 17");
  EXPECT_EQ(ErrorOf("VALUES (1) ORDER BY 1"), "near \"ORDER\": syntax error at line 1, column 12");
  EXPECT_EQ(ErrorOf("CREATE TABLE t (a) WITHOUT x"),
            "unknown table option: x at line 1, column 28");
}

std::string Repeat(std::string_view piece, size_t times) {
  std::string text;
  for (size_t i = 0; i < times; ++i) text += piece;
  return text;
}

TEST(ParserTest, RefusesWhatWouldOverflowTheStack) {
  EXPECT_EQ(ErrorOf("SELECT " + Repeat("(", 10000)),
            "nesting is deeper than the limit of 200 at line 1, column 208");
  EXPECT_EQ(ErrorOf("SELECT " + Repeat("(", 200) + "1" + Repeat(")", 200)), "accepted");
  EXPECT_NE(ErrorOf("SELECT " + Repeat("CASE WHEN 1 THEN ", 300)).find("nesting"),
            std::string::npos);
  EXPECT_EQ(ErrorOf("SELECT 1" + Repeat("+1", 999)), "accepted");
  EXPECT_EQ(ErrorOf("SELECT 1" + Repeat("+1", 1000)),
            "Expression tree is too large (maximum depth 1000) at line 1, column 8");
  EXPECT_NE(ErrorOf("SELECT 1" + Repeat("+1", 100000)).find("too large"), std::string::npos);
  EXPECT_NE(ErrorOf("SELECT " + Repeat("- ", 100000) + "1").find("too large"), std::string::npos);
  EXPECT_NE(ErrorOf("SELECT " + Repeat("NOT ", 5000) + "1").find("too large"), std::string::npos);
  EXPECT_EQ(ErrorOf("SELECT " + Repeat("a * b + ", 400) + "1"), "accepted");
  EXPECT_NE(ErrorOf(Repeat("SELECT (", 300)), "accepted");
}

TEST(ParserTest, KeepsToItsLimits) {
  Limits limits;
  limits.tokens = 10;
  EXPECT_FALSE(Parse("SELECT 1, 2, 3, 4, 5, 6, 7, 8", {}, limits).ok());
  limits.statement_bytes = 8;
  EXPECT_FALSE(Parse("SELECT 123", {}, limits).ok());
}

TEST(ParserTest, MayBeCalledFromManyThreads) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      for (int i = 0; i < 50; ++i) {
        EXPECT_TRUE(
            Parse("SELECT a, count(*) FROM t JOIN u USING (x) WHERE b LIKE 'x%' GROUP BY a").ok());
        EXPECT_FALSE(Parse("SELECT a FROM WHERE").ok());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace kvsql::parser
