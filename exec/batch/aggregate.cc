// Aggregation: groups by hash, or one group for all rows.
#include <algorithm>
#include <cstring>
#include <memory>

#include "exec/batch/column_store.h"
#include "exec/batch/expression.h"
#include "exec/batch/key_table.h"
#include "exec/batch/operator.h"
#include "exec/batch/spill.h"
#include "exec/batch/subquery.h"
#include "exec/functions/aggregate.h"
#include "exec/scalar_ops.h"

namespace kvsql::exec {

using kv::ValueView;
using planner::AggregateCall;
using planner::AggregatePlan;

namespace {

// The states of all groups' aggregates, one block a group, at addresses that stay.
class GroupStates {
 public:
  void SetSize(uint32_t bytes) { size_ = std::max(bytes, 8u); }
  void Clear() { count_ = 0; }
  uint32_t count() const { return count_; }
  size_t bytes() const { return size_t{count_} * size_; }
  char* Add() {
    if (count_ / kGroupsPerChunk == chunks_.size()) {
      chunks_.push_back(std::make_unique<uint64_t[]>(kGroupsPerChunk * size_ / 8));
    }
    return At(count_++);
  }
  char* At(uint32_t group) {
    return reinterpret_cast<char*>(chunks_[group / kGroupsPerChunk].get()) +
           size_t{group % kGroupsPerChunk} * size_;
  }

 private:
  static constexpr uint32_t kGroupsPerChunk = 256;
  uint32_t size_ = 8;  // a multiple of 8
  uint32_t count_ = 0;
  std::vector<std::unique_ptr<uint64_t[]>> chunks_;
};

struct Call {
  const AggregateCall* plan = nullptr;
  const AggregateFunction* function = nullptr;  // null: a bare column
  std::vector<ExpressionPtr> args;
  ExpressionPtr filter;
  uint32_t state = 0;                  // offset in a group's block
  uint32_t bare = 0;                   // number among the bare columns
  std::unique_ptr<KeyTable> distinct;  // (group, value) pairs seen
};

class AggregateOperator : public Operator {
 public:
  AggregateOperator(const AggregatePlan& plan, QueryContext* context, OperatorPtr input)
      : Operator(context),
        plan_(plan),
        evaluation_(context),
        input_(std::move(input)),
        keys_(KeyColumns(plan)),
        key_values_(plan.keys.size()),
        spilled_(plan.inputs[0]->outputs.size()) {}

  ~AggregateOperator() override { DestroyStates(); }

  Status Make() {
    const ExpressionMaker maker(&context_, plan_.inputs[0]->outputs);
    for (const AggregatePlan::Key& key : plan_.keys) {
      KV_ASSIGN_OR_RETURN(ExpressionPtr made, maker.Make(*key.expr));
      key_exprs_.push_back(std::move(made));
    }
    uint32_t offset = 0;
    for (const AggregateCall& plan : plan_.calls) {
      Call& call = calls_.emplace_back();
      call.plan = &plan;
      KV_ASSIGN_OR_RETURN(call.args, maker.MakeAll(plan.args));
      if (plan.filter != nullptr) {
        KV_ASSIGN_OR_RETURN(call.filter, maker.Make(*plan.filter));
      }
      if (plan.function == nullptr) {
        call.bare = bare_count_++;
        continue;
      }
      call.function = &AggregateOf(plan.function->id);
      call.state = offset;
      offset += (call.function->state_size + 7) & ~7u;
      if (plan.distinct) {
        call.distinct = std::make_unique<KeyTable>(std::vector<KeyTable::Column>{
            {0, true},
            {planner::PackComparison(planner::CompareAffinity::kNone, plan.collation), false}});
      }
    }
    states_.SetSize(offset);
    for (const planner::SlotId slot : plan_.outputs) {
      for (size_t i = 0; i < plan_.keys.size(); ++i) {
        if (plan_.keys[i].slot == slot) outputs_.push_back({true, i});
      }
      for (size_t i = 0; i < calls_.size(); ++i) {
        if (plan_.calls[i].slot == slot) outputs_.push_back({false, i});
      }
    }
    vectors_.resize(outputs_.size());
    return absl::OkStatus();
  }

  Status Open() override {
    Forget();
    jobs_.clear();
    partitions_.reset();
    job_ = Job();
    evaluation_.functions.status = absl::OkStatus();
    consumed_ = false;
    next_ = 0;
    charge_.Release();
    return input_->Open();
  }

  Status Next(Batch* batch) override {
    batch->selection = {};
    if (!consumed_) {
      consumed_ = true;
      KV_RETURN_IF_ERROR(Consume());
    }
    while (next_ == states_.count() && !jobs_.empty()) {
      Forget();
      job_ = std::move(jobs_.back());
      jobs_.pop_back();
      next_ = 0;
      KV_RETURN_IF_ERROR(Consume());
    }
    const uint32_t count = std::min(states_.count() - next_, kBatchRows);
    if (count == 0) return absl::OkStatus();
    evaluation_.arena.Reset();
    batch->columns.clear();
    for (size_t i = 0; i < outputs_.size(); ++i) {
      KV_RETURN_IF_ERROR(Show(outputs_[i], count, &vectors_[i]));
      batch->columns.push_back(&vectors_[i]);
    }
    next_ += count;
    batch->selection = {nullptr, count};
    return absl::OkStatus();
  }

 private:
  struct Output {
    bool is_key = false;
    size_t index = 0;
  };

  static std::vector<KeyTable::Column> KeyColumns(const AggregatePlan& plan) {
    std::vector<KeyTable::Column> columns;
    for (const AggregatePlan::Key& key : plan.keys) {
      columns.push_back(
          {planner::PackComparison(planner::CompareAffinity::kNone, key.collation), true});
    }
    return columns;
  }

  // Rows of some groups, put aside.
  struct Job {
    std::unique_ptr<SpillStream> rows;  // null: the input
    uint32_t level = 0;
  };

  void Forget() {
    DestroyStates();
    keys_.Clear();
    key_values_.Clear();
    bare_.clear();
    for (Call& call : calls_) {
      if (call.distinct != nullptr) call.distinct->Clear();
    }
    charge_.Release();
  }

  Status NextInput(Batch* batch) {
    return job_.rows == nullptr ? input_->Next(batch) : spilled_.Next(job_.rows.get(), batch);
  }

  // There is no room for more groups: rows of new ones are put aside from here on.
  Status Overflow(size_t bytes) {
    if (plan_.keys.empty() || plan_.order_used || job_.level >= SpillPartitions::kLevels) {
      return charge_.Set(bytes);
    }
    KV_ASSIGN_OR_RETURN(SpillFile * file, context_.Spill());
    partitions_ = std::make_unique<SpillPartitions>(file, job_.level);
    return absl::OkStatus();
  }

  // Leaves only rows of known groups in *selection, and puts the others aside.
  Status PutAside(const Batch& batch, const std::vector<const Vector*>& key_vectors,
                  Selection* selection) {
    uint32_t count = 0;
    Status status;
    ForEachRow(batch.selection, [&](uint32_t row) {
      if (ids_[row] != KeyTable::kNone) {
        known_[count++] = static_cast<uint16_t>(row);
        return;
      }
      spill_key_.clear();
      for (size_t i = 0; i < key_vectors.size(); ++i) {
        AppendComparisonKey(
            key_vectors[i]->At(row),
            planner::PackComparison(planner::CompareAffinity::kNone, plan_.keys[i].collation),
            &spill_key_);
      }
      spill_record_.clear();
      AppendSpilledRow(batch.columns, row, &spill_record_);
      if (status.ok()) status = partitions_->Add(spill_key_, spill_record_);
    });
    *selection = {known_, count};
    return status;
  }

  Status FinishPartitions() {
    KV_RETURN_IF_ERROR(partitions_->Finish());
    for (size_t i = 0; i < SpillPartitions::kCount; ++i) {
      std::unique_ptr<SpillStream> rows = partitions_->Take(i);
      if (!rows->empty()) jobs_.push_back({std::move(rows), job_.level + 1});
    }
    partitions_.reset();
    return absl::OkStatus();
  }

  void DestroyStates() {
    for (uint32_t group = 0; group < states_.count(); ++group) {
      for (const Call& call : calls_) {
        if (call.function != nullptr && call.function->destroy != nullptr) {
          call.function->destroy(states_.At(group) + call.state);
        }
      }
    }
    states_.Clear();
  }

  void AddGroup() {
    char* block = states_.Add();
    for (const Call& call : calls_) {
      if (call.function != nullptr) call.function->init(block + call.state);
    }
    bare_.resize(bare_.size() + bare_count_);
  }

  // Whether all that is asked for is how many rows there are.
  bool OnlyCountsRows() const {
    if (!plan_.keys.empty() || calls_.empty()) return false;
    return std::all_of(calls_.begin(), calls_.end(), [](const Call& call) {
      return call.function != nullptr && call.function->step_count != nullptr &&
             call.args.empty() && call.filter == nullptr;
    });
  }

  Status Consume() {
    if (plan_.keys.empty()) AddGroup();
    if (OnlyCountsRows()) {
      KV_ASSIGN_OR_RETURN(const std::optional<uint64_t> rows, input_->CountRows());
      if (rows.has_value()) {
        for (const Call& call : calls_) {
          call.function->step_count(states_.At(0) + call.state, static_cast<int64_t>(*rows));
        }
        return absl::OkStatus();
      }
    }
    Batch batch;
    std::vector<const Vector*> key_vectors(key_exprs_.size());
    for (;;) {
      KV_RETURN_IF_ERROR(NextInput(&batch));
      if (batch.empty()) break;
      evaluation_.arena.Reset();
      evaluation_.batch = &batch;
      bool first_row = false;
      if (!plan_.keys.empty()) {
        for (size_t i = 0; i < key_exprs_.size(); ++i) {
          key_vectors[i] = &key_exprs_[i]->Evaluate(evaluation_, batch.selection);
        }
        KV_RETURN_IF_ERROR(evaluation_.status());
        const uint32_t before = keys_.size();
        if (partitions_ != nullptr) {
          keys_.Find(key_vectors.data(), batch.selection, ids_);
          KV_RETURN_IF_ERROR(PutAside(batch, key_vectors, &batch.selection));
          if (batch.empty()) continue;
        } else {
          keys_.FindOrAdd(key_vectors.data(), batch.selection, ids_);
        }
        if (keys_.size() != before) AddNewGroups(batch.selection, key_vectors, before);
      } else {
        std::memset(ids_, 0, sizeof(ids_));
        first_row = !any_row_seen_;
        if (first_row) {
          new_groups_.assign(1, static_cast<uint16_t>(batch.selection[0]));
        }
      }
      if (!plan_.keys.empty()) {
        ForEachRow(batch.selection, [&](uint32_t row) { blocks_[row] = states_.At(ids_[row]); });
      }
      if (bare_count_ != 0 && (!new_groups_.empty())) KeepBareColumns(new_groups_);
      new_groups_.clear();
      any_row_seen_ = true;
      for (Call& call : calls_) {
        if (call.function != nullptr) KV_RETURN_IF_ERROR(Step(call, batch.selection));
      }
      KV_RETURN_IF_ERROR(evaluation_.status());
      const size_t bytes = keys_.memory_bytes() + key_values_.bytes() + states_.bytes();
      if (partitions_ == nullptr && keys_.size() >= SpillPartitions::kLeastRows &&
          !charge_.Fits(bytes)) {
        KV_RETURN_IF_ERROR(Overflow(bytes));
      }
      charge_.SetAnyway(bytes);
    }
    any_row_seen_ = false;
    if (partitions_ != nullptr) KV_RETURN_IF_ERROR(FinishPartitions());
    return absl::OkStatus();
  }

  // Groups whose first row is in this batch.
  void AddNewGroups(const Selection& selection, const std::vector<const Vector*>& key_vectors,
                    uint32_t before) {
    uint32_t known = before;
    new_groups_.clear();
    ForEachRow(selection, [&](uint32_t row) {
      if (ids_[row] != known) return;
      ++known;
      new_groups_.push_back(static_cast<uint16_t>(row));
      AddGroup();
    });
    key_values_.Append(key_vectors, {new_groups_.data(), known - before});
  }

  void KeepBareColumns(const std::vector<uint16_t>& rows) {
    const Selection selection{rows.data(), static_cast<uint32_t>(rows.size())};
    for (Call& call : calls_) {
      if (call.function != nullptr) continue;
      const Vector& values = call.args[0]->Evaluate(evaluation_, selection);
      ForEachRow(selection, [&](uint32_t row) {
        bare_[size_t{ids_[row]} * bare_count_ + call.bare] = values.At(row);
      });
    }
  }

  Status Step(Call& call, Selection selection) {
    if (call.filter != nullptr) {
      const uint32_t count = call.filter->Filter(evaluation_, selection, filtered_);
      selection = {filtered_, count};
      if (count == 0) return absl::OkStatus();
    }
    evaluation_.functions.collation = call.plan->collation;
    const AggregateFunction& function = *call.function;
    if (call.args.empty()) {
      if (plan_.keys.empty()) {
        function.step_count(states_.At(0) + call.state, selection.count);
      } else {
        function.step_group_count(blocks_, call.state, selection.rows,
                                  static_cast<int>(selection.count));
      }
      return absl::OkStatus();
    }
    arg_vectors_.clear();
    for (const ExpressionPtr& arg : call.args) {
      arg_vectors_.push_back(&arg->Evaluate(evaluation_, selection));
    }
    KV_RETURN_IF_ERROR(evaluation_.status());
    if (call.distinct != nullptr) {
      // Pairs of group and value that are new.
      int64_t* groups = group_vector_.MakeIntegers();
      ForEachRow(selection, [&](uint32_t row) { groups[row] = ids_[row]; });
      const Vector* pair[2] = {&group_vector_, arg_vectors_[0]};
      uint32_t known = call.distinct->size();
      call.distinct->FindOrAdd(pair, selection, distinct_ids_);
      uint32_t count = 0;
      ForEachRow(selection, [&](uint32_t row) {
        if (distinct_ids_[row] != known) return;
        ++known;
        distinct_[count++] = static_cast<uint16_t>(row);
      });
      selection = {distinct_, count};
      if (count == 0) return absl::OkStatus();
    }
    const bool tracked = IsTracked(call);
    if (plan_.keys.empty() && call.args.size() == 1 && !tracked && !arg_vectors_[0]->constant) {
      const Vector& values = *arg_vectors_[0];
      char* state = states_.At(0) + call.state;
      if (values.tag == VectorTag::kInteger && function.step_integers != nullptr) {
        function.step_integers(state, values.integers(), selection.rows,
                               static_cast<int>(selection.count));
        return absl::OkStatus();
      }
      if (values.tag == VectorTag::kReal && function.step_reals != nullptr) {
        function.step_reals(state, values.reals(), selection.rows,
                            static_cast<int>(selection.count));
        return absl::OkStatus();
      }
    }
    if (!plan_.keys.empty() && call.args.size() == 1 && !tracked && !arg_vectors_[0]->constant) {
      const Vector& values = *arg_vectors_[0];
      const int count = static_cast<int>(selection.count);
      if (values.tag == VectorTag::kInteger && function.step_group_integers != nullptr) {
        function.step_group_integers(blocks_, call.state, values.integers(), selection.rows, count);
        return absl::OkStatus();
      }
      if (values.tag == VectorTag::kReal && function.step_group_reals != nullptr) {
        function.step_group_reals(blocks_, call.state, values.reals(), selection.rows, count);
        return absl::OkStatus();
      }
    }
    ValueView args[4];
    const int count = static_cast<int>(call.args.size());
    Status status;
    for (uint32_t i = 0; i < selection.count && status.ok(); ++i) {
      const uint32_t row = selection[i];
      for (int a = 0; a < count; ++a) args[a] = arg_vectors_[static_cast<size_t>(a)]->At(row);
      evaluation_.functions.took_row = false;
      status =
          function.step(evaluation_.functions, states_.At(ids_[row]) + call.state, args, count);
      if (tracked && evaluation_.functions.took_row) {
        KeepBareColumns({static_cast<uint16_t>(row)});
      }
    }
    return status;
  }

  // Whether the bare columns are those of this call's row.
  bool IsTracked(const Call& call) const {
    if (bare_count_ == 0) return false;
    const auto number = static_cast<int>(&call - calls_.data());
    for (const Call& other : calls_) {
      if (other.function == nullptr && other.plan->bare_of == number) return true;
    }
    return false;
  }

  Status Show(const Output& output, uint32_t count, Vector* vector) {
    if (output.is_key) {
      for (uint32_t i = 0; i < count; ++i) ids_[i] = next_ + i;
      key_values_.Gather(output.index, ids_, count, false, vector);
      return absl::OkStatus();
    }
    Call& call = calls_[output.index];
    ValueView* to = vector->MakeValues();
    uint32_t integers = 0;
    for (uint32_t i = 0; i < count; ++i) {
      const uint32_t group = next_ + i;
      if (call.function == nullptr) {
        to[i] = bare_[size_t{group} * bare_count_ + call.bare].view();
        continue;
      }
      KV_ASSIGN_OR_RETURN(
          const ValueView value,
          call.function->result(evaluation_.functions, states_.At(group) + call.state));
      to[i] = value;
      integers += value.type == kv::ValueType::kInteger;
    }
    if (integers == count) {
      const ValueView* from = vector->values();
      int64_t* numbers = vector->MakeIntegers();
      for (uint32_t i = 0; i < count; ++i) {
        const int64_t value = from[i].integer;
        numbers[i] = value;
      }
    }
    return absl::OkStatus();
  }

  const AggregatePlan& plan_;
  Evaluation evaluation_;
  OperatorPtr input_;
  std::vector<ExpressionPtr> key_exprs_;
  std::vector<Call> calls_;
  std::vector<Output> outputs_;
  KeyTable keys_;
  ColumnStore key_values_;  // of each group's first row
  GroupStates states_;
  std::vector<kv::Value> bare_;  // per group, bare_count_ each
  uint32_t bare_count_ = 0;
  Job job_;                // what is being read
  std::vector<Job> jobs_;  // what is to be read after it
  std::unique_ptr<SpillPartitions> partitions_;
  SpilledRows spilled_;
  std::string spill_key_;
  std::string spill_record_;
  bool consumed_ = false;
  bool any_row_seen_ = false;
  uint32_t next_ = 0;
  MemoryCharge charge_{&context_};
  std::vector<uint16_t> new_groups_;  // rows of the batch that began a group
  std::vector<const Vector*> arg_vectors_;
  Vector group_vector_;
  std::vector<Vector> vectors_;
  uint32_t ids_[kBatchRows];
  char* blocks_[kBatchRows];  // per row of the batch: its group's states
  uint32_t distinct_ids_[kBatchRows];
  uint16_t filtered_[kBatchRows];
  uint16_t known_[kBatchRows];
  uint16_t distinct_[kBatchRows];
};

}  // namespace

StatusOr<OperatorPtr> MakeAggregate(const AggregatePlan& plan, QueryContext* context,
                                    OperatorPtr input) {
  auto made = std::make_unique<AggregateOperator>(plan, context, std::move(input));
  KV_RETURN_IF_ERROR(made->Make());
  return OperatorPtr(std::move(made));
}

}  // namespace kvsql::exec
