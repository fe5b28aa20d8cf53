#include "shell/shell.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "shell/commands.h"
#include "shell/error_text.h"
#include "shell/timer.h"

namespace kvsql::shell {
namespace {

constexpr int kMaxReadDepth = 25;

volatile std::sig_atomic_t interrupts = 0;
int interrupt_pipe[2] = {-1, -1};

void OnInterrupt(int) {
  const int error = errno;
  interrupts = interrupts + 1;
  if (interrupts > 2) _exit(1);  // it does not listen
  static_cast<void>(!write(interrupt_pipe[1], "!", 1));
  errno = error;
}

void WriteError(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
    if (written <= 0) return;
    text.remove_prefix(static_cast<size_t>(written));
  }
}

}  // namespace

bool Interrupted() { return interrupts > 0; }
void ClearInterrupt() {
  interrupts = 0;
  char bytes[8];
  while (interrupt_pipe[0] >= 0 && read(interrupt_pipe[0], bytes, sizeof(bytes)) > 0) {
  }
}
int InterruptPipe() { return interrupt_pipe[0]; }

void WatchInterrupts() {
  if (interrupt_pipe[0] < 0 && pipe2(interrupt_pipe, O_CLOEXEC | O_NONBLOCK) != 0) return;
  struct sigaction action = {};
  action.sa_handler = OnInterrupt;
  sigaction(SIGINT, &action, nullptr);
}

Shell::Shell(Setup setup, Output* output)
    : path_(std::move(setup.path)),
      read_only_(setup.read_only),
      interactive_(setup.interactive),
      settings_(std::move(setup.settings)),
      output_(*output) {}

Database* Shell::database() {
  if (database_.has_value()) return &*database_;
  if (unusable_) return nullptr;
  Options options;
  options.read_only = read_only_ && path_ != ":memory:";
  StatusOr<Database> opened = Database::Open(path_, options);
  if (!opened.ok()) {
    unusable_ = true;
    Complain("unable to open database \"" + path_ +
             "\": " + std::string(opened.status().message()));
    return nullptr;
  }
  database_ = *std::move(opened);
  return &*database_;
}

Connection* Shell::connection() {
  if (connection_.has_value()) return &*connection_;
  Database* const open = database();
  if (open == nullptr) return nullptr;
  StatusOr<Connection> made = open->connect();
  if (!made.ok()) {
    unusable_ = true;
    Complain(std::string(made.status().message()));
    return nullptr;
  }
  connection_.emplace(*std::move(made));
  return &*connection_;
}

int Shell::Finish() {
  connection_.reset();
  if (database_.has_value()) {
    const Status status = database_->close();
    if (!status.ok()) Complain("closing the database: " + std::string(status.message()));
    database_.reset();
  }
  output_.Restore();
  // A reader of our output that has gone away, as `head` does, is no error.
  if (output_.first_error() != 0 && output_.first_error() != EPIPE) {
    Complain(std::string("cannot write: ") + std::strerror(output_.first_error()));
  }
  if (exit_code_.has_value()) return *exit_code_;
  if (interactive_ && !unusable_) return 0;  // they have been seen
  return errors_ > 0 ? 1 : 0;
}

void Shell::Complain(std::string_view message, const Place* place) {
  ++errors_;
  output_.Flush();
  std::string text = "Error";
  if (place != nullptr && !interactive_) {
    if (!place->file.empty()) text += " in " + std::string(place->file);
    text += " at line " + std::to_string(place->line);
  }
  text += ": ";
  text += message;
  text += '\n';
  WriteError(text);
}

void Shell::Warn(std::string_view message) {
  output_.Flush();
  WriteError(std::string(message) + "\n");
}

void Shell::ComplainOf(const Status& status, std::string_view text, std::string_view rest,
                       const Place& place) {
  ++errors_;
  output_.Flush();
  WriteError(ErrorText(status, text, rest, place, interactive_));
}

Status Shell::Print(Statement* statement) { return Print(statement, settings_); }

Status Shell::Print(Statement* statement, const Settings& settings) {
  StatusOr<bool> at_row = statement->step();
  if (!at_row.ok() || !*at_row) return at_row.status();
  const auto columns = static_cast<size_t>(statement->column_count());
  if (columns == 0) {
    while (at_row.ok() && *at_row) at_row = statement->step();
    return at_row.status();
  }
  std::vector<std::string> names(columns);
  for (size_t i = 0; i < columns; ++i) names[i] = statement->column_name(static_cast<int>(i));
  std::vector<ValueView> values(columns);
  const std::unique_ptr<RowWriter> writer = MakeRowWriter(settings, &output_);
  writer->Begin(names);
  while (at_row.ok() && *at_row && !output_.failed()) {
    for (size_t i = 0; i < columns; ++i) values[i] = statement->at(static_cast<int>(i));
    writer->Row(values);
    if (Interrupted()) return absl::CancelledError("interrupted");
    at_row = statement->step();
  }
  writer->End();
  return at_row.status();
}

void Shell::PrintRow(Names names, Values values) {
  const std::unique_ptr<RowWriter> writer = MakeRowWriter(settings_, &output_);
  writer->Begin(names);
  writer->Row(values);
  writer->End();
}

Flow Shell::RunSql(std::string_view text, const Place& place) {
  Connection* const open = connection();
  if (open == nullptr) return Flow::kStop;
  if (settings_.echo) {
    std::string_view shown = text;
    while (!shown.empty() && shown.back() == '\n') shown.remove_suffix(1);
    output_.Write(shown);
    output_.Write('\n');
  }
  const Timer timer(settings_.timer);
  Flow flow = Flow::kGoOn;
  for (std::string_view rest = text;;) {
    // Most pieces are one statement and a line end: the engine need not look at that.
    while (!rest.empty() && (rest.front() == '\n' || rest.front() == ' ')) rest.remove_prefix(1);
    if (rest.empty()) break;
    const std::string_view before = rest;
    StatusOr<std::optional<Statement>> statement = open->prepare_next(&rest);
    Status status = statement.status();
    if (status.ok() && !statement->has_value()) break;
    if (status.ok()) status = Print(&**statement);
    if (!status.ok()) {
      ComplainOf(status, text, before, place);
      flow = flow_after_error();
      break;
    }
    if (output_.failed()) return Flow::kStop;
  }
  timer.Report(&output_);
  return flow;
}

Flow Shell::RunArgument(std::string_view text) {
  return text.starts_with('.') ? RunCommand(text, {}) : RunSql(text, {});
}

Flow Shell::RunCommand(std::string_view line, const Place& place) {
  if (settings_.echo) {
    output_.Write(line);
    output_.Write('\n');
  }
  return ExecuteCommand(this, line, place);
}

Flow Shell::RunSource(Source* source, std::string_view file) {
  if (depth_ == kMaxReadDepth) {
    Complain("files read each other " + std::to_string(kMaxReadDepth) + " deep");
    return flow_after_error();
  }
  ++depth_;
  PieceReader reader(source);
  Flow flow = Flow::kGoOn;
  Piece piece;
  while (flow == Flow::kGoOn && reader.Next(&piece)) {
    // A person counts from where the statement begins.
    const Place place{file, interactive_ && depth_ == 1 ? 1 : piece.line};
    flow = piece.kind == Piece::Kind::kCommand ? RunCommand(piece.text, place)
                                               : RunSql(piece.text, place);
    if (interactive_ && depth_ == 1) {
      output_.Flush();
      ClearInterrupt();
    } else if (Interrupted()) {
      break;
    }
  }
  if (!reader.error().empty()) {
    Complain((file.empty() ? std::string("standard input") : std::string(file)) + ": " +
             reader.error());
    if (flow == Flow::kGoOn) flow = flow_after_error();
  }
  --depth_;
  return flow;
}

}  // namespace kvsql::shell
