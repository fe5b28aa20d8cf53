#include "exec/batch/subquery.h"

#include "exec/batch/expression.h"
#include "exec/batch/spill.h"
#include "exec/scalar_ops.h"
#include "kv/key_codec.h"

namespace kvsql::exec {

using kv::ValueView;
using planner::ExprNode;
using planner::NodeKind;

namespace {

// The value as a comparison converts it.
ValueView ConvertOperand(const ValueView& value, uint8_t extra, kv::NumberText* text) {
  switch (planner::AffinityOfComparison(extra)) {
    case planner::CompareAffinity::kNumeric:
      return kv::ApplyAffinity(value, kv::Affinity::kNumeric, text);
    case planner::CompareAffinity::kText:
      return kv::ApplyAffinity(value, kv::Affinity::kText, text);
    case planner::CompareAffinity::kNone:
      break;
  }
  return value;
}

}  // namespace

void AppendComparisonKey(const ValueView& value, uint8_t extra, std::string* key) {
  kv::NumberText text;
  const ValueView converted = ConvertOperand(value, extra, &text);
  kv::AppendKeyElement(converted, {planner::CollationOfComparison(extra), false, false}, key);
}

QueryContext::QueryContext(const planner::QueryPlan& the_plan) : plan(the_plan) {
  cells.resize(plan.outer_cells);
  subqueries.resize(plan.subqueries.size());
  shared.resize(plan.shared.size());
}

Status MemoryCharge::OverBudget() const {
  return absl::ResourceExhaustedError(absl::StrCat(
      "the query needs more than its memory budget of ", context_.memory_budget >> 10, " KiB"));
}

SubqueryRunner& QueryContext::SubqueryFor(uint32_t index) {
  std::unique_ptr<SubqueryRunner>& runner = subqueries[index];
  if (runner == nullptr) {
    runner = std::make_unique<SubqueryRunner>(this, *plan.subqueries[index]);
  }
  return *runner;
}

StatusOr<bool> SubqueryRunner::Fresh(Kept wanted) {
  // What the cells hold, exactly.
  new_key_.clear();
  for (const uint32_t cell : plan_.depends) {
    const ValueView& value = context_.cells[cell];
    new_key_.push_back(static_cast<char>(value.type));
    if (value.type == kv::ValueType::kText || value.type == kv::ValueType::kBlob) {
      new_key_.append(reinterpret_cast<const char*>(&value.size), sizeof(value.size));
      new_key_.append(value.bytes());
    } else if (!value.is_null()) {
      new_key_.append(reinterpret_cast<const char*>(&value.integer), sizeof(value.integer));
    }
  }
  if (kept_ == wanted && run_ == context_.run && key_ == new_key_) return true;
  kept_ = Kept::kNothing;
  run_ = context_.run;
  key_.swap(new_key_);
  arena_.Reset();
  if (root_ == nullptr) {
    KV_ASSIGN_OR_RETURN(root_, MakeOperator(*plan_.root, &context_));
    const ExpressionMaker maker(&context_, plan_.root->outputs);
    for (const planner::SlotId slot : plan_.results) {
      KV_ASSIGN_OR_RETURN(const uint32_t position, maker.PositionOf(slot));
      positions_.push_back(position);
    }
  }
  KV_RETURN_IF_ERROR(root_->Open());
  return false;
}

Status SubqueryRunner::ReadRow(const Batch& batch, uint32_t row, std::vector<ValueView>* out) {
  for (const uint32_t position : positions_) {
    out->push_back(CopyBytes(batch.columns[position]->At(row), &arena_));
  }
  return absl::OkStatus();
}

StatusOr<const std::vector<ValueView>*> SubqueryRunner::FirstRow() {
  KV_ASSIGN_OR_RETURN(const bool fresh, Fresh(Kept::kFirst));
  if (!fresh) {
    Batch batch;
    KV_RETURN_IF_ERROR(root_->Next(&batch));
    first_.clear();
    if (batch.empty()) {
      first_.resize(positions_.size());
    } else {
      KV_RETURN_IF_ERROR(ReadRow(batch, batch.selection[0], &first_));
    }
    kept_ = Kept::kFirst;
  }
  return &first_;
}

StatusOr<bool> SubqueryRunner::HasRow() {
  KV_ASSIGN_OR_RETURN(const bool fresh, Fresh(Kept::kExists));
  if (!fresh) {
    Batch batch;
    KV_RETURN_IF_ERROR(root_->Next(&batch));
    exists_ = !batch.empty();
    kept_ = Kept::kExists;
  }
  return exists_;
}

Status SubqueryRunner::RunAll(const std::vector<uint8_t>* extras) {
  KV_ASSIGN_OR_RETURN(const bool fresh, Fresh(Kept::kAll));
  if (fresh) return absl::OkStatus();
  values_.clear();
  set_.clear();
  charge_.Release();
  any_null_ = false;
  Batch batch;
  for (;;) {
    KV_RETURN_IF_ERROR(root_->Next(&batch));
    if (batch.empty()) break;
    for (uint32_t i = 0; i < batch.selection.count; ++i) {
      const size_t start = values_.size();
      KV_RETURN_IF_ERROR(ReadRow(batch, batch.selection[i], &values_));
      if (extras == nullptr) continue;
      bool has_null = false;
      element_.clear();
      for (size_t c = 0; c < positions_.size(); ++c) {
        has_null |= values_[start + c].is_null();
        AppendComparisonKey(values_[start + c], (*extras)[c], &element_);
      }
      any_null_ |= has_null;
      if (!has_null) set_.insert(element_);
      KV_RETURN_IF_ERROR(charge_.Set(charge_.held() + element_.size() + 32 +
                                     positions_.size() * sizeof(ValueView)));
    }
  }
  kept_ = Kept::kAll;
  return absl::OkStatus();
}

StatusOr<const std::vector<ValueView>*> SubqueryRunner::AllValues() {
  KV_RETURN_IF_ERROR(RunAll(nullptr));
  return &values_;
}

StatusOr<ValueView> SubqueryRunner::Contains(const std::vector<ValueView>& row,
                                             const std::vector<uint8_t>& extras) {
  KV_RETURN_IF_ERROR(RunAll(&extras));
  if (values_.empty()) return ValueView::Integer(0);
  bool row_null = false;
  element_.clear();
  for (size_t c = 0; c < row.size(); ++c) {
    row_null |= row[c].is_null();
    AppendComparisonKey(row[c], extras[c], &element_);
  }
  if (!row_null && set_.contains(element_)) return ValueView::Integer(1);
  if (!row_null && !any_null_) return ValueView::Integer(0);
  if (row.size() == 1) return ValueView();
  // NULL if some row equals this one where neither has a NULL. As in SQLite a row on the left that has a NULL is
  // compared as it is: only the rows on the right are converted.
  kv::NumberText text;
  const auto equal = [&](size_t c, const ValueView& other) {
    if (!row_null) return CompareOperands(extras[c], row[c], other) == 0;
    return kv::CompareValues(row[c], ConvertOperand(other, extras[c], &text),
                             planner::CollationOfComparison(extras[c])) == 0;
  };
  for (size_t start = 0; start < values_.size(); start += row.size()) {
    bool possible = true;
    for (size_t c = 0; c < row.size() && possible; ++c) {
      const ValueView& other = values_[start + c];
      possible = row[c].is_null() || other.is_null() || equal(c, other);
    }
    if (possible) return ValueView();
  }
  return ValueView::Integer(0);
}

namespace {

class SubqueryExpression : public Expression {
 public:
  // A column of the row at hand, and the cell that it goes to.
  struct Input {
    uint32_t position = 0;
    uint32_t cell = 0;
  };

  SubqueryExpression(const ExprNode& node, std::vector<ExpressionPtr> args,
                     std::vector<Input> inputs)
      : node_(node), args_(std::move(args)), inputs_(std::move(inputs)) {}

  const Vector& Evaluate(Evaluation& evaluation, const Selection& selection) override {
    QueryContext& query = evaluation.query;
    SubqueryRunner& runner = query.SubqueryFor(node_.index);
    values_.clear();
    bool constant = inputs_.empty();
    for (const ExpressionPtr& arg : args_) {
      values_.push_back(&arg->Evaluate(evaluation, selection));
      constant &= values_.back()->constant;
    }
    if (selection.count == 0) {
      result_.MakeConstant(ValueView());
      return result_;
    }
    if (constant) {
      result_.MakeConstant(One(evaluation, runner, selection[0]));
      return result_;
    }
    ValueView* to = result_.MakeValues();
    ForEachRow(selection, [&](uint32_t row) {
      // After an error nothing is computed, but somebody may still look at what there is.
      to[row] = evaluation.status().ok() ? One(evaluation, runner, row) : ValueView();
    });
    return result_;
  }

 private:
  ValueView One(Evaluation& evaluation, SubqueryRunner& runner, uint32_t row) {
    QueryContext& query = evaluation.query;
    for (const Input& input : inputs_) {
      query.cells[input.cell] = evaluation.batch->columns[input.position]->At(row);
    }
    switch (node_.kind) {
      case NodeKind::kExists: {
        const StatusOr<bool> exists = runner.HasRow();
        if (!exists.ok()) {
          evaluation.Fail(exists.status());
          return {};
        }
        return ValueView::Integer(*exists ? 1 : 0);
      }
      case NodeKind::kScalarSubquery: {
        const StatusOr<const std::vector<ValueView>*> first = runner.FirstRow();
        if (!first.ok()) {
          evaluation.Fail(first.status());
          return {};
        }
        // The runner's bytes go with its next run.
        return CopyBytes((**first)[node_.extra2], &evaluation.arena);
      }
      default: {
        row_.clear();
        for (const Vector* value : values_) row_.push_back(value->At(row));
        const StatusOr<ValueView> contains = runner.Contains(row_, node_.compare_extras);
        if (!contains.ok()) {
          evaluation.Fail(contains.status());
          return {};
        }
        return *contains;
      }
    }
  }

  const ExprNode& node_;
  std::vector<ExpressionPtr> args_;
  std::vector<Input> inputs_;
  std::vector<const Vector*> values_;
  std::vector<ValueView> row_;
  Vector result_;
};

}  // namespace

StatusOr<ExpressionPtr> MakeSubquery(const ExprNode& node, const ExpressionMaker& maker,
                                     std::vector<ExpressionPtr> args) {
  std::vector<SubqueryExpression::Input> inputs;
  for (const planner::Subquery::Input& input : maker.query().plan.subqueries[node.index]->inputs) {
    const StatusOr<uint32_t> position = maker.PositionOf(input.slot);
    // What the row at hand does not have, a join has put into its cell.
    if (!position.ok() && (node.flags & planner::kHanded) != 0) continue;
    KV_RETURN_IF_ERROR(position.status());
    inputs.push_back({*position, input.cell});
  }
  return ExpressionPtr(
      std::make_unique<SubqueryExpression>(node, std::move(args), std::move(inputs)));
}

StatusOr<SpillFile*> QueryContext::Spill() {
  if (spill == nullptr) {
    KV_ASSIGN_OR_RETURN(spill, SpillFile::Create(spill_directory));
  }
  return spill.get();
}

QueryContext::~QueryContext() = default;

}  // namespace kvsql::exec
