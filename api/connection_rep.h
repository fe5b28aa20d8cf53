// What a Connection is: a session of the SQL engine, which has the connection's transaction.
//
// Thread safety: none.
//
// Invariants:
//  1. It is counted by the handle, and by the statements, rows and cursors that were made with it.
//  2. When the handle goes, the transaction is rolled back; statements can still run, each in a transaction of
//     its own.
#ifndef KVSQL_API_CONNECTION_REP_H_
#define KVSQL_API_CONNECTION_REP_H_

#include <memory>
#include <utility>

#include "api/database_impl.h"
#include "api/source.h"
#include "exec/session.h"

namespace kvsql::internal {

class ConnectionRep : public WriteTarget {
 public:
  explicit ConnectionRep(std::shared_ptr<DatabaseImpl> the_database);
  // Reads as of the snapshot, and does not write.
  ConnectionRep(std::shared_ptr<DatabaseImpl> the_database,
                std::shared_ptr<const SnapshotSource> snapshot);

  exec::Session& sql() { return sql_; }
  // Whether it begins and ends transactions of its own.
  bool transactional() const { return snapshot_ == nullptr; }
  // Rolls back what is open.
  void EndTransaction();

 private:
  ~ConnectionRep() override = default;

  std::shared_ptr<const SnapshotSource> snapshot_;
  exec::Session sql_;
};

}  // namespace kvsql::internal

#endif  // KVSQL_API_CONNECTION_REP_H_
