// ".import": rows of a file into a table, which is made from the first row if there is none.
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "shell/commands.h"
#include "shell/csv_reader.h"
#include "shell/names.h"

namespace kvsql::shell {
namespace {

struct Request {
  std::string file;
  std::string table;
  char column = '|';
  char row = '\n';
  size_t skip = 0;
};

std::string Message(const Status& status) { return std::string(status.message()); }

// "" or what is wrong with the arguments.
std::string ReadArguments(const Settings& settings, Arguments args, Request* request) {
  std::string column = settings.column_separator;
  std::string row = settings.row_separator;
  if (row == "\r\n") row = "\n";
  for (size_t i = 1; i < args.size(); ++i) {
    std::string_view word = args[i];
    if (!word.starts_with('-')) {
      std::string& place = request->file.empty() ? request->file : request->table;
      if (!place.empty()) return "too many arguments: " + args[i];
      place = word;
      continue;
    }
    word.remove_prefix(word.starts_with("--") ? 2 : 1);
    if (word == "csv") {
      column = ",";
      row = "\n";
    } else if (word == "ascii") {
      column = "\x1f";
      row = "\x1e";
    } else if (word == "skip" && i + 1 < args.size()) {
      const std::string& number = args[++i];
      const auto read =
          std::from_chars(number.data(), number.data() + number.size(), request->skip);
      if (read.ec != std::errc()) return "not a number of rows: " + number;
    } else {
      return "unknown option: " + args[i];
    }
  }
  if (request->table.empty()) return "usage: .import FILE TABLE";
  if (column.size() != 1 || row.size() != 1) {
    return "separators of one byte are needed to import; .separator sets them";
  }
  request->column = column[0];
  request->row = row[0];
  return "";
}

// Says how far it is, where somebody looks on.
class Progress {
 public:
  Progress() : shown_(isatty(STDERR_FILENO) == 1) {}
  void Update(size_t rows) {
    if (!shown_ || rows % 4096 != 0) return;
    timespec now = {};
    clock_gettime(CLOCK_MONOTONIC, &now);
    const int64_t tenths = now.tv_sec * 10 + now.tv_nsec / 100'000'000;
    if (tenths - last_ < 2) return;
    last_ = tenths;
    Write("\r" + std::to_string(rows) + " rows");
    dirty_ = true;
  }
  ~Progress() {
    if (dirty_) Write("\r                          \r");
  }

 private:
  static void Write(const std::string& text) {
    static_cast<void>(!write(STDERR_FILENO, text.data(), text.size()));
  }
  const bool shown_;
  bool dirty_ = false;
  int64_t last_ = 0;
};

// Columns of the names in the first row. Names that come more than once get their column's number.
Status MakeTable(Connection* connection, const std::string& table, const CsvReader& reader) {
  const size_t count = reader.field_count();
  const auto same = [&](size_t a, size_t b) {
    return EqualsIgnoreCase(reader.field(a), reader.field(b));
  };
  std::string sql = "CREATE TABLE " + Quoted(table);
  for (size_t i = 0; i < count; ++i) {
    std::string name = reader.field(i).empty() ? "?" : reader.field(i);
    for (size_t j = 0; j < count; ++j) {
      if (j == i || !same(i, j)) continue;
      std::string number = std::to_string(i + 1);
      number.insert(0, std::to_string(count).size() - number.size(), '0');
      name += "_" + number;
      break;
    }
    sql += (i == 0 ? "(\n" : ", ") + Quoted(name) + " TEXT";
  }
  return connection->execute(sql + ")");
}

StatusOr<size_t> ColumnCount(Connection* connection, const std::string& table) {
  StatusOr<Statement> all = connection->prepare("SELECT * FROM " + Quoted(table));
  if (!all.ok()) return all.status();
  return static_cast<size_t>(all->column_count());
}

// Adds what the reader has; the number of rows that failed.
StatusOr<size_t> AddRows(Shell* shell, Connection* connection, const Request& request,
                         CsvReader* reader) {
  const StatusOr<size_t> columns = ColumnCount(connection, request.table);
  if (!columns.ok()) return columns.status();
  std::string sql = "INSERT INTO " + Quoted(request.table) + " VALUES(";
  for (size_t i = 0; i < *columns; ++i) sql += i == 0 ? "?" : ",?";
  StatusOr<Statement> insert = connection->prepare(sql + ")");
  if (!insert.ok()) return insert.status();

  const auto where = [&] { return request.file + ":" + std::to_string(reader->line()) + ": "; };
  const auto expected = [&](const char* consequence) {
    return "expected " + std::to_string(*columns) + " columns but found " +
           std::to_string(reader->field_count()) + " - " + consequence;
  };
  Progress progress;
  size_t failed = 0;
  for (size_t rows = 1; reader->Next(); ++rows) {
    if (!reader->warning().empty()) shell->Warn(where() + reader->warning());
    const size_t found = reader->field_count();
    if (found < *columns) shell->Warn(where() + expected("filling the rest with NULL"));
    if (found > *columns) shell->Warn(where() + expected("extras ignored"));
    Status status;
    for (size_t i = 0; i < *columns && status.ok(); ++i) {
      status = insert->bind(static_cast<int>(i) + 1,
                            i < found ? ValueView(reader->field(i)) : ValueView());
    }
    if (status.ok()) status = insert->execute();
    if (!status.ok()) {
      shell->Complain(where() + "INSERT failed: " + Message(status));
      ++failed;
      if (shell->settings().bail) return failed;
    }
    progress.Update(rows);
    if (Interrupted()) return absl::CancelledError("interrupted");
  }
  if (!reader->error().empty()) return absl::InternalError(reader->error());
  return failed;
}

}  // namespace

Flow ImportCommand(Shell* shell, Arguments args, const Place& place) {
  const auto fail = [&](const std::string& message) {
    shell->Complain(message, &place);
    return shell->flow_after_error();
  };
  Request request;
  if (const std::string wrong = ReadArguments(shell->settings(), args, &request); !wrong.empty()) {
    return fail(wrong);
  }
  const int opened = open(request.file.c_str(), O_RDONLY | O_CLOEXEC);
  if (opened < 0) return fail("cannot open \"" + request.file + "\": " + std::strerror(errno));
  FileSource source(opened, true, FileSource::Lines::kAsTheyAre);
  Connection* const connection = shell->connection();
  if (connection == nullptr) return Flow::kStop;

  CsvReader reader(&source, request.column, request.row);
  while (request.skip > 0 && reader.Next()) --request.skip;
  const bool own = !connection->in_transaction();
  if (own) {
    if (const Status begun = connection->execute("BEGIN IMMEDIATE"); !begun.ok()) {
      return fail(Message(begun));
    }
  }
  Status status;
  if (absl::IsNotFound(ColumnCount(connection, request.table).status())) {
    if (reader.Next()) {
      status = MakeTable(connection, request.table, reader);
    } else {
      status = absl::InvalidArgumentError(reader.error().empty() ? request.file + ": empty file"
                                                                 : reader.error());
    }
  }
  size_t failed = 0;
  if (status.ok()) {
    const StatusOr<size_t> added = AddRows(shell, connection, request, &reader);
    status = added.status();
    failed = added.ok() ? *added : 0;
  }
  if (own) {
    // Rows that failed have been named; those that came in stay, as in SQLite's shell.
    const Status ended = connection->execute(status.ok() ? "COMMIT" : "ROLLBACK");
    if (status.ok()) status = ended;
  }
  if (!status.ok()) return fail(Message(status));
  return failed == 0 ? Flow::kGoOn : shell->flow_after_error();
}

}  // namespace kvsql::shell
