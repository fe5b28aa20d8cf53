// DISTINCT: rows whose key columns have not been seen.
#include <memory>

#include "exec/batch/expression.h"
#include "exec/batch/key_table.h"
#include "exec/batch/operator.h"
#include "exec/batch/spill.h"
#include "exec/batch/subquery.h"

namespace kvsql::exec {
namespace {

class DistinctOperator : public Operator {
 public:
  DistinctOperator(const planner::DistinctPlan& plan, QueryContext* context, OperatorPtr input)
      : Operator(context),
        plan_(plan),
        input_(std::move(input)),
        table_(Columns(plan)),
        spilled_(plan.inputs[0]->outputs.size()) {}

  Status Make() {
    const ExpressionMaker maker(&context_, plan_.inputs[0]->outputs);
    for (const planner::SlotId slot : plan_.keys) {
      KV_ASSIGN_OR_RETURN(const uint32_t position, maker.PositionOf(slot));
      keys_.push_back(position);
    }
    for (const planner::SlotId slot : plan_.outputs) {
      KV_ASSIGN_OR_RETURN(const uint32_t position, maker.PositionOf(slot));
      outputs_.push_back(position);
    }
    return absl::OkStatus();
  }

  Status Open() override {
    table_.Clear();
    charge_.Release();
    partitions_.reset();
    jobs_.clear();
    job_ = Job();
    return input_->Open();
  }

  Status Next(Batch* batch) override {
    batch->selection = {};
    std::vector<const Vector*> keys(keys_.size());
    for (;;) {
      KV_RETURN_IF_ERROR(job_.rows == nullptr ? input_->Next(&rows_)
                                              : spilled_.Next(job_.rows.get(), &rows_));
      if (rows_.empty()) {
        KV_ASSIGN_OR_RETURN(const bool more, NextJob());
        if (!more) return absl::OkStatus();
        continue;
      }
      for (size_t i = 0; i < keys_.size(); ++i) keys[i] = rows_.columns[keys_[i]];
      if (partitions_ != nullptr) {
        table_.Find(keys.data(), rows_.selection, ids_);
        KV_RETURN_IF_ERROR(PutAside(keys));
        continue;
      }
      uint32_t known = table_.size();
      table_.FindOrAdd(keys.data(), rows_.selection, ids_);
      if (table_.size() >= SpillPartitions::kLeastRows && !charge_.Fits(table_.memory_bytes())) {
        KV_RETURN_IF_ERROR(Overflow());
      }
      charge_.SetAnyway(table_.memory_bytes());
      uint32_t count = 0;
      ForEachRow(rows_.selection, [&](uint32_t row) {
        if (ids_[row] != known) return;
        ++known;
        kept_[count++] = static_cast<uint16_t>(row);
      });
      if (count == 0) continue;
      batch->columns.clear();
      for (const uint32_t position : outputs_) batch->columns.push_back(rows_.columns[position]);
      batch->selection = {kept_, count};
      return absl::OkStatus();
    }
  }

 private:
  // Rows put aside: some of those that the table had no room for.
  struct Job {
    std::unique_ptr<SpillStream> rows;  // null: the input
    uint32_t level = 0;
  };

  static std::vector<KeyTable::Column> Columns(const planner::DistinctPlan& plan) {
    std::vector<KeyTable::Column> columns;
    for (const kv::Collation collation : plan.collations) {
      columns.push_back(
          {planner::PackComparison(planner::CompareAffinity::kNone, collation), true});
    }
    return columns;
  }

  Status Overflow() {
    if (plan_.order_used || job_.level >= SpillPartitions::kLevels) {
      return charge_.Set(table_.memory_bytes());
    }
    KV_ASSIGN_OR_RETURN(SpillFile * file, context_.Spill());
    partitions_ = std::make_unique<SpillPartitions>(file, job_.level);
    return absl::OkStatus();
  }

  Status PutAside(const std::vector<const Vector*>& keys) {
    Status status;
    ForEachRow(rows_.selection, [&](uint32_t row) {
      if (ids_[row] != KeyTable::kNone || !status.ok()) return;
      key_.clear();
      for (size_t i = 0; i < keys.size(); ++i) {
        AppendComparisonKey(
            keys[i]->At(row),
            planner::PackComparison(planner::CompareAffinity::kNone, plan_.collations[i]), &key_);
      }
      record_.clear();
      AppendSpilledRow(rows_.columns, row, &record_);
      status = partitions_->Add(key_, record_);
    });
    return status;
  }

  StatusOr<bool> NextJob() {
    if (partitions_ != nullptr) {
      KV_RETURN_IF_ERROR(partitions_->Finish());
      for (size_t i = 0; i < SpillPartitions::kCount; ++i) {
        std::unique_ptr<SpillStream> rows = partitions_->Take(i);
        if (!rows->empty()) jobs_.push_back({std::move(rows), job_.level + 1});
      }
      partitions_.reset();
    }
    if (jobs_.empty()) return false;
    job_ = std::move(jobs_.back());
    jobs_.pop_back();
    table_.Clear();
    charge_.Release();
    return true;
  }

  const planner::DistinctPlan& plan_;
  OperatorPtr input_;
  KeyTable table_;
  MemoryCharge charge_{&context_};
  std::vector<uint32_t> keys_;
  std::vector<uint32_t> outputs_;
  Batch rows_;
  Job job_;                // what is being read
  std::vector<Job> jobs_;  // what is to be read after it
  std::unique_ptr<SpillPartitions> partitions_;
  SpilledRows spilled_;
  std::string key_;
  std::string record_;
  uint32_t ids_[kBatchRows];
  uint16_t kept_[kBatchRows];
};

}  // namespace

StatusOr<OperatorPtr> MakeDistinct(const planner::DistinctPlan& plan, QueryContext* context,
                                   OperatorPtr input) {
  auto made = std::make_unique<DistinctOperator>(plan, context, std::move(input));
  KV_RETURN_IF_ERROR(made->Make());
  return OperatorPtr(std::move(made));
}

}  // namespace kvsql::exec
