// The temporary tables of one session: a store of its own in memory, beside the database's, that takes part in the
// session's transactions and savepoints and goes with the session.
//
// Nobody else reads or writes it, so nothing here waits and no commit fails for another's sake.
//
// Thread safety: that of its session.
//
// Invariants:
//   1. While the session's transaction has written here, there is one write transaction, with the same savepoints as
//      the session, and all reads go through it.
//   2. Without one, each statement that reads has a snapshot, and each statement that writes a transaction.
#ifndef KVSQL_EXEC_TEMP_DATABASE_H_
#define KVSQL_EXEC_TEMP_DATABASE_H_

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"
#include "kv/read_txn.h"
#include "kv/reader.h"
#include "kv/store.h"
#include "kv/write_txn.h"

namespace kvsql::exec {

// Where one statement reads temporary tables.
struct TempRead {
  std::unique_ptr<kv::ReadTxn>
      snapshot;                      // kept from one execution to the next; null: not needed yet
  std::optional<kv::Reader> reader;  // while the statement runs
};

class TempDatabase {
 public:
  // `like`: the options of the database's store.
  static StatusOr<std::unique_ptr<TempDatabase>> Open(const kv::StoreOptions& like);

  Status BeginRead(TempRead* read);
  static void EndRead(TempRead* read);

  // For one statement outside of a transaction; EndStatement commits it if `status` is OK, which it returns, or the
  // error of the commit.
  StatusOr<kv::WriteTxn*> BeginStatement();
  Status EndStatement(Status status);
  bool in_statement() const { return statement_ != nullptr; }

  // The session's transaction. Begun when it writes here first, with the savepoints there are.
  StatusOr<kv::WriteTxn*> EnsureWrite(std::span<const std::string> savepoints);
  Status SetSavepoint(std::string_view name);
  Status RollbackTo(std::string_view name);
  Status Release(std::string_view name);
  Status Commit();
  void Rollback();

 private:
  explicit TempDatabase(std::shared_ptr<kv::Store> store) : store_(std::move(store)) {}

  const std::shared_ptr<kv::Store> store_;
  std::unique_ptr<kv::WriteTxn> write_;      // of the transaction
  std::unique_ptr<kv::WriteTxn> statement_;  // of a statement
};

}  // namespace kvsql::exec

#endif  // KVSQL_EXEC_TEMP_DATABASE_H_
