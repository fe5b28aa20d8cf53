// kvsql FILE [SQL...]: the shell. docs/shell.md is its manual.
#include <unistd.h>

#include <cstdio>

#include "shell/line_editor.h"
#include "shell/options.h"
#include "shell/shell.h"
#include "shell/subcommands.h"

namespace kvsql::shell {
namespace {

void Greet(const Shell& shell, Output* output) {
  output->Write("kvsql ");
  output->Write(version());
  output->Write("  .help lists commands, .quit leaves\n");
  if (shell.path() == ":memory:") output->Write("The database lives in memory.\n");
  output->Flush();
}

Flow RunAll(Shell* shell, const CommandLine& line, Output* output) {
  for (const std::string& text : line.first) {
    if (shell->RunArgument(text) == Flow::kStop) return Flow::kStop;
  }
  if (!line.words.empty()) {
    for (const std::string& text : line.words) {
      if (shell->RunArgument(text) == Flow::kStop) return Flow::kStop;
    }
    return Flow::kGoOn;
  }
  if (shell->interactive()) {
    // A file that cannot be opened is told at once.
    if (shell->database() == nullptr) return Flow::kStop;
    Greet(*shell, output);
    LineEditor editor(shell);
    return shell->RunSource(&editor, "");
  }
  FileSource source(STDIN_FILENO, false, FileSource::Lines::kNewlines);
  return shell->RunSource(&source, "");
}

int Run(const CommandLine& line, Output* output) {
  if (!line.error.empty()) {
    std::fprintf(stderr, "kvsql: %s\nkvsql -help lists the options\n", line.error.c_str());
    return 1;
  }
  if (line.help) {
    output->Write(HelpText());
    return 0;
  }
  if (line.version) {
    output->Write(version());
    output->Write('\n');
    return 0;
  }
  if (!line.subcommand.empty()) return RunSubcommand(line, output);
  Shell::Setup setup;
  setup.path = line.path;
  setup.read_only = line.read_only;
  setup.settings = line.settings;
  setup.interactive = line.words.empty() && !line.batch && isatty(STDIN_FILENO) == 1;
  if (setup.interactive) {
    setup.settings.bail = false;
    if (!line.mode_chosen) {
      // For eyes, not for scripts.
      setup.settings.mode = Mode::kBox;
    }
  }
  Shell shell(std::move(setup), output);
  RunAll(&shell, line, output);
  return shell.Finish();
}

}  // namespace
}  // namespace kvsql::shell

int main(int argc, char** argv) {
  using namespace kvsql::shell;  // NOLINT(google-build-using-namespace)
  int code = 0;
  {
    Output output(STDOUT_FILENO);
    const CommandLine line =
        ReadCommandLine({argv + (argc > 0 ? 1 : 0), static_cast<size_t>(argc > 0 ? argc - 1 : 0)});
    code = Run(line, &output);
  }
  // Nothing is left to be done that the end of the process does not do faster.
  _exit(code);
}
