#include "shell/options.h"

#include "shell/commands.h"
#include "shell/subcommands.h"

namespace kvsql::shell {
namespace {

constexpr std::string_view kHelp =
    R"(usage: kvsql [OPTIONS] [FILE [SQL...]]
       kvsql SUBCOMMAND ...

Without FILE the database lives in memory. Without SQL, statements and dot commands are read from
standard input; on a terminal with line editing, history and completion (.help lists the commands).

options (also with two dashes):
  -list -csv -json -line -column -table -box -markdown -quote -tabs -ascii
                     how rows are printed; list is the default
  -header -noheader  whether columns' names are printed
  -separator TEXT    what stands between columns
  -newline TEXT      what stands behind rows
  -nullvalue TEXT    what is printed for NULL
  -cmd COMMAND       run this first; may be given again
  -bail              stop at the first error
  -batch             no prompts, also on a terminal
  -echo              print statements before they run
  -readonly          open the database for reading only
  -version -help

subcommands (./NAME is a file of that name):
  check FILE               verify everything in the database
  get FILE KEYSPACE KEY    print the value of a key
  row FILE TABLE KEY...    print the row with this primary key
  dump FILE [TABLE...]     print SQL that makes the database again
  help, version

The exit code is 0, or 1 if there was an error.
)";

// The value behind an option that takes one.
bool TakeValue(std::span<const char* const> arguments, size_t* at, CommandLine* line,
               std::string* value) {
  if (*at + 1 >= arguments.size()) {
    line->error = "missing argument to " + std::string(arguments[*at]);
    return false;
  }
  *value = arguments[++*at];
  return true;
}

// False: there is no such option.
bool TakeFlag(std::string_view name, CommandLine* line) {
  Settings& settings = line->settings;
  if (name == "header" || name == "noheader") {
    settings.headers = name == "header";
    settings.headers_chosen = true;
  } else if (name == "bail") {
    settings.bail = true;
  } else if (name == "echo") {
    settings.echo = true;
  } else if (name == "batch") {
    line->batch = true;
  } else if (name == "readonly") {
    line->read_only = true;
  } else if (name == "help" || name == "h" || name == "?") {
    line->help = true;
  } else if (name == "version") {
    line->version = true;
  } else if (ChooseModeByOption(name, &settings)) {
    line->mode_chosen = true;
  } else {
    return false;
  }
  return true;
}

}  // namespace

std::string_view HelpText() { return kHelp; }

CommandLine ReadCommandLine(std::span<const char* const> arguments) {
  CommandLine line;
  bool has_path = false;
  for (size_t i = 0; i < arguments.size() && line.error.empty(); ++i) {
    const std::string_view word = arguments[i];
    // Behind a subcommand keys may begin with a dash.
    if (!line.subcommand.empty() || word.size() < 2 || word.front() != '-') {
      if (!has_path && line.subcommand.empty() && IsSubcommand(word)) {
        line.subcommand = word;
      } else if (!has_path) {
        line.path = word;
        has_path = true;
      } else {
        line.words.emplace_back(word);
      }
      continue;
    }
    const std::string_view name = word.substr(word.starts_with("--") ? 2 : 1);
    std::string value;
    if (name == "separator" || name == "newline" || name == "nullvalue" || name == "cmd") {
      if (!TakeValue(arguments, &i, &line, &value)) break;
      if (name == "separator") line.settings.column_separator = Unescaped(value);
      if (name == "newline") line.settings.row_separator = Unescaped(value);
      if (name == "nullvalue") line.settings.null_value = value;
      if (name == "cmd") line.first.push_back(value);
    } else if (!TakeFlag(name, &line)) {
      line.error = "unknown option: " + std::string(word);
    }
  }
  if (line.path.empty()) line.path = ":memory:";
  return line;
}

}  // namespace kvsql::shell
