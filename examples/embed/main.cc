// Both doors of kvsql in one small program: a keyspace of sessions and an SQL table of users.
#include <kvsql/kvsql.h>

#include <iostream>
#include <string>

namespace {

kvsql::Status Run(const std::string& path) {
  kvsql::StatusOr<kvsql::Database> database = kvsql::Database::Open(path);
  if (!database.ok()) return database.status();

  // SQL for tables.
  kvsql::StatusOr<kvsql::Connection> connection = database->connect();
  if (!connection.ok()) return connection.status();
  kvsql::Status status = connection->execute(
      "CREATE TABLE IF NOT EXISTS users(id INTEGER PRIMARY KEY, name TEXT, mail TEXT UNIQUE)");
  if (!status.ok()) return status;

  // Keys, rows and SQL in one transaction.
  kvsql::StatusOr<kvsql::Keyspace> sessions = database->keyspace("sessions");
  kvsql::StatusOr<kvsql::Table> users = database->table("users");
  kvsql::StatusOr<kvsql::WriteTransaction> transaction = database->begin();
  if (!sessions.ok()) return sessions.status();
  if (!users.ok()) return users.status();
  if (!transaction.ok()) return transaction.status();
  status = sessions->put("session:1", "user 1", *transaction);
  if (!status.ok()) return status;
  kvsql::StatusOr<int64_t> rowid = users->put_row({1, "Ada", "ada@example.org"}, *transaction);
  if (!rowid.ok()) return rowid.status();
  status = transaction->execute("INSERT OR REPLACE INTO users VALUES (?, ?, ?)",
                                {2, "Grace", "grace@example.org"});
  if (!status.ok()) return status;
  status = transaction->commit();
  if (!status.ok()) return status;

  // The key door: no SQL on the way.
  std::string session;
  kvsql::StatusOr<bool> found = sessions->get("session:1", &session);
  if (!found.ok()) return found.status();
  std::cout << "session:1 = " << session << "\n";
  kvsql::StatusOr<kvsql::Row> row = users->get_row(2);
  if (!row.ok()) return row.status();
  if (row->exists()) std::cout << "user 2 = " << (*row)["name"].text() << "\n";

  // The same row by SQL.
  kvsql::StatusOr<kvsql::Statement> select =
      connection->query("SELECT id, name FROM users WHERE mail = ?", {"ada@example.org"});
  if (!select.ok()) return select.status();
  for (;;) {
    kvsql::StatusOr<bool> at_row = select->step();
    if (!at_row.ok()) return at_row.status();
    if (!*at_row) break;
    std::cout << select->integer(0) << " | " << select->text(1) << "\n";
  }
  return absl::OkStatus();
}

}  // namespace

int main(int argc, char** argv) {
  const kvsql::Status status = Run(argc > 1 ? argv[1] : ":memory:");
  if (!status.ok()) {
    std::cerr << status << "\n";
    return 1;
  }
  return 0;
}
