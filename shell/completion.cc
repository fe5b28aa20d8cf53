#include "shell/completion.h"

#include <algorithm>

#include "shell/commands.h"
#include "shell/names.h"

namespace kvsql::shell {
namespace {

bool IsLower(char c) { return c >= 'a' && c <= 'z'; }

// Errors give nothing to choose from, and are not worth a word.
std::vector<std::string> Tables(Connection* connection) {
  std::vector<std::string> names;
  StatusOr<Statement> rows =
      connection->prepare("SELECT name FROM sqlite_schema WHERE type IN ('table','view')");
  if (!rows.ok()) return names;
  for (StatusOr<bool> at_row = rows->step(); at_row.ok() && *at_row; at_row = rows->step()) {
    names.emplace_back(rows->text(0));
  }
  return names;
}

std::vector<std::string> Columns(Connection* connection, std::string_view table) {
  std::vector<std::string> names;
  const StatusOr<Statement> all = connection->prepare("SELECT * FROM " + Quoted(table));
  for (int i = 0; all.ok() && i < all->column_count(); ++i) names.emplace_back(all->column_name(i));
  return names;
}

}  // namespace

std::vector<std::string> Completions(Connection* connection, std::string_view word,
                                     bool begins_line) {
  std::vector<std::string> found;
  const auto offer = [&](std::string candidate) {
    if (StartsWithIgnoreCase(candidate, word)) found.push_back(std::move(candidate));
  };
  if (begins_line && word.starts_with('.')) {
    for (const Command& command : Commands()) offer("." + std::string(command.name));
    return found;
  }
  const size_t dot = word.rfind('.');
  if (dot != std::string_view::npos) {
    if (connection == nullptr) return found;
    const std::string table(word.substr(0, dot));
    for (const std::string& column : Columns(connection, table)) {
      offer(table + "." + QuotedWhereNeeded(column));
    }
    return found;
  }
  const bool lower = !word.empty() && IsLower(word.front());
  for (const std::string_view keyword : Keywords()) {
    std::string candidate(keyword);
    if (lower) {
      for (char& c : candidate) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
      }
    }
    offer(std::move(candidate));
  }
  if (connection != nullptr) {
    for (const std::string& table : Tables(connection)) {
      offer(QuotedWhereNeeded(table));
      for (const std::string& column : Columns(connection, table)) {
        offer(QuotedWhereNeeded(column));
      }
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace kvsql::shell
