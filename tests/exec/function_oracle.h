// A function's answer from SQLite and from exec/functions, over the same values.
#ifndef KVSQL_TESTS_EXEC_FUNCTION_ORACLE_H_
#define KVSQL_TESTS_EXEC_FUNCTION_ORACLE_H_

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <map>
#include <string>
#include <vector>

#include "exec/functions/aggregate.h"
#include "exec/functions/function.h"
#include "kv/value.h"
#include "planner/function_catalog.h"
#include "tests/kv/value_samples.h"

namespace kvsql::exec {

using Arguments = std::vector<kv::ValueView>;

inline std::string DescribeAll(const Arguments& args) {
  std::string text = "(";
  for (const kv::ValueView& arg : args) {
    if (text.size() > 1) text += ", ";
    text += kv::Describe(arg);
  }
  return text + ")";
}

class FunctionOracle {
 public:
  FunctionOracle() { EXPECT_EQ(sqlite3_open(":memory:", &db_), SQLITE_OK); }
  ~FunctionOracle() {
    for (auto& [sql, statement] : statements_) sqlite3_finalize(statement);
    sqlite3_close(db_);
  }
  FunctionOracle(const FunctionOracle&) = delete;
  FunctionOracle& operator=(const FunctionOracle&) = delete;

  // What the one row of a query says, described; or "error: " and why there is none.
  std::string Ask(const std::string& sql, const Arguments& args) {
    sqlite3_stmt*& statement = statements_[sql];
    if (statement == nullptr &&
        sqlite3_prepare_v2(db_, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) {
      return std::string("error: ") + sqlite3_errmsg(db_);
    }
    for (size_t i = 0; i < args.size(); ++i) Bind(statement, static_cast<int>(i) + 1, args[i]);
    std::string answer;
    if (sqlite3_step(statement) == SQLITE_ROW) {
      answer = kv::Describe(Column(statement));
    } else {
      answer = std::string("error: ") + sqlite3_errmsg(db_);
    }
    sqlite3_reset(statement);
    return answer;
  }

  // f(?, ?...)
  std::string Call(std::string_view name, const Arguments& args, std::string_view suffix = "") {
    std::string sql = "SELECT " + std::string(name) + "(";
    for (size_t i = 0; i < args.size(); ++i) {
      sql += i > 0 ? ",?" : "?";
      if (i == 0) sql += suffix;
    }
    return Ask(sql + ")", args);
  }

  sqlite3* db() { return db_; }

 private:
  static void Bind(sqlite3_stmt* statement, int index, const kv::ValueView& value) {
    switch (value.type) {
      case kv::ValueType::kNull:
        sqlite3_bind_null(statement, index);
        break;
      case kv::ValueType::kInteger:
        sqlite3_bind_int64(statement, index, value.integer);
        break;
      case kv::ValueType::kReal:
        sqlite3_bind_double(statement, index, value.real);
        break;
      case kv::ValueType::kText:
        sqlite3_bind_text(statement, index, value.size == 0 ? "" : value.data,
                          static_cast<int>(value.size), SQLITE_TRANSIENT);
        break;
      case kv::ValueType::kBlob:
        sqlite3_bind_blob(statement, index, value.size == 0 ? "" : value.data,
                          static_cast<int>(value.size), SQLITE_TRANSIENT);
        break;
    }
  }

  static kv::ValueView Column(sqlite3_stmt* statement) {
    const auto bytes = [statement] {
      const auto* data = static_cast<const char*>(sqlite3_column_blob(statement, 0));
      return std::string_view(data, static_cast<size_t>(sqlite3_column_bytes(statement, 0)));
    };
    switch (sqlite3_column_type(statement, 0)) {
      case SQLITE_INTEGER:
        return kv::ValueView::Integer(sqlite3_column_int64(statement, 0));
      case SQLITE_FLOAT:
        return kv::ValueView::Real(sqlite3_column_double(statement, 0));
      case SQLITE_TEXT:
        return kv::ValueView::Text(bytes());
      case SQLITE_BLOB:
        return kv::ValueView::Blob(bytes());
      default:
        return {};
    }
  }

  sqlite3* db_ = nullptr;
  std::map<std::string, sqlite3_stmt*> statements_;
};

// Calls ours.
class FunctionCaller {
 public:
  std::string Call(const planner::FunctionInfo& info, const Arguments& args,
                   kv::Collation collation = kv::Collation::kBinary) {
    arena_.Reset();
    FunctionContext context;
    context.arena = &arena_;
    context.collation = collation;
    const kv::ValueView result =
        ScalarOf(info.id)(context, args.data(), static_cast<int>(args.size()));
    if (!context.status.ok()) {
      EXPECT_TRUE(result.is_null());
      return "error: " + std::string(context.status.message());
    }
    return kv::Describe(result);
  }
  std::string Call(std::string_view name, const Arguments& args) {
    bool known = false;
    const auto* info = planner::FindFunction(name, static_cast<int>(args.size()), &known);
    return info == nullptr ? "error: no such function" : Call(*info, args);
  }

 private:
  TextArena arena_;
};

// Both, and counts how often they differ: a few differences are shown.
class FunctionTest : public testing::Test {
 protected:
  void ExpectSame(const planner::FunctionInfo& info, const Arguments& args) {
    ExpectSame(std::string(info.name), DescribeAll(args), sqlite_.Call(info.name, args),
               ours_.Call(info, args));
  }
  void ExpectSame(std::string_view name, const Arguments& args) {
    ExpectSame(std::string(name), DescribeAll(args), sqlite_.Call(name, args),
               ours_.Call(name, args));
  }
  void ExpectSame(const std::string& name, const std::string& args, const std::string& theirs,
                  const std::string& ours) {
    ++compared_;
    if (ours == theirs) return;
    if (++different_[name] <= 5)
      ADD_FAILURE() << name << args << "\n  " << ours << "\n  " << theirs;
  }
  void TearDown() override {
    for (const auto& [name, count] : different_) {
      ADD_FAILURE() << name << ": " << count << " of " << compared_ << " answers differ";
    }
  }

  FunctionOracle sqlite_;
  FunctionCaller ours_;
  int64_t compared_ = 0;
  std::map<std::string, int64_t> different_;
};

}  // namespace kvsql::exec

#endif  // KVSQL_TESTS_EXEC_FUNCTION_ORACLE_H_
