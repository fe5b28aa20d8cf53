// UNION ALL, UNION, EXCEPT, INTERSECT.
#include "exec/batch/expression.h"
#include "exec/batch/key_table.h"
#include "exec/batch/operator.h"

namespace kvsql::exec {

using planner::SetOperation;
using planner::SetOperationPlan;

namespace {

class SetOperator : public Operator {
 public:
  SetOperator(const SetOperationPlan& plan, QueryContext* context, OperatorPtr left,
              OperatorPtr right)
      : Operator(context),
        operation_(plan.operation),
        inputs_{std::move(left), std::move(right)},
        table_(Columns(plan)) {}

  Status Make(const SetOperationPlan& plan) {
    const std::vector<planner::SlotId>* wanted[2] = {&plan.left, &plan.right};
    for (size_t side = 0; side < 2; ++side) {
      const ExpressionMaker maker(&context_, plan.inputs[side]->outputs);
      for (const planner::SlotId slot : *wanted[side]) {
        KV_ASSIGN_OR_RETURN(const uint32_t position, maker.PositionOf(slot));
        positions_[side].push_back(position);
      }
    }
    return absl::OkStatus();
  }

  Status Open() override {
    table_.Clear();
    right_rows_.clear();
    side_ = 0;
    right_read_ = false;
    KV_RETURN_IF_ERROR(inputs_[0]->Open());
    return inputs_[1]->Open();
  }

  Status Next(Batch* batch) override {
    batch->selection = {};
    const bool needs_right =
        operation_ == SetOperation::kExcept || operation_ == SetOperation::kIntersect;
    if (needs_right && !right_read_) {
      right_read_ = true;
      KV_RETURN_IF_ERROR(ReadRight());
    }
    while (side_ < 2) {
      KV_RETURN_IF_ERROR(inputs_[side_]->Next(&rows_));
      if (rows_.empty()) {
        side_ = needs_right ? 2 : side_ + 1;
        continue;
      }
      batch->columns.clear();
      for (const uint32_t position : positions_[side_]) {
        batch->columns.push_back(rows_.columns[position]);
      }
      if (operation_ == SetOperation::kUnionAll) {
        batch->selection = rows_.selection;
        return absl::OkStatus();
      }
      const uint32_t count = Keep(batch->columns);
      if (count == 0) continue;
      batch->selection = {kept_, count};
      return charge_.Set(table_.memory_bytes());
    }
    batch->selection = {};
    return absl::OkStatus();
  }

 private:
  static std::vector<KeyTable::Column> Columns(const SetOperationPlan& plan) {
    std::vector<KeyTable::Column> columns;
    for (const kv::Collation collation : plan.collations) {
      columns.push_back(
          {planner::PackComparison(planner::CompareAffinity::kNone, collation), true});
    }
    return columns;
  }

  Status ReadRight() {
    std::vector<const Vector*> columns;
    for (;;) {
      KV_RETURN_IF_ERROR(inputs_[1]->Next(&rows_));
      if (rows_.empty()) break;
      columns.clear();
      for (const uint32_t position : positions_[1]) columns.push_back(rows_.columns[position]);
      table_.FindOrAdd(columns.data(), rows_.selection, ids_);
      KV_RETURN_IF_ERROR(charge_.Set(table_.memory_bytes()));
    }
    // Of the right side's rows, which may still be given (INTERSECT).
    right_rows_.assign(table_.size(), true);
    return absl::OkStatus();
  }

  // The rows of the batch to give, in kept_: each once.
  uint32_t Keep(const std::vector<const Vector*>& columns) {
    uint32_t count = 0;
    if (operation_ == SetOperation::kIntersect) {
      table_.Find(columns.data(), rows_.selection, ids_);
      ForEachRow(rows_.selection, [&](uint32_t row) {
        if (ids_[row] == KeyTable::kNone || !right_rows_[ids_[row]]) return;
        right_rows_[ids_[row]] = false;
        kept_[count++] = static_cast<uint16_t>(row);
      });
      return count;
    }
    // New ones: the right side's rows of EXCEPT are in the table already.
    uint32_t known = table_.size();
    table_.FindOrAdd(columns.data(), rows_.selection, ids_);
    ForEachRow(rows_.selection, [&](uint32_t row) {
      if (ids_[row] != known) return;
      ++known;
      kept_[count++] = static_cast<uint16_t>(row);
    });
    return count;
  }

  const SetOperation operation_;
  OperatorPtr inputs_[2];
  std::vector<uint32_t> positions_[2];
  KeyTable table_;
  MemoryCharge charge_{&context_};
  std::vector<bool> right_rows_;
  Batch rows_;
  size_t side_ = 0;
  bool right_read_ = false;
  uint32_t ids_[kBatchRows];
  uint16_t kept_[kBatchRows];
};

}  // namespace

StatusOr<OperatorPtr> MakeSetOperation(const SetOperationPlan& plan, QueryContext* context,
                                       OperatorPtr left, OperatorPtr right) {
  auto made = std::make_unique<SetOperator>(plan, context, std::move(left), std::move(right));
  KV_RETURN_IF_ERROR(made->Make(plan));
  return OperatorPtr(std::move(made));
}

}  // namespace kvsql::exec
