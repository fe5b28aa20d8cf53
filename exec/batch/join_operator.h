// What joins of every method share: pairs of rows gathered into output batches, and who found no partner.
//
// Thread safety: none; belongs to one execution.
#ifndef KVSQL_EXEC_BATCH_JOIN_OPERATOR_H_
#define KVSQL_EXEC_BATCH_JOIN_OPERATOR_H_

#include <cstdint>
#include <vector>

#include "exec/batch/expression.h"
#include "exec/batch/operator.h"
#include "exec/batch/vector.h"
#include "planner/query/query_plan.h"

namespace kvsql::exec {

class JoinOperator : public Operator {
 public:
  JoinOperator(const planner::JoinPlan& plan, QueryContext* context, OperatorPtr left,
               OperatorPtr right)
      : Operator(context),
        plan_(plan),
        evaluation_(context),
        left_(std::move(left)),
        right_(std::move(right)),
        left_slots_(plan.inputs[0]->outputs),
        right_slots_(plan.inputs[1]->outputs) {}

  virtual Status Make() {
    pair_slots_ = left_slots_;
    pair_slots_.insert(pair_slots_.end(), right_slots_.begin(), right_slots_.end());
    const ExpressionMaker maker(&context_, pair_slots_);
    KV_RETURN_IF_ERROR(conditions_.Make(plan_.conditions, maker));
    for (const planner::SlotId slot : plan_.outputs) {
      KV_ASSIGN_OR_RETURN(const uint32_t position, maker.PositionOf(slot));
      outputs_.push_back(position);
    }
    vectors_.resize(pair_slots_.size());
    pairs_.columns.resize(pair_slots_.size());
    for (size_t i = 0; i < vectors_.size(); ++i) pairs_.columns[i] = &vectors_[i];
    return absl::OkStatus();
  }

 protected:
  bool keeps_left() const {
    return plan_.join == planner::JoinKind::kLeft || plan_.join == planner::JoinKind::kFull;
  }

  // Of these joins only left rows come out, each at most once.
  bool only_left() const {
    return plan_.join == planner::JoinKind::kSemi || plan_.join == planner::JoinKind::kAnti;
  }

  void NoteMatched() {
    ForEachRow(pairs_.selection, [&](uint32_t pair) { left_matched_[pair_left_[pair]] = true; });
  }

  // Gives the left batch's rows with (semi join) or without (anti join) a partner; false: there are none.
  bool EmitLeftOnly(Batch* batch) {
    const bool wanted = plan_.join == planner::JoinKind::kSemi;
    uint32_t count = 0;
    ForEachRow(left_batch_.selection, [&](uint32_t row) {
      if (left_matched_[row] == wanted) left_kept_[count++] = static_cast<uint16_t>(row);
    });
    if (count == 0) return false;
    batch->columns.clear();
    for (const uint32_t position : outputs_)
      batch->columns.push_back(left_batch_.columns[position]);
    batch->selection = {left_kept_, count};
    return true;
  }

  // Puts the left rows `rows` of left_batch_ into the pairs' left columns.
  void GatherLeft(const uint32_t* rows, uint32_t count) {
    for (size_t i = 0; i < left_slots_.size(); ++i) {
      const Vector& from = *left_batch_.columns[i];
      Vector& to = vectors_[i];
      if (from.tag == VectorTag::kInteger) {
        const int64_t* values = from.integers();
        const uint32_t step = from.constant ? 0 : 1;
        int64_t* out = to.MakeIntegers();
        for (uint32_t k = 0; k < count; ++k) out[k] = values[rows[k] * step];
      } else if (from.tag == VectorTag::kReal) {
        const double* values = from.reals();
        const uint32_t step = from.constant ? 0 : 1;
        double* out = to.MakeReals();
        for (uint32_t k = 0; k < count; ++k) out[k] = values[rows[k] * step];
      } else {
        kv::ValueView* out = to.MakeValues();
        for (uint32_t k = 0; k < count; ++k) out[k] = from.At(rows[k]);
      }
      to.stable = from.stable;
    }
  }

  void NullLeft() {
    for (size_t i = 0; i < left_slots_.size(); ++i) vectors_[i].MakeConstant(kv::ValueView());
  }
  void NullRight() {
    for (size_t i = left_slots_.size(); i < vectors_.size(); ++i) {
      vectors_[i].MakeConstant(kv::ValueView());
    }
  }

  // Filters `count` pairs whose columns are filled in.
  Status FilterPairs(uint32_t count) {
    pairs_.selection = {nullptr, count};
    if (conditions_.empty()) return absl::OkStatus();
    evaluation_.arena.Reset();
    evaluation_.batch = &pairs_;
    conditions_.Narrow(evaluation_, &pairs_.selection);
    return evaluation_.status();
  }

  void Emit(Batch* batch) {
    batch->columns.clear();
    for (const uint32_t position : outputs_) batch->columns.push_back(&vectors_[position]);
    batch->selection = pairs_.selection;
  }

  // Emits the left rows of the batch that found no partner; false: there are none.
  bool EmitUnmatchedLeft(Batch* batch) {
    uint32_t count = 0;
    ForEachRow(left_batch_.selection, [&](uint32_t row) {
      if (!left_matched_[row]) pair_left_[count++] = row;
    });
    if (count == 0) return false;
    GatherLeft(pair_left_, count);
    NullRight();
    pairs_.selection = {nullptr, count};
    Emit(batch);
    return true;
  }

  const planner::JoinPlan& plan_;
  Evaluation evaluation_;
  OperatorPtr left_;
  OperatorPtr right_;
  const std::vector<planner::SlotId>& left_slots_;
  const std::vector<planner::SlotId>& right_slots_;
  std::vector<planner::SlotId> pair_slots_;
  std::vector<uint32_t> outputs_;
  Conjunction conditions_;
  Batch left_batch_;
  Batch pairs_;
  std::vector<Vector> vectors_;  // of the pairs: left columns, right columns
  uint32_t pair_left_[kBatchRows];
  uint32_t pair_right_[kBatchRows];
  bool left_matched_[kBatchRows];
  uint16_t left_kept_[kBatchRows];
};

// The right side is looked up for each left row.
StatusOr<OperatorPtr> MakeIndexJoin(const planner::JoinPlan& plan, QueryContext* context,
                                    OperatorPtr left, OperatorPtr right);

}  // namespace kvsql::exec

#endif  // KVSQL_EXEC_BATCH_JOIN_OPERATOR_H_
