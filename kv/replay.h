// Recovery: applying the log's records to the trees again.
#ifndef KVSQL_KV_REPLAY_H_
#define KVSQL_KV_REPLAY_H_

#include "base/status.h"
#include "pager/pager.h"

namespace kvsql::kv {

// Applies a record that WriteTxn wrote to a recovery transaction of the pager. DATA_LOSS if it is
// not one, or does not fit the trees.
Status ReplayRecord(pager::WriteTransaction& txn, pager::Bytes record);

}  // namespace kvsql::kv

#endif  // KVSQL_KV_REPLAY_H_
