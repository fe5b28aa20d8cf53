#include <utility>

#include <kvsql/kvsql.h>

#include "tests/engines/engine.h"

namespace kvsql::engines {
namespace {

Outcome Failed(Outcome::Stage stage, const Status& status) {
  Outcome outcome;
  outcome.stage = stage;
  outcome.unsupported = absl::IsUnimplemented(status);
  outcome.error = std::string(status.message());
  return outcome;
}

class KvsqlEngine : public Engine {
 public:
  KvsqlEngine(Database database, Connection connection)
      : database_(std::move(database)), connection_(std::move(connection)) {}

  Outcome Run(std::string_view sql, Result* result) override {
    if (result != nullptr) *result = Result();
    if (IsBlankSql(sql)) return Outcome();
    StatusOr<Statement> prepared = connection_.prepare(sql);
    if (!prepared.ok()) return Failed(Outcome::Stage::kPrepare, prepared.status());
    Statement& statement = *prepared;
    const int columns = statement.column_count();
    if (result != nullptr) {
      result->columns = static_cast<size_t>(columns);
      for (int i = 0; i < columns; ++i) result->names.emplace_back(statement.column_name(i));
    }
    while (true) {
      const StatusOr<bool> row = statement.step();
      if (!row.ok()) return Failed(Outcome::Stage::kRun, row.status());
      if (!*row) return Outcome();
      if (result == nullptr) continue;
      for (int i = 0; i < columns; ++i) result->values.emplace_back(statement.at(i));
    }
  }

 private:
  Database database_;
  Connection connection_;
};

}  // namespace

std::unique_ptr<Engine> OpenKvsql(const std::string& path, std::string* error) {
  Options options;
  options.durability = Durability::kNormal;
  StatusOr<Database> database = Database::Open(path.empty() ? ":memory:" : path, options);
  if (!database.ok()) {
    *error = std::string(database.status().message());
    return nullptr;
  }
  StatusOr<Connection> connection = database->connect();
  if (!connection.ok()) {
    *error = std::string(connection.status().message());
    return nullptr;
  }
  return std::make_unique<KvsqlEngine>(*std::move(database), *std::move(connection));
}

}  // namespace kvsql::engines
