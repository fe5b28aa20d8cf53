#include "pager/allocator.h"

#include <algorithm>
#include <bit>

#include "base/check.h"

namespace kvsql::pager {

void Allocator::Extend(uint32_t page_count) {
  free_.resize((uint64_t{page_count} + 63) / 64);
  for (uint32_t page = page_count_; page < page_count;) {
    const uint32_t in_word = std::min<uint32_t>(64 - page % 64, page_count - page);
    const uint64_t ones = in_word == 64 ? ~uint64_t{0} : ((uint64_t{1} << in_word) - 1);
    free_[page / 64] |= ones << (page % 64);
    page += in_word;
  }
  if (page_count > page_count_) {
    free_pages_ += page_count - page_count_;
    lowest_word_ = std::min(lowest_word_, page_count_ / 64);
    page_count_ = page_count;
  }
}

void Allocator::Shrink(uint32_t page_count) {
  for (uint32_t page = page_count; page < page_count_; ++page) {
    KV_DCHECK(IsFree(page));
    Claim(page);
  }
  page_count_ = page_count;
  free_.resize((uint64_t{page_count} + 63) / 64);
  lowest_word_ = std::min<uint32_t>(lowest_word_, static_cast<uint32_t>(free_.size()));
}

PageId Allocator::Take() {
  if (free_pages_ == 0) return kNoPage;
  while (free_[lowest_word_] == 0) ++lowest_word_;
  const PageId page =
      lowest_word_ * 64 + static_cast<uint32_t>(std::countr_zero(free_[lowest_word_]));
  free_[lowest_word_] &= free_[lowest_word_] - 1;
  --free_pages_;
  return page;
}

template <typename F>
void Allocator::ForEachRun(F f) const {
  uint32_t run_start = 0;
  uint32_t run_length = 0;
  for (uint32_t word = lowest_word_; word < free_.size(); ++word) {
    uint64_t bits = free_[word];
    if (bits == ~uint64_t{0}) {
      if (run_length == 0) run_start = word * 64;
      run_length += 64;
      continue;
    }
    uint32_t at = 0;
    while (at < 64) {
      if ((bits & 1) != 0) {
        const auto ones = static_cast<uint32_t>(std::countr_one(bits));
        if (run_length == 0) run_start = word * 64 + at;
        run_length += ones;
        at += ones;
        bits >>= ones;
      } else {
        if (run_length != 0 && !f(run_start, run_length)) return;
        run_length = 0;
        if (bits == 0) break;
        const auto zeros = static_cast<uint32_t>(std::countr_zero(bits));
        at += zeros;
        bits >>= zeros;
      }
    }
  }
  if (run_length != 0) f(run_start, run_length);
}

PageId Allocator::TakeRun(uint32_t pages) {
  PageId found = kNoPage;
  if (pages <= free_pages_) {
    ForEachRun([&](uint32_t first, uint32_t length) {
      if (length < pages) return true;
      found = first;
      return false;
    });
  }
  if (found != kNoPage) ClaimRun(found, pages);
  return found;
}

PageId Allocator::TakeLongestRun(uint32_t pages, uint32_t* got) {
  PageId best = kNoPage;
  uint32_t best_length = 0;
  ForEachRun([&](uint32_t first, uint32_t length) {
    if (length > best_length) {
      best = first;
      best_length = std::min(length, pages);
    }
    return best_length < pages;
  });
  *got = best_length;
  if (best_length != 0) ClaimRun(best, best_length);
  return best;
}

void Allocator::ClaimRun(PageId first, uint32_t pages) {
  for (uint32_t i = 0; i < pages; ++i) Claim(first + i);
}

void Allocator::Claim(PageId page) {
  if (!IsFree(page)) return;
  free_[page / 64] &= ~(uint64_t{1} << (page % 64));
  --free_pages_;
}

void Allocator::Release(PageId page) {
  // A damaged file may name a page twice, so that it is given back twice.
  if (page >= page_count_ || IsFree(page)) return;
  free_[page / 64] |= uint64_t{1} << (page % 64);
  ++free_pages_;
  lowest_word_ = std::min(lowest_word_, page / 64);
}

uint32_t Allocator::FreeTailStart() const {
  uint32_t page = page_count_;
  while (page > 0 && IsFree(page - 1)) --page;
  return page;
}

}  // namespace kvsql::pager
