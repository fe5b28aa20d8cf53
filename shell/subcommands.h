// "kvsql check FILE" and its like: a first word that wins over a file of that name.
#ifndef KVSQL_SHELL_SUBCOMMANDS_H_
#define KVSQL_SHELL_SUBCOMMANDS_H_

#include <string_view>

#include "shell/options.h"
#include "shell/output.h"

namespace kvsql::shell {

bool IsSubcommand(std::string_view word);
// Runs the subcommand of the line; the exit code.
int RunSubcommand(const CommandLine& line, Output* output);

}  // namespace kvsql::shell

#endif  // KVSQL_SHELL_SUBCOMMANDS_H_
