// Joins of every kind. Each left batch is met with candidates from the right side (all rows, those with equal keys, or
// those that an index finds), the pairs are put together and filtered, and who found no partner is remembered.
#include <algorithm>
#include <cstring>

#include "exec/batch/column_store.h"
#include "exec/batch/expression.h"
#include "exec/batch/join_operator.h"
#include "exec/batch/key_table.h"
#include "exec/batch/spill.h"
#include "exec/batch/subquery.h"
#include "exec/scalar_ops.h"

namespace kvsql::exec {

using kv::ValueView;
using planner::JoinKind;
using planner::JoinPlan;

namespace {

// The right side in memory: by hash, or each row with each.
class MemoryJoin : public JoinOperator {
 public:
  MemoryJoin(const JoinPlan& plan, QueryContext* context, OperatorPtr left, OperatorPtr right)
      : JoinOperator(plan, context, std::move(left), std::move(right)),
        build_(context),
        store_(right_slots_.size()),
        table_(KeyColumns(plan)),
        left_rows_(left_slots_.size()),
        right_rows_(right_slots_.size()) {}

  Status Make() override {
    KV_RETURN_IF_ERROR(JoinOperator::Make());
    const ExpressionMaker left_maker(&context_, left_slots_);
    const ExpressionMaker right_maker(&context_, right_slots_);
    for (const JoinPlan::Key& key : plan_.keys) {
      KV_ASSIGN_OR_RETURN(ExpressionPtr left, left_maker.Make(*key.left));
      KV_ASSIGN_OR_RETURN(ExpressionPtr right, right_maker.Make(*key.right));
      left_keys_.push_back(std::move(left));
      right_keys_.push_back(std::move(right));
    }
    return absl::OkStatus();
  }

  Status Open() override {
    evaluation_.functions.status = absl::OkStatus();
    built_ = false;
    left_done_ = false;
    in_batch_ = false;
    next_unmatched_ = 0;
    jobs_.clear();
    job_ = Job();
    return left_->Open();
  }

  Status Next(Batch* batch) override {
    for (;;) {
      KV_RETURN_IF_ERROR(NextOfJob(batch));
      if (!batch->empty() || jobs_.empty()) return absl::OkStatus();
      // Rows that were put aside.
      job_ = std::move(jobs_.back());
      jobs_.pop_back();
      built_ = false;
      left_done_ = false;
      in_batch_ = false;
      next_unmatched_ = 0;
    }
  }

 private:
  // Rows of both sides with some of the keys, put aside.
  struct Job {
    std::unique_ptr<SpillStream> left;  // null: the inputs
    std::unique_ptr<SpillStream> right;
    uint32_t level = 0;
  };

  Status NextLeft(Batch* batch) {
    return job_.left == nullptr ? left_->Next(batch) : left_rows_.Next(job_.left.get(), batch);
  }
  Status NextRight(Batch* batch) {
    return job_.right == nullptr ? right_->Next(batch) : right_rows_.Next(job_.right.get(), batch);
  }

  // Deals a batch's rows out by their keys.
  Status PutAside(const Batch& batch, const std::vector<ExpressionPtr>& key_exprs,
                  SpillPartitions* partitions) {
    build_.arena.Reset();
    build_.batch = &batch;
    std::vector<const Vector*> keys;
    for (const ExpressionPtr& expr : key_exprs) {
      keys.push_back(&expr->Evaluate(build_, batch.selection));
    }
    KV_RETURN_IF_ERROR(build_.status());
    Status status;
    ForEachRow(batch.selection, [&](uint32_t row) {
      spill_key_.clear();
      for (size_t i = 0; i < keys.size(); ++i) {
        AppendComparisonKey(keys[i]->At(row), plan_.keys[i].extra, &spill_key_);
      }
      spill_record_.clear();
      AppendSpilledRow(batch.columns, row, &spill_record_);
      if (status.ok()) status = partitions->Add(spill_key_, spill_record_);
    });
    return status;
  }

  // The right side is too large: both sides are dealt out into jobs.
  Status Partition() {
    KV_ASSIGN_OR_RETURN(SpillFile * file, context_.Spill());
    SpillPartitions right(file, job_.level);
    std::vector<Vector> vectors(right_slots_.size());
    Batch batch;
    for (uint32_t row = 0; row < store_.rows(); row += kBatchRows) {
      const uint32_t count = std::min(store_.rows() - row, kBatchRows);
      for (uint32_t i = 0; i < count; ++i) pair_right_[i] = row + i;
      batch.columns.clear();
      for (size_t i = 0; i < vectors.size(); ++i) {
        store_.Gather(i, pair_right_, count, false, &vectors[i]);
        batch.columns.push_back(&vectors[i]);
      }
      batch.selection = {nullptr, count};
      KV_RETURN_IF_ERROR(PutAside(batch, right_keys_, &right));
    }
    store_.Clear();
    table_.Clear();
    first_.clear();
    next_.clear();
    charge_.Release();
    for (;;) {
      KV_RETURN_IF_ERROR(NextRight(&batch));
      if (batch.empty()) break;
      KV_RETURN_IF_ERROR(PutAside(batch, right_keys_, &right));
    }
    KV_RETURN_IF_ERROR(right.Finish());
    SpillPartitions left(file, job_.level);
    for (;;) {
      KV_RETURN_IF_ERROR(NextLeft(&batch));
      if (batch.empty()) break;
      KV_RETURN_IF_ERROR(PutAside(batch, left_keys_, &left));
    }
    KV_RETURN_IF_ERROR(left.Finish());
    for (size_t i = 0; i < SpillPartitions::kCount; ++i) {
      Job job{left.Take(i), right.Take(i), job_.level + 1};
      if (!job.left->empty() || !job.right->empty()) jobs_.push_back(std::move(job));
    }
    left_done_ = true;
    return absl::OkStatus();
  }

  Status NextOfJob(Batch* batch) {
    batch->selection = {};
    if (!built_) {
      built_ = true;
      KV_RETURN_IF_ERROR(Build());
      if (store_.rows() == 0 && !keeps_left() && plan_.join != JoinKind::kAnti) left_done_ = true;
    }
    while (!left_done_) {
      if (!in_batch_) {
        KV_RETURN_IF_ERROR(NextLeft(&left_batch_));
        if (left_batch_.empty()) {
          left_done_ = true;
          break;
        }
        KV_RETURN_IF_ERROR(StartBatch());
        if (only_left() && conditions_.empty() && !plan_.keys.empty()) {
          ForEachRow(left_batch_.selection,
                     [&](uint32_t row) { left_matched_[row] = FirstOf(row) != KeyTable::kNone; });
          at_ = left_batch_.selection.count;
        }
      }
      const uint32_t count = NextPairs();
      if (count == 0) {
        in_batch_ = false;
        if (only_left() && EmitLeftOnly(batch)) return absl::OkStatus();
        if (keeps_left() && EmitUnmatchedLeft(batch)) return absl::OkStatus();
        continue;
      }
      GatherLeft(pair_left_, count);
      for (size_t i = 0; i < right_slots_.size(); ++i) {
        store_.Gather(i, pair_right_, count, false, &vectors_[left_slots_.size() + i]);
      }
      KV_RETURN_IF_ERROR(FilterPairs(count));
      if (pairs_.selection.count == 0) continue;
      if (keeps_left() || only_left()) NoteMatched();
      if (only_left()) {
        // The row at hand needs no more candidates.
        if (at_ < left_batch_.selection.count && left_matched_[left_batch_.selection[at_]]) {
          SkipRow();
        }
        continue;
      }
      if (plan_.join == JoinKind::kFull) {
        ForEachRow(pairs_.selection,
                   [&](uint32_t pair) { right_matched_[pair_right_[pair]] = true; });
      }
      Emit(batch);
      return absl::OkStatus();
    }
    if (plan_.join == JoinKind::kFull) EmitUnmatchedRight(batch);
    return absl::OkStatus();
  }

  static std::vector<KeyTable::Column> KeyColumns(const JoinPlan& plan) {
    std::vector<KeyTable::Column> columns;
    for (const JoinPlan::Key& key : plan.keys) columns.push_back({key.extra, key.is});
    return columns;
  }

  Status Build() {
    store_.Clear();
    table_.Clear();
    first_.clear();
    next_.clear();
    charge_.Release();
    build_.functions.status = absl::OkStatus();
    if (job_.right == nullptr) KV_RETURN_IF_ERROR(right_->Open());
    Batch batch;
    std::vector<const Vector*> keys(right_keys_.size());
    for (;;) {
      KV_RETURN_IF_ERROR(NextRight(&batch));
      if (batch.empty()) break;
      uint32_t row_number = store_.rows();
      store_.Append(batch.columns, batch.selection);
      if (!right_keys_.empty()) {
        build_.arena.Reset();
        build_.batch = &batch;
        for (size_t i = 0; i < keys.size(); ++i) {
          keys[i] = &right_keys_[i]->Evaluate(build_, batch.selection);
        }
        KV_RETURN_IF_ERROR(build_.status());
        table_.FindOrAdd(keys.data(), batch.selection, ids_);
        next_.resize(store_.rows(), KeyTable::kNone);
        first_.resize(table_.size(), KeyTable::kNone);
        last_.resize(table_.size(), KeyTable::kNone);
        ForEachRow(batch.selection, [&](uint32_t row) {
          const uint32_t id = ids_[row];
          if (id != KeyTable::kNone) {
            // Rows of a key in the order they came.
            if (first_[id] == KeyTable::kNone) {
              first_[id] = row_number;
            } else {
              next_[last_[id]] = row_number;
            }
            last_[id] = row_number;
          }
          ++row_number;
        });
      }
      const size_t bytes = store_.bytes() + table_.memory_bytes() + next_.size() * 4;
      if (!charge_.Fits(bytes) && !plan_.keys.empty() &&
          store_.rows() >= SpillPartitions::kLeastRows && !plan_.order_used &&
          job_.level < SpillPartitions::kLevels) {
        right_matched_.clear();
        return Partition();
      }
      if (!plan_.keys.empty() && store_.rows() < SpillPartitions::kLeastRows) {
        charge_.SetAnyway(bytes);
      } else {
        KV_RETURN_IF_ERROR(charge_.Set(bytes));
      }
    }
    last_.clear();
    right_matched_.assign(plan_.join == JoinKind::kFull ? store_.rows() : 0, false);
    return absl::OkStatus();
  }

  Status StartBatch() {
    in_batch_ = true;
    std::memset(left_matched_, 0, sizeof(left_matched_));
    at_ = 0;
    candidate_ = KeyTable::kNone;
    if (plan_.keys.empty()) {
      candidate_ = 0;
      return absl::OkStatus();
    }
    evaluation_.arena.Reset();
    evaluation_.batch = &left_batch_;
    std::vector<const Vector*> keys(left_keys_.size());
    for (size_t i = 0; i < keys.size(); ++i) {
      keys[i] = &left_keys_[i]->Evaluate(evaluation_, left_batch_.selection);
    }
    KV_RETURN_IF_ERROR(evaluation_.status());
    table_.Find(keys.data(), left_batch_.selection, ids_);
    if (left_batch_.selection.count > 0) candidate_ = FirstOf(left_batch_.selection[0]);
    return absl::OkStatus();
  }

  uint32_t FirstOf(uint32_t row) const {
    return ids_[row] == KeyTable::kNone ? KeyTable::kNone : first_[ids_[row]];
  }

  void SkipRow() {
    ++at_;
    candidate_ = 0;
    if (!plan_.keys.empty()) {
      candidate_ =
          at_ < left_batch_.selection.count ? FirstOf(left_batch_.selection[at_]) : KeyTable::kNone;
    }
  }

  // The next pairs of left rows and candidates; none: the left batch is done.
  uint32_t NextPairs() {
    uint32_t count = 0;
    const Selection& rows = left_batch_.selection;
    if (plan_.keys.empty()) {
      while (count < kBatchRows && at_ < rows.count) {
        if (candidate_ >= store_.rows()) {
          candidate_ = 0;
          ++at_;
          continue;
        }
        pair_left_[count] = rows[at_];
        pair_right_[count++] = candidate_++;
      }
      return count;
    }
    while (count < kBatchRows && at_ < rows.count) {
      if (candidate_ == KeyTable::kNone) {
        if (++at_ < rows.count) candidate_ = FirstOf(rows[at_]);
        continue;
      }
      pair_left_[count] = rows[at_];
      pair_right_[count++] = candidate_;
      candidate_ = next_[candidate_];
    }
    return count;
  }

  void EmitUnmatchedRight(Batch* batch) {
    uint32_t count = 0;
    while (next_unmatched_ < right_matched_.size() && count < kBatchRows) {
      if (!right_matched_[next_unmatched_]) pair_right_[count++] = next_unmatched_;
      ++next_unmatched_;
    }
    if (count == 0) return;
    NullLeft();
    for (size_t i = 0; i < right_slots_.size(); ++i) {
      store_.Gather(i, pair_right_, count, false, &vectors_[left_slots_.size() + i]);
    }
    pairs_.selection = {nullptr, count};
    Emit(batch);
  }

  Evaluation build_;
  std::vector<ExpressionPtr> left_keys_;
  std::vector<ExpressionPtr> right_keys_;
  ColumnStore store_;
  KeyTable table_;
  std::vector<uint32_t> first_;  // per key: its first row
  std::vector<uint32_t> last_;   // while building
  std::vector<uint32_t> next_;   // per row: the next one with the same key
  std::vector<bool> right_matched_;
  MemoryCharge charge_{&context_};
  uint32_t ids_[kBatchRows];
  Job job_;                // what is being joined
  std::vector<Job> jobs_;  // what is to be joined after it
  SpilledRows left_rows_;
  SpilledRows right_rows_;
  std::string spill_key_;
  std::string spill_record_;
  bool built_ = false;
  bool left_done_ = false;
  bool in_batch_ = false;
  uint32_t at_ = 0;         // place in the left selection
  uint32_t candidate_ = 0;  // next right row for it
  uint32_t next_unmatched_ = 0;
};

}  // namespace

StatusOr<OperatorPtr> MakeJoin(const JoinPlan& plan, QueryContext* context, OperatorPtr left,
                               OperatorPtr right) {
  if (plan.method == planner::JoinMethod::kIndex) {
    return MakeIndexJoin(plan, context, std::move(left), std::move(right));
  }
  auto made = std::make_unique<MemoryJoin>(plan, context, std::move(left), std::move(right));
  KV_RETURN_IF_ERROR(made->Make());
  return OperatorPtr(std::move(made));
}

}  // namespace kvsql::exec
