// Reading the pages of one state of the database.
//
// A PageReader is a small value: copy it freely. It stays valid as long as the snapshot or write
// transaction it came from; the bytes it returns live as long, with the exception that a page which a
// write transaction frees or modifies is gone for that transaction's readers.
#ifndef KVSQL_PAGER_PAGE_READER_H_
#define KVSQL_PAGER_PAGE_READER_H_

#include <cstdint>

#include "base/status.h"
#include "pager/page_header.h"
#include "pager/page_table.h"
#include "pager/types.h"

namespace kvsql::pager {

class Pager;

class PageReader {
 public:
  PageReader() = default;
  PageReader(Pager* pager, const PageTable* table, const uint8_t* map, uint32_t page_count,
             TxId txid, uint8_t page_shift)
      : pager_(pager),
        table_(table),
        map_(map),
        txid_(txid),
        page_count_(page_count),
        page_shift_(page_shift) {}

  // The page's bytes (page_size() of them), whose checksum and node structure have been validated, or
  // nullptr: then FetchError(id) says why. Does not check that the page is the one the caller's parent
  // meant; the tree does (S3).
  const uint8_t* Fetch(PageId id) const {
    if (id < page_count_) [[likely]] {
      if (table_->IsMapped(id)) [[likely]]
        return map_ + (uint64_t{id} << page_shift_);
      if (const uint8_t* frame = table_->frame(id); frame != nullptr) return frame;
    }
    return FetchSlow(id);
  }

  // Why Fetch(id) returned nullptr. DATA_LOSS, or the error of reading the file.
  Status FetchError(PageId id) const;

  // The bytes of a run of headerless pages (a large value), all run.pages * page_size() of them contiguous,
  // or nullptr if the run lies outside the file, has pages that are known as something else, or `validate`
  // refused it. `validate` is called when the run has not been validated in this process; without one the
  // bytes are returned as they are.
  using RunValidator = bool (*)(const uint8_t* bytes, uint64_t size, const void* context);
  const uint8_t* FetchRun(PageRun run, RunValidator validate, const void* context) const;

  // The state's transaction number: a page born later does not belong to it (S3).
  TxId txid() const { return txid_; }
  uint32_t page_size() const { return 1u << page_shift_; }
  uint32_t page_count() const { return page_count_; }
  Pager* pager() const { return pager_; }

 protected:
  const uint8_t* FetchSlow(PageId id) const;
  // Whether the page is known as one of a large value.
  bool InExtent(PageId id) const;

  Pager* pager_ = nullptr;
  const PageTable* table_ = nullptr;
  const uint8_t* map_ = nullptr;
  TxId txid_ = 0;
  uint32_t page_count_ = 0;
  uint8_t page_shift_ = 12;
};

}  // namespace kvsql::pager

#endif  // KVSQL_PAGER_PAGE_READER_H_
