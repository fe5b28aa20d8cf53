#include "exec/batch/query_run.h"

#include <algorithm>

#include "exec/batch/expression.h"

namespace kvsql::exec {

Status QueryRun::Start(const kv::StatementReader& reader) {
  context_.reader = reader;
  ++context_.run;
  drained_ = false;
  rows_.clear();
  batch_.selection = {};
  at_ = 0;
  at_hand_ = 0;
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
    if (!rows_.empty()) {
      ShowRows();
      return true;
    }
    KV_RETURN_IF_ERROR(drain_status_);
    return false;
  }
  if (StepAtHand()) return true;
  if (++at_ >= batch_.selection.count) {
    at_ = 0;
    KV_RETURN_IF_ERROR(root_->Next(&batch_));
    if (batch_.empty()) return false;
  }
  ShowRows();
  return true;
}

// Makes the current row and some that follow it ready, a column at a time.
void QueryRun::ShowRows() {
  const size_t columns = positions_.size();
  if (drained_) {
    views_.resize(std::max<size_t>(columns, 1));
    for (size_t i = 0; i < columns; ++i) views_[i] = rows_.front()[i].view();
    at_hand_ = 0;
    row_ = views_.data();
    return;
  }
  const uint32_t count = std::min(kRowsAtHand, batch_.selection.count - at_);
  if (views_.size() < std::max<size_t>(columns, 1) * count) {
    views_.resize(std::max<size_t>(columns, 1) * count);
  }
  for (size_t i = 0; i < columns; ++i) {
    const Vector& from = *batch_.columns[positions_[i]];
    kv::ValueView* to = views_.data() + i;
    const auto fill = [&](auto value) {
      for (uint32_t k = 0; k < count; ++k) {
        to[k * columns] = value(from.constant ? 0 : batch_.selection[at_ + k]);
      }
    };
    switch (from.tag) {
      case VectorTag::kInteger:
        fill([values = from.integers()](uint32_t row) {
          return kv::ValueView::Integer(values[row]);
        });
        break;
      case VectorTag::kReal:
        fill([values = from.reals()](uint32_t row) { return kv::ValueView::Real(values[row]); });
        break;
      case VectorTag::kValues:
        fill([values = from.values()](uint32_t row) { return values[row]; });
        break;
    }
  }
  at_hand_ = count - 1;
  row_ = views_.data();
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
  at_hand_ = 0;
  if (!rows_.empty()) ShowRows();
}

}  // namespace kvsql::exec
