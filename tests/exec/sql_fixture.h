// A database in memory with one session, and helpers that run SQL text and write results as text.
#ifndef KVSQL_TESTS_EXEC_SQL_FIXTURE_H_
#define KVSQL_TESTS_EXEC_SQL_FIXTURE_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "exec/row_rules.h"
#include "exec/session.h"
#include "exec/statement.h"
#include "exec/statement_cache.h"
#include "kv/store.h"

namespace kvsql::exec {

inline std::string Show(const kv::ValueView& value) {
  kv::NumberText text;
  switch (value.type) {
    case kv::ValueType::kNull:
      return "NULL";
    case kv::ValueType::kInteger:
      return std::to_string(value.integer);
    case kv::ValueType::kReal:
      kv::FormatReal(value.real, &text);
      return std::string(text.view());
    case kv::ValueType::kText:
      return "'" + std::string(value.bytes()) + "'";
    case kv::ValueType::kBlob: {
      std::string hex = "x'";
      for (const char c : value.bytes()) {
        constexpr char kDigits[] = "0123456789abcdef";
        hex.push_back(kDigits[static_cast<uint8_t>(c) >> 4]);
        hex.push_back(kDigits[static_cast<uint8_t>(c) & 15]);
      }
      return hex + "'";
    }
  }
  return "?";
}

class SqlTest : public ::testing::Test {
 protected:
  SqlTest() {
    kv::StoreOptions options;  // in memory
    options.make_row_rules = &MakeRowRules;
    store_ = kv::Store::Open(options).value();
    session_ = std::make_unique<Session>(store_, &cache_);
  }
  ~SqlTest() override {
    session_.reset();
    other_.reset();
  }

  // All rows of all statements in `sql`: values joined by commas, rows by semicolons; or the error.
  static std::string Run(Session* session, std::string_view sql) {
    std::string out;
    while (true) {
      size_t consumed = 0;
      StatusOr<StatementPtr> statement = session->Prepare(sql, &consumed);
      if (!statement.ok()) return Error(statement.status());
      if (*statement == nullptr) return out;
      while (true) {
        StatusOr<bool> row = (*statement)->Step();
        if (!row.ok()) return Error(row.status());
        if (!*row) break;
        if (!out.empty()) out += ";";
        out += ShowRow(**statement);
      }
      sql.remove_prefix(consumed);
    }
  }
  std::string Run(std::string_view sql) { return Run(session_.get(), sql); }

  // A second connection to the same database.
  Session* other() {
    if (other_ == nullptr) other_ = std::make_unique<Session>(store_, &cache_);
    return other_.get();
  }

  StatementPtr Prepare(std::string_view sql) {
    size_t consumed = 0;
    StatusOr<StatementPtr> statement = session_->Prepare(sql, &consumed);
    EXPECT_TRUE(statement.ok()) << sql << ": " << statement.status();
    return statement.ok() ? *std::move(statement) : StatementPtr();
  }

  static std::string ShowRow(Statement& statement) {
    std::string out;
    for (int i = 0; i < statement.column_count(); ++i) {
      if (i > 0) out += ",";
      out += Show(statement.column(i));
    }
    return out;
  }

  static std::string Error(const Status& status) {
    constexpr const char* kCodes[] = {
        "OK",        "CANCELLED",      "UNKNOWN",      "INVALID_ARGUMENT", "DEADLINE",
        "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION",   "RESOURCE",         "FAILED_PRECONDITION",
        "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED"};
    const auto code = static_cast<size_t>(status.code());
    return (code < std::size(kCodes) ? std::string(kCodes[code]) : "code " + std::to_string(code)) +
           ": " + std::string(status.message());
  }

  StatementCache cache_;
  std::shared_ptr<kv::Store> store_;
  std::unique_ptr<Session> session_;
  std::unique_ptr<Session> other_;
};

}  // namespace kvsql::exec

#endif  // KVSQL_TESTS_EXEC_SQL_FIXTURE_H_
