// Scans of tables and indexes: ranges of keys, filters on the columns that they need first, then the rest of the
// columns for the rows that are left.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "exec/batch/access.h"
#include "exec/batch/expression.h"
#include "exec/batch/operator.h"
#include "exec/scalar_ops.h"
#include "kv/index_entries.h"
#include "kv/range_scan.h"
#include "kv/row.h"
#include "kv/row_codec.h"

namespace kvsql::exec {

using kv::ValueType;
using kv::ValueView;
using planner::AccessPath;
using planner::ScanPlan;
using planner::SlotId;

namespace {

class ScanOperator : public Operator {
 public:
  ScanOperator(const ScanPlan& plan, QueryContext* context)
      : Operator(context),
        plan_(plan),
        table_(*plan.table),
        evaluation_(context),
        access_(plan.access, *plan.table, context) {}

  Status Make() {
    KV_RETURN_IF_ERROR(access_.Make());
    for (const ScanPlan::Column& column : plan_.columns) slots_.push_back(column.slot);
    const ExpressionMaker maker(&context_, slots_);
    KV_RETURN_IF_ERROR(filters_.Make(plan_.filters, maker));
    KV_RETURN_IF_ERROR(recheck_.Make(plan_.access.recheck, maker));
    vectors_.resize(slots_.size());
    rows_batch_.columns.resize(slots_.size());
    for (size_t i = 0; i < slots_.size(); ++i) rows_batch_.columns[i] = &vectors_[i];
    for (const SlotId slot : plan_.outputs) {
      KV_ASSIGN_OR_RETURN(const uint32_t position, maker.PositionOf(slot));
      outputs_.push_back(position);
    }
    early_.resize(slots_.size());
    for (const planner::ExprNode* filter : plan_.filters) {
      planner::VisitNodes(filter, [&](const planner::ExprNode* node) { MarkEarly(*node); });
    }
    return absl::OkStatus();
  }

  Status Open() override {
    want_ = kFirstBatch;
    done_ = false;
    evaluation_.functions.status = absl::OkStatus();
    return access_.Open();
  }

  Status Next(Batch* batch) override {
    batch->selection = {};
    while (!done_) {
      evaluation_.arena.Reset();
      KV_ASSIGN_OR_RETURN(uint32_t count, Load());
      if (count == 0) {
        done_ = true;
        break;
      }
      rows_batch_.selection = {nullptr, count};
      KV_RETURN_IF_ERROR(Decode(true));
      evaluation_.batch = &rows_batch_;
      if (!filters_.empty()) {
        filters_.Narrow(evaluation_, &rows_batch_.selection);
        KV_RETURN_IF_ERROR(evaluation_.status());
        if (rows_batch_.empty()) continue;
      }
      KV_RETURN_IF_ERROR(Decode(false));
      if (access_.truncated()) {
        recheck_.Narrow(evaluation_, &rows_batch_.selection);
        KV_RETURN_IF_ERROR(evaluation_.status());
        if (rows_batch_.empty()) continue;
      }
      batch->columns.resize(outputs_.size());
      for (size_t i = 0; i < outputs_.size(); ++i) {
        batch->columns[i] = &vectors_[outputs_[i]];
      }
      batch->selection = rows_batch_.selection;
      return absl::OkStatus();
    }
    return absl::OkStatus();
  }

 private:
  static constexpr uint32_t kFirstBatch = 8;

  void MarkEarly(const planner::ExprNode& node) {
    const auto mark = [&](SlotId slot) {
      for (size_t i = 0; i < slots_.size(); ++i) early_[i] = early_[i] || slots_[i] == slot;
    };
    if (node.Is(planner::NodeKind::kSlot)) mark(node.index);
    if (node.Is(planner::NodeKind::kScalarSubquery) || node.Is(planner::NodeKind::kExists) ||
        node.Is(planner::NodeKind::kInSubquery)) {
      for (const planner::Subquery::Input& input : context_.plan.subqueries[node.index]->inputs) {
        mark(input.slot);
      }
    }
  }

  // The next entries into rowids_, keys and cells; how many.
  StatusOr<uint32_t> Load() {
    KV_ASSIGN_OR_RETURN(const uint32_t count, access_.Next(want_, &entries_));
    want_ = std::min(want_ * 8, kBatchRows);
    parsed_ = false;
    decoded_slowly_ = false;
    return count;
  }

  // Parses all rows of the batch, so that columns can be read.
  Status Parse() {
    if (parsed_) return absl::OkStatus();
    parsed_ = true;
    slow_ = false;
    const uint32_t count =
        rows_batch_.selection.rows == nullptr ? rows_batch_.selection.count : entries_.count;
    for (uint32_t i = 0; i < count; ++i) {
      const btree::ValueRef& cell = entries_.cells[i];
      if (cell.is_large || !views_[i].Parse(cell.view()) ||
          views_[i].count() > table_.stored_columns() || views_[i].has_elsewhere()) {
        slow_ = true;
        return absl::OkStatus();
      }
    }
    return absl::OkStatus();
  }

  // Reads the columns that filters need (early), or the others.
  Status Decode(bool early) {
    if (slots_.empty()) return absl::OkStatus();
    if (access_.covering()) {
      return early ? DecodeEntries() : absl::OkStatus();
    }
    if (early && std::find(early_.begin(), early_.end(), true) == early_.end()) {
      return absl::OkStatus();
    }
    KV_RETURN_IF_ERROR(Parse());
    if (slow_) return DecodeSlowly();
    const bool stable = context_.reader->read_txn() != nullptr;
    for (size_t i = 0; i < slots_.size(); ++i) {
      if (early_[i] != early) continue;
      DecodeColumn(plan_.columns[i].column, &vectors_[i]);
      vectors_[i].stable = stable;
    }
    return absl::OkStatus();
  }

  void DecodeColumn(uint32_t column, Vector* vector) {
    const Selection& selection = rows_batch_.selection;
    if (column == kv::kRowidColumn || table_.rowid_alias == column) {
      int64_t* to = vector->MakeIntegers();
      if (selection.rows == nullptr) {
        std::memcpy(to, entries_.rowids, selection.count * sizeof(int64_t));
      } else {
        ForEachRow(selection, [&](uint32_t row) { to[row] = entries_.rowids[row]; });
      }
      return;
    }
    if (column == planner::kKeyColumn) {
      ValueView* keys = vector->MakeValues();
      ForEachRow(selection, [&](uint32_t row) { keys[row] = ValueView::Blob(entries_.key(row)); });
      return;
    }
    const uint32_t position = table_.StoredPosition(column);
    ValueView* to = vector->MakeValues();
    uint32_t integers = 0;
    uint32_t reals = 0;
    ForEachRow(selection, [&](uint32_t row) {
      const ValueView value = position < views_[row].count()
                                  ? views_[row].column(position)
                                  : table_.columns[column].default_value.view();
      integers += value.type == ValueType::kInteger;
      reals += value.type == ValueType::kReal;
      to[row] = value;
    });
    Compact(integers, reals, vector);
  }

  // A vector of nothing but integers, or reals, becomes one of that kind.
  void Compact(uint32_t integers, uint32_t reals, Vector* vector) {
    const Selection& selection = rows_batch_.selection;
    if (selection.count == 0) return;
    // Places only ever move towards the front, behind the reading end.
    if (integers == selection.count) {
      const ValueView* from = vector->values();
      int64_t* to = vector->MakeIntegers();
      ForEachRow(selection, [&](uint32_t row) {
        const int64_t value = from[row].integer;
        to[row] = value;
      });
    } else if (reals == selection.count) {
      const ValueView* from = vector->values();
      double* to = vector->MakeReals();
      ForEachRow(selection, [&](uint32_t row) {
        const double value = from[row].real;
        to[row] = value;
      });
    }
  }

  // All columns of rows with large values, or whose key holds some columns, one row at a time.
  Status DecodeSlowly() {
    if (decoded_slowly_) return absl::OkStatus();
    decoded_slowly_ = true;
    std::vector<ValueView*> to;
    for (Vector& vector : vectors_) to.push_back(vector.MakeValues());
    for (uint32_t row = 0; row < entries_.count; ++row) {
      if (table_.has_rowid()) {
        KV_RETURN_IF_ERROR(
            row_.Set(*context_.reader, table_, entries_.rowids[row], entries_.cells[row]));
      } else {
        KV_RETURN_IF_ERROR(
            row_.SetOwningKey(*context_.reader, table_, entries_.key(row), entries_.cells[row]));
      }
      for (size_t i = 0; i < slots_.size(); ++i) {
        const uint32_t column = plan_.columns[i].column;
        if (column == kv::kRowidColumn) {
          to[i][row] = ValueView::Integer(row_.rowid());
        } else if (column == planner::kKeyColumn) {
          to[i][row] = ValueView::Blob(entries_.key(row));
        } else {
          to[i][row] = CopyBytes(row_.column(column), &evaluation_.arena);
        }
      }
    }
    return absl::OkStatus();
  }

  // All columns from the entries of an index.
  Status DecodeEntries() {
    std::vector<ValueView*> to;
    for (Vector& vector : vectors_) to.push_back(vector.MakeValues());
    const kv::IndexDef& index = *plan_.access.index;
    for (uint32_t row = 0; row < entries_.count; ++row) {
      kv::DecodedEntry& entry = decoded_;
      if (!kv::DecodeIndexEntry(table_, index, entries_.index_key(row),
                                entries_.index_cells[row].view(), &entry)) {
        return DataLoss("index ", index.name, ": a damaged entry");
      }
      if (entry.truncated) {
        KV_RETURN_IF_ERROR(DecodeRowOf(entry, row, to));
        continue;
      }
      bool key_decoded = false;
      for (size_t i = 0; i < slots_.size(); ++i) {
        const uint32_t column = plan_.columns[i].column;
        if (column == kv::kRowidColumn || table_.rowid_alias == column) {
          to[i][row] = ValueView::Integer(entry.row.rowid);
          continue;
        }
        const auto in_index =
            std::find_if(index.columns.begin(), index.columns.end(),
                         [&](const kv::IndexColumn& c) { return c.column == column; });
        if (in_index != index.columns.end()) {
          const auto at = static_cast<size_t>(in_index - index.columns.begin());
          to[i][row] = CopyBytes(entry.tuple.values[at], &evaluation_.arena);
          continue;
        }
        // A column of the primary key, which the entry has at its end, but without what the key lost: the row
        // itself tells.
        key_decoded = true;
      }
      if (key_decoded) KV_RETURN_IF_ERROR(DecodeRowOf(entry, row, to));
    }
    return absl::OkStatus();
  }

  Status DecodeRowOf(const kv::DecodedEntry& entry, uint32_t row,
                     const std::vector<ValueView*>& to) {
    KV_RETURN_IF_ERROR(access_.FetchRow(entry.row, &row_));
    for (size_t i = 0; i < slots_.size(); ++i) {
      const uint32_t column = plan_.columns[i].column;
      to[i][row] = column == kv::kRowidColumn ? ValueView::Integer(row_.rowid())
                                              : CopyBytes(row_.column(column), &evaluation_.arena);
    }
    return absl::OkStatus();
  }

  const ScanPlan& plan_;
  const kv::TableDef& table_;
  Evaluation evaluation_;
  Access access_;
  std::vector<SlotId> slots_;      // of plan_.columns
  std::vector<bool> early_;        // per slot: a filter reads it
  std::vector<uint32_t> outputs_;  // positions among the slots
  std::vector<Vector> vectors_;    // per slot
  Batch rows_batch_;
  Conjunction filters_;
  Conjunction recheck_;
  uint32_t want_ = kFirstBatch;
  bool done_ = false;
  bool parsed_ = false;
  bool decoded_slowly_ = false;
  bool slow_ = false;  // the batch has rows that only kv::Row can read
  Entries entries_;
  kv::RowView views_[kBatchRows];
  kv::Row row_;
  kv::DecodedEntry decoded_;
};

}  // namespace

StatusOr<OperatorPtr> MakeScan(const ScanPlan& plan, QueryContext* context) {
  auto scan = std::make_unique<ScanOperator>(plan, context);
  KV_RETURN_IF_ERROR(scan->Make());
  return OperatorPtr(std::move(scan));
}

}  // namespace kvsql::exec
