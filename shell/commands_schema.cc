// Dot commands that show what tables there are; all of them read sqlite_schema.
#include <algorithm>

#include "shell/commands.h"
#include "shell/names.h"
#include "shell/schema_text.h"

namespace kvsql::shell {
namespace {

// In columns, downwards, as wide as 80 characters hold.
void WriteInColumns(const std::vector<std::string>& names, Output* output) {
  if (names.empty()) return;
  size_t width = 0;
  for (const std::string& name : names) width = std::max(width, name.size());
  const size_t columns = std::max<size_t>(1, 80 / (width + 2));
  const size_t rows = (names.size() + columns - 1) / columns;
  for (size_t row = 0; row < rows; ++row) {
    for (size_t i = row; i < names.size(); i += rows) {
      if (i >= rows) output->Write("  ");
      output->Write(names[i]);
      output->Fill(' ', width - names[i].size());
    }
    output->Write('\n');
  }
}

// The names that the query finds for the pattern, sorted.
Flow ListNames(Shell* shell, std::string_view sql, Arguments args) {
  std::vector<std::string> names;
  const std::string pattern = args.size() > 1 ? args[1] : "%";
  const bool ok = shell->ForEach(sql, {std::string_view(pattern)},
                                 [&](const Statement& row) { names.emplace_back(row.text(0)); });
  std::sort(names.begin(), names.end());
  WriteInColumns(names, &shell->output());
  return ok ? Flow::kGoOn : shell->flow_after_error();
}

}  // namespace

Flow TablesCommand(Shell* shell, Arguments args, const Place&) {
  return ListNames(shell,
                   "SELECT name FROM sqlite_schema WHERE type IN ('table','view') AND name NOT "
                   "LIKE 'sqlite_%' AND name LIKE ?1",
                   args);
}

Flow IndexesCommand(Shell* shell, Arguments args, const Place&) {
  return ListNames(shell, "SELECT name FROM sqlite_schema WHERE type='index' AND tbl_name LIKE ?1",
                   args);
}

Flow SchemaCommand(Shell* shell, Arguments args, const Place&) {
  const std::string pattern = args.size() > 1 ? args[1] : "%";
  const bool ok = shell->ForEach(
      "SELECT sql FROM sqlite_schema WHERE tbl_name LIKE ?1 AND sql IS NOT NULL",
      {std::string_view(pattern)},
      [&](const Statement& row) { WriteSchemaText(row.text(0), ";\n", &shell->output()); });
  return ok ? Flow::kGoOn : shell->flow_after_error();
}

Flow DatabasesCommand(Shell* shell, Arguments, const Place&) {
  Database* const database = shell->database();
  if (database == nullptr) return Flow::kStop;
  const bool in_memory = database->path() == ":memory:";
  shell->output().Write("main: ");
  shell->output().Write(in_memory ? std::string_view("\"\"") : std::string_view(database->path()));
  shell->output().Write(database->read_only() ? " r/o\n" : " r/w\n");
  return Flow::kGoOn;
}

}  // namespace kvsql::shell
