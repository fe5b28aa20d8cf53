// Dot commands that run files, and those of the key door.
#include <fcntl.h>

#include <cerrno>
#include <charconv>
#include <cstring>

#include "shell/commands.h"

namespace kvsql::shell {
namespace {

Flow Fail(Shell* shell, const Status& status, const Place& place) {
  shell->Complain({status.message().data(), status.message().size()}, &place);
  return shell->flow_after_error();
}

}  // namespace

Flow ReadCommand(Shell* shell, Arguments args, const Place& place) {
  const int opened = open(args[1].c_str(), O_RDONLY | O_CLOEXEC);
  if (opened < 0) {
    shell->Complain("cannot open \"" + args[1] + "\": " + std::strerror(errno), &place);
    return shell->flow_after_error();
  }
  FileSource source(opened, true, FileSource::Lines::kNewlines);
  return shell->RunSource(&source, args[1]);
}

Flow GetCommand(Shell* shell, Arguments args, const Place& place) {
  Database* const database = shell->database();
  if (database == nullptr) return Flow::kStop;
  KeyspaceOptions options;
  options.create_if_missing = false;
  StatusOr<Keyspace> keyspace = database->keyspace(args[1], options);
  if (!keyspace.ok()) return Fail(shell, keyspace.status(), place);
  const StatusOr<std::optional<std::string>> value = keyspace->get(args[2]);
  if (!value.ok()) return Fail(shell, value.status(), place);
  if (!value->has_value()) {
    shell->Complain("no such key: " + args[2], &place);
    return shell->flow_after_error();
  }
  shell->output().Write(**value);
  shell->output().Write('\n');
  return Flow::kGoOn;
}

Flow RowCommand(Shell* shell, Arguments args, const Place& place) {
  Connection* const connection = shell->connection();
  if (connection == nullptr) return Flow::kStop;
  StatusOr<Table> table = shell->database()->table(args[1]);
  if (!table.ok()) return Fail(shell, table.status(), place);
  // Texts: the columns' affinity makes numbers of them.
  const std::vector<ValueView> key(args.begin() + 2, args.end());
  const StatusOr<Row> row =
      connection->in_transaction() ? table->get_row(key, *connection) : table->get_row(key);
  if (!row.ok()) return Fail(shell, row.status(), place);
  if (!row->exists()) {
    std::string text = "no such row:";
    for (const std::string& part : args.subspan(2)) text += " " + part;
    shell->Complain(text, &place);
    return shell->flow_after_error();
  }
  std::vector<std::string> names;
  std::vector<ValueView> values;
  for (size_t i = 0; i < row->column_count(); ++i) {
    names.emplace_back(row->column_name(i));
    values.push_back(row->at(i));
  }
  shell->PrintRow(names, values);
  return Flow::kGoOn;
}

Flow KeyspacesCommand(Shell* shell, Arguments, const Place& place) {
  Database* const database = shell->database();
  if (database == nullptr) return Flow::kStop;
  const StatusOr<std::vector<std::string>> names = database->keyspaces();
  if (!names.ok()) return Fail(shell, names.status(), place);
  for (const std::string& name : *names) {
    shell->output().Write(name);
    shell->output().Write('\n');
  }
  return Flow::kGoOn;
}

}  // namespace kvsql::shell
