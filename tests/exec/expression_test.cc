// Expressions give what SQLite 3.40 gives.
#include <gtest/gtest.h>

#include <string>

#include "tests/exec/sql_fixture.h"

namespace kvsql::exec {
namespace {

class ExpressionTest : public SqlTest {
 protected:
  std::string Eval(const std::string& expr) { return Run("SELECT " + expr); }
};

TEST_F(ExpressionTest, Arithmetic) {
  EXPECT_EQ(Eval("1 + 2, 7 / 2, -7 / 2, 7 % -3, -7 % 3"), "3,3,-3,1,-1");
  EXPECT_EQ(Eval("7.0 / 2, 1 + 1.5, 2 * 0.5"), "3.5,2.5,1.0");
  EXPECT_EQ(Eval("1 / 0, 1 % 0, 1.0 / 0, NULL + 1"), "NULL,NULL,NULL,NULL");
  EXPECT_EQ(Eval("9223372036854775807 + 1"), "9.22337203685478e+18");
  EXPECT_EQ(Eval("-9223372036854775808 - 1"), "-9.22337203685478e+18");
  EXPECT_EQ(Eval("-9223372036854775808"), "-9223372036854775808");
  EXPECT_EQ(Eval("-9223372036854775808 / -1"), "9.22337203685478e+18");
  EXPECT_EQ(Eval("-9223372036854775808 % -1"), "0");
  EXPECT_EQ(Eval("- (-9223372036854775808)"), "9.22337203685478e+18");
  EXPECT_EQ(Eval("4611686018427387904 * 2"), "9.22337203685478e+18");
  EXPECT_EQ(Eval("5.5 % 2, 5 % 2.9"), "1.0,1.0");
  EXPECT_EQ(Eval("'5' + '6', '5abc' + 1, 'abc' + 1, '5.5x' + 1, x'3132' + 1"), "11,6,1,6.5,13");
  EXPECT_EQ(Eval("-'abc', -'3', +'abc', - -2"), "0,-3,'abc',2");
  EXPECT_EQ(Eval("1e308 * 10, -1e308 * 10, 1e308 * 10 - 1e308 * 10"), "Inf,-Inf,NULL");
}

TEST_F(ExpressionTest, Bits) {
  EXPECT_EQ(Eval("6 & 3, 6 | 3, ~5, 1 << 4, 256 >> 4"), "2,7,-6,16,16");
  EXPECT_EQ(Eval("1 << 64, -1 >> 64, -1 >> 200, 1 << -1, 4 >> -1, -1 << 63"),
            "0,-1,-1,0,8,-9223372036854775808");
  EXPECT_EQ(Eval("'6' & 3, 6.9 & 7, NULL & 1, ~NULL, 1e30 | 0"),
            "2,6,NULL,NULL,9223372036854775807");
}

TEST_F(ExpressionTest, Logic) {
  EXPECT_EQ(Eval("1 AND 0, 1 AND NULL, 0 AND NULL, NULL AND NULL, 2 AND 3"), "0,NULL,0,NULL,1");
  EXPECT_EQ(Eval("1 OR NULL, 0 OR NULL, 0 OR 0, 0 OR 5"), "1,NULL,0,1");
  EXPECT_EQ(Eval("NOT 0, NOT 5, NOT NULL, NOT 'abc', NOT '1', NOT 0.5"), "1,0,NULL,1,0,0");
  EXPECT_EQ(Eval("NULL IS NULL, 1 IS NULL, NULL IS NOT 1, 1 IS 1, 1 ISNULL, NULL NOTNULL"),
            "1,0,1,1,0,0");
  EXPECT_EQ(Eval("5 IS TRUE, 0 IS NOT TRUE, NULL IS FALSE, NULL IS NOT FALSE, true, false"),
            "1,1,0,1,1,0");
  EXPECT_EQ(Eval("NULL IS NOT DISTINCT FROM NULL, 1 IS DISTINCT FROM NULL"), "1,1");
}

TEST_F(ExpressionTest, Comparison) {
  EXPECT_EQ(Eval("1 = 1.0, 1 < 'a', 'a' < x'00', NULL = NULL, 'a' < 'b', 'B' < 'a'"),
            "1,1,1,NULL,1,1");
  EXPECT_EQ(Eval("1 = '1', 'a' = 'A', 'a' = 'A' COLLATE nocase, 'a ' = 'a' COLLATE rtrim"),
            "0,0,1,1");
  EXPECT_EQ(Eval("9007199254740993 = 9007199254740992.0, 9007199254740993 > 9007199254740992.0"),
            "0,1");
  EXPECT_EQ(Eval("CAST('1' AS INTEGER) = '1', CAST(1 AS TEXT) = 1"), "1,1");
  EXPECT_EQ(
      Eval("2 BETWEEN 1 AND 3, 2 NOT BETWEEN 1 AND 3, NULL BETWEEN 1 AND 2, 5 BETWEEN NULL AND 3"),
      "1,0,NULL,0");
}

TEST_F(ExpressionTest, TextAndCasts) {
  EXPECT_EQ(Eval("'a' || 'b', 1 || 2, 1.5 || 'x', NULL || 'x', x'41' || 'b'"),
            "'ab','12','1.5x',NULL,'Ab'");
  EXPECT_EQ(Eval("CAST('12abc' AS INTEGER), CAST(3.9 AS INT), CAST('x' AS REAL), CAST(5 AS TEXT)"),
            "12,3,0.0,'5'");
  EXPECT_EQ(Eval("CAST('ab' AS BLOB), CAST(x'6162' AS TEXT), CAST(NULL AS INT)"),
            "x'6162','ab',NULL");
  EXPECT_EQ(Eval("\"no such thing\""), "'no such thing'");
}

TEST_F(ExpressionTest, ColumnAffinityDecidesComparisons) {
  Run("CREATE TABLE t(id INTEGER PRIMARY KEY, i INT, x TEXT, r REAL, b BLOB, n NUMERIC COLLATE "
      "nocase)");
  Run("INSERT INTO t VALUES (1, '5', 5, 5, '5', 'Abc')");
  EXPECT_EQ(Run("SELECT i, x, r, b, n FROM t WHERE id = 1"), "5,'5',5.0,'5','Abc'");
  EXPECT_EQ(Run("SELECT i = '5', x = 5, b = 5, b = '5', r = '5', n = 'aBC', +n = 'aBC' FROM t "
                "WHERE id = 1"),
            "1,1,0,1,1,1,1");
  EXPECT_EQ(Run("SELECT i = x, x = b, x = i FROM t WHERE id = 1"), "1,1,1");
}

TEST_F(ExpressionTest, DeepNestingOfBetweenStaysLinear) {
  std::string expr = "1";
  for (int i = 0; i < 60; ++i) expr = "(" + expr + " BETWEEN 0 AND 5)";
  EXPECT_EQ(Eval(expr), "1");
}

}  // namespace
}  // namespace kvsql::exec
