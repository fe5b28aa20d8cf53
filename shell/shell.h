// The shell: one database, what has been set, and the running of SQL and dot commands.
//
// Thread safety: none; one per process.
//
// Invariants:
//   1. The database is opened by the first thing that needs it, so ".help" and a wrong option open none.
//   2. Everything that is printed goes through output(), which is flushed before an error is written, so the
//      two streams keep their order on a terminal.
//   3. An error never ends the shell by itself: it is counted, and RunX answers whether to go on.
#ifndef KVSQL_SHELL_SHELL_H_
#define KVSQL_SHELL_SHELL_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kvsql/kvsql.h>

#include "shell/input.h"
#include "shell/output.h"
#include "shell/row_writer.h"
#include "shell/settings.h"

namespace kvsql::shell {

// Where a text stands.
struct Place {
  std::string_view file;  // "" for standard input and arguments
  size_t line = 1;        // of its beginning
};

enum class Flow : uint8_t { kGoOn, kStop };

class Shell {
 public:
  struct Setup {
    std::string path = ":memory:";
    bool read_only = false;
    bool interactive = false;
    Settings settings;
  };
  Shell(Setup setup, Output* output);

  // Statements, one after the other, until one fails.
  Flow RunSql(std::string_view text, const Place& place);
  // ".name arguments".
  Flow RunCommand(std::string_view line, const Place& place);
  // An argument: SQL, or a command if it begins with a dot.
  Flow RunArgument(std::string_view text);
  // Everything that the source has.
  Flow RunSource(Source* source, std::string_view file);

  // Closes the database. What the process answers: 0, 1 if there were errors, or what ".exit" said.
  int Finish();

  // ---- For commands.

  Settings& settings() { return settings_; }
  Output& output() { return output_; }
  bool interactive() const { return interactive_; }
  const std::string& path() const { return path_; }
  // Opened now if it is not yet. Null: it cannot be, which has been said.
  Database* database();
  Connection* connection();
  // The columns of a statement's rows, printed in the mode that is set (or another).
  Status Print(Statement* statement);
  Status Print(Statement* statement, const Settings& settings);
  // Prints one row.
  void PrintRow(Names names, Values values);
  // Says it on stderr and counts it. `place` may be null.
  void Complain(std::string_view message, const Place* place = nullptr);
  // Says it on stderr; it is no error.
  void Warn(std::string_view message);
  // Runs `sql` and calls `row` with each of its rows; complains and answers false if that fails.
  template <typename Function>
  bool ForEach(std::string_view sql, std::initializer_list<ValueView> parameters, Function row);
  void set_exit_code(int code) { exit_code_ = code; }
  Flow flow_after_error() const { return settings_.bail || unusable_ ? Flow::kStop : Flow::kGoOn; }

 private:
  // An error of the statement at the beginning of `rest`, which is the end of `text`.
  void ComplainOf(const Status& status, std::string_view text, std::string_view rest,
                  const Place& place);

  const std::string path_;
  const bool read_only_;
  const bool interactive_;
  Settings settings_;
  Output& output_;
  std::optional<Database> database_;
  std::optional<Connection> connection_;
  bool unusable_ = false;  // the database could not be opened
  size_t errors_ = 0;
  std::optional<int> exit_code_;
  int depth_ = 0;  // of .read
};

template <typename Function>
bool Shell::ForEach(std::string_view sql, std::initializer_list<ValueView> parameters,
                    Function row) {
  Connection* const open = connection();
  if (open == nullptr) return false;
  StatusOr<Statement> statement = open->query(sql, parameters);
  Status status = statement.status();
  while (status.ok()) {
    const StatusOr<bool> at_row = statement->step();
    status = at_row.status();
    if (!status.ok() || !*at_row) break;
    row(*statement);
  }
  if (!status.ok()) Complain(std::string(status.message()));
  return status.ok();
}

// Set by the interrupt key while the shell is interactive, that is, after WatchInterrupts.
bool Interrupted();
void ClearInterrupt();
void WatchInterrupts();
// Can be read from while Interrupted(), so that a poll() for it misses no key; -1 before
// WatchInterrupts. Owned by the process.
int InterruptPipe();

}  // namespace kvsql::shell

#endif  // KVSQL_SHELL_SHELL_H_
