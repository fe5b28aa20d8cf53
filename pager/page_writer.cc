#include "pager/page_writer.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "pager/pager.h"

namespace kvsql::pager {

// Epoch of a page that the running transaction allocated and gave back.
constexpr uint64_t kDeadEpoch = 0;

void PageWriter::RefreshReader() {
  table_ = &pager_->table_;
  map_ = pager_->mapping_ == nullptr ? nullptr : pager_->mapping_->data();
  page_count_ = pager_->allocator_.page_count();
  page_shift_ = pager_->page_shift_;
}

StatusOr<PageId> PageWriter::TakePage(uint8_t** frame) {
  PageId page = kNoPage;
  std::lock_guard lock(pager_->space_mutex_);
  if (!recycled_.empty()) {
    page = recycled_.back();
    recycled_.pop_back();
  } else {
    pager_->growth_hint_ = born_.size();
    KV_ASSIGN_OR_RETURN(page, pager_->AllocatePageLocked(&used_reserve_));
    if (page >= page_count_) RefreshReader();
  }
  *frame = pager_->frames_.Allocate();
  PageTable& table = pager_->table_;
  table.ClearMapped(page);
  table.SetFrame(page, *frame);
  table.set_epoch(page, pager_->epoch_);
  born_.push_back({page, 1, false});
  return page;
}

StatusOr<NewPage> PageWriter::Allocate(PageType type, uint8_t level, TreeId tree) {
  uint8_t* frame = nullptr;
  KV_ASSIGN_OR_RETURN(const PageId page, TakePage(&frame));
  // What is left of other pages must not reach the file between this one's cells.
  std::memset(frame, 0, page_size());
  *HeaderOf(frame) = PageHeader{.checksum = 0,
                                .birth = txid_,
                                .page = page,
                                .tree = tree,
                                .type = type,
                                .level = level,
                                .count = 0,
                                .prefix_length = 0,
                                .free_offset = 0};
  return NewPage{page, frame};
}

StatusOr<uint8_t*> PageWriter::Modify(PageId* id) {
  const PageId old = *id;
  if (old < page_count_ && table_->epoch(old) >= barrier_) {
    if (uint8_t* frame = table_->frame(old); frame != nullptr) [[likely]]
      return frame;
    uint8_t* frame = nullptr;
    KV_RETURN_IF_ERROR(Unspill(old, &frame));
    return frame;
  }
  const uint8_t* from = Fetch(old);
  if (from == nullptr) return FetchError(old);
  uint8_t* frame = nullptr;
  KV_ASSIGN_OR_RETURN(const PageId page, TakePage(&frame));
  std::memcpy(frame, from, page_size());
  HeaderOf(frame)->birth = txid_;
  HeaderOf(frame)->page = page;
  freed_.push_back({old, 1, HeaderOf(from)->birth, txid_});
  *id = page;
  return frame;
}

// A dirty page that was written early comes back into a frame under its own number.
Status PageWriter::Unspill(PageId page, uint8_t** frame) {
  const uint8_t* from = Fetch(page);
  if (from == nullptr) return FetchError(page);
  std::lock_guard lock(pager_->space_mutex_);
  *frame = pager_->frames_.Allocate();
  std::memcpy(*frame, from, page_size());
  pager_->table_.SetFrame(page, *frame);
  pager_->table_.ClearMapped(page);
  return absl::OkStatus();
}

void PageWriter::Recycle(PageId page) {
  std::lock_guard lock(pager_->space_mutex_);
  pager_->DropFrameLocked(page);
  pager_->table_.ClearMapped(page);
  pager_->table_.set_epoch(page, kDeadEpoch);
  recycled_.push_back(page);
  if (!live_extents_.empty()) live_extents_.erase(page);
}

// The page's birth if it can be told without reading the file, else 0: such a page counts as one that every
// older state has, so it is only held longer.
TxId PageWriter::KnownBirth(PageId id) const {
  if (table_->epoch(id) >= base_barrier_) return txid_;
  if (table_->IsMapped(id)) return HeaderOf(map_ + (uint64_t{id} << page_shift_))->birth;
  const uint8_t* frame = table_->frame(id);
  return frame == nullptr ? 0 : HeaderOf(frame)->birth;
}

// Whether the pages may be a tree's. What else a damaged node names is not given back.
bool PageWriter::CanFree(PageRun run) const {
  return run.first >= pager_->first_page_ && run.first < page_count_ &&
         run.pages <= page_count_ - run.first;
}

void PageWriter::Free(PageId id) {
  if (!CanFree({id, 1}) || InExtent(id)) return;
  if (table_->epoch(id) >= barrier_) {
    Recycle(id);
    return;
  }
  freed_.push_back({id, 1, KnownBirth(id), txid_});
}

void PageWriter::FreeRun(PageRun run, TxId birth) {
  if (!CanFree(run)) return;
  if (const RunFrame* frame = table_->run_frame(run.first); frame != nullptr) {
    if (frame->run != run) return;
    birth = frame->birth;
  }
  for (PageId page = run.first; page < run.first + run.pages; ++page) {
    if (table_->IsMapped(page) || table_->frame(page) != nullptr) return;
  }
  if (table_->epoch(run.first) >= barrier_) {
    for (uint32_t i = 0; i < run.pages; ++i) Recycle(run.first + i);
    return;
  }
  freed_.push_back({run.first, run.pages, birth, txid_});
}

// Extents up to this size stand in one frame until the next checkpoint; larger ones go to the file.
constexpr uint64_t kExtentFrameBytes = 256 * 1024;

StatusOr<std::vector<PageRun>> PageWriter::WriteExtent(std::span<const Bytes> pieces,
                                                       uint32_t max_runs) {
  uint64_t size = 0;
  for (const Bytes& piece : pieces) size += piece.size();
  const uint64_t page_bytes = page_size();
  const uint64_t pages = (size + page_bytes - 1) / page_bytes;
  if (pages == 0 || pages > UINT32_MAX / 2) {
    return absl::InvalidArgumentError(absl::StrCat("a large value of ", size, " bytes"));
  }
  const bool in_frames = size <= kExtentFrameBytes || pager_->in_memory();
  std::vector<PageRun> runs;
  {
    std::lock_guard lock(pager_->space_mutex_);
    // In memory there is no file to be fragmented: one run, so that it can be read as a view.
    KV_ASSIGN_OR_RETURN(runs, pager_->AllocateRunsLocked(static_cast<uint32_t>(pages),
                                                         pager_->in_memory() ? 1 : max_runs));
    RefreshReader();
    for (const PageRun& run : runs) {
      RunFrame* frame = in_frames ? pager_->NewRunFrameLocked(run, txid_) : nullptr;
      for (uint32_t i = 0; i < run.pages; ++i) {
        pager_->table_.ClearMapped(run.first + i);
        pager_->table_.SetRunFrame(run.first + i, frame);
        pager_->table_.set_epoch(run.first + i, pager_->epoch_);
      }
      born_.push_back({run.first, run.pages, true});
      live_extents_.insert(run.first);
    }
  }
  // Copy or write piece by piece into the runs; what is left of the last page is zero.
  std::vector<Bytes> rest(pieces.begin(), pieces.end());
  static constexpr uint8_t kZeros[65536] = {};
  rest.push_back(Bytes(kZeros, pages * page_bytes - size));
  size_t next = 0;
  for (const PageRun& run : runs) {
    uint64_t room = run.pages * page_bytes;
    uint64_t offset = 0;
    std::vector<Bytes> parts;
    while (room > 0 && next < rest.size()) {
      const Bytes part = rest[next].first(std::min<uint64_t>(room, rest[next].size()));
      rest[next] = rest[next].subspan(part.size());
      if (rest[next].empty()) ++next;
      if (in_frames && !part.empty()) {
        uint8_t* bytes = pager_->table_.run_frame(run.first)->page(run.first, page_shift_);
        std::memcpy(bytes + offset, part.data(), part.size());
      }
      if (!part.empty()) parts.push_back(part);
      offset += part.size();
      room -= part.size();
    }
    if (in_frames) continue;
    // Free in every state, so it may be written before the commit (S26).
    const Status written = pager_->file_->WriteAt(uint64_t{run.first} << page_shift_, parts);
    if (!written.ok()) {
      pager_->Poison(written);
      return written;
    }
    has_large_extents_ = true;
    pager_->table_.SetMappedRun(run);
  }
  return runs;
}

void PageWriter::SetRoot(TreeId tree, const TreeRoot& root) {
  roots_changed_ = true;
  roots_.Set(tree, root, owner_);
}

TreeId PageWriter::CreateTree(KeyKind kind) {
  TreeId tree = next_tree_hint_;
  while (roots_.Get(tree).exists) ++tree;
  next_tree_hint_ = tree + 1;
  SetRoot(tree, TreeRoot{.page = kNoPage, .height = 0, .kind = kind, .exists = true, .count = 0});
  return tree;
}

Status PageWriter::CreateTreeAs(TreeId tree, KeyKind kind) {
  if (tree == kNoTree || roots_.Get(tree).exists) {
    return absl::FailedPreconditionError(absl::StrCat("tree ", tree, " exists already"));
  }
  SetRoot(tree, TreeRoot{.page = kNoPage, .height = 0, .kind = kind, .exists = true, .count = 0});
  return absl::OkStatus();
}

void PageWriter::DropTree(TreeId tree) {
  SetRoot(tree, TreeRoot{});
  next_tree_hint_ = std::min(next_tree_hint_, tree);
}

PageWriter::Mark PageWriter::SetMark() {
  marks_.push_back({born_.size(), freed_.size(), barrier_, roots_});
  // Chunks that the saved table shares must be copied before they change.
  owner_ = pager_->next_owner_++;
  barrier_ = ++pager_->epoch_;
  return static_cast<Mark>(marks_.size() - 1);
}

void PageWriter::RollbackToMark(Mark mark) {
  KV_CHECK(mark < marks_.size());
  marks_.resize(mark + 1);
  const MarkState& state = marks_.back();
  for (size_t i = state.born; i < born_.size(); ++i) {
    for (uint32_t k = 0; k < born_[i].pages; ++k) {
      // A dead page stands in recycled_ already.
      if (table_->epoch(born_[i].first + k) != kDeadEpoch) Recycle(born_[i].first + k);
    }
  }
  born_.resize(state.born);
  freed_.resize(state.freed);
  roots_ = state.roots;
  owner_ = pager_->next_owner_++;
  barrier_ = ++pager_->epoch_;
  next_tree_hint_ = kCatalogTree;
}

void PageWriter::ReleaseMark(Mark mark) {
  KV_CHECK(mark < marks_.size());
  barrier_ = marks_[mark].barrier;
  marks_.resize(mark);
}

}  // namespace kvsql::pager
