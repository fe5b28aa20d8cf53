#include "tests/engines/engine.h"

#include <sqlite3.h>

#include <filesystem>

namespace kvsql::engines {

std::string_view EngineName(EngineKind kind) {
  return kind == EngineKind::kKvsql ? "kvsql" : "sqlite";
}

std::optional<EngineKind> ParseEngine(std::string_view name) {
  if (name == "kvsql") return EngineKind::kKvsql;
  if (name == "sqlite") return EngineKind::kSqlite;
  return std::nullopt;
}

Outcome Engine::RunScript(std::string_view sql, Result* result) {
  Outcome outcome;
  for (const std::string_view statement : SplitStatements(sql)) {
    outcome = Run(statement, result);
    if (!outcome.ok()) break;
  }
  return outcome;
}

std::unique_ptr<Engine> OpenEngine(EngineKind kind, const std::string& path, std::string* error) {
  return kind == EngineKind::kKvsql ? OpenKvsql(path, error) : OpenSqlite(path, error);
}

void RemoveDatabase(const std::string& path) {
  for (const char* suffix : {"", "-journal", "-wal", "-shm", "-log"}) {
    std::error_code ignored;
    std::filesystem::remove(path + suffix, ignored);
  }
}

bool IsBlankSql(std::string_view sql) {
  for (size_t i = 0; i < sql.size(); ++i) {
    const std::string_view rest = sql.substr(i);
    if (rest.starts_with("--")) {
      i = sql.find('\n', i);
      if (i == std::string_view::npos) return true;
    } else if (rest.starts_with("/*")) {
      i = sql.find("*/", i + 2);
      if (i == std::string_view::npos) return true;
      ++i;
    } else if (std::string_view(" \t\r\n\f;").find(sql[i]) == std::string_view::npos) {
      return false;
    }
  }
  return true;
}

std::vector<std::string_view> SplitStatements(std::string_view sql) {
  std::vector<std::string_view> statements;
  const auto add = [&](std::string_view statement) {
    if (!IsBlankSql(statement)) statements.push_back(statement);
  };
  size_t begin = 0;
  size_t semicolon = sql.find(';');
  while (semicolon != std::string_view::npos) {
    const size_t end = semicolon + 1;
    // SQLite knows strings, comments and the bodies of triggers.
    if (sqlite3_complete(std::string(sql.substr(begin, end - begin)).c_str()) != 0) {
      add(sql.substr(begin, end - begin));
      begin = end;
    }
    semicolon = sql.find(';', end);
  }
  add(sql.substr(begin));
  return statements;
}

}  // namespace kvsql::engines
