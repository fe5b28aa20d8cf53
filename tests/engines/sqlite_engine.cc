#include <sqlite3.h>

#include "tests/engines/engine.h"

namespace kvsql::engines {
namespace {

ValueView ColumnOf(sqlite3_stmt* statement, int column) {
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
      return ValueView(static_cast<int64_t>(sqlite3_column_int64(statement, column)));
    case SQLITE_FLOAT:
      return ValueView(sqlite3_column_double(statement, column));
    case SQLITE_TEXT: {
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
      return ValueView(
          std::string_view(text, static_cast<size_t>(sqlite3_column_bytes(statement, column))));
    }
    case SQLITE_BLOB: {
      const auto* blob = static_cast<const char*>(sqlite3_column_blob(statement, column));
      const auto size = static_cast<size_t>(sqlite3_column_bytes(statement, column));
      return ValueView::Blob(size == 0 ? std::string_view() : std::string_view(blob, size));
    }
    default:
      return ValueView();
  }
}

class SqliteEngine : public Engine {
 public:
  explicit SqliteEngine(sqlite3* database) : database_(database) {}
  ~SqliteEngine() override { sqlite3_close_v2(database_); }

  Outcome Run(std::string_view sql, Result* result) override {
    Outcome outcome;
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(database_, sql.data(), static_cast<int>(sql.size()), &statement,
                           nullptr) != SQLITE_OK) {
      outcome.stage = Outcome::Stage::kPrepare;
      outcome.error = sqlite3_errmsg(database_);
      return outcome;
    }
    const int columns = statement == nullptr ? 0 : sqlite3_column_count(statement);
    if (result != nullptr) {
      *result = Result();
      result->columns = static_cast<size_t>(columns);
      for (int i = 0; i < columns; ++i) {
        result->names.emplace_back(sqlite3_column_name(statement, i));
      }
    }
    if (statement == nullptr) return outcome;
    int code = sqlite3_step(statement);
    for (; code == SQLITE_ROW; code = sqlite3_step(statement)) {
      if (result == nullptr) continue;
      for (int i = 0; i < columns; ++i) result->values.emplace_back(ColumnOf(statement, i));
    }
    if (code != SQLITE_DONE) {
      outcome.stage = Outcome::Stage::kRun;
      outcome.error = sqlite3_errmsg(database_);
    }
    sqlite3_finalize(statement);
    return outcome;
  }

 private:
  sqlite3* const database_;
};

}  // namespace

std::unique_ptr<Engine> OpenSqliteBackwards(std::string* error) {
  sqlite3* database = nullptr;
  if (sqlite3_open(":memory:", &database) != SQLITE_OK) {
    *error = sqlite3_errmsg(database);
    sqlite3_close_v2(database);
    return nullptr;
  }
  auto engine = std::make_unique<SqliteEngine>(database);
  constexpr unsigned kAllOptimisations = 0xffffffff;
  sqlite3_test_control(SQLITE_TESTCTRL_OPTIMIZATIONS, database, kAllOptimisations);
  engine->Run("PRAGMA reverse_unordered_selects = ON", nullptr);
  engine->Run("PRAGMA automatic_index = OFF", nullptr);
  return engine;
}

std::unique_ptr<Engine> OpenSqlite(const std::string& path, std::string* error) {
  sqlite3* database = nullptr;
  const std::string name = path.empty() ? ":memory:" : path;
  if (sqlite3_open(name.c_str(), &database) != SQLITE_OK) {
    *error = sqlite3_errmsg(database);
    sqlite3_close_v2(database);
    return nullptr;
  }
  auto engine = std::make_unique<SqliteEngine>(database);
  const Outcome outcome = engine->Run("PRAGMA synchronous=OFF", nullptr);
  if (!outcome.ok()) {
    *error = outcome.error;
    return nullptr;
  }
  return engine;
}

}  // namespace kvsql::engines
