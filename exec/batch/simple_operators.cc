// Rows, Filter, Project, Limit: operators that keep nothing.
#include <algorithm>
#include <optional>

#include "exec/batch/expression.h"
#include "exec/batch/operator.h"
#include "exec/scalar_ops.h"

namespace kvsql::exec {

using kv::ValueType;
using kv::ValueView;

namespace {

class RowsOperator : public Operator {
 public:
  RowsOperator(const planner::RowsPlan& plan, QueryContext* context)
      : Operator(context), evaluation_(context), vectors_(plan.outputs.size()) {}

  Status Make(const planner::RowsPlan& plan) {
    static const std::vector<planner::SlotId> kNoSlots;
    const ExpressionMaker maker(&context_, kNoSlots);
    for (const auto& row : plan.rows_exprs) {
      KV_ASSIGN_OR_RETURN(std::vector<ExpressionPtr> made, maker.MakeAll(row));
      rows_.push_back(std::move(made));
    }
    return absl::OkStatus();
  }

  Status Open() override {
    next_ = 0;
    evaluation_.functions.status = absl::OkStatus();
    return absl::OkStatus();
  }

  Status Next(Batch* batch) override {
    batch->selection = {};
    evaluation_.arena.Reset();
    evaluation_.batch = &none_;
    const auto count = static_cast<uint32_t>(std::min<size_t>(rows_.size() - next_, kBatchRows));
    if (count == 0) return absl::OkStatus();
    std::vector<ValueView*> to;
    for (Vector& vector : vectors_) to.push_back(vector.MakeValues());
    for (uint32_t row = 0; row < count; ++row) {
      for (size_t i = 0; i < to.size(); ++i) {
        to[i][row] = rows_[next_ + row][i]->Evaluate(evaluation_, {nullptr, 1}).At(0);
      }
    }
    next_ += count;
    KV_RETURN_IF_ERROR(evaluation_.status());
    batch->columns.clear();
    for (Vector& vector : vectors_) batch->columns.push_back(&vector);
    batch->selection = {nullptr, count};
    return absl::OkStatus();
  }

 private:
  Evaluation evaluation_;
  std::vector<std::vector<ExpressionPtr>> rows_;
  std::vector<Vector> vectors_;
  Batch none_;
  size_t next_ = 0;
};

// The places of `outputs` among an input's.
StatusOr<std::vector<uint32_t>> Positions(const std::vector<planner::SlotId>& outputs,
                                          const std::vector<planner::SlotId>& input,
                                          QueryContext* context) {
  const ExpressionMaker maker(context, input);
  std::vector<uint32_t> positions;
  for (const planner::SlotId slot : outputs) {
    KV_ASSIGN_OR_RETURN(const uint32_t position, maker.PositionOf(slot));
    positions.push_back(position);
  }
  return positions;
}

class FilterOperator : public Operator {
 public:
  void UseBound(const TopBound* bound) override { input_->UseBound(bound); }

  FilterOperator(QueryContext* context, OperatorPtr input)
      : Operator(context), evaluation_(context), input_(std::move(input)) {}

  Status Make(const planner::FilterPlan& plan) {
    const ExpressionMaker maker(&context_, plan.inputs[0]->outputs);
    KV_RETURN_IF_ERROR(filters_.Make(plan.filters, maker));
    once_ = plan.once;
    KV_ASSIGN_OR_RETURN(outputs_, Positions(plan.outputs, plan.inputs[0]->outputs, &context_));
    return absl::OkStatus();
  }

  Status Open() override {
    evaluation_.functions.status = absl::OkStatus();
    evaluation_.arena.Reset();
    passes_ = true;
    for (const planner::ExprNode* node : once_) {
      KV_ASSIGN_OR_RETURN(const ValueView value, EvaluateOnce(*node, &evaluation_));
      if (Truth(value) != 1) {
        passes_ = false;
        return absl::OkStatus();
      }
    }
    return input_->Open();
  }

  Status Next(Batch* batch) override {
    batch->selection = {};
    while (passes_) {
      KV_RETURN_IF_ERROR(input_->Next(&rows_));
      if (rows_.empty()) break;
      evaluation_.arena.Reset();
      evaluation_.batch = &rows_;
      Selection selection = rows_.selection;
      filters_.Narrow(evaluation_, &selection);
      KV_RETURN_IF_ERROR(evaluation_.status());
      if (selection.count == 0) continue;
      batch->columns.clear();
      for (const uint32_t position : outputs_) batch->columns.push_back(rows_.columns[position]);
      batch->selection = selection;
      break;
    }
    return absl::OkStatus();
  }

 private:
  Evaluation evaluation_;
  OperatorPtr input_;
  Conjunction filters_;
  std::vector<planner::ExprNode*> once_;
  std::vector<uint32_t> outputs_;
  Batch rows_;
  bool passes_ = true;
};

class ProjectOperator : public Operator {
 public:
  ProjectOperator(const planner::ProjectPlan& plan, QueryContext* context, OperatorPtr input)
      : Operator(context), plan_(plan), evaluation_(context), input_(std::move(input)) {}

  Status Make() {
    const std::vector<planner::SlotId>& slots = plan_.inputs[0]->outputs;
    const ExpressionMaker maker(&context_, slots);
    for (const planner::ProjectPlan::Item& item : plan_.items) {
      KV_ASSIGN_OR_RETURN(ExpressionPtr made, maker.Make(*item.expr));
      items_.push_back(std::move(made));
    }
    for (const planner::SlotId slot : plan_.outputs) {
      const auto item =
          std::find_if(plan_.items.begin(), plan_.items.end(),
                       [&](const planner::ProjectPlan::Item& i) { return i.slot == slot; });
      if (item != plan_.items.end()) {
        outputs_.push_back({true, static_cast<uint32_t>(item - plan_.items.begin())});
      } else {
        KV_ASSIGN_OR_RETURN(const uint32_t position, maker.PositionOf(slot));
        outputs_.push_back({false, position});
      }
    }
    return absl::OkStatus();
  }

  Status Open() override {
    evaluation_.functions.status = absl::OkStatus();
    return input_->Open();
  }

  void UseBound(const TopBound* bound) override {
    const bool computed = std::any_of(plan_.items.begin(), plan_.items.end(),
                                      [&](const auto& item) { return item.slot == bound->slot; });
    if (!computed) input_->UseBound(bound);
  }

  StatusOr<std::optional<uint64_t>> CountRows() override { return input_->CountRows(); }
  StatusOr<uint64_t> SkipRows(uint64_t n) override { return input_->SkipRows(n); }
  void ExpectRows(uint64_t n) override { input_->ExpectRows(n); }

  Status Next(Batch* batch) override {
    batch->selection = {};
    KV_RETURN_IF_ERROR(input_->Next(&rows_));
    if (rows_.empty()) return absl::OkStatus();
    evaluation_.arena.Reset();
    evaluation_.batch = &rows_;
    values_.clear();
    for (const ExpressionPtr& item : items_) {
      values_.push_back(&item->Evaluate(evaluation_, rows_.selection));
    }
    KV_RETURN_IF_ERROR(evaluation_.status());
    batch->columns.clear();
    for (const Output& output : outputs_) {
      batch->columns.push_back(output.computed ? values_[output.position]
                                               : rows_.columns[output.position]);
    }
    batch->selection = rows_.selection;
    return absl::OkStatus();
  }

 private:
  struct Output {
    bool computed = false;
    uint32_t position = 0;
  };

  const planner::ProjectPlan& plan_;
  Evaluation evaluation_;
  OperatorPtr input_;
  std::vector<ExpressionPtr> items_;
  std::vector<Output> outputs_;
  std::vector<const Vector*> values_;
  Batch rows_;
};

class LimitOperator : public Operator {
 public:
  LimitOperator(const planner::LimitPlan& plan, QueryContext* context, OperatorPtr input)
      : Operator(context), plan_(plan), input_(std::move(input)) {}

  Status Make() {
    KV_ASSIGN_OR_RETURN(outputs_, Positions(plan_.outputs, plan_.inputs[0]->outputs, &context_));
    return absl::OkStatus();
  }

  Status Open() override {
    KV_ASSIGN_OR_RETURN(left_, EvaluateLimit(plan_.limit, &context_, -1));
    KV_ASSIGN_OR_RETURN(skip_, EvaluateLimit(plan_.offset, &context_, 0));
    skip_ = std::max<int64_t>(skip_, 0);
    if (left_ == 0) return absl::OkStatus();
    KV_RETURN_IF_ERROR(input_->Open());
    if (skip_ > 0) {
      KV_ASSIGN_OR_RETURN(const uint64_t skipped, input_->SkipRows(static_cast<uint64_t>(skip_)));
      skip_ -= static_cast<int64_t>(skipped);
    }
    if (left_ > 0) {
      input_->ExpectRows(static_cast<uint64_t>(left_) + static_cast<uint64_t>(skip_));
    }
    return absl::OkStatus();
  }

  Status Next(Batch* batch) override {
    batch->selection = {};
    while (left_ != 0) {
      KV_RETURN_IF_ERROR(input_->Next(&rows_));
      if (rows_.empty()) return absl::OkStatus();
      uint32_t count = rows_.selection.count;
      if (static_cast<uint64_t>(skip_) >= count) {
        skip_ -= count;
        continue;
      }
      const auto first = static_cast<uint32_t>(skip_);
      skip_ = 0;
      count -= first;
      if (left_ > 0) {
        count = static_cast<uint32_t>(std::min<int64_t>(count, left_));
        left_ -= count;
      }
      for (uint32_t i = 0; i < count; ++i) {
        rows_kept_[i] = static_cast<uint16_t>(rows_.selection[first + i]);
      }
      batch->columns.clear();
      for (const uint32_t position : outputs_) batch->columns.push_back(rows_.columns[position]);
      batch->selection = {rows_kept_, count};
      return absl::OkStatus();
    }
    return absl::OkStatus();
  }

 private:
  const planner::LimitPlan& plan_;
  OperatorPtr input_;
  std::vector<uint32_t> outputs_;
  Batch rows_;
  int64_t left_ = -1;  // negative: no limit
  int64_t skip_ = 0;
  uint16_t rows_kept_[kBatchRows];
};

template <typename Made>
StatusOr<OperatorPtr> Finish(std::unique_ptr<Made> made, const Status& status) {
  KV_RETURN_IF_ERROR(status);
  return OperatorPtr(std::move(made));
}

}  // namespace

StatusOr<int64_t> EvaluateLimit(const planner::ExprNode* node, QueryContext* context,
                                int64_t absent) {
  if (node == nullptr) return absent;
  Evaluation evaluation(context);
  KV_ASSIGN_OR_RETURN(const ValueView value, EvaluateOnce(*node, &evaluation));
  const ValueView number = WithAffinity(value, kv::Affinity::kInteger, &evaluation.arena);
  int64_t integer = 0;
  if (number.type == ValueType::kInteger) return number.integer;
  if (number.type == ValueType::kReal && kv::RealToInteger(number.real, &integer)) return integer;
  return absl::InvalidArgumentError("datatype mismatch");
}

StatusOr<OperatorPtr> MakeRows(const planner::RowsPlan& plan, QueryContext* context) {
  auto made = std::make_unique<RowsOperator>(plan, context);
  const Status status = made->Make(plan);
  return Finish(std::move(made), status);
}

StatusOr<OperatorPtr> MakeFilter(const planner::FilterPlan& plan, QueryContext* context,
                                 OperatorPtr input) {
  auto made = std::make_unique<FilterOperator>(context, std::move(input));
  const Status status = made->Make(plan);
  return Finish(std::move(made), status);
}

StatusOr<OperatorPtr> MakeProject(const planner::ProjectPlan& plan, QueryContext* context,
                                  OperatorPtr input) {
  auto made = std::make_unique<ProjectOperator>(plan, context, std::move(input));
  const Status status = made->Make();
  return Finish(std::move(made), status);
}

StatusOr<OperatorPtr> MakeLimit(const planner::LimitPlan& plan, QueryContext* context,
                                OperatorPtr input) {
  auto made = std::make_unique<LimitOperator>(plan, context, std::move(input));
  const Status status = made->Make();
  return Finish(std::move(made), status);
}

}  // namespace kvsql::exec
