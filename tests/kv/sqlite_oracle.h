// SQLite as the oracle of the value tests: evaluates an SQL expression over bound values.
#ifndef KVSQL_TESTS_KV_SQLITE_ORACLE_H_
#define KVSQL_TESTS_KV_SQLITE_ORACLE_H_

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <map>
#include <string>
#include <vector>

#include "kv/value.h"
#include "tests/kv/value_samples.h"

namespace kvsql::kv {

class SqliteOracle {
 public:
  SqliteOracle() { EXPECT_EQ(sqlite3_open(":memory:", &db_), SQLITE_OK); }
  ~SqliteOracle() {
    for (auto& [sql, statement] : statements_) sqlite3_finalize(statement);
    sqlite3_close(db_);
  }
  SqliteOracle(const SqliteOracle&) = delete;
  SqliteOracle& operator=(const SqliteOracle&) = delete;

  void Execute(const std::string& sql) {
    EXPECT_EQ(sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sql << ": " << sqlite3_errmsg(db_);
  }

  // The first column of the first row; NULL if there is none.
  Value Query(const std::string& sql, const std::vector<ValueView>& parameters) {
    sqlite3_stmt*& statement = statements_[sql];
    if (statement == nullptr) {
      EXPECT_EQ(sqlite3_prepare_v2(db_, sql.c_str(), -1, &statement, nullptr), SQLITE_OK)
          << sql << ": " << sqlite3_errmsg(db_);
    }
    int index = 0;
    for (const ValueView& value : parameters) Bind(statement, ++index, value);
    Value result;
    if (sqlite3_step(statement) == SQLITE_ROW) result = Column(statement, 0);
    sqlite3_reset(statement);
    return result;
  }

  // Runs a statement; the error message, or nothing.
  std::string Run(const std::string& sql, const std::vector<ValueView>& parameters) {
    sqlite3_stmt* statement = nullptr;
    EXPECT_EQ(sqlite3_prepare_v2(db_, sql.c_str(), -1, &statement, nullptr), SQLITE_OK)
        << sql << ": " << sqlite3_errmsg(db_);
    int index = 0;
    for (const ValueView& value : parameters) Bind(statement, ++index, value);
    while (sqlite3_step(statement) == SQLITE_ROW) {
    }
    const int result = sqlite3_finalize(statement);
    return result == SQLITE_OK ? "" : sqlite3_errmsg(db_);
  }

  // All rows as text: "rowid:" (if it is the first column), then "value|" each.
  std::string Dump(const std::string& sql, bool rowid_first) {
    sqlite3_stmt* statement = nullptr;
    EXPECT_EQ(sqlite3_prepare_v2(db_, sql.c_str(), -1, &statement, nullptr), SQLITE_OK)
        << sql << ": " << sqlite3_errmsg(db_);
    std::string text;
    while (sqlite3_step(statement) == SQLITE_ROW) {
      if (rowid_first) text += Describe(Column(statement, 0).view());
      text += ":";
      for (int i = rowid_first ? 1 : 0; i < sqlite3_column_count(statement); ++i) {
        text += Describe(Column(statement, i).view()) + "|";
      }
      text += "\n";
    }
    sqlite3_finalize(statement);
    return text;
  }

 private:
  static void Bind(sqlite3_stmt* statement, int index, const ValueView& value) {
    switch (value.type) {
      case ValueType::kNull:
        sqlite3_bind_null(statement, index);
        break;
      case ValueType::kInteger:
        sqlite3_bind_int64(statement, index, value.integer);
        break;
      case ValueType::kReal:
        sqlite3_bind_double(statement, index, value.real);
        break;
      case ValueType::kText:
        sqlite3_bind_text(statement, index, value.size == 0 ? "" : value.data,
                          static_cast<int>(value.size), SQLITE_TRANSIENT);
        break;
      case ValueType::kBlob:
        sqlite3_bind_blob(statement, index, value.size == 0 ? "" : value.data,
                          static_cast<int>(value.size), SQLITE_TRANSIENT);
        break;
    }
  }

  static Value Column(sqlite3_stmt* statement, int column) {
    switch (sqlite3_column_type(statement, column)) {
      case SQLITE_INTEGER:
        return Value(ValueView::Integer(sqlite3_column_int64(statement, column)));
      case SQLITE_FLOAT:
        return Value(ValueView::Real(sqlite3_column_double(statement, column)));
      case SQLITE_TEXT:
      case SQLITE_BLOB: {
        const bool text = sqlite3_column_type(statement, column) == SQLITE_TEXT;
        const auto* data = static_cast<const char*>(sqlite3_column_blob(statement, column));
        const std::string bytes(data == nullptr ? "" : data,
                                static_cast<size_t>(sqlite3_column_bytes(statement, column)));
        return Value(text ? ValueView::Text(bytes) : ValueView::Blob(bytes));
      }
      default:
        return Value();
    }
  }

  sqlite3* db_ = nullptr;
  std::map<std::string, sqlite3_stmt*> statements_;
};

}  // namespace kvsql::kv

#endif  // KVSQL_TESTS_KV_SQLITE_ORACLE_H_
