// The command line.
#ifndef KVSQL_SHELL_OPTIONS_H_
#define KVSQL_SHELL_OPTIONS_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shell/settings.h"

namespace kvsql::shell {

struct CommandLine {
  std::string error;       // what is wrong with it; the rest then means nothing
  std::string subcommand;  // "" if there is none
  bool help = false;
  bool version = false;
  bool batch = false;
  bool read_only = false;
  bool mode_chosen = false;
  Settings settings;
  std::vector<std::string> first;  // of -cmd: before everything else
  std::string path = ":memory:";
  std::vector<std::string> words;  // behind the file: SQL and commands, or a subcommand's arguments
};

// Without the program's name.
CommandLine ReadCommandLine(std::span<const char* const> arguments);
std::string_view HelpText();

}  // namespace kvsql::shell

#endif  // KVSQL_SHELL_OPTIONS_H_
