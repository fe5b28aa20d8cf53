// Each rule of the planner: what it makes of a query, told by EXPLAIN QUERY PLAN, and that the query answers the
// same with it and without it.
#include <gtest/gtest.h>

#include <string>

#include "tests/exec/sql_fixture.h"

namespace kvsql::exec {
namespace {

class RulesTest : public SqlTest {
 protected:
  RulesTest() {
    Run("CREATE TABLE d(n); INSERT INTO d VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9);"
        "CREATE TABLE t(id INTEGER PRIMARY KEY, a, b TEXT COLLATE NOCASE, c, g TEXT);"
        "CREATE INDEX ta ON t(a); CREATE INDEX tb ON t(b); CREATE INDEX tc ON t(c);"
        "CREATE INDEX tg ON t(g);"
        "CREATE TABLE u(x, y INTEGER NOT NULL); CREATE TABLE v(k INTEGER PRIMARY KEY, z NOT NULL);"
        "INSERT INTO t SELECT p.n*100+q.n*10+r.n, q.n, 'Name'||r.n, p.n*10+q.n, 'g'||p.n||q.n "
        "FROM d p, d q, d r;"
        "INSERT INTO t VALUES (5000, NULL, x'4e616d6531', 3, x'673131'), (5001, 1.0, NULL, '3', "
        "'');"
        "INSERT INTO u SELECT id % 7, id FROM t WHERE id < 200; INSERT INTO u VALUES (NULL, 7);"
        "INSERT INTO v SELECT id, id * 2 FROM t WHERE id < 50;");
  }

  // The details of the plan, each indented by its depth.
  std::string Explain(const std::string& sql) {
    StatementPtr statement = Prepare("EXPLAIN QUERY PLAN " + sql);
    if (statement == nullptr) return "";
    std::string out;
    std::vector<size_t> depth = {0};
    while (*statement->Step()) {
      const size_t own = depth[static_cast<size_t>(statement->column(1).integer)] + 1;
      depth.push_back(own);
      if (!out.empty()) out += "\n";
      out += std::string(own - 1, ' ') + std::string(statement->column(3).bytes());
    }
    return out;
  }

  // The plan must contain `part`, and must not without the rule; the answers must be the same.
  void Check(const std::string& rule, const std::string& sql, const std::string& part) {
    const std::string with = Explain(sql);
    EXPECT_NE(with.find(part), std::string::npos) << sql << "\n" << with;
    const std::string answer = Run(sql);
    EXPECT_EQ(answer.find("INVALID"), std::string::npos) << answer;
    Run("PRAGMA kvsql_rules = '-" + rule + "'");
    const std::string without = Explain(sql);
    EXPECT_EQ(without.find(part), std::string::npos) << sql << "\n" << without;
    EXPECT_EQ(Run(sql), answer) << sql;
    Run("PRAGMA kvsql_rules = on");
  }
  // The answers must be the same with the rule and without it.
  void CheckSame(const std::string& rule, const std::string& sql) {
    const std::string answer = Run(sql);
    Run("PRAGMA kvsql_rules = '-" + rule + "'");
    EXPECT_EQ(Run(sql), answer) << sql;
    Run("PRAGMA kvsql_rules = on");
  }
};

TEST_F(RulesTest, Switches) {
  EXPECT_EQ(Run("PRAGMA kvsql_rules = 'nonsense'"),
            "INVALID_ARGUMENT: no such planner rule: nonsense");
  EXPECT_EQ(Run("PRAGMA kvsql_tier"), "'auto'");
  EXPECT_EQ(Explain("SELECT * FROM t WHERE id = 1"),
            "SEARCH t USING INTEGER PRIMARY KEY (rowid=?)");
  EXPECT_EQ(Run("PRAGMA kvsql_tier = batch; SELECT c FROM t WHERE id = 11"), "1");
  EXPECT_EQ(Run("PRAGMA kvsql_tier"), "'batch'");
  EXPECT_EQ(Prepare("SELECT c FROM t WHERE id = 11")->plan().kind, planner::PlanKind::kQuery);
  EXPECT_EQ(Run("PRAGMA kvsql_tier = auto; SELECT c FROM t WHERE id = 11"), "1");
  EXPECT_EQ(Prepare("SELECT c FROM t WHERE id = 11")->plan().kind, planner::PlanKind::kGet);
  EXPECT_EQ(Run("EXPLAIN SELECT 1").substr(0, 40), "UNIMPLEMENTED: not supported yet: EXPLAI");
}

TEST_F(RulesTest, ExplainsStatements) {
  EXPECT_EQ(Explain("SELECT * FROM t, u WHERE a = x ORDER BY c LIMIT 10 OFFSET 2"),
            "LIMIT\n SORT (top 10 + 2)\n  HASH JOIN\n   SCAN t\n   SCAN u");
  EXPECT_EQ(Explain("UPDATE t SET c = 1 WHERE a > 5"),
            "UPDATE t\n SEARCH t USING COVERING INDEX ta (a>?)");
  EXPECT_EQ(Explain("DELETE FROM t"), "DELETE ALL ROWS OF t");
  EXPECT_EQ(Explain("DELETE FROM t WHERE id = 7"),
            "DELETE FROM t\n SEARCH t USING INTEGER PRIMARY KEY (rowid=?)");
  EXPECT_EQ(Explain("INSERT INTO u VALUES (1, 2)"), "INSERT INTO u");
  EXPECT_EQ(Explain("SELECT count(*) FROM t"), "COUNT ROWS OF t");
  EXPECT_EQ(Explain("SELECT 1 EXCEPT SELECT 2"), "EXCEPT\n SCAN CONSTANT ROW\n SCAN CONSTANT ROW");
  EXPECT_EQ(Explain("SELECT (SELECT max(z) FROM v)"),
            "SCAN CONSTANT ROW\nSCALAR SUBQUERY 1\n AGGREGATE\n  SCAN v");
}

TEST_F(RulesTest, Fold) {
  const std::string sql =
      "SELECT count(*) FROM t JOIN u ON 1 WHERE t.id < 3 AND (2 > 1 OR t.c = 1)";
  EXPECT_EQ(Explain(sql).find("FILTER"), std::string::npos) << Explain(sql);
  CheckSame("fold", sql);
  CheckSame("fold", "SELECT count(*) FROM t WHERE 1 = 2 OR (a = 1 AND 3 + 4 * 2 = 11)");
  CheckSame("fold",
            "SELECT count(*) FROM t WHERE (NOT 0) AND (a OR 1) AND 9223372036854775807 + 1 > 0");
}

TEST_F(RulesTest, Closure) {
  Check("closure", "SELECT count(*) FROM u JOIN t ON u.x = t.a WHERE u.x > 5", "ta (a>?)");
  CheckSame("closure", "SELECT count(*) FROM t JOIN u ON t.a = u.x WHERE t.a BETWEEN 2 AND 4");
  CheckSame("closure", "SELECT count(*) FROM t JOIN u ON t.g = u.x WHERE u.x IN (1, 2, 'g11')");
}

TEST_F(RulesTest, Flatten) {
  Check("flatten",
        "SELECT q.n, z FROM (SELECT a + 1 AS n, id FROM t WHERE c < 90) q JOIN v ON v.k = q.id "
        "WHERE z < 10 ORDER BY z",
        "INDEX JOIN");
  CheckSame("flatten", "SELECT * FROM (SELECT id FROM t ORDER BY c DESC, id) WHERE id < 40");
  CheckSame("flatten",
            "SELECT n, (SELECT count(*) FROM u WHERE x = q.n) FROM (SELECT a AS n FROM t) q "
            "WHERE n < 2 ORDER BY 1, 2");
}

TEST_F(RulesTest, Pushdown) {
  Check("pushdown", "SELECT * FROM (SELECT a, count(*) FROM t GROUP BY a) WHERE a = 4",
        "SEARCH t USING COVERING INDEX ta (a=?)");
  Check("pushdown", "SELECT * FROM (SELECT id FROM t UNION ALL SELECT k FROM v) q WHERE q.id = 4",
        "SEARCH v USING INTEGER PRIMARY KEY (rowid=?)");
  CheckSame("pushdown", "SELECT * FROM (SELECT a FROM t LIMIT 30) WHERE a = 1");
  CheckSame("pushdown", "SELECT * FROM (SELECT a, sum(c) AS s FROM t GROUP BY a) WHERE s > 4600");
}

TEST_F(RulesTest, Decorrelate) {
  Check("decorrelate", "SELECT count(*) FROM t WHERE EXISTS (SELECT 1 FROM u WHERE x = a)",
        "SEMI HASH JOIN");
  Check("decorrelate",
        "SELECT count(*) FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE x = a AND y < id)",
        "ANTI HASH JOIN");
  Check("decorrelate", "SELECT count(*) FROM v WHERE EXISTS (SELECT 1 FROM t WHERE t.id = v.z)",
        "SEMI INDEX JOIN");
  Check("decorrelate", "SELECT count(*) FROM t WHERE a IN (SELECT x FROM u WHERE y = t.id)",
        "SEMI HASH JOIN");
  Check("decorrelate", "SELECT count(*) FROM v WHERE z NOT IN (SELECT y FROM u WHERE y = v.k)",
        "ANTI HASH JOIN");
  // NULLs may be involved.
  CheckSame("decorrelate", "SELECT count(*) FROM t WHERE a NOT IN (SELECT x FROM u WHERE y = c)");
  Check("decorrelate",
        "SELECT x, (SELECT count(*) FROM t WHERE a = x + 5) AS n FROM u WHERE y < 10 ORDER BY n, x",
        "LEFT HASH JOIN");
  Check("decorrelate",
        "SELECT count(*) FROM u WHERE y > (SELECT avg(o.y) + 1 FROM u o WHERE o.x = u.x)",
        "GROUP BY (hash)");
  CheckSame("decorrelate",
            "SELECT x, (SELECT total(c) || '-' || count(*) FROM t WHERE a = x * 2) FROM u "
            "WHERE y < 9 ORDER BY y");
  CheckSame("decorrelate",
            "SELECT count(*) FROM t WHERE EXISTS (SELECT 1 FROM u WHERE x = a "
            "AND EXISTS (SELECT 1 FROM v WHERE k = y))");
}

TEST_F(RulesTest, OrProbes) {
  Check("or_probes", "SELECT id FROM t WHERE a = 3 AND c < 15 OR c = 17 ORDER BY id",
        "SEARCH t USING INDEX tc (c=?)");
  Check("or_probes", "SELECT id FROM t WHERE id = 3 OR id = 7 OR id = 3 ORDER BY id",
        "SEARCH t USING INTEGER PRIMARY KEY (rowid=?)");
  CheckSame("or_probes", "SELECT id FROM t WHERE c = 3 OR a = 1 OR b = 'name4' ORDER BY id");
}

TEST_F(RulesTest, Prefix) {
  Check("prefix", "SELECT id, typeof(b) FROM t WHERE b LIKE 'name1%' ORDER BY id", "INDEX tb (b>?");
  Check("prefix", "SELECT id, typeof(g) FROM t WHERE g GLOB 'g11*' ORDER BY id", "INDEX tg (g>?");
  // The collation does not fit.
  EXPECT_EQ(Explain("SELECT id FROM t WHERE g LIKE 'g11%'"), "SCAN t USING COVERING INDEX tg");
  CheckSame("prefix", "SELECT id FROM t WHERE b LIKE 'N_me1%' ORDER BY id");
}

TEST_F(RulesTest, Share) {
  Check("share",
        "WITH s AS (SELECT a, count(*) AS n FROM t GROUP BY a) SELECT p.a, q.n FROM s p JOIN s q "
        "ON p.a = q.a ORDER BY 1",
        "MATERIALIZE s");
  Check("share",
        "WITH s AS MATERIALIZED (SELECT id, c FROM t WHERE c < 20) SELECT count(*) FROM s p, s q "
        "WHERE p.c = q.c AND p.id < (SELECT max(id) FROM s)",
        "MATERIALIZE s");
  CheckSame("share",
            "SELECT a, (WITH s AS (SELECT max(y) AS m FROM u WHERE x = a) SELECT p.m + q.m "
            "FROM s p, s q) FROM t WHERE id < 20 ORDER BY id");
  CheckSame("share",
            "WITH s AS (SELECT 1 AS one UNION SELECT 2), r AS (SELECT * FROM s UNION ALL "
            "SELECT one + 10 FROM s) SELECT * FROM r p, r q ORDER BY 1, 2");
}

TEST_F(RulesTest, MinMax) {
  Check("min_max", "SELECT min(a) FROM t", "LIMIT");
  Check("min_max", "SELECT max(c) + 1 FROM t", "LIMIT");
  Check("min_max", "SELECT max(b) FROM t", "LIMIT");
  Check("min_max", "SELECT min(id) FROM t WHERE id > 7 AND c <> 9", "LIMIT");
  CheckSame("min_max", "SELECT min(a) FROM t WHERE a IS NULL");
  CheckSame("min_max", "SELECT max(a), c FROM t");
  CheckSame("min_max", "SELECT min(x) FROM u");
}

}  // namespace
}  // namespace kvsql::exec
