// ".dump": SQL that makes the database again, in the words and order of SQLite's shell.
#include <algorithm>

#include "shell/commands.h"
#include "shell/names.h"
#include "shell/schema_text.h"

namespace kvsql::shell {
namespace {

// " AND (name LIKE ... OR ...)" for the names that were given; "" for all.
std::string Chosen(Arguments args) {
  std::string condition;
  for (const std::string& name : args.subspan(1)) {
    condition += condition.empty() ? " AND (" : " OR ";
    condition += "name LIKE " + TextLiteral(name);
  }
  return condition.empty() ? condition : condition + ")";
}

bool DumpRows(Shell* shell, const std::string& table) {
  Connection* const connection = shell->connection();
  StatusOr<Statement> rows = connection->prepare("SELECT * FROM " + Quoted(table));
  Status status = rows.status();
  if (status.ok()) {
    Settings settings;
    settings.mode = Mode::kInsert;
    settings.insert_table = QuotedWhereNeeded(table);
    status = shell->Print(&*rows, settings);
  }
  if (status.ok()) return true;
  const std::string message(status.message());
  shell->output().Write("/****** ERROR: " + message + " ******/\n");
  shell->Complain(table + ": " + message);
  return false;
}

struct Made {
  std::string name;
  std::string sql;
};

}  // namespace

Flow DumpCommand(Shell* shell, Arguments args, const Place&) {
  Connection* const connection = shell->connection();
  if (connection == nullptr) return Flow::kStop;
  // One state for all of it.
  const bool own = !connection->in_transaction();
  if (own) static_cast<void>(connection->execute("BEGIN"));
  Output& output = shell->output();
  output.Write("PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\n");
  const std::string chosen = Chosen(args);
  bool ok = true;

  std::vector<Made> tables;
  ok = shell->ForEach(
      "SELECT name, sql FROM sqlite_schema WHERE type='table' AND sql IS NOT NULL" + chosen, {},
      [&](const Statement& row) {
        tables.push_back({std::string(row.text(0)), std::string(row.text(1))});
      });
  // Its rows refer to the other tables.
  std::stable_partition(tables.begin(), tables.end(),
                        [](const Made& table) { return table.name != "sqlite_sequence"; });
  for (const Made& table : tables) {
    if (table.name == "sqlite_sequence") {
      output.Write("DELETE FROM sqlite_sequence;\n");
    } else if (table.name.starts_with("sqlite_stat")) {
      output.Write("ANALYZE sqlite_schema;\n");
    } else if (table.name.starts_with("sqlite_")) {
      continue;
    } else {
      WriteSchemaText(table.sql, ";\n", &output);
    }
    ok = DumpRows(shell, table.name) && ok;
    if (Interrupted() || output.failed()) break;
  }
  ok = shell->ForEach(
           "SELECT sql FROM sqlite_schema WHERE type IN ('index','trigger','view') AND sql IS NOT "
           "NULL" +
               chosen,
           {}, [&](const Statement& row) { WriteSchemaText(row.text(0), ";\n", &output); }) &&
       ok;
  output.Write(ok ? "COMMIT;\n" : "ROLLBACK; -- due to errors\n");
  if (own) static_cast<void>(connection->execute("COMMIT"));
  return ok ? Flow::kGoOn : shell->flow_after_error();
}

}  // namespace kvsql::shell
