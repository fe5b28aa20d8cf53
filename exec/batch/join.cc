// Joins of every kind. Each left batch is met with candidates from the right side (all rows, those with equal keys, or
// those that an index finds), the pairs are put together and filtered, and who found no partner is remembered.
#include <algorithm>
#include <cstring>

#include "exec/batch/column_store.h"
#include "exec/batch/expression.h"
#include "exec/batch/key_table.h"
#include "exec/batch/operator.h"
#include "exec/scalar_ops.h"

namespace kvsql::exec {

using kv::ValueView;
using planner::JoinKind;
using planner::JoinPlan;
using planner::SlotId;

namespace {

// What the three methods share: pairs of rows gathered into output batches.
class JoinOperator : public Operator {
 public:
  JoinOperator(const JoinPlan& plan, QueryContext* context, OperatorPtr left, OperatorPtr right)
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
    for (const SlotId slot : plan_.outputs) {
      KV_ASSIGN_OR_RETURN(const uint32_t position, maker.PositionOf(slot));
      outputs_.push_back(position);
    }
    vectors_.resize(pair_slots_.size());
    pairs_.columns.resize(pair_slots_.size());
    for (size_t i = 0; i < vectors_.size(); ++i) pairs_.columns[i] = &vectors_[i];
    return absl::OkStatus();
  }

 protected:
  bool keeps_left() const { return plan_.join == JoinKind::kLeft || plan_.join == JoinKind::kFull; }

  // Of these joins only left rows come out, each at most once.
  bool only_left() const { return plan_.join == JoinKind::kSemi || plan_.join == JoinKind::kAnti; }

  void NoteMatched() {
    ForEachRow(pairs_.selection, [&](uint32_t pair) { left_matched_[pair_left_[pair]] = true; });
  }

  // Gives the left batch's rows with (semi join) or without (anti join) a partner; false: there are none.
  bool EmitLeftOnly(Batch* batch) {
    const bool wanted = plan_.join == JoinKind::kSemi;
    uint32_t count = 0;
    ForEachRow(left_batch_.selection, [&](uint32_t row) {
      if (left_matched_[row] == wanted) left_kept_[count++] = static_cast<uint16_t>(row);
    });
    if (count == 0) return false;
    batch->columns.clear();
    for (const uint32_t position : outputs_) batch->columns.push_back(left_batch_.columns[position]);
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
        ValueView* out = to.MakeValues();
        for (uint32_t k = 0; k < count; ++k) out[k] = from.At(rows[k]);
      }
      to.stable = from.stable;
    }
  }

  void NullLeft() {
    for (size_t i = 0; i < left_slots_.size(); ++i) vectors_[i].MakeConstant(ValueView());
  }
  void NullRight() {
    for (size_t i = left_slots_.size(); i < vectors_.size(); ++i) {
      vectors_[i].MakeConstant(ValueView());
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

  const JoinPlan& plan_;
  Evaluation evaluation_;
  OperatorPtr left_;
  OperatorPtr right_;
  const std::vector<SlotId>& left_slots_;
  const std::vector<SlotId>& right_slots_;
  std::vector<SlotId> pair_slots_;
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

// The right side in memory: by hash, or each row with each.
class MemoryJoin : public JoinOperator {
 public:
  MemoryJoin(const JoinPlan& plan, QueryContext* context, OperatorPtr left, OperatorPtr right)
      : JoinOperator(plan, context, std::move(left), std::move(right)),
        build_(context),
        store_(right_slots_.size()),
        table_(KeyColumns(plan)) {}

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
    return left_->Open();
  }

  Status Next(Batch* batch) override {
    batch->selection = {};
    if (!built_) {
      built_ = true;
      KV_RETURN_IF_ERROR(Build());
      if (store_.rows() == 0 && !keeps_left() && plan_.join != JoinKind::kAnti) left_done_ = true;
    }
    while (!left_done_) {
      if (!in_batch_) {
        KV_RETURN_IF_ERROR(left_->Next(&left_batch_));
        if (left_batch_.empty()) {
          left_done_ = true;
          break;
        }
        KV_RETURN_IF_ERROR(StartBatch());
        if (only_left() && conditions_.empty() && !plan_.keys.empty()) {
          ForEachRow(left_batch_.selection, [&](uint32_t row) {
            left_matched_[row] = FirstOf(row) != KeyTable::kNone;
          });
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

 private:
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
    KV_RETURN_IF_ERROR(right_->Open());
    Batch batch;
    std::vector<const Vector*> keys(right_keys_.size());
    for (;;) {
      KV_RETURN_IF_ERROR(right_->Next(&batch));
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
      KV_RETURN_IF_ERROR(
          charge_.Set(store_.bytes() + table_.memory_bytes() + next_.capacity() * 4));
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
      candidate_ = at_ < left_batch_.selection.count ? FirstOf(left_batch_.selection[at_])
                                                     : KeyTable::kNone;
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
  bool built_ = false;
  bool left_done_ = false;
  bool in_batch_ = false;
  uint32_t at_ = 0;         // place in the left selection
  uint32_t candidate_ = 0;  // next right row for it
  uint32_t next_unmatched_ = 0;
};

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
        for (size_t i = 0; i < handover_positions_.size(); ++i) {
          context_.cells[plan_.handovers[i].cell] =
              left_batch_.columns[handover_positions_[i]]->At(row);
        }
        KV_RETURN_IF_ERROR(right_->Open());
        opened_ = true;
        taken_ = 0;
        right_batch_.selection = {};
      }
      if (taken_ == right_batch_.selection.count) {
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

StatusOr<OperatorPtr> MakeJoin(const JoinPlan& plan, QueryContext* context, OperatorPtr left,
                               OperatorPtr right) {
  std::unique_ptr<JoinOperator> made;
  if (plan.method == planner::JoinMethod::kIndex) {
    made = std::make_unique<IndexJoin>(plan, context, std::move(left), std::move(right));
  } else {
    made = std::make_unique<MemoryJoin>(plan, context, std::move(left), std::move(right));
  }
  KV_RETURN_IF_ERROR(made->Make());
  return OperatorPtr(std::move(made));
}

}  // namespace kvsql::exec
