// What a WriteTransaction is: kv's write transaction, and a session for its SQL once there is some.
//
// Thread safety: none.
#ifndef KVSQL_API_TRANSACTION_REP_H_
#define KVSQL_API_TRANSACTION_REP_H_

#include <memory>
#include <utility>

#include "api/database_impl.h"
#include "api/source.h"
#include "exec/session.h"
#include "kv/write_txn.h"

namespace kvsql::internal {

class TransactionRep : public WriteTarget {
 public:
  TransactionRep(std::shared_ptr<DatabaseImpl> the_database, std::unique_ptr<kv::WriteTxn> txn)
      : WriteTarget(Kind::kTransaction, std::move(the_database)), txn_(std::move(txn)) {
    write = txn_.get();
    database->NoteTransaction(+1);
  }

  // Ends the transaction for everybody who shares this; the caller then commits what it gets, or lets it go.
  std::unique_ptr<kv::WriteTxn> End();

  // The transaction's SQL. Requires that it is active.
  exec::Session& sql();
  // The same if there has been some.
  const exec::Session* sql_if_used() const { return sql_.get(); }

 private:
  ~TransactionRep() override { End(); }

  std::unique_ptr<kv::WriteTxn> txn_;
  std::unique_ptr<exec::Session> sql_;
};

}  // namespace kvsql::internal

#endif  // KVSQL_API_TRANSACTION_REP_H_
