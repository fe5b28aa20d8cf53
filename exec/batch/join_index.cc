// Joins whose right side is a scan that looks up each left row's values.
#include <cstring>
#include <memory>

#include "exec/batch/join_operator.h"
#include "exec/scalar_ops.h"

namespace kvsql::exec {

using kv::ValueView;
using planner::JoinPlan;

namespace {

// The right side is looked up for each left row.
class IndexJoin : public JoinOperator {
 public:
  using JoinOperator::JoinOperator;

  Status Make() override {
    KV_RETURN_IF_ERROR(JoinOperator::Make());
    const ExpressionMaker maker(&context_, left_slots_);
    for (const JoinPlan::Handover& handover : plan_.handovers) {
      KV_ASSIGN_OR_RETURN(const uint32_t position, maker.PositionOf(handover.slot));
      handover_positions_.push_back(position);
    }
    return absl::OkStatus();
  }

  Status Open() override {
    evaluation_.functions.status = absl::OkStatus();
    in_batch_ = false;
    done_ = false;
    return left_->Open();
  }

  Status Next(Batch* batch) override {
    batch->selection = {};
    while (!done_) {
      if (!in_batch_) {
        KV_RETURN_IF_ERROR(left_->Next(&left_batch_));
        if (left_batch_.empty()) {
          done_ = true;
          break;
        }
        std::memset(left_matched_, 0, sizeof(left_matched_));
        in_batch_ = true;
        at_ = 0;
        opened_ = false;
      }
      KV_ASSIGN_OR_RETURN(const uint32_t count, CollectPairs());
      if (count == 0) {
        in_batch_ = false;
        if (keeps_left() && EmitUnmatchedLeft(batch)) return absl::OkStatus();
        if (only_left() && EmitLeftOnly(batch)) return absl::OkStatus();
        continue;
      }
      GatherLeft(pair_left_, count);
      KV_RETURN_IF_ERROR(FilterPairs(count));
      if (pairs_.selection.count == 0) continue;
      if (keeps_left() || only_left()) NoteMatched();
      if (only_left()) continue;
      Emit(batch);
      return absl::OkStatus();
    }
    return absl::OkStatus();
  }

 private:
  // Looks left rows up until a batch of pairs is full or the left batch ends.
  StatusOr<uint32_t> CollectPairs() {
    const size_t first_right = left_slots_.size();
    right_bytes_.Reset();
    std::vector<ValueView*> to;
    for (size_t i = first_right; i < vectors_.size(); ++i) to.push_back(vectors_[i].MakeValues());
    uint32_t count = 0;
    while (at_ < left_batch_.selection.count) {
      const uint32_t row = left_batch_.selection[at_];
      if (only_left() && left_matched_[row]) {
        opened_ = false;
        ++at_;
        continue;
      }
      if (!opened_) {
        HandOver(row);
        KV_RETURN_IF_ERROR(right_->Open());
        opened_ = true;
        taken_ = 0;
        right_batch_.selection = {};
      }
      if (taken_ == right_batch_.selection.count) {
        // The same subquery, somewhere else in the statement, may have used its cells in between.
        HandOver(row);
        KV_RETURN_IF_ERROR(right_->Next(&right_batch_));
        taken_ = 0;
        if (right_batch_.empty()) {
          opened_ = false;
          ++at_;
          continue;
        }
      }
      if (only_left() && conditions_.empty()) {
        left_matched_[row] = true;
        continue;
      }
      while (taken_ < right_batch_.selection.count && count < kBatchRows) {
        const uint32_t right_row = right_batch_.selection[taken_++];
        pair_left_[count] = row;
        for (size_t i = 0; i < to.size(); ++i) {
          const Vector& from = *right_batch_.columns[i];
          const ValueView value = from.At(right_row);
          to[i][count] = from.stable ? value : CopyBytes(value, &right_bytes_);
        }
        ++count;
      }
      if (count == kBatchRows) break;
    }
    return count;
  }

  void HandOver(uint32_t row) {
    for (size_t i = 0; i < handover_positions_.size(); ++i) {
      context_.cells[plan_.handovers[i].cell] =
          left_batch_.columns[handover_positions_[i]]->At(row);
    }
  }

  std::vector<uint32_t> handover_positions_;
  Batch right_batch_;
  TextArena right_bytes_;
  bool in_batch_ = false;
  bool done_ = false;
  bool opened_ = false;  // the right side stands at rows for the current left row
  uint32_t at_ = 0;
  uint32_t taken_ = 0;
};

}  // namespace

StatusOr<OperatorPtr> MakeIndexJoin(const JoinPlan& plan, QueryContext* context, OperatorPtr left,
                                    OperatorPtr right) {
  auto made = std::make_unique<IndexJoin>(plan, context, std::move(left), std::move(right));
  KV_RETURN_IF_ERROR(made->Make());
  return OperatorPtr(std::move(made));
}

}  // namespace kvsql::exec
