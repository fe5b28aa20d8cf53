// Giving space back to the file system.
#ifndef KVSQL_KV_COMPACT_H_
#define KVSQL_KV_COMPACT_H_

#include <cstdint>
#include <memory>

#include "base/status.h"
#include "pager/pager.h"

namespace kvsql::kv {

// Moves tree nodes from the end of the file to free pages before, at most `limit` of them, if more
// than about an eighth of the file is free. One write transaction of its own, which logs nothing
// (S30); the file can be cut afterwards (Pager::Truncate, Pager::Close). Does nothing in a pager
// that wrote nothing in its life.
Status CompactTail(pager::Pager* pager, uint64_t limit);

}  // namespace kvsql::kv

#endif  // KVSQL_KV_COMPACT_H_
