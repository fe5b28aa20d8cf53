// ORDER BY: all rows sorted by memcmp-able keys, or only the first ones kept.
#include <algorithm>
#include <memory>

#include "exec/batch/column_store.h"
#include "exec/batch/expression.h"
#include "exec/batch/operator.h"
#include "exec/batch/sort_keys.h"
#include "exec/batch/sorted_runs.h"

namespace kvsql::exec {

using planner::SortKey;
using planner::SortPlan;

namespace {

class SortOperator : public Operator {
 public:
  SortOperator(const SortPlan& plan, QueryContext* context, OperatorPtr input)
      : Operator(context),
        plan_(plan),
        evaluation_(context),
        input_(std::move(input)),
        store_(std::make_unique<ColumnStore>(plan.outputs.size())),
        spare_(std::make_unique<ColumnStore>(plan.outputs.size())),
        keys_(plan.keys),
        vectors_(plan.outputs.size()) {}

  Status Make() {
    const ExpressionMaker maker(&context_, plan_.inputs[0]->outputs);
    for (const SortKey& key : plan_.keys) {
      KV_ASSIGN_OR_RETURN(ExpressionPtr made, maker.Make(*key.expr));
      key_exprs_.push_back(std::move(made));
    }
    for (const planner::SlotId slot : plan_.outputs) {
      KV_ASSIGN_OR_RETURN(const uint32_t position, maker.PositionOf(slot));
      outputs_.push_back(position);
    }
    // A plain column: the input can leave out rows that are behind all the wanted ones.
    if (plan_.keys.size() == 1 && plan_.limit != nullptr &&
        plan_.keys[0].expr->Is(planner::NodeKind::kSlot)) {
      bound_.slot = plan_.keys[0].expr->index;
      input_->UseBound(&bound_);
    }
    return absl::OkStatus();
  }

  Status Open() override {
    store_->Clear();
    keys_.Clear();
    bound_.active = false;
    evaluation_.functions.status = absl::OkStatus();
    sorted_ = false;
    next_ = 0;
    charge_.Release();
    merge_.reset();
    KV_ASSIGN_OR_RETURN(const int64_t limit, EvaluateLimit(plan_.limit, &context_, -1));
    KV_ASSIGN_OR_RETURN(const int64_t offset, EvaluateLimit(plan_.offset, &context_, 0));
    wanted_ = UINT64_MAX;
    if (limit >= 0) {
      wanted_ = static_cast<uint64_t>(limit) + static_cast<uint64_t>(std::max<int64_t>(offset, 0));
    }
    return input_->Open();
  }

  Status Next(Batch* batch) override {
    batch->selection = {};
    if (!sorted_) {
      sorted_ = true;
      KV_RETURN_IF_ERROR(Consume());
    }
    if (merge_ != nullptr) return merge_->Next(batch);
    const auto count = static_cast<uint32_t>(std::min<size_t>(keys_.size() - next_, kBatchRows));
    if (count == 0) return absl::OkStatus();
    for (uint32_t i = 0; i < count; ++i) rows_[i] = keys_.row(next_ + i);
    next_ += count;
    batch->columns.clear();
    for (size_t i = 0; i < vectors_.size(); ++i) {
      store_->Gather(i, rows_, count, false, &vectors_[i]);
      batch->columns.push_back(&vectors_[i]);
    }
    batch->selection = {nullptr, count};
    return absl::OkStatus();
  }

 private:
  static constexpr size_t kTopRows = 64;  // more than the wanted ones, before a cut to these

  Status Consume() {
    Batch batch;
    std::vector<const Vector*> key_vectors(key_exprs_.size());
    std::vector<const Vector*> columns(outputs_.size());
    for (;;) {
      KV_RETURN_IF_ERROR(input_->Next(&batch));
      if (batch.empty()) break;
      evaluation_.arena.Reset();
      evaluation_.batch = &batch;
      for (size_t i = 0; i < key_exprs_.size(); ++i) {
        key_vectors[i] = &key_exprs_[i]->Evaluate(evaluation_, batch.selection);
      }
      KV_RETURN_IF_ERROR(evaluation_.status());
      const uint32_t count =
          keys_.Append(key_vectors.data(), batch.selection, store_->rows(), kept_);
      if (count == 0) continue;
      for (size_t i = 0; i < outputs_.size(); ++i) columns[i] = batch.columns[outputs_[i]];
      store_->Append(columns, {kept_, count});
      if (keys_.size() >= kTopRows && keys_.size() / 2 >= wanted_) CutToWanted();
      const size_t bytes = store_->bytes() + keys_.bytes();
      if (charge_.Fits(bytes)) {
        charge_.SetAnyway(bytes);
      } else {
        KV_RETURN_IF_ERROR(WriteRun());
      }
    }
    bound_.active = false;
    if (merge_ != nullptr) {
      KV_RETURN_IF_ERROR(WriteRun());
      return merge_->Start(wanted_);
    }
    keys_.Sort(static_cast<size_t>(std::min<uint64_t>(wanted_, keys_.size())));
    return absl::OkStatus();
  }

  // The rows so far, sorted, go to the temporary file.
  Status WriteRun() {
    if (merge_ == nullptr) {
      KV_ASSIGN_OR_RETURN(SpillFile * file, context_.Spill());
      merge_ = std::make_unique<SortedRuns>(file, vectors_.size(), context_.memory_budget / 2);
    }
    keys_.Sort(static_cast<size_t>(std::min<uint64_t>(wanted_, keys_.size())));
    KV_RETURN_IF_ERROR(merge_->StartRun());
    std::string record;
    for (size_t i = 0; i < keys_.size(); ++i) {
      record.clear();
      for (size_t c = 0; c < vectors_.size(); ++c) {
        AppendSpilledValue(store_->At(c, keys_.row(i)), &record);
      }
      KV_RETURN_IF_ERROR(merge_->Add(keys_.CanonicalKey(i), record));
    }
    KV_RETURN_IF_ERROR(merge_->FinishRun());
    keys_.Clear();
    bound_.active = false;
    store_->Clear();
    charge_.Release();
    return absl::OkStatus();
  }

  // Keeps only the first `wanted_` rows of those so far.
  void CutToWanted() {
    if (wanted_ == 0) {
      keys_.Clear();
      store_->Clear();
      return;
    }
    keys_.Cut(static_cast<size_t>(wanted_));
    // The rows that stay, in the order they came, moved to a fresh store.
    spare_->Clear();
    std::vector<const Vector*> columns(vectors_.size());
    for (size_t begin = 0; begin < keys_.size(); begin += kBatchRows) {
      const auto count = static_cast<uint32_t>(std::min<size_t>(keys_.size() - begin, kBatchRows));
      for (uint32_t i = 0; i < count; ++i) {
        rows_[i] = keys_.row(begin + i);
        keys_.SetRow(begin + i, static_cast<uint32_t>(begin + i));
      }
      for (size_t i = 0; i < vectors_.size(); ++i) {
        store_->Gather(i, rows_, count, false, &vectors_[i]);
        columns[i] = &vectors_[i];
      }
      spare_->Append(columns, {nullptr, count});
    }
    std::swap(store_, spare_);
    bound_.active = bound_.slot != planner::kNoSlot && keys_.GetBound(&bound_);
  }

  const SortPlan& plan_;
  Evaluation evaluation_;
  OperatorPtr input_;
  std::vector<ExpressionPtr> key_exprs_;
  std::vector<uint32_t> outputs_;
  std::unique_ptr<ColumnStore> store_;
  std::unique_ptr<ColumnStore> spare_;
  SortKeys keys_;
  std::unique_ptr<SortedRuns> merge_;  // null: all rows are in memory
  TopBound bound_;
  uint64_t wanted_ = UINT64_MAX;
  bool sorted_ = false;
  size_t next_ = 0;
  MemoryCharge charge_{&context_};
  std::vector<Vector> vectors_;
  uint32_t rows_[kBatchRows];
  uint16_t kept_[kBatchRows];
};

}  // namespace

StatusOr<OperatorPtr> MakeSort(const SortPlan& plan, QueryContext* context, OperatorPtr input) {
  auto made = std::make_unique<SortOperator>(plan, context, std::move(input));
  KV_RETURN_IF_ERROR(made->Make());
  return OperatorPtr(std::move(made));
}

}  // namespace kvsql::exec
