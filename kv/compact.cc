#include "kv/compact.h"

#include "btree/relocate.h"

namespace kvsql::kv {

Status CompactTail(pager::Pager* pager, uint64_t limit) {
  if (pager->in_memory() || pager->read_only() || !pager->health().ok()) return absl::OkStatus();
  pager::PagerStats stats = pager->stats();
  if (stats.direct_commits + stats.log_flushes == 0) return absl::OkStatus();
  // What the durable state pins is free after a checkpoint, unless a snapshot needs it.
  KV_RETURN_IF_ERROR(pager->Checkpoint());
  // Each round frees the places from which nodes moved only when it has committed, and has to find
  // room for the branches above them: a second one moves what the first left behind.
  for (int round = 0; round < 2; ++round) {
    stats = pager->stats();
    const uint64_t used = stats.page_count - stats.free_pages - stats.pending_pages;
    const uint64_t cutoff = used + used / 64 + 8;
    if (cutoff + used / 8 + 16 >= stats.page_count) return absl::OkStatus();
    KV_ASSIGN_OR_RETURN(auto txn, pager->BeginWrite());
    uint64_t moved = 0;
    for (pager::TreeId tree = 1; tree < txn->tree_limit() && moved < limit; ++tree) {
      KV_ASSIGN_OR_RETURN(
          const uint64_t more,
          btree::RelocateNodes(txn.get(), tree, static_cast<pager::PageId>(cutoff), limit - moved));
      moved += more;
    }
    if (moved == 0) return absl::OkStatus();
    KV_RETURN_IF_ERROR(txn->Commit({}, pager::Durability::kFull));
  }
  return absl::OkStatus();
}

}  // namespace kvsql::kv
