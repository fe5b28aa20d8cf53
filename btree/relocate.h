// Moving a tree's nodes to lower page numbers, so that the file can be cut behind them (S30).
#ifndef KVSQL_BTREE_RELOCATE_H_
#define KVSQL_BTREE_RELOCATE_H_

#include <cstdint>

#include "base/status.h"
#include "pager/page_writer.h"
#include "pager/types.h"

namespace kvsql::btree {

// Copies the tree's nodes that stand at page `cutoff` or behind to the lowest free pages, at most `limit` of
// them, with the branches that lead there; the tree's contents do not change. Returns how many nodes moved; it
// stops early when there is no free page before `cutoff` any more. Reads branches only. Extents stay where they
// are. No TreeWriter may be open on the tree. DATA_LOSS or RESOURCE_EXHAUSTED: roll the transaction back.
StatusOr<uint64_t> RelocateNodes(pager::PageWriter* pages, pager::TreeId tree, pager::PageId cutoff,
                                 uint64_t limit);

}  // namespace kvsql::btree

#endif  // KVSQL_BTREE_RELOCATE_H_
