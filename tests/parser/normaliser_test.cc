#include "parser/normaliser.h"

#include <gtest/gtest.h>

#include <string>

#include "parser/parser.h"
#include "tests/parser/expr_dump.h"

namespace kvsql::parser {
namespace {

std::string Show(const LiteralValue& value) {
  switch (value.type) {
    case LiteralType::kNull:
      return "null";
    case LiteralType::kInteger:
      return std::to_string(value.integer);
    case LiteralType::kReal:
      return "r" + std::to_string(value.real);
    case LiteralType::kText:
      return "'" + std::string(value.bytes) + "'";
    case LiteralType::kBlob:
      return "x" + std::to_string(value.bytes.size());
  }
  return "?";
}

// The normalised text with readable marks, then the values; "-" if nothing was lifted.
std::string Lift(std::string_view sql) {
  Normaliser normaliser;
  if (!normaliser.Run(sql)) return "-";
  std::string out;
  bool type = false;
  for (const char c : normaliser.text()) {
    if (c >= '\x01' && c <= '\x04') {
      constexpr const char* kMarks[] = {"$", "%", "@", "#"};
      out += kMarks[c - 1];
      type = c == '\x01' || c == '\x03';
    } else if (type) {
      out.push_back(c);
      type = false;
    } else {
      out.push_back(c);
    }
  }
  out += " |";
  for (const LiteralValue& value : normaliser.values()) out += " " + Show(value);
  if (normaliser.matrix_rows() > 0) out += " rows " + std::to_string(normaliser.matrix_rows());
  return out;
}

TEST(NormaliserTest, LiftsOperandsOfComparisons) {
  EXPECT_EQ(Lift("SELECT a FROM t WHERE id = 42"), "SELECT a FROM t WHERE id = $i | 42");
  EXPECT_EQ(Lift("select a from t where id=-42;"), "select a from t where id=$i | -42");
  EXPECT_EQ(Lift("DELETE FROM t WHERE 'x' = name AND b >= 1.5 OR c < x'00ff'"),
            "DELETE FROM t WHERE $t = name AND b >= $r OR c < $b | 'x' r1.500000 x2");
  EXPECT_EQ(Lift("SELECT a FROM t WHERE (b = 'it''s') AND NOT 5 < c"),
            "SELECT a FROM t WHERE (b = $t) AND NOT $i < c | 'it's' 5");
  EXPECT_EQ(Lift("SELECT * FROM t WHERE a BETWEEN 1 AND 2 AND b NOT BETWEEN 'x' AND 'y'"),
            "SELECT * FROM t WHERE a BETWEEN $i AND $i AND b NOT BETWEEN $t AND $t | 1 2 'x' 'y'");
  EXPECT_EQ(Lift("SELECT * FROM t JOIN u ON t.a = 1 WHERE u.b = 2"),
            "SELECT * FROM t JOIN u ON t.a = $i WHERE u.b = $i | 1 2");
  EXPECT_EQ(Lift("SELECT * FROM t WHERE a IN (1, 'x', -2.5) AND b = 1"),
            "SELECT * FROM t WHERE a IN (@N) AND b = $i | 1 'x' r-2.500000 1");
}

TEST(NormaliserTest, LiftsValuesAndAssignments) {
  EXPECT_EQ(Lift("INSERT INTO t VALUES (1, 'a', NULL)"),
            "INSERT INTO t VALUES (%, %, %)# | 1 'a' null rows 1");
  EXPECT_EQ(Lift("INSERT INTO t (a) VALUES (1),(2) , (-3)"),
            "INSERT INTO t (a) VALUES (%)# | 1 2 -3 rows 3");
  EXPECT_EQ(Lift("REPLACE INTO t VALUES (1, ?, a + 1, f(2), (3), 4)"),
            "REPLACE INTO t VALUES (%, ?, a + 1, f(2), (3), %) | 1 4");
  EXPECT_EQ(Lift("INSERT INTO t VALUES (1), (2 + 3)"), "INSERT INTO t VALUES (%), (2 + 3) | 1");
  EXPECT_EQ(Lift("INSERT INTO t VALUES (1, 2), (3)"), "INSERT INTO t VALUES (%, %), (%) | 1 2 3");
  EXPECT_EQ(Lift("UPDATE t SET a = 1, b = b + 2, c = NULL, d = -1.5 WHERE id = 3"),
            "UPDATE t SET a = %, b = b + 2, c = %, d = % WHERE id = $i | 1 null r-1.500000 3");
  EXPECT_EQ(Lift("UPDATE t SET a = 1"), "UPDATE t SET a = % | 1");
}

TEST(NormaliserTest, LeavesLiteralsThatMean) {
  for (const char* sql : {
           "SELECT 1",
           "SELECT a = 5 FROM t",
           "SELECT a FROM t ORDER BY 1",
           "SELECT a FROM t LIMIT 5",
           "SELECT a FROM t WHERE a LIKE 'x%'",
           "SELECT a FROM t WHERE f(1) = g(2)",
           "SELECT a FROM t WHERE a = 1 + b",
           "SELECT a FROM t WHERE a = -1 * b",
           "SELECT a FROM t WHERE a = 'x' || b",
           "SELECT a FROM t WHERE a = 'x' COLLATE nocase",
           "SELECT a FROM t WHERE a = \"text\"",
           "SELECT a FROM t WHERE a = 9223372036854775808",
           "SELECT a FROM t WHERE a = -9223372036854775808",
           "SELECT a FROM t WHERE a -> 'x'",
           "SELECT a FROM t WHERE a IS 5",
           "SELECT a FROM t WHERE a IN (1, b)",
           "SELECT a FROM t WHERE a IN (SELECT 1 WHERE b = 2)",
           "SELECT a FROM t GROUP BY a HAVING count(*) = 5",
           "CREATE TABLE t(a DEFAULT 5)",
           "WITH x AS (SELECT 1) SELECT * FROM x WHERE a = 1",
           "INSERT INTO t SELECT 1 WHERE 2 = 3",
           "INSERT INTO t VALUES (a) ON CONFLICT (a) DO UPDATE SET a = 5 WHERE b = 1",
           "UPDATE t SET (a, b) = (1, 2)",
           "UPDATE t SET a = b RETURNING 5",
           "PRAGMA x = 5",
           "SELECT a FROM t WHERE a = 'open",
           "SELECT a FROM t WHERE ^ = 5",
           "",
       }) {
    EXPECT_EQ(Lift(sql), "-") << sql;
  }
  EXPECT_EQ(Lift("SELECT a FROM t WHERE a = 1 ORDER BY b = 2"),
            "SELECT a FROM t WHERE a = $i ORDER BY b = 2 | 1");
  EXPECT_EQ(Lift("SELECT a FROM t WHERE a = 1 AND EXISTS (SELECT 1 FROM u WHERE x = 5) AND b = 6"),
            "SELECT a FROM t WHERE a = $i AND EXISTS (SELECT 1 FROM u WHERE x = 5) AND b = 6 | 1");
}

TEST(NormaliserTest, TakesOneStatement) {
  const std::string_view sql = "DELETE FROM t WHERE a = ';' ; DELETE FROM u WHERE b = 2";
  Normaliser normaliser;
  ASSERT_TRUE(normaliser.Run(sql));
  EXPECT_EQ(sql.substr(normaliser.statement_end()), " DELETE FROM u WHERE b = 2");
  EXPECT_EQ(normaliser.values().size(), 1u);
}

TEST(NormaliserTest, DecodedTextsStayWhereTheyAre) {
  std::string sql = "INSERT INTO t VALUES ('a''b', x'616263')";
  for (int i = 0; i < 500; ++i) sql += ", ('''" + std::to_string(i) + "''', x'ff')";
  Normaliser normaliser;
  ASSERT_TRUE(normaliser.Run(sql));
  EXPECT_EQ(normaliser.matrix_rows(), 501u);
  EXPECT_EQ(normaliser.values()[0].bytes, "a'b");
  EXPECT_EQ(normaliser.values()[1].bytes, "abc");
  EXPECT_EQ(normaliser.values()[1000].bytes, "'499'");
}

TEST(NormaliserTest, TheParserReadsWhatWasLifted) {
  const std::string_view sql = "SELECT a FROM t WHERE a = -5 AND b IN (1, 2) AND c = 'x'";
  Normaliser normaliser;
  ASSERT_TRUE(normaliser.Run(sql));
  StatusOr<ParsedStatement> parsed = Parse(sql, normaliser.ranges());
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(parsed->lifted_slots(), 3u);
  EXPECT_EQ(Dump(As<SelectStatement>(*parsed->statement()).select->cores[0].where),
            "(((a = L0) and (b in [L*1])) and (c = L2))");
  EXPECT_EQ(normaliser.slots()[1].count, 2u);
  EXPECT_EQ(normaliser.slots()[2].first, 3u);

  const std::string_view insert = "INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c');";
  ASSERT_TRUE(normaliser.Run(insert));
  parsed = Parse(insert, normaliser.ranges());
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  const SelectCore& core = As<InsertStatement>(*parsed->statement()).source->cores[0];
  EXPECT_TRUE(core.lifted_matrix);
  ASSERT_EQ(core.rows.size(), 1u);
  EXPECT_EQ(Dump(core.rows[0][0]) + Dump(core.rows[0][1]), "L0L1");
  EXPECT_EQ(parsed->consumed(), insert.size());
}

TEST(NormaliserTest, ErrorsKeepTheirPlaceInTheGivenText) {
  const std::string_view sql = "SELECT a FROM t WHERE a = 12345 AND AND b";
  Normaliser normaliser;
  ASSERT_TRUE(normaliser.Run(sql));
  EXPECT_EQ(Parse(sql, normaliser.ranges()).status().message(),
            "near \"AND\": syntax error at line 1, column 37");
}

}  // namespace
}  // namespace kvsql::parser
