#include "exec/batch/query_run.h"

#include "exec/batch/expression.h"

namespace kvsql::exec {

Status QueryRun::Start(const kv::Reader& reader) {
  context_.reader = reader;
  ++context_.run;
  drained_ = false;
  rows_.clear();
  batch_.selection = {};
  at_ = 0;
  if (root_ == nullptr) {
    KV_ASSIGN_OR_RETURN(root_, MakeOperator(*plan_.root, &context_));
    const ExpressionMaker maker(&context_, plan_.root->outputs);
    positions_.clear();
    for (const planner::SlotId slot : plan_.results) {
      KV_ASSIGN_OR_RETURN(const uint32_t position, maker.PositionOf(slot));
      positions_.push_back(position);
    }
  }
  return root_->Open();
}

StatusOr<bool> QueryRun::Step() {
  if (drained_) [[unlikely]] {
    if (!rows_.empty()) rows_.pop_front();
    if (!rows_.empty()) return true;
    KV_RETURN_IF_ERROR(drain_status_);
    return false;
  }
  if (at_ + 1 < batch_.selection.count) {
    ++at_;
    return true;
  }
  at_ = 0;
  KV_RETURN_IF_ERROR(root_->Next(&batch_));
  return !batch_.empty();
}

void QueryRun::Row(kv::ValueView* out) const {
  if (drained_) [[unlikely]] {
    for (size_t i = 0; i < positions_.size(); ++i) out[i] = rows_.front()[i].view();
    return;
  }
  const uint32_t row = batch_.selection[at_];
  for (size_t i = 0; i < positions_.size(); ++i) out[i] = batch_.columns[positions_[i]]->At(row);
}

StatusOr<Selection> QueryRun::NextBatch(std::vector<const Vector*>* columns) {
  KV_RETURN_IF_ERROR(root_->Next(&batch_));
  columns->clear();
  if (batch_.empty()) return Selection();
  for (const uint32_t position : positions_) columns->push_back(batch_.columns[position]);
  return batch_.selection;
}

void QueryRun::Drain() {
  if (drained_) return;
  // The current row is kept too.
  const auto keep = [&] {
    std::vector<kv::Value>& row = rows_.emplace_back(positions_.size());
    for (size_t i = 0; i < positions_.size(); ++i) {
      row[i] = batch_.columns[positions_[i]]->At(batch_.selection[at_]);
    }
  };
  drain_status_ = absl::OkStatus();
  if (!batch_.empty()) keep();
  for (;;) {
    const StatusOr<bool> stepped = Step();
    if (!stepped.ok()) {
      drain_status_ = stepped.status();
      break;
    }
    if (!*stepped) break;
    keep();
  }
  drained_ = true;
}

}  // namespace kvsql::exec
