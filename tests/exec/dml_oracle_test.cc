// Random statements by key, in and out of transactions, over awkward values: success, counts and rows are
// SQLite's.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <random>
#include <string>

#include "tests/exec/sql_fixture.h"

namespace kvsql::exec {
namespace {

class DmlOracleTest : public SqlTest {
 protected:
  DmlOracleTest() {
    sqlite3_open(":memory:", &db_);
    const std::string schema =
        "CREATE TABLE t1(id INTEGER PRIMARY KEY, a TEXT UNIQUE, b INT, c DEFAULT 'dflt', UNIQUE(b, "
        "c));"
        "CREATE TABLE t2(k TEXT COLLATE nocase, n REAL, v, PRIMARY KEY(n DESC, k)) WITHOUT ROWID;"
        "CREATE TABLE t3(x PRIMARY KEY, y NOT NULL DEFAULT 5, z NUMERIC);";
    sqlite3_exec(db_, schema.c_str(), nullptr, nullptr, nullptr);
    EXPECT_EQ(Run(schema), "");
  }
  ~DmlOracleTest() override { sqlite3_close(db_); }

  // Rows as SqlTest::Run writes them; "error" if the statement fails.
  std::string Sqlite(const std::string& sql) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(db_, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) return "error";
    std::string out;
    int rc;
    while ((rc = sqlite3_step(statement)) == SQLITE_ROW) {
      if (!out.empty()) out += ";";
      for (int i = 0; i < sqlite3_column_count(statement); ++i) {
        if (i > 0) out += ",";
        out += Show(ValueOf(sqlite3_column_value(statement, i)));
      }
    }
    sqlite3_finalize(statement);
    return rc == SQLITE_DONE ? out : "error";
  }

  static kv::ValueView ValueOf(sqlite3_value* value) {
    const auto bytes = [&] {
      return std::string_view(static_cast<const char*>(sqlite3_value_blob(value)),
                              static_cast<size_t>(sqlite3_value_bytes(value)));
    };
    switch (sqlite3_value_type(value)) {
      case SQLITE_INTEGER:
        return kv::ValueView::Integer(sqlite3_value_int64(value));
      case SQLITE_FLOAT:
        return kv::ValueView::Real(sqlite3_value_double(value));
      case SQLITE_TEXT:
        return kv::ValueView::Text(bytes());
      case SQLITE_BLOB:
        return kv::ValueView::Blob(bytes());
      default:
        return {};
    }
  }

  // "error" for every error: which of several broken constraints is named may differ.
  std::string Kvsql(const std::string& sql) {
    const std::string out = Run(sql);
    for (const char* code :
         {"ALREADY_EXISTS: ", "INVALID_ARGUMENT: ", "FAILED_PRECONDITION: ", "NOT_FOUND: "}) {
      if (out.rfind(code, 0) == 0) return "error";
    }
    return out;
  }

  size_t Pick(size_t count) { return random_() % count; }
  std::string Value() {
    static const char* const kValues[] = {
        "1",   "2",     "3",    "-1",    "1.0",   "2.5",  "'1'", "'2.5'", "'a'",
        "'A'", "'b'",   "'a '", "x'61'", "x'31'", "NULL", "0",   "-0.0",  "9007199254740993",
        "''",  "'x''y'"};
    return kValues[Pick(std::size(kValues))];
  }
  std::string Id() { return std::to_string(1 + Pick(6)); }
  std::string Mode() {
    static const char* const kModes[] = {
        "", "", "", " OR IGNORE", " OR REPLACE", " OR FAIL", " OR ABORT", " OR ROLLBACK"};
    return kModes[Pick(std::size(kModes))];
  }
  std::string Key(size_t table) {
    switch (table) {
      case 0:
        switch (Pick(4)) {
          case 0:
            return "a = " + Value();
          case 1:
            return "b = " + Value() + " AND c = " + Value();
          default:
            return "id = " + Id();
        }
      case 1:
        return "k = " + Value() + " AND n = " + Value();
      default:
        return Pick(5) == 0 ? "rowid = " + Id() : "x = " + Value();
    }
  }
  std::string Row(size_t table) {
    switch (table) {
      case 0:
        return "(" + (Pick(4) == 0 ? std::string("NULL") : Id()) + ", " + Value() + ", " + Value() +
               ", " + Value() + ")";
      default:
        return "(" + Value() + ", " + Value() + ", " + Value() + ")";
    }
  }
  std::string Statement() {
    static const char* const kTables[] = {"t1", "t2", "t3"};
    static const char* const kColumns[3][3] = {{"a", "b", "c"}, {"k", "n", "v"}, {"x", "y", "z"}};
    const size_t table = Pick(3);
    const std::string name = kTables[table];
    switch (Pick(12)) {
      case 0:
      case 1:
      case 2:
      case 3: {
        std::string sql = "INSERT" + Mode() + " INTO " + name + " VALUES " + Row(table);
        for (size_t i = Pick(3); i > 0; --i) sql += ", " + Row(table);
        return sql;
      }
      case 4:
        return "INSERT INTO " + name + "(" + kColumns[table][0] + ", " + kColumns[table][1] +
               ") VALUES (" + Value() + ", " + Value() + ")";
      case 5:
      case 6: {
        std::string sql =
            "UPDATE" + Mode() + " " + name + " SET " + kColumns[table][Pick(3)] + " = " + Value();
        if (Pick(2) == 0)
          sql += std::string(", ") + kColumns[table][2] + " = " + kColumns[table][1] + " || " +
                 Value();
        if (table == 0 && Pick(3) == 0) sql += ", id = " + Id();
        return sql + " WHERE " + Key(table);
      }
      case 7:
        return "DELETE FROM " + name + (Pick(20) == 0 ? std::string() : " WHERE " + Key(table));
      case 8:
        return sqlite3_get_autocommit(db_) != 0 ? "BEGIN" : Pick(3) == 0 ? "ROLLBACK" : "COMMIT";
      case 9: {
        static const char* const kActions[] = {"SAVEPOINT s", "SAVEPOINT r", "RELEASE s",
                                               "ROLLBACK TO s", "ROLLBACK TO r"};
        return sqlite3_get_autocommit(db_) != 0 ? "BEGIN" : kActions[Pick(5)];
      }
      default:
        return "SELECT * FROM " + name + " WHERE " + Key(table);
    }
  }

  sqlite3* db_ = nullptr;
  std::mt19937 random_{77};
};

TEST_F(DmlOracleTest, AgreesOnRandomStatements) {
  std::string history;
  for (int i = 0; i < 20000; ++i) {
    const std::string sql = Statement();
    history += sql + ";\n";
    const std::string expected = Sqlite(sql);
    ASSERT_EQ(Kvsql(sql), expected)
        << sql << "\n"
        << Run(sql) << "\nafter\n"
        << history.substr(history.size() > 1500 ? history.size() - 1500 : 0);
    ASSERT_EQ(session_->in_transaction(), sqlite3_get_autocommit(db_) == 0) << sql;
    if (expected != "error" && (sql[0] == 'I' || sql[0] == 'U' || sql[0] == 'D')) {
      ASSERT_EQ(session_->changes(), sqlite3_changes(db_)) << sql;
    }
    for (const char* table : {"t1", "t2", "t3"}) {
      const std::string count = std::string("SELECT count(*) FROM ") + table;
      ASSERT_EQ(Run(count), Sqlite(count))
          << sql << "\nafter\n"
          << history.substr(history.size() > 1500 ? history.size() - 1500 : 0);
    }
  }
  if (session_->in_transaction()) Run("COMMIT");
  EXPECT_EQ(Run("PRAGMA integrity_check"), "'ok'");
}

}  // namespace
}  // namespace kvsql::exec
