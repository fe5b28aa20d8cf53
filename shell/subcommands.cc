#include "shell/subcommands.h"

#include <algorithm>

#include "shell/commands.h"
#include "shell/shell.h"

namespace kvsql::shell {
namespace {

struct Subcommand {
  std::string_view name;
  std::string_view usage;
  size_t least = 0;  // words behind FILE
  size_t most = 0;
  Flow (*run)(Shell*, Arguments, const Place&) = nullptr;
};

Flow Check(Shell* shell, Arguments, const Place&) {
  Database* const database = shell->database();
  if (database == nullptr) return Flow::kStop;
  const StatusOr<IntegrityReport> report = database->check_integrity();
  if (!report.ok()) {
    shell->Complain(std::string(report.status().message()));
    return Flow::kStop;
  }
  for (const std::string& problem : report->problems) {
    shell->output().Write(problem);
    shell->output().Write('\n');
  }
  if (report->ok()) {
    shell->output().Write("ok\n");
  } else {
    shell->set_exit_code(1);
  }
  return Flow::kGoOn;
}

constexpr Subcommand kSubcommands[] = {
    {"check", "FILE", 0, 0, Check},
    {"get", "FILE KEYSPACE KEY", 2, 2, GetCommand},
    {"row", "FILE TABLE KEY...", 2, 100, RowCommand},
    {"dump", "FILE [TABLE...]", 0, 1000, DumpCommand},
    {"help", "", 0, 0, nullptr},
    {"version", "", 0, 0, nullptr},
};

const Subcommand* Find(std::string_view word) {
  for (const Subcommand& subcommand : kSubcommands) {
    if (subcommand.name == word) return &subcommand;
  }
  return nullptr;
}

}  // namespace

bool IsSubcommand(std::string_view word) { return Find(word) != nullptr; }

int RunSubcommand(const CommandLine& line, Output* output) {
  const Subcommand& subcommand = *Find(line.subcommand);
  if (subcommand.name == "help") {
    output->Write(HelpText());
    return 0;
  }
  if (subcommand.name == "version") {
    output->Write("kvsql ");
    output->Write(version());
    output->Write('\n');
    return 0;
  }
  Shell::Setup setup;
  setup.path = line.path;
  setup.read_only = true;  // nor does it make a database that is not there
  setup.settings = line.settings;
  Shell shell(std::move(setup), output);
  if (line.path == ":memory:" || line.words.size() < subcommand.least ||
      line.words.size() > subcommand.most) {
    shell.Complain("usage: kvsql " + std::string(subcommand.name) + " " +
                   std::string(subcommand.usage));
    return 1;
  }
  std::vector<std::string> args = {std::string(subcommand.name)};
  args.insert(args.end(), line.words.begin(), line.words.end());
  subcommand.run(&shell, args, {});
  return shell.Finish();
}

}  // namespace kvsql::shell
