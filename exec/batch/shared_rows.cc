// Rows of a common table that several operators read: computed once per execution.
#include <algorithm>

#include "exec/batch/column_store.h"
#include "exec/batch/expression.h"
#include "exec/batch/operator.h"

namespace kvsql::exec {

// The rows of one shared query.
class SharedRows {
 public:
  SharedRows(const planner::SharedQuery& plan, QueryContext* context)
      : plan_(plan), context_(*context), store_(plan.results.size()), charge_(context) {}

  // Computes them, unless this execution has done so.
  Status Fill() {
    if (run_ == context_.run) return absl::OkStatus();
    if (root_ == nullptr) {
      KV_ASSIGN_OR_RETURN(root_, MakeOperator(*plan_.root, &context_));
      const ExpressionMaker maker(&context_, plan_.root->outputs);
      for (const planner::SlotId slot : plan_.results) {
        KV_ASSIGN_OR_RETURN(const uint32_t position, maker.PositionOf(slot));
        positions_.push_back(position);
      }
    }
    store_.Clear();
    charge_.Release();
    KV_RETURN_IF_ERROR(root_->Open());
    Batch batch;
    std::vector<const Vector*> columns;
    for (;;) {
      KV_RETURN_IF_ERROR(root_->Next(&batch));
      if (batch.empty()) break;
      columns.clear();
      for (const uint32_t position : positions_) columns.push_back(batch.columns[position]);
      store_.Append(columns, batch.selection);
      KV_RETURN_IF_ERROR(charge_.Set(store_.bytes()));
    }
    run_ = context_.run;
    return absl::OkStatus();
  }
  const ColumnStore& store() const { return store_; }

 private:
  const planner::SharedQuery& plan_;
  QueryContext& context_;
  ColumnStore store_;
  MemoryCharge charge_;
  OperatorPtr root_;
  std::vector<uint32_t> positions_;
  uint64_t run_ = 0;
};

namespace {

class SharedOperator : public Operator {
 public:
  SharedOperator(const planner::SharedPlan& plan, QueryContext* context)
      : Operator(context), plan_(plan), vectors_(plan.columns.size()) {}

  Status Open() override {
    next_ = 0;
    std::shared_ptr<SharedRows>& rows = context_.shared[plan_.index];
    if (rows == nullptr) {
      rows = std::make_shared<SharedRows>(*context_.plan.shared[plan_.index], &context_);
    }
    rows_ = rows.get();
    return absl::OkStatus();
  }

  Status Next(Batch* batch) override {
    batch->selection = {};
    KV_RETURN_IF_ERROR(rows_->Fill());
    const ColumnStore& store = rows_->store();
    const uint32_t count = std::min(store.rows() - next_, kBatchRows);
    if (count == 0) return absl::OkStatus();
    for (uint32_t i = 0; i < count; ++i) numbers_[i] = next_ + i;
    next_ += count;
    batch->columns.clear();
    for (size_t i = 0; i < vectors_.size(); ++i) {
      store.Gather(plan_.columns[i].column, numbers_, count, false, &vectors_[i]);
      batch->columns.push_back(&vectors_[i]);
    }
    batch->selection = {nullptr, count};
    return absl::OkStatus();
  }

 private:
  const planner::SharedPlan& plan_;
  SharedRows* rows_ = nullptr;
  std::vector<Vector> vectors_;
  uint32_t next_ = 0;
  uint32_t numbers_[kBatchRows];
};

}  // namespace

StatusOr<OperatorPtr> MakeShared(const planner::SharedPlan& plan, QueryContext* context) {
  return OperatorPtr(std::make_unique<SharedOperator>(plan, context));
}

}  // namespace kvsql::exec
