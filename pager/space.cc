// Space: which pages and frames are free for reuse, and the growth of the file.
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <new>

#include "base/check.h"
#include "pager/pager.h"
#include "pager/test_switches.h"

namespace kvsql::pager {
namespace {

// Lists longer than this are scanned whole only when space is needed.
constexpr size_t kShortList = 256;
constexpr uint64_t kMinGrowthBytes = 64 * 1024;
constexpr uint64_t kMaxGrowthBytes = 64ull << 20;

}  // namespace

// All states that a slot may rightly hold.
const std::vector<const State*>& Pager::LiveStatesLocked(const State* current) {
  live_states_.assign(retired_states_.begin(), retired_states_.end());
  live_states_.push_back(current);
  live_states_.push_back(writer_slot_->state.load(std::memory_order_relaxed));
  std::sort(live_states_.begin(), live_states_.end(), std::less<>());
  return live_states_;
}

void Pager::CollectHeldLocked() {
  held_states_.clear();
  slots_.CollectHeld(LiveStatesLocked(current_.load(std::memory_order_relaxed)), &held_states_);
  held_.clear();
  held_txids_.clear();
  for (const State* state : held_states_) {
    held_.push_back({state->version, state->txid});
    held_txids_.push_back(state->txid);
  }
  std::sort(held_txids_.begin(), held_txids_.end());
  std::sort(held_.begin(), held_.end(),
            [](const Held& a, const Held& b) { return a.version < b.version; });
  // The newest transaction among the states of a version or an older one. (A writer's base may be newer
  // than the state published with the same version.)
  for (size_t i = 1; i < held_.size(); ++i)
    held_[i].txid = std::max(held_[i].txid, held_[i - 1].txid);
}

// Whether a page that the states from `birth` to before `death` reach is still needed by one (S9).
bool Pager::HeldLocked(TxId birth, TxId death) const {
  if (KV_BROKEN(kReuseIgnoresSnapshots)) return false;
  const auto first = std::lower_bound(held_txids_.begin(), held_txids_.end(), birth);
  return first != held_txids_.end() && *first < death;
}

// Looks at what was freed up to the published state, and gives back what nobody needs. Called after a
// publication, so that a snapshot which the scan does not see can only be of that state or a later one.
void Pager::ReclaimLocked(bool thorough) {
  CollectHeldLocked();
  const TxId durable = in_memory() ? 0 : durable_txid_;
  const auto needed_by = [](TxId state, const FreedRun& run) {
    return state != 0 && run.birth <= state && state < run.death;
  };
  size_t at = (thorough || pending_.size() <= kShortList) ? 0 : pending_scanned_;
  size_t kept = at;
  for (; at < pending_.size(); ++at) {
    const FreedRun run = pending_[at];
    if (!KV_BROKEN(kReuseIgnoresDurable) &&
        (needed_by(durable, run) || needed_by(checkpoint_txid_, run))) {
      pinned_.push_back(run);
    } else if (HeldLocked(run.birth, run.death)) {
      pending_[kept++] = run;
    } else {
      ReleaseRunLocked(run.first, run.pages);
    }
  }
  pending_.resize(kept);
  pending_scanned_ = kept;
  ReclaimFramesLocked(thorough);

  const State* current = current_.load(std::memory_order_relaxed);
  std::erase_if(retired_states_, [&](State* state) {
    if (state == current) return false;
    if (std::find(held_states_.begin(), held_states_.end(), state) != held_states_.end())
      return false;
    delete state;
    return true;
  });
}

void Pager::ReclaimFramesLocked(bool thorough) {
  size_t at = (thorough || retired_frames_.size() <= kShortList) ? 0 : retired_frames_scanned_;
  size_t kept = at;
  for (; at < retired_frames_.size(); ++at) {
    const RetiredFrame& frame = retired_frames_[at];
    auto after =
        std::lower_bound(held_.begin(), held_.end(), frame.version,
                         [](const Held& held, uint64_t version) { return held.version < version; });
    if (after != held_.begin() && std::prev(after)->txid >= frame.birth) {
      retired_frames_[kept++] = frame;
    } else if (frame.extent != nullptr) {
      FreeRunFrameLocked(frame.extent);
    } else {
      frames_.Free(frame.memory);
    }
  }
  retired_frames_.resize(kept);
  retired_frames_scanned_ = kept;
}

void Pager::ReleaseRunLocked(PageId first, uint32_t pages) {
  for (PageId page = first; page < first + pages; ++page) {
    DropFrameLocked(page);
    allocator_.Release(page);
  }
}

RunFrame* Pager::NewRunFrameLocked(PageRun run, TxId birth) {
  void* memory = std::aligned_alloc(alignof(RunFrame), sizeof(RunFrame) + BytesOf(run.pages));
  if (memory == nullptr) throw std::bad_alloc();
  auto* frame = new (memory) RunFrame{run, birth};
  run_frames_.insert(frame);
  return frame;
}

// Takes the extent's frame out of the table.
void Pager::ForgetRunFrameLocked(RunFrame* frame) {
  for (uint32_t i = 0; i < frame->run.pages; ++i) {
    const PageId page = frame->run.first + i;
    if (table_.run_frame(page) == frame) table_.SetRunFrame(page, nullptr);
  }
}

void Pager::FreeRunFrameLocked(RunFrame* frame) {
  run_frames_.erase(frame);
  std::free(frame);
}

// Forgets the frame of a page that no reader can reach. An extent's goes as a whole: its pages live and die
// together.
void Pager::DropFrameLocked(PageId page) {
  if (RunFrame* frame = table_.run_frame(page); frame != nullptr) [[unlikely]] {
    ForgetRunFrameLocked(frame);
    FreeRunFrameLocked(frame);
  }
  uint8_t* frame = table_.frame(page);
  if (frame == nullptr) return;
  table_.SetFrame(page, nullptr);
  frames_.Free(frame);
}

uint32_t Pager::MapReserveLocked() const { return in_memory() || replaying_ ? 0 : map_reserve_; }

// Kept beside the map's reserve, for transactions that free at least what they take (S29): what a delete
// needs to get going on a full disk.
uint32_t Pager::DeleteReserveLocked() const {
  if (in_memory() || replaying_) return 0;
  return std::clamp<uint32_t>(allocator_.page_count() / 32, 4, 64);
}

StatusOr<PageId> Pager::AllocatePageLocked(bool* used_reserve) {
  const uint32_t reserve = MapReserveLocked() + DeleteReserveLocked();
  if (allocator_.free_pages() > reserve) return allocator_.Take();
  ReclaimLocked(/*thorough=*/true);
  if (allocator_.free_pages() > reserve) return allocator_.Take();
  const Status grown = GrowLocked(1 + reserve - allocator_.free_pages());
  if (grown.ok()) return allocator_.Take();
  if (absl::IsResourceExhausted(grown) && allocator_.free_pages() > MapReserveLocked()) {
    *used_reserve = true;
    return allocator_.Take();
  }
  return grown;
}

StatusOr<PageId> Pager::AllocateMapPageLocked() {
  if (allocator_.free_pages() == 0) KV_RETURN_IF_ERROR(GrowLocked(1));
  const PageId page = allocator_.Take();
  table_.ClearMapped(page);
  return page;
}

StatusOr<std::vector<PageRun>> Pager::AllocateRunsLocked(uint32_t pages, uint32_t max_runs) {
  const uint32_t reserve = MapReserveLocked() + DeleteReserveLocked();
  if (allocator_.free_pages() < uint64_t{pages} + reserve) {
    ReclaimLocked(/*thorough=*/true);
  }
  std::vector<PageRun> runs;
  // In one piece if there is a hole for it; else in several, largest first (never searching for long);
  // what does not fit goes to the end of the file.
  if (allocator_.free_pages() >= uint64_t{pages} + reserve) {
    if (const PageId first = allocator_.TakeRun(pages); first != kNoPage) return {{{first, pages}}};
    uint32_t left = pages;
    while (left > 0 && runs.size() + 1 < max_runs) {
      uint32_t got = 0;
      const PageId first = allocator_.TakeLongestRun(left, &got);
      // Crumbs would only make the value slow to read.
      if (got == 0) break;
      runs.push_back({first, got});
      left -= got;
      if (got * 8 < pages) break;
    }
    if (left == 0) return runs;
    pages = left;
  }
  const uint32_t end = allocator_.page_count();
  uint32_t tail = allocator_.FreeTailStart();
  const Status grown = GrowLocked(std::max(pages + reserve, pages - std::min(pages, end - tail)));
  if (!grown.ok()) {
    for (const PageRun& run : runs) ReleaseRunLocked(run.first, run.pages);
    return grown;
  }
  const PageId first = allocator_.TakeRun(pages);
  KV_CHECK(first != kNoPage);
  runs.push_back({first, pages});
  return runs;
}

// Makes the file at least `pages` longer, before anything names them (S29).
Status Pager::GrowLocked(uint32_t pages) {
  const uint64_t old_count = allocator_.page_count();
  if (old_count + pages > UINT32_MAX) {
    return absl::ResourceExhaustedError(absl::StrCat(name(), ": no page numbers left"));
  }
  if (in_memory() || replaying_) {
    const uint64_t count =
        std::min<uint64_t>(UINT32_MAX, old_count + std::max<uint64_t>(pages, 256));
    table_.Reserve(count);
    allocator_.Extend(static_cast<uint32_t>(count));
    return absl::OkStatus();
  }
  // A transaction that has taken many pages will take more: the file grows by as many again.
  const uint64_t wanted =
      std::clamp<uint64_t>(std::max(BytesOf(old_count) / 8, BytesOf(growth_hint_)), kMinGrowthBytes,
                           kMaxGrowthBytes) >>
      page_shift_;
  uint64_t step = std::min<uint64_t>(std::max<uint64_t>(wanted, pages), UINT32_MAX - old_count);
  Status status = file_->Allocate(BytesOf(old_count), BytesOf(step));
  if (absl::IsResourceExhausted(status) && step > pages) {
    step = pages;
    status = file_->Allocate(BytesOf(old_count), BytesOf(step));
  }
  KV_RETURN_IF_ERROR(status);
  const auto count = static_cast<uint32_t>(old_count + step);
  KV_RETURN_IF_ERROR(MapAtLeastLocked(BytesOf(count)));
  table_.Reserve(count);
  allocator_.Extend(count);
  file_pages_.store(count, std::memory_order_release);
  map_reserve_ = std::max(map_reserve_, count / 32512 * 2 + 6);
  return absl::OkStatus();
}

// The mapping is one large reservation, so that growth hardly ever needs another. States keep theirs alive.
Status Pager::MapAtLeastLocked(uint64_t bytes) {
  if (mapping_ != nullptr && mapping_->size() >= bytes) return absl::OkStatus();
  constexpr uint64_t kFloor = 64ull << 20;
  constexpr uint64_t kDefault = 1ull << 40;
  uint64_t size = options_.map_size != 0 ? options_.map_size : kDefault;
  while (size < bytes) size *= 2;
  for (;; size /= 2) {
    auto mapping = file_->Map(size);
    if (mapping.ok()) {
      mapping_ = std::move(mapping).value();
      return absl::OkStatus();
    }
    if (size / 2 < std::max(bytes, std::min(kFloor, size))) return mapping.status();
  }
}

}  // namespace kvsql::pager
