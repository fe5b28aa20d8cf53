// What the statements that write rows share.
//
// Thread safety: free functions; the transaction is used by the calling thread.
#ifndef KVSQL_EXEC_WRITE_ROWS_H_
#define KVSQL_EXEC_WRITE_ROWS_H_

#include <cstdint>
#include <optional>

#include "base/status.h"
#include "kv/table_ops.h"
#include "kv/value.h"
#include "planner/plan.h"

namespace kvsql::exec {

kv::OnConflict ActionOf(planner::ConflictMode mode);
// A rowid given by the statement: an integer after INTEGER affinity, or NULL for the next one.
Status ReadRowid(const kv::ValueView& value, std::optional<int64_t>* rowid);

// Runs `write`, which changes several rows: in a transaction a failure undoes what it did, unless `keeps` says that
// the rows before the failing one stay. (In autocommit the statement's transaction as a whole is undone.)
template <typename Write, typename Keeps>
Status WriteAll(kv::WriteTxn& txn, bool in_transaction, const Write& write, const Keeps& keeps) {
  kv::WriteTxn::Mark mark = 0;
  if (in_transaction) {
    KV_ASSIGN_OR_RETURN(mark, txn.SetMark());
  }
  Status status = write();
  if (in_transaction) {
    if (status.ok() || keeps(status)) {
      txn.ReleaseMark(mark);
    } else {
      txn.RollbackToMark(mark);
    }
  }
  return status;
}

}  // namespace kvsql::exec

#endif  // KVSQL_EXEC_WRITE_ROWS_H_
