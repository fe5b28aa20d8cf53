// Does the operations of a Batch in a write transaction.
#ifndef KVSQL_API_BATCH_WRITER_H_
#define KVSQL_API_BATCH_WRITER_H_

#include <kvsql/transaction.h>

#include <vector>

#include "base/status.h"
#include "kv/write_txn.h"

namespace kvsql::internal {

struct BatchWriter {
  // Stops at the first error; the caller undoes what was done before it.
  static Status Write(const Batch& batch, kv::WriteTxn& txn);
};

}  // namespace kvsql::internal

#endif  // KVSQL_API_BATCH_WRITER_H_
