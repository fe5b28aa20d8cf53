// Random expressions over awkward values: the answers are SQLite's.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <random>
#include <string>

#include "tests/exec/sql_fixture.h"

namespace kvsql::exec {
namespace {

class ExpressionOracleTest : public SqlTest {
 protected:
  ExpressionOracleTest() {
    sqlite3_open(":memory:", &db_);
    const std::string script =
        "CREATE TABLE t(id INTEGER PRIMARY KEY, i INT, r REAL, x TEXT, n NUMERIC, b BLOB, c TEXT "
        "COLLATE nocase);"
        "INSERT INTO t VALUES (1, 5, 2.5, '7', '8', x'39', 'Abc');"
        "INSERT INTO t VALUES (2, '12', 3, 12, '1e3', '12', 'aBC');"
        "INSERT INTO t VALUES (3, -9223372036854775807, 1e300, 'abc', 'x', 4.0, '');"
        "INSERT INTO t VALUES (4, NULL, NULL, NULL, NULL, NULL, NULL);";
    sqlite3_exec(db_, script.c_str(), nullptr, nullptr, nullptr);
    EXPECT_EQ(Run(script), "");
  }
  ~ExpressionOracleTest() override { sqlite3_close(db_); }

  std::string Sqlite(const std::string& sql) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(db_, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) {
      return std::string("error: ") + sqlite3_errmsg(db_);
    }
    std::string out;
    while (sqlite3_step(statement) == SQLITE_ROW) {
      for (int i = 0; i < sqlite3_column_count(statement); ++i) {
        if (i > 0) out += ",";
        switch (sqlite3_column_type(statement, i)) {
          case SQLITE_NULL:
            out += "NULL";
            break;
          case SQLITE_INTEGER:
            out += std::to_string(sqlite3_column_int64(statement, i));
            break;
          case SQLITE_FLOAT:
            out += Show(kv::ValueView::Real(sqlite3_column_double(statement, i)));
            break;
          default: {
            const std::string_view bytes(
                static_cast<const char*>(sqlite3_column_blob(statement, i)),
                static_cast<size_t>(sqlite3_column_bytes(statement, i)));
            out +=
                Show(sqlite3_column_type(statement, i) == SQLITE_TEXT ? kv::ValueView::Text(bytes)
                                                                      : kv::ValueView::Blob(bytes));
          }
        }
      }
    }
    sqlite3_finalize(statement);
    return out;
  }

  size_t Pick(size_t count) { return random_() % count; }

  std::string Leaf() {
    static const char* const kLeaves[] = {"0",
                                          "1",
                                          "-1",
                                          "2",
                                          "3",
                                          "63",
                                          "64",
                                          "-64",
                                          "9223372036854775807",
                                          "-9223372036854775808",
                                          "9223372036854775808",
                                          "9007199254740993",
                                          "0.0",
                                          "-0.0",
                                          "0.5",
                                          "1.5",
                                          "-2.5",
                                          "1e18",
                                          "9.3e18",
                                          "1e308",
                                          "9007199254740992.0",
                                          "''",
                                          "'0'",
                                          "'1'",
                                          "'-1'",
                                          "'1.5'",
                                          "' 2 '",
                                          "'3abc'",
                                          "'abc'",
                                          "'ABC'",
                                          "'1e2'",
                                          "'0x10'",
                                          "x''",
                                          "x'31'",
                                          "x'616263'",
                                          "NULL",
                                          "TRUE",
                                          "i",
                                          "r",
                                          "x",
                                          "n",
                                          "b",
                                          "c",
                                          "id"};
    return kLeaves[Pick(std::size(kLeaves))];
  }

  std::string Expr(int depth) {
    if (depth == 0) return Leaf();
    const auto sub = [&] { return Expr(static_cast<int>(Pick(static_cast<size_t>(depth)))); };
    static const char* const kBinary[] = {
        "+", "-",  "*", "/",  "%", "&",  "|",  "<<",     ">>",  "||",
        "=", "<>", "<", "<=", ">", ">=", "IS", "IS NOT", "AND", "OR"};
    static const char* const kUnary[] = {"-", "+", "~", "NOT "};
    static const char* const kTypes[] = {"INTEGER", "REAL", "TEXT", "NUMERIC", "BLOB"};
    static const char* const kCollations[] = {"binary", "nocase", "rtrim"};
    switch (Pick(12)) {
      case 0:
        return std::string(kUnary[Pick(4)]) + "(" + sub() + ")";
      case 1:
        return "CAST(" + sub() + " AS " + kTypes[Pick(5)] + ")";
      case 2:
        return "(" + sub() + ") BETWEEN (" + sub() + ") AND (" + sub() + ")";
      case 3:
        return "(" + sub() + ") IS NULL";
      case 4:
        return "(" + sub() + ") COLLATE " + kCollations[Pick(3)];
      case 5:
        return "(" + sub() + ") IS NOT TRUE";
      default:
        return "(" + sub() + ") " + kBinary[Pick(std::size(kBinary))] + " (" + sub() + ")";
    }
  }

  sqlite3* db_ = nullptr;
  std::mt19937 random_{20240607};
};

TEST_F(ExpressionOracleTest, AgreesOnRandomExpressions) {
  int shown = 0;
  for (int i = 0; i < 30000 && shown < 10; ++i) {
    const std::string sql = "SELECT " + Expr(1 + static_cast<int>(Pick(3))) +
                            " FROM t WHERE id = " + std::to_string(1 + Pick(4));
    const std::string expected = Sqlite(sql);
    const std::string got = Run(sql);
    EXPECT_EQ(got, expected) << sql;
    if (got != expected) ++shown;
  }
}

TEST_F(ExpressionOracleTest, AgreesOnRandomFilters) {
  int shown = 0;
  for (int i = 0; i < 10000 && shown < 10; ++i) {
    const std::string sql = "SELECT id FROM t WHERE (" + Expr(2) +
                            ") AND id = " + std::to_string(1 + Pick(4)) + " AND (" + Expr(1) + ")";
    const std::string expected = Sqlite(sql);
    const std::string got = Run(sql);
    EXPECT_EQ(got, expected) << sql;
    if (got != expected) ++shown;
  }
}

}  // namespace
}  // namespace kvsql::exec
