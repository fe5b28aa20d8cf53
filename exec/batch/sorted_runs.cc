#include "exec/batch/sorted_runs.h"

#include <algorithm>
#include <cstring>

namespace kvsql::exec {

std::string_view SortedRuns::Head::key() const {
  uint32_t size = 0;
  std::memcpy(&size, record.data(), sizeof(size));
  return std::string_view(record).substr(sizeof(size), size);
}

std::string_view SortedRuns::Head::row() const {
  return std::string_view(record).substr(sizeof(uint32_t) + key().size());
}

SortedRuns::SortedRuns(SpillFile* file, size_t columns, size_t memory)
    : file_(*file),
      fan_in_(std::clamp<size_t>(memory / (2 * SpillFile::kBlockBytes), 4, 512)),
      rows_(columns) {}

Status SortedRuns::StartRun() {
  runs_.push_back(std::make_unique<SpillStream>(&file_));
  return absl::OkStatus();
}

Status SortedRuns::Add(std::string_view key, std::string_view row) {
  record_.clear();
  const auto size = static_cast<uint32_t>(key.size());
  record_.append(reinterpret_cast<const char*>(&size), sizeof(size));
  record_.append(key);
  record_.append(row);
  return runs_.back()->Append(record_);
}

Status SortedRuns::FinishRun() { return runs_.back()->Finish(); }

StatusOr<bool> SortedRuns::Advance(Head* head) {
  std::string_view record;
  KV_ASSIGN_OR_RETURN(const bool more, head->stream->Next(&record));
  if (more) head->record.assign(record);
  return more;
}

Status SortedRuns::Open(size_t first, size_t last) {
  heads_.clear();
  heap_.clear();
  for (size_t i = first; i < last; ++i) {
    auto head = std::make_unique<Head>();
    head->stream = std::move(runs_[i]);
    KV_ASSIGN_OR_RETURN(const bool any, Advance(head.get()));
    if (any) heads_.push_back(std::move(head));
  }
  for (const auto& head : heads_) heap_.push_back(head.get());
  return absl::OkStatus();
}

SortedRuns::Head* SortedRuns::Smallest() {
  // Few heads: looking at all of them is as good as a heap. The first of equal ones comes first.
  Head* best = nullptr;
  for (Head* head : heap_) {
    if (best == nullptr || head->key() < best->key()) best = head;
  }
  return best;
}

Status SortedRuns::Pop(Head* head) {
  KV_ASSIGN_OR_RETURN(const bool more, Advance(head));
  if (!more) heap_.erase(std::find(heap_.begin(), heap_.end(), head));
  return absl::OkStatus();
}

Status SortedRuns::Start(uint64_t wanted) {
  left_ = wanted;
  // Too many runs are merged in groups of neighbours first.
  while (runs_.size() > fan_in_) {
    std::vector<std::unique_ptr<SpillStream>> merged;
    for (size_t first = 0; first < runs_.size(); first += fan_in_) {
      KV_RETURN_IF_ERROR(Open(first, std::min(first + fan_in_, runs_.size())));
      auto run = std::make_unique<SpillStream>(&file_);
      for (Head* head = Smallest(); head != nullptr; head = Smallest()) {
        KV_RETURN_IF_ERROR(run->Append(head->record));
        KV_RETURN_IF_ERROR(Pop(head));
      }
      KV_RETURN_IF_ERROR(run->Finish());
      merged.push_back(std::move(run));
    }
    runs_ = std::move(merged);
  }
  return Open(0, runs_.size());
}

Status SortedRuns::Next(Batch* batch) {
  rows_.Start();
  while (!rows_.full() && left_ > 0) {
    Head* head = Smallest();
    if (head == nullptr) break;
    rows_.Add(head->row());
    --left_;
    KV_RETURN_IF_ERROR(Pop(head));
  }
  rows_.Show(batch);
  return absl::OkStatus();
}

}  // namespace kvsql::exec
