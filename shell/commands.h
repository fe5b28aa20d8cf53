// Dot commands: one table (commands.cc), the commands themselves by topic.
//
// A name may be shortened as long as no other command that stands before it in the table begins alike.
#ifndef KVSQL_SHELL_COMMANDS_H_
#define KVSQL_SHELL_COMMANDS_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shell/shell.h"

namespace kvsql::shell {

// args[0] is the command's name without its dot.
using Arguments = std::span<const std::string>;

struct Command {
  std::string_view name;
  std::string_view usage;  // of its arguments
  std::string_view help;
  size_t least = 0;  // arguments
  size_t most = 0;
  Flow (*run)(Shell*, Arguments, const Place&) = nullptr;
};

std::span<const Command> Commands();
Flow ExecuteCommand(Shell* shell, std::string_view line, const Place& place);
// Words between blanks; quotes of either kind keep a word together, in double quotes with C's escapes.
std::vector<std::string> SplitWords(std::string_view line);
// C's escapes, as in separators.
std::string Unescaped(std::string_view text);

// ---- commands_settings.cc
Flow ChooseModeCommand(Shell* shell, Arguments args, const Place& place);
Flow HeadersCommand(Shell* shell, Arguments args, const Place& place);
Flow SeparatorCommand(Shell* shell, Arguments args, const Place& place);
Flow NullValueCommand(Shell* shell, Arguments args, const Place& place);
Flow WidthCommand(Shell* shell, Arguments args, const Place& place);
Flow BailCommand(Shell* shell, Arguments args, const Place& place);
Flow EchoCommand(Shell* shell, Arguments args, const Place& place);
Flow TimerCommand(Shell* shell, Arguments args, const Place& place);
Flow OutputCommand(Shell* shell, Arguments args, const Place& place);
Flow PrintCommand(Shell* shell, Arguments args, const Place& place);
Flow ShowCommand(Shell* shell, Arguments args, const Place& place);

// ---- commands_schema.cc
Flow TablesCommand(Shell* shell, Arguments args, const Place& place);
Flow IndexesCommand(Shell* shell, Arguments args, const Place& place);
Flow SchemaCommand(Shell* shell, Arguments args, const Place& place);
Flow DatabasesCommand(Shell* shell, Arguments args, const Place& place);

// ---- commands_data.cc
Flow ReadCommand(Shell* shell, Arguments args, const Place& place);
Flow GetCommand(Shell* shell, Arguments args, const Place& place);
Flow RowCommand(Shell* shell, Arguments args, const Place& place);
Flow KeyspacesCommand(Shell* shell, Arguments args, const Place& place);

// ---- Files of their own.
Flow DumpCommand(Shell* shell, Arguments args, const Place& place);
Flow ImportCommand(Shell* shell, Arguments args, const Place& place);

}  // namespace kvsql::shell

#endif  // KVSQL_SHELL_COMMANDS_H_
