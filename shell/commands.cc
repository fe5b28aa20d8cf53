#include "shell/commands.h"

#include <charconv>

namespace kvsql::shell {
namespace {

Flow HelpCommand(Shell* shell, Arguments args, const Place& place);

Flow QuitCommand(Shell*, Arguments, const Place&) { return Flow::kStop; }

Flow ExitCommand(Shell* shell, Arguments args, const Place&) {
  if (args.size() > 1) {
    int code = 0;
    std::from_chars(args[1].data(), args[1].data() + args[1].size(), code);
    shell->set_exit_code(code & 0xff);
  }
  return Flow::kStop;
}

constexpr Command kCommands[] = {
    {"bail", "on|off", "Stop at the first error", 1, 1, BailCommand},
    {"databases", "", "The file that is open", 0, 0, DatabasesCommand},
    {"dump", "?TABLE?...", "SQL that makes the tables and rows again", 0, 1000, DumpCommand},
    {"echo", "on|off", "Print each statement before it runs", 1, 1, EchoCommand},
    {"exit", "?CODE?", "Leave, with this exit code", 0, 1, ExitCommand},
    {"get", "KEYSPACE KEY", "The value of a key of a keyspace", 2, 2, GetCommand},
    {"headers", "on|off", "Print the columns' names", 1, 1, HeadersCommand},
    {"help", "", "This list", 0, 1, HelpCommand},
    {"import", "?--csv? ?--skip N? FILE TABLE", "Add the rows of a file to a table", 2, 8,
     ImportCommand},
    {"indexes", "?TABLE?", "The names of the indexes", 0, 1, IndexesCommand},
    {"keyspaces", "", "The names of the keyspaces", 0, 0, KeyspacesCommand},
    {"mode", "?MODE? ?TABLE? ?--wrap N? ?--wordwrap on|off?",
     "How rows are printed: list, csv, json, line, column, table, box, markdown, quote, insert, "
     "tabs, ascii",
     0, 6, ChooseModeCommand},
    {"nullvalue", "TEXT", "What is printed for NULL", 1, 1, NullValueCommand},
    {"output", "?FILE?", "Print to a file, or back to standard output", 0, 1, OutputCommand},
    {"print", "TEXT...", "Print the words", 0, 1000, PrintCommand},
    {"quit", "", "Leave", 0, 0, QuitCommand},
    {"read", "FILE", "Run the statements and commands of a file", 1, 1, ReadCommand},
    {"row", "TABLE KEY...", "The row with this primary key", 2, 100, RowCommand},
    {"schema", "?NAME?", "The statements that made the tables and indexes", 0, 1, SchemaCommand},
    {"separator", "COLUMN ?ROW?", "What is printed between columns, and behind rows", 1, 2,
     SeparatorCommand},
    {"show", "", "What is set", 0, 0, ShowCommand},
    {"tables", "?PATTERN?", "The names of the tables and views", 0, 1, TablesCommand},
    {"timer", "on|off", "Print how long each statement takes", 1, 1, TimerCommand},
    {"width", "NUMBER...", "How wide columns are; 0: as needed, less: aligned to the right", 0,
     1000, WidthCommand},
};

Flow HelpCommand(Shell* shell, Arguments, const Place&) {
  for (const Command& command : kCommands) {
    std::string line = "." + std::string(command.name);
    if (!command.usage.empty()) line += " " + std::string(command.usage);
    line.resize(std::max<size_t>(line.size() + 2, 26), ' ');
    line += command.help;
    line += '\n';
    shell->output().Write(line);
  }
  return Flow::kGoOn;
}

const Command* Find(std::string_view name) {
  if (name.empty()) return nullptr;
  if (name == "indices") name = "indexes";
  if (name == "header") name = "headers";
  for (const Command& command : kCommands) {
    if (command.name == name) return &command;
  }
  for (const Command& command : kCommands) {
    if (command.name.starts_with(name)) return &command;
  }
  return nullptr;
}

}  // namespace

std::span<const Command> Commands() { return kCommands; }

Flow ExecuteCommand(Shell* shell, std::string_view line, const Place& place) {
  const std::vector<std::string> words = SplitWords(line.substr(1));
  if (words.empty()) return Flow::kGoOn;
  const Command* const command = Find(words[0]);
  if (command == nullptr) {
    shell->Complain("unknown command: \"." + words[0] + "\"; .help lists them", &place);
    return shell->flow_after_error();
  }
  if (words.size() - 1 < command->least || words.size() - 1 > command->most) {
    shell->Complain("usage: ." + std::string(command->name) + " " + std::string(command->usage),
                    &place);
    return shell->flow_after_error();
  }
  return command->run(shell, words, place);
}

std::string Unescaped(std::string_view text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      result += text[i];
      continue;
    }
    const char c = text[++i];
    switch (c) {
      case 'a':
        result += '\a';
        break;
      case 'b':
        result += '\b';
        break;
      case 't':
        result += '\t';
        break;
      case 'n':
        result += '\n';
        break;
      case 'v':
        result += '\v';
        break;
      case 'f':
        result += '\f';
        break;
      case 'r':
        result += '\r';
        break;
      default:
        if (c >= '0' && c <= '7') {
          int value = 0;
          size_t digits = 0;
          for (; digits < 3 && i < text.size() && text[i] >= '0' && text[i] <= '7'; ++digits) {
            value = value * 8 + (text[i++] - '0');
          }
          --i;
          result += static_cast<char>(value);
        } else {
          result += c;
        }
    }
  }
  return result;
}

std::vector<std::string> SplitWords(std::string_view line) {
  const auto is_blank = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  std::vector<std::string> words;
  size_t at = 0;
  for (;;) {
    while (at < line.size() && is_blank(line[at])) ++at;
    if (at == line.size()) return words;
    if (line[at] == '\'' || line[at] == '"') {
      const char quote = line[at++];
      std::string word;
      const size_t begin = at;
      while (at < line.size() && line[at] != quote) {
        if (quote == '"' && line[at] == '\\' && at + 1 < line.size()) ++at;
        ++at;
      }
      at = std::min(at, line.size());
      const std::string_view inner = line.substr(begin, at - begin);
      words.push_back(quote == '"' ? Unescaped(inner) : std::string(inner));
      if (at < line.size()) ++at;
    } else {
      const size_t begin = at;
      while (at < line.size() && !is_blank(line[at])) ++at;
      words.push_back(Unescaped(line.substr(begin, at - begin)));
    }
  }
}

}  // namespace kvsql::shell
