// Stores a key and a row through an installed kvsql, and reads both back through both doors.
#include <cstdio>
#include <string>

#include <kvsql/kvsql.h>

namespace {

kvsql::Status Run(const std::string& path) {
  auto database = kvsql::Database::Open(path);
  if (!database.ok()) return database.status();

  auto sessions = database->keyspace("sessions");
  if (!sessions.ok()) return sessions.status();
  if (auto put = sessions->put("user:7", "here"); !put.ok()) return put;

  auto connection = database->connect();
  if (!connection.ok()) return connection.status();
  for (const char* sql : {"CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT)",
                          "INSERT INTO users VALUES (7, 'Ada')"}) {
    if (auto done = connection->execute(sql); !done.ok()) return done;
  }

  std::string value;
  auto found = sessions->get("user:7", &value);
  if (!found.ok()) return found.status();
  auto users = database->table("users");
  if (!users.ok()) return users.status();
  auto row = users->get_row(7);
  if (!row.ok()) return row.status();
  if (!*found || value != "here" || !row->exists() || (*row)["name"].text() != "Ada") {
    return absl::InternalError("kvsql does not answer what was stored");
  }
  std::printf("user 7 is %s and %s\n", std::string(row->text(1)).c_str(), value.c_str());
  return absl::OkStatus();
}

}  // namespace

int main(int argc, char** argv) {
  const kvsql::Status status = Run(argc > 1 ? argv[1] : ":memory:");
  if (!status.ok()) std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
  return status.ok() ? 0 : 1;
}
