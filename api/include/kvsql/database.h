// A kvsql database: one file with two doors to the same records, keys and SQL.
//
//   auto database = kvsql::Database::Open("app.kvsql");
//   if (!database.ok()) return database.status();
//   auto sessions = database->keyspace("sessions");          // keyspace.h
//   auto connection = database->connect();                   // connection.h
//   auto users = database->table("users");                   // table.h
//
// Names: types and functions that make a thing out of nothing are written like This (Database::Open,
// KeyRange::Prefix); everything that one calls on an object is written like_this.
//
// Thread safety: a Database may be used from any number of threads at once. Copies mean the same open
// database. Handles that it makes (Keyspace, Table, Connection, Cursor, WriteTransaction) belong to one
// thread at a time; a Snapshot to any.
//
// Processes: one process at a time has a database open for writing, or any number read-only. A second Open
// of the same file in one process shares what is open. In a child made by fork() no handle of the parent
// may be used but to be destroyed.
//
// A media error under a mapped file, or another program that cuts the file, raises SIGBUS.
#ifndef KVSQL_DATABASE_H_
#define KVSQL_DATABASE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <kvsql/connection.h>
#include <kvsql/export.h>
#include <kvsql/keyspace.h>
#include <kvsql/options.h>
#include <kvsql/snapshot.h>
#include <kvsql/status.h>
#include <kvsql/table.h>
#include <kvsql/transaction.h>

namespace kvsql {

namespace internal {
class DatabaseImpl;
struct DatabaseAccess;
}  // namespace internal

// What Database::check_integrity() found.
struct IntegrityReport {
  // Nothing to complain about.
  bool ok() const { return problems.empty(); }
  // One line each; at most 100.
  std::vector<std::string> problems;
};

// Figures of an open database, each true at some moment during the call.
struct DatabaseStats {
  uint32_t page_size = 0;        // bytes
  uint64_t file_bytes = 0;       // size of the data file
  uint64_t log_bytes = 0;        // size of the commit log's file; 0 if there is none
  uint64_t pages = 0;            // pages of the newest state, free ones included
  uint64_t free_pages = 0;       // of these, ready to be used
  uint64_t unwritten_pages = 0;  // changed pages in memory that no checkpoint has written yet
  uint64_t transaction_id = 0;   // the newest committed transaction
  // Since the file was opened in this process:
  uint64_t checkpoints = 0;
  uint64_t log_flushes = 0;     // writes to the commit log; one may carry many commits
  uint64_t direct_commits = 0;  // commits too large for the log
};

class KVSQL_EXPORT Database {
 public:
  // Opens the database at `path`, or makes it. ":memory:" makes a new one that lives in memory, as long
  // as it is open; "" too. After a crash this recovers, which takes tens of milliseconds at most.
  // NOT_FOUND: there is none, and the options forbid to make one. INVALID_ARGUMENT: an option is out of
  // its range. FAILED_PRECONDITION: the file is no kvsql database, or of a version that this build does
  // not know. UNAVAILABLE: another process has it open. DATA_LOSS, PERMISSION_DENIED.
  // A second Open of a file that this process has open shares it: options other than durability,
  // busy_timeout and statement_cache_bytes are those of the first.
  static StatusOr<Database> Open(const std::string& path, const Options& options = {});

  Database(const Database&) = default;
  Database(Database&&) noexcept = default;
  Database& operator=(const Database&) = default;
  Database& operator=(Database&&) noexcept = default;
  // When the last copy and the last handle made from it are gone, the database is closed as by close(),
  // and errors are lost.
  ~Database() = default;

  // Writes out everything, removes the commit log, and releases the file. From then on every call on
  // every handle answers FAILED_PRECONDITION. If the file was opened more than once in this process, it is
  // released with the last of these.
  // FAILED_PRECONDITION, and nothing is closed, while a snapshot, cursor, row, write transaction or
  // running statement is open or another thread is inside a read; also if it was closed before. An error
  // of the last checkpoint is answered with the database closed: the commits are safe in the file and its
  // log.
  Status close();

  // ---- Doors.

  // The keyspace of this name, made if there is none (KeyspaceOptions). Names are not empty, have at most
  // 255 bytes, and are compared without regard to ASCII case. INVALID_ARGUMENT for another name.
  StatusOr<Keyspace> keyspace(std::string_view name, const KeyspaceOptions& options = {});
  // The keyspaces' names, in order.
  StatusOr<std::vector<std::string>> keyspaces(ReadFrom from = {}) const;
  // Deletes the keyspace with all its keys, in a commit of its own. Handles of it answer NOT_FOUND.
  Status drop_keyspace(std::string_view name);
  // The SQL table of this name (compared without regard to ASCII case). NOT_FOUND if there is none.
  StatusOr<Table> table(std::string_view name);
  // A connection for SQL; as many as one likes.
  StatusOr<Connection> connect();
  // A connection that reads as of the snapshot, which it keeps open; writes answer FAILED_PRECONDITION.
  StatusOr<Connection> connect(const Snapshot& snapshot);

  // ---- States and transactions.

  // The newest committed state.
  StatusOr<Snapshot> snapshot() const;
  // Starts a write transaction; waits for another to end, up to Options::busy_timeout
  // (UNAVAILABLE). FAILED_PRECONDITION if the database is read-only or poisoned.
  StatusOr<WriteTransaction> begin();
  // Does all of the batch, or nothing, in one commit. Errors are those of Keyspace's writes.
  Status write(const Batch& batch);
  Status write(const Batch& batch, Durability durability);
  // The same inside a transaction. An error leaves the transaction as it was before.
  Status write(const Batch& batch, WriteTransaction& transaction);

  // ---- Care.

  // Writes all that is committed to the data file, so that the log is empty. Not needed in normal use.
  // Commits of Durability::kNormal are durable afterwards.
  Status checkpoint();
  // Reads everything and verifies it: that every page is in use once or free, checksums, order, counts,
  // indexes against tables. Readers go on meanwhile, writers wait. An error means that the check could not
  // be done.
  StatusOr<IntegrityReport> check_integrity();
  StatusOr<DatabaseStats> stats() const;

  // Absolute; ":memory:" for a database in memory.
  const std::string& path() const;
  bool read_only() const;

 private:
  friend struct internal::DatabaseAccess;
  explicit Database(std::shared_ptr<internal::DatabaseImpl> impl);

  std::shared_ptr<internal::DatabaseImpl> impl_;
};

// "0.1.0".
KVSQL_EXPORT std::string_view version();

}  // namespace kvsql

#endif  // KVSQL_DATABASE_H_
