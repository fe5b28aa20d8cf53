// ORDER BY: all rows sorted by memcmp-able keys, or only the first ones kept.
#include <algorithm>
#include <cstring>
#include <memory>

#include "base/bytes.h"
#include "exec/batch/column_store.h"
#include "exec/batch/expression.h"
#include "exec/batch/operator.h"
#include "kv/key_codec.h"

namespace kvsql::exec {

using kv::ValueView;
using planner::SortKey;
using planner::SortPlan;

namespace {

// A row's sort key: canonical bytes, the first eight of them as a number.
struct RowKey {
  uint64_t prefix = 0;
  const char* bytes = nullptr;
  uint32_t size = 0;
  uint32_t row = 0;  // in the store; rows that sort alike stay in this order
};

bool operator<(const RowKey& a, const RowKey& b) {
  if (a.prefix != b.prefix) return a.prefix < b.prefix;
  const uint32_t common = std::min(a.size, b.size);
  if (common > 8) {
    const int order = std::memcmp(a.bytes + 8, b.bytes + 8, common - 8);
    if (order != 0) return order < 0;
  }
  if (a.size != b.size) return a.size < b.size;
  return a.row < b.row;
}

class SortOperator : public Operator {
 public:
  SortOperator(const SortPlan& plan, QueryContext* context, OperatorPtr input)
      : Operator(context),
        plan_(plan),
        evaluation_(context),
        input_(std::move(input)),
        store_(std::make_unique<ColumnStore>(plan.outputs.size())),
        spare_(std::make_unique<ColumnStore>(plan.outputs.size())),
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
    return absl::OkStatus();
  }

  Status Open() override {
    store_->Clear();
    keys_.clear();
    key_arena_.Reset();
    evaluation_.functions.status = absl::OkStatus();
    sorted_ = false;
    next_ = 0;
    charge_.Release();
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
    const auto count = static_cast<uint32_t>(std::min<size_t>(keys_.size() - next_, kBatchRows));
    if (count == 0) return absl::OkStatus();
    for (uint32_t i = 0; i < count; ++i) rows_[i] = keys_[next_ + i].row;
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
  static constexpr size_t kTopRows = 4096;  // kept at least, before a cut to the wanted ones

  void AppendKey(const SortKey& key, const ValueView& value) {
    // NULLs first or last, whatever the direction.
    const bool null_low = key.nulls_first;
    if (value.is_null()) {
      key_.push_back(null_low ? '\x01' : '\x03');
      return;
    }
    key_.push_back('\x02');
    kv::AppendKeyElement(value, {key.collation, key.descending, false}, &key_);
  }

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
      // Rows that are behind all the wanted ones are left out at once.
      uint32_t count = 0;
      ForEachRow(batch.selection, [&](uint32_t row) {
        key_.clear();
        for (size_t i = 0; i < key_vectors.size(); ++i) {
          AppendKey(plan_.keys[i], key_vectors[i]->At(row));
        }
        RowKey key = MakeKey(store_->rows() + count);
        if (has_bound_ && !(key < bound_)) return;
        char* bytes = key_arena_.Allocate(key_.size());
        std::memcpy(bytes, key_.data(), key_.size());
        key.bytes = bytes;
        key_bytes_ += key_.size() + sizeof(RowKey);
        keys_.push_back(key);
        kept_[count++] = static_cast<uint16_t>(row);
      });
      for (size_t i = 0; i < outputs_.size(); ++i) columns[i] = batch.columns[outputs_[i]];
      store_->Append(columns, {kept_, count});
      if (keys_.size() >= kTopRows && keys_.size() / 2 >= wanted_) CutToWanted();
      KV_RETURN_IF_ERROR(charge_.Set(store_->bytes() + key_bytes_));
    }
    has_bound_ = false;
    if (keys_.size() > wanted_) {
      std::partial_sort(keys_.begin(), keys_.begin() + static_cast<ptrdiff_t>(wanted_),
                        keys_.end());
      keys_.resize(wanted_);
    } else {
      std::sort(keys_.begin(), keys_.end());
    }
    return absl::OkStatus();
  }

  RowKey MakeKey(uint32_t row) const {
    RowKey key;
    uint8_t prefix[8] = {};
    std::memcpy(prefix, key_.data(), std::min<size_t>(8, key_.size()));
    key.prefix = LoadBe<uint64_t>(prefix);
    key.bytes = key_.data();
    key.size = static_cast<uint32_t>(key_.size());
    key.row = row;
    return key;
  }

  // Keeps only the first `wanted_` rows of those so far.
  void CutToWanted() {
    if (wanted_ == 0) {
      keys_.clear();
      store_->Clear();
      return;
    }
    const auto end = keys_.begin() + static_cast<ptrdiff_t>(wanted_);
    std::nth_element(keys_.begin(), end - 1, keys_.end());
    keys_.resize(wanted_);
    // The rows and keys that stay, in the order they came, moved to a fresh store.
    std::sort(keys_.begin(), keys_.end(),
              [](const RowKey& a, const RowKey& b) { return a.row < b.row; });
    spare_->Clear();
    std::vector<const Vector*> columns(vectors_.size());
    std::string kept_bytes;
    for (const RowKey& key : keys_) kept_bytes.append(key.bytes, key.size);
    for (size_t begin = 0; begin < keys_.size(); begin += kBatchRows) {
      const auto count = static_cast<uint32_t>(std::min<size_t>(keys_.size() - begin, kBatchRows));
      for (uint32_t i = 0; i < count; ++i) rows_[i] = keys_[begin + i].row;
      for (size_t i = 0; i < vectors_.size(); ++i) {
        store_->Gather(i, rows_, count, false, &vectors_[i]);
        columns[i] = &vectors_[i];
      }
      spare_->Append(columns, {nullptr, count});
    }
    std::swap(store_, spare_);
    key_arena_.Reset();
    char* bytes = key_arena_.Allocate(kept_bytes.size());
    std::memcpy(bytes, kept_bytes.data(), kept_bytes.size());
    uint32_t row = 0;
    for (RowKey& key : keys_) {
      key.bytes = bytes;
      bytes += key.size;
      key.row = row++;
    }
    bound_ = *std::max_element(keys_.begin(), keys_.end());
    bound_.row = UINT32_MAX;
    bound_bytes_.assign(bound_.bytes, bound_.size);
    bound_.bytes = bound_bytes_.data();
    has_bound_ = true;
    key_bytes_ = kept_bytes.size() + keys_.size() * sizeof(RowKey);
  }

  const SortPlan& plan_;
  Evaluation evaluation_;
  OperatorPtr input_;
  std::vector<ExpressionPtr> key_exprs_;
  std::vector<uint32_t> outputs_;
  std::unique_ptr<ColumnStore> store_;
  std::unique_ptr<ColumnStore> spare_;
  std::vector<RowKey> keys_;
  TextArena key_arena_;
  size_t key_bytes_ = 0;
  std::string key_;
  uint64_t wanted_ = UINT64_MAX;
  // With a cut behind: rows that do not sort before this one are not wanted.
  bool has_bound_ = false;
  RowKey bound_;
  std::string bound_bytes_;
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
