// Which pages may be handed out now.
//
// The live allocator is a bitmap in memory: one bit per page, set if the page is free in every state that
// may still be read or recovered. It starts as the complement of the durable allocation map and is never
// written: what a checkpoint stores is computed from the commits' lists (S12).
//
// Thread safety: none; the pager guards it with its space mutex.
#ifndef KVSQL_PAGER_ALLOCATOR_H_
#define KVSQL_PAGER_ALLOCATOR_H_

#include <cstdint>
#include <vector>

#include "pager/types.h"

namespace kvsql::pager {

// Pages that a commit freed: reachable in the states from `birth` to before `death`.
struct FreedRun {
  PageId first = kNoPage;
  uint32_t pages = 0;
  TxId birth = 0;
  TxId death = 0;
};

// Pages that a transaction allocated.
struct BornRun {
  PageId first = kNoPage;
  uint32_t pages = 0;
  bool extent = false;  // headerless pages of a large value
};

class Allocator {
 public:
  // Pages in the file; those from the old count on become free.
  void Extend(uint32_t page_count);
  // Forgets the pages from `page_count` on, which are all free.
  void Shrink(uint32_t page_count);
  uint32_t page_count() const { return page_count_; }
  uint32_t free_pages() const { return free_pages_; }

  // The lowest free page (S11); kNoPage if none is free.
  PageId Take();
  // `pages` free pages in one run, the lowest such run; kNoPage if there is none.
  PageId TakeRun(uint32_t pages);
  // The longest free run of at most `pages` among the lowest ones; its length in *got (0: none free).
  PageId TakeLongestRun(uint32_t pages, uint32_t* got);
  // Marks a page as in use, free or not.
  void Claim(PageId page);
  void Release(PageId page);
  bool IsFree(PageId page) const {
    return page < page_count_ && ((free_[page / 64] >> (page % 64)) & 1) != 0;
  }
  // The lowest page such that it and all after it are free.
  uint32_t FreeTailStart() const;

 private:
  // Calls f(first, length) for the free runs in ascending order until it returns false.
  template <typename F>
  void ForEachRun(F f) const;
  void ClaimRun(PageId first, uint32_t pages);

  std::vector<uint64_t> free_;
  uint32_t page_count_ = 0;
  uint32_t free_pages_ = 0;
  uint32_t lowest_word_ = 0;  // no free page lies in an earlier word
};

}  // namespace kvsql::pager

#endif  // KVSQL_PAGER_ALLOCATOR_H_
