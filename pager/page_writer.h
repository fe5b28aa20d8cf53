// Changing pages inside the one running write transaction: copy on write, allocation, roots, savepoints.
//
// Thread safety: none; belongs to the thread that runs the transaction.
//
// Invariants:
//  1. A page of any published, flushed or durable state is never changed: Modify copies it to a new number.
//  2. A page dirtied after the innermost open mark changes in place; an older one is copied first (S25).
//  3. Nothing that the transaction does is visible outside before its commit.
#ifndef KVSQL_PAGER_PAGE_WRITER_H_
#define KVSQL_PAGER_PAGE_WRITER_H_

#include <cstdint>
#include <span>
#include <unordered_set>
#include <vector>

#include "base/status.h"
#include "pager/allocator.h"
#include "pager/file.h"
#include "pager/page_reader.h"
#include "pager/root_table.h"
#include "pager/types.h"

namespace kvsql::pager {

struct NewPage {
  PageId id;
  uint8_t* data;  // header filled in, the rest unspecified
};

class PageWriter : public PageReader {
 public:
  PageWriter(const PageWriter&) = delete;
  PageWriter& operator=(const PageWriter&) = delete;

  // Makes page *id writable and returns its bytes; *id changes if the page had to be copied (the caller
  // stores the new number in the parent or root). The old page is freed. Pointers to the old bytes stay
  // readable until the transaction ends, except where the page was born in this transaction's epoch.
  // RESOURCE_EXHAUSTED: disk full; nothing was changed.
  StatusOr<uint8_t*> Modify(PageId* id);

  // A new page with birth, number, tree, type and level set, count 0.
  StatusOr<NewPage> Allocate(PageType type, uint8_t level, TreeId tree);

  // Gives the page back when no state that may still be read or recovered needs it. Its bytes are gone
  // for this transaction if it was born in the current epoch.
  void Free(PageId id);

  // Large values: headerless pages. The pieces are written, one behind the
  // other, to runs of its own (at most max_runs of them);
  // bytes past their end in the last page are zero. Small extents sit in one frame until the next
  // checkpoint, large ones go to the file at once and force the commit to be direct.
  StatusOr<std::vector<PageRun>> WriteExtent(std::span<const Bytes> pieces, uint32_t max_runs);
  // `birth` as remembered by the cell that names the run.
  void FreeRun(PageRun run, TxId birth);

  const TreeRoot& root(TreeId tree) const { return roots_.Get(tree); }
  // Trees that exist have ids below this.
  TreeId tree_limit() const { return roots_.limit(); }
  void SetRoot(TreeId tree, const TreeRoot& root);
  // A tree id that no live tree has, with an empty root.
  TreeId CreateTree(KeyKind kind);
  // The same with a given id, for replaying the log. FAILED_PRECONDITION if it exists.
  Status CreateTreeAs(TreeId tree, KeyKind kind);
  // Forgets the root; the caller has freed the pages.
  void DropTree(TreeId tree);

  // Savepoints nest: a mark stays open until it or an older one is rolled back or released. Rolling back
  // to a mark restores pages and roots as they were when it was set, and leaves it open.
  using Mark = uint32_t;
  Mark SetMark();
  void RollbackToMark(Mark mark);
  void ReleaseMark(Mark mark);

  // Pages dirtied so far; a transaction over the limit commits directly (S20).
  size_t dirty_pages() const { return born_.size(); }

 protected:
  explicit PageWriter(Pager* pager) { pager_ = pager; }

  struct MarkState {
    size_t born;
    size_t freed;
    uint64_t barrier;
    RootTable roots;
  };

  StatusOr<PageId> TakePage(uint8_t** frame);
  void Recycle(PageId page);
  TxId KnownBirth(PageId id) const;
  bool CanFree(PageRun run) const;
  Status Unspill(PageId page, uint8_t** frame);
  void RefreshReader();

  RootTable roots_;
  uint64_t owner_ = 0;         // of root table chunks
  uint64_t base_barrier_ = 0;  // epoch in which the transaction began
  uint64_t barrier_ = 0;       // pages of this epoch or later change in place
  // Every allocation. A page that was born and freed in the same epoch is reused at once and then stands
  // here twice; epoch 0 in the page table marks the ones that are dead now.
  std::vector<BornRun> born_;
  std::vector<FreedRun> freed_;   // death is this transaction
  std::vector<PageId> recycled_;  // dead pages of born_, each once; their epoch is 0
  std::vector<MarkState> marks_;
  std::unordered_set<PageId> live_extents_;  // first pages of those written in this transaction
  bool has_large_extents_ = false;  // written to the file already: only a direct commit will do
  bool used_reserve_ = false;
  bool roots_changed_ = false;
  TreeId next_tree_hint_ = kCatalogTree;
};

}  // namespace kvsql::pager

#endif  // KVSQL_PAGER_PAGE_WRITER_H_
