// The SQL door.
//
//   auto connection = database.connect().value();
//   connection.execute("CREATE TABLE IF NOT EXISTS users(id INTEGER PRIMARY KEY, name TEXT)");
//   connection.execute("INSERT INTO users(name) VALUES (?)", {"Ada"});
//   auto statement = connection.prepare("SELECT name FROM users WHERE id = :id").value();
//   statement.bind(":id", 1);
//   while (*statement.step()) Use(statement.text(0));
//
// The dialect is SQLite's; COMPAT.md says how much of it there is. What is not there yet answers
// UNIMPLEMENTED.
//
// Thread safety: a Connection and its Statements belong to one thread at a time. Several connections of
// one database run side by side.
//
// Transactions: without BEGIN every statement is a transaction of its own: a reading one sees the newest
// state when it starts, a writing one is durable when step() or execute() answers. BEGIN starts a
// transaction; it reads one state, and waits for its turn to write at its first write (or at BEGIN
// IMMEDIATE). If others have committed since its first read, that answers ABORTED: roll back, and do the
// transaction again. Give the connection to keys and rows, as in keyspace.put(key, value, connection),
// and they take part in its transaction.
//
// Errors beside those of SQL: FAILED_PRECONDITION if the database was closed.
#ifndef KVSQL_CONNECTION_H_
#define KVSQL_CONNECTION_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <kvsql/access.h>
#include <kvsql/export.h>
#include <kvsql/status.h>
#include <kvsql/value.h>

namespace kvsql {

namespace exec {
class Statement;
}  // namespace exec

namespace internal {
class ConnectionRep;
struct StatementAccess;
}  // namespace internal

// One SQL statement, ready to run again and again with other parameters.
//
// A statement keeps what it needs of its connection alive. It notices when the schema has changed, and
// prepares itself again.
//
// Parameters are ?, ?NNN, :name, @name, $name; positions count from 1, columns from 0. A parameter that
// was not bound is NULL. Bound text and bytes are copied. Bindings stay until they are changed.
//
// Column values (views included) are valid until the next step() or reset() of the statement, or its end.
class KVSQL_EXPORT Statement {
 public:
  Statement(Statement&&) noexcept;
  Statement& operator=(Statement&&) noexcept;
  ~Statement();

  // ---- Parameters. FAILED_PRECONDITION while the statement stands at a row: reset() it first.

  // OUT_OF_RANGE if there is no such position.
  Status bind(int position, const ValueView& value);
  // By name, with its first character (":id"). NOT_FOUND if there is none.
  Status bind(std::string_view name, const ValueView& value);
  // All of them, in order. INVALID_ARGUMENT if the number is another.
  Status bind_all(std::initializer_list<ValueView> values) {
    return bind_all(std::span<const ValueView>(values.begin(), values.size()));
  }
  Status bind_all(std::span<const ValueView> values);
  void clear_bindings();
  // The highest position.
  int parameter_count() const;
  // With its first character; "" for a parameter without name.
  std::string_view parameter_name(int position) const;
  std::optional<int> parameter_position(std::string_view name) const;

  // ---- Running.

  // True: the statement stands at a row. False: it has done all its work; the next step() starts it
  // again. An error undoes what this run of the statement has changed, and resets it. UNAVAILABLE
  // if another write transaction does not end in time; UNKNOWN if its commit failed on I/O.
  StatusOr<bool> step();
  // Runs to the end, passing over rows, and resets.
  Status execute();
  // Back to the start. Ends the reading of a statement that has not come to its end. A write stays done.
  void reset();

  // ---- The row. Requires that the last step() answered true; otherwise every column is NULL.

  int column_count() const;
  // The name given by AS, else that of the column or the expression's text. "" if there is no such one.
  std::string_view column_name(int column) const;
  ValueView at(int column) const;
  ValueView operator[](int column) const { return at(column); }
  ValueType type(int column) const { return at(column).type(); }
  bool is_null(int column) const { return at(column).is_null(); }
  // The same as at(column).integer() and so on; value.h has the conversions.
  int64_t integer(int column) const { return at(column).integer(); }
  double real(int column) const { return at(column).real(); }
  std::string_view text(int column) const { return at(column).text(); }
  std::span<const std::byte> blob(int column) const { return at(column).blob(); }

  // ---- About it.

  // The statement's text. Where texts that differ only in their literals share a plan, it may be that of
  // another of them.
  std::string_view sql() const;
  // Whether it cannot change the database.
  bool is_read_only() const;

 private:
  friend struct internal::StatementAccess;
  Statement(internal::WriteTarget* owner, exec::Statement* statement)
      : owner_(owner), statement_(statement) {}
  Status CheckUsable() const;

  internal::WriteTarget* owner_;  // the connection or transaction; counted
  exec::Statement* statement_;    // owned; null: moved from
};

class KVSQL_EXPORT Connection {
 public:
  // Made by Database::connect().
  Connection(Connection&&) noexcept;
  Connection& operator=(Connection&&) noexcept;
  // Rolls back a transaction that is open.
  ~Connection();

  // Runs all statements of the text, one after the other, passing over rows. Stops at the first that
  // fails; what those before it did stays. INVALID_ARGUMENT if the text is wrong, with line, column and
  // the offending word.
  Status execute(std::string_view sql) { return execute(sql, std::span<const ValueView>()); }
  // The same with parameters; the text must then be one statement.
  Status execute(std::string_view sql, std::initializer_list<ValueView> parameters) {
    return execute(sql, std::span<const ValueView>(parameters.begin(), parameters.size()));
  }
  Status execute(std::string_view sql, std::span<const ValueView> parameters);

  // One statement; INVALID_ARGUMENT if the text has more, or none. Texts that differ only in their
  // literals share one plan, which a cache of the database keeps, so that this is cheap.
  StatusOr<Statement> prepare(std::string_view sql);
  // The first statement of a text of several, which is then cut off it with its semicolon; nullopt if
  // nothing but blanks and comments is left. An error leaves *sql as it is, and its line and column count
  // from there. Schema changes of one statement are seen by the next only if it has been run by then.
  StatusOr<std::optional<Statement>> prepare_next(std::string_view* sql);
  // prepare() and bind_all(), ready to step.
  StatusOr<Statement> query(std::string_view sql,
                            std::initializer_list<ValueView> parameters = {}) {
    return query(sql, std::span<const ValueView>(parameters.begin(), parameters.size()));
  }
  StatusOr<Statement> query(std::string_view sql, std::span<const ValueView> parameters);

  // Whether BEGIN or SAVEPOINT has started a transaction that has not ended.
  bool in_transaction() const;
  // Rows changed by the last INSERT, UPDATE or DELETE.
  int64_t changes() const;
  // Rows changed since the connection was made.
  int64_t total_changes() const;
  // The rowid of the last row that this connection's SQL added; 0 if none.
  int64_t last_insert_rowid() const;

 private:
  friend class Database;
  friend class ReadFrom;
  friend class WriteTo;
  explicit Connection(internal::ConnectionRep* rep);

  internal::ConnectionRep* rep_;        // counted, with its statements, cursors and rows
  const internal::ReadSource* source_;  // what reads use: the same
  internal::WriteTarget* target_;       // what writes use: the same
};

inline ReadFrom::ReadFrom(const Connection& connection) : ReadFrom(connection.source_) {}
inline WriteTo::WriteTo(Connection& connection) : WriteTo(connection.target_) {}

}  // namespace kvsql

#endif  // KVSQL_CONNECTION_H_
