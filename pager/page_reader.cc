#include "pager/page_reader.h"

#include "pager/pager.h"

namespace kvsql::pager {

const uint8_t* PageReader::FetchSlow(PageId id) const {
  if (id >= page_count_ || pager_ == nullptr || id < pager_->first_page_) return nullptr;
  for (;;) {
    if (table_->IsMapped(id)) return map_ + (uint64_t{id} << page_shift_);
    if (const uint8_t* frame = table_->frame(id); frame != nullptr) return frame;
    // A checkpoint may have moved the page to the file between the two looks.
    if (table_->IsMapped(id)) continue;
    if (map_ == nullptr || InExtent(id)) return nullptr;
    const uint8_t* page = map_ + (uint64_t{id} << page_shift_);
    if (!pager_->ValidatePage(id, page).ok()) return nullptr;
    pager_->table_.SetMapped(id);
    return page;
  }
}

Status PageReader::FetchError(PageId id) const {
  if (pager_ == nullptr) return absl::FailedPreconditionError("no snapshot is open");
  if (id >= page_count_ || id < pager_->first_page_) {
    return DataLoss(pager_->name(), ": page number ", id, " is outside the file's pages ",
                    pager_->first_page_, " to ", page_count_);
  }
  if (table_->IsMapped(id) || table_->frame(id) != nullptr) return absl::OkStatus();
  if (InExtent(id)) return DataLoss(pager_->name(), ": page ", id, " is part of a large value");
  if (map_ == nullptr) return DataLoss(pager_->name(), ": page ", id, " is not allocated");
  return pager_->ValidatePage(id, map_ + (uint64_t{id} << page_shift_));
}

bool PageReader::InExtent(PageId id) const {
  return table_->run_frame(id) != nullptr || table_->IsMappedRun({id, 1});
}

const uint8_t* PageReader::FetchRun(PageRun run, RunValidator validate, const void* context) const {
  if (pager_ == nullptr || run.pages == 0 || run.first < pager_->first_page_ ||
      run.first >= page_count_ || run.pages > page_count_ - run.first) {
    return nullptr;
  }
  const uint8_t* bytes = map_ == nullptr ? nullptr : map_ + (uint64_t{run.first} << page_shift_);
  if (bytes != nullptr && table_->IsMappedRun(run)) return bytes;
  if (RunFrame* frame = table_->run_frame(run.first); frame != nullptr) {
    return frame->Covers(run) ? frame->page(run.first, page_shift_) : nullptr;
  }
  if (bytes == nullptr) return nullptr;
  // A checkpoint may have moved the extent to the file between the two looks.
  if (table_->IsMappedRun(run)) return bytes;
  for (PageId page = run.first; page < run.first + run.pages; ++page) {
    if (table_->IsMapped(page) || table_->frame(page) != nullptr ||
        table_->run_frame(page) != nullptr) {
      return nullptr;
    }
  }
  if (validate == nullptr) return bytes;
  if (!validate(bytes, uint64_t{run.pages} << page_shift_, context)) return nullptr;
  pager_->table_.SetMappedRun(run);
  return bytes;
}

}  // namespace kvsql::pager
