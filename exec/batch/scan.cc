// Scans of tables and indexes: ranges of keys, filters on the columns that they need first, then the rest of the
// columns for the rows that are left.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "base/bytes.h"
#include "exec/batch/access.h"
#include "exec/batch/expression.h"
#include "exec/batch/operator.h"
#include "exec/scalar_ops.h"
#include "kv/cell_unpacker.h"
#include "kv/column_decode.h"
#include "kv/index_entries.h"
#include "kv/range_scan.h"
#include "kv/row.h"

namespace kvsql::exec {

using kv::ValueType;
using kv::ValueView;
using planner::AccessPath;
using planner::ScanPlan;
using planner::SlotId;

namespace {

// A text that many others are compared with.
class TextBound {
 public:
  explicit TextBound(std::string_view text)
      : text_(text), prefix_(text.size() >= 8 ? LoadBe<uint64_t>(text.data()) : 0) {}

  // <0, 0, >0 as the text at `data` sorts before, with or behind this one.
  int Compare(const char* data, uint32_t size) const {
    if (size >= 8 && text_.size() >= 8) {
      const auto prefix = LoadBe<uint64_t>(data);
      if (prefix != prefix_) return prefix < prefix_ ? -1 : 1;
    }
    return std::string_view(data, size).compare(text_);
  }

 private:
  std::string_view text_;
  uint64_t prefix_;
};

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
    for (const ScanPlan::Column& each : plan_.columns) {
      ColumnState& column = columns_.emplace_back();
      column.is_rowid = each.column == kv::kRowidColumn || table_.rowid_alias == each.column;
      column.is_key = each.column == planner::kKeyColumn;
      if (column.is_rowid || column.is_key) continue;
      reads_cells_ = !access_.covering();
      column.place = {table_.StoredPosition(each.column), table_.stored_columns()};
      column.missing = table_.columns[each.column].default_value.view();
      const kv::Affinity affinity = table_.columns[each.column].affinity;
      if (affinity == kv::Affinity::kInteger || affinity == kv::Affinity::kNumeric) {
        column.kind = VectorTag::kInteger;
      } else if (affinity == kv::Affinity::kReal) {
        column.kind = VectorTag::kReal;
      }
    }
    for (const planner::ExprNode* filter : plan_.filters) {
      planner::VisitNodes(filter, [&](const planner::ExprNode* node) { MarkEarly(*node); });
    }
    for (size_t i = 0; i < columns_.size(); ++i) {
      const bool shown = std::find(outputs_.begin(), outputs_.end(), i) != outputs_.end();
      columns_[i].recheck_only = !shown && !columns_[i].early;
    }
    return absl::OkStatus();
  }

  Status Open() override {
    want_ = kFirstBatch;
    done_ = false;
    evaluation_.functions.status = absl::OkStatus();
    return access_.Open();
  }

  void UseBound(const TopBound* bound) override {
    for (size_t i = 0; i < slots_.size(); ++i) {
      if (slots_[i] != bound->slot) continue;
      bound_ = bound;
      bound_column_ = i;
      columns_[i].early = true;
      columns_[i].recheck_only = false;
    }
  }

  StatusOr<std::optional<uint64_t>> CountRows() override {
    if (!filters_.empty()) return std::optional<uint64_t>();
    return access_.CountRows();
  }

  StatusOr<uint64_t> SkipRows(uint64_t n) override {
    if (!filters_.empty()) return uint64_t{0};
    return access_.SkipRows(n);
  }

  void ExpectRows(uint64_t n) override {
    if (filters_.empty() && n <= kMostExpected) want_ = static_cast<uint32_t>(n);
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
      if (bound_ != nullptr && bound_->active) {
        NarrowToBound();
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
  // Where more rows are wanted, the first of them should come before all are read.
  static constexpr uint32_t kMostExpected = 64;

  struct ColumnState {
    bool early = false;         // a filter reads it
    bool recheck_only = false;  // nobody reads it but recheck_, which is for truncated keys
    bool is_rowid = false;
    bool is_key = false;                  // of a table without rowids
    VectorTag kind = VectorTag::kValues;  // what its vector was last, or will be, by its affinity
    kv::CellColumn place;
    ValueView missing;  // in rows that are too short for it
  };

  void MarkEarly(const planner::ExprNode& node) {
    const auto mark = [&](SlotId slot) {
      for (size_t i = 0; i < slots_.size(); ++i) columns_[i].early |= slots_[i] == slot;
    };
    if (node.Is(planner::NodeKind::kSlot)) mark(node.index);
    if (planner::IsSubquery(node)) {
      for (const planner::Subquery::Input& input : context_.plan.subqueries[node.index]->inputs) {
        mark(input.slot);
      }
    }
  }

  // Leaves out rows that are behind the bound.
  void NarrowToBound() {
    const Vector& vector = vectors_[bound_column_];
    uint32_t n = 0;
    const auto narrow = [&](auto is_wanted) {
      ForEachRow(rows_batch_.selection, [&](uint32_t row) {
        bound_rows_[n] = static_cast<uint16_t>(row);
        n += is_wanted(row) ? 1u : 0u;
      });
      rows_batch_.selection = {bound_rows_, n};
    };
    const auto narrow_numbers = [&](const auto* values, auto limit) {
      if (bound_->descending) {
        narrow([&](uint32_t row) { return values[row] > limit; });
      } else {
        narrow([&](uint32_t row) { return values[row] < limit; });
      }
    };
    const ValueType kind = bound_->value.type;
    if (vector.tag == VectorTag::kInteger) {
      if (kind == ValueType::kInteger) narrow_numbers(vector.integers(), bound_->value.integer);
    } else if (vector.tag == VectorTag::kReal) {
      if (kind == ValueType::kReal) narrow_numbers(vector.reals(), bound_->value.real);
    } else if (kind == ValueType::kText) {
      const ValueView* values = vector.values();
      const TextBound limit(bound_->value.bytes());
      const bool descending = bound_->descending;
      narrow([&](uint32_t row) {
        if (values[row].type != ValueType::kText) return true;
        const int order = limit.Compare(values[row].data, values[row].size);
        return descending ? order > 0 : order < 0;
      });
    }
  }

  // The next entries into rowids_, keys and cells; how many.
  StatusOr<uint32_t> Load() {
    KV_ASSIGN_OR_RETURN(const uint32_t count, access_.Next(want_, &entries_));
    want_ = std::min(want_ * 8, kBatchRows);
    decoded_slowly_ = false;
    unpacked_ = false;
    if (table_.compression.kind != kv::Compression::kNone && reads_cells_ && count != 0)
        [[unlikely]] {
      const kv::ValueCodec& codec = *context_.reader->CodecOf(table_.tree, table_.compression);
      KV_ASSIGN_OR_RETURN(unpacked_, unpacker_.Unpack(codec, entries_.cells, count));
    }
    return count;
  }

  // Reads the columns that filters need (early), or the others.
  Status Decode(bool early) {
    if (slots_.empty()) return absl::OkStatus();
    if (access_.covering()) {
      return early ? DecodeEntries() : absl::OkStatus();
    }
    const bool stable = context_.reader->Of(table_).read_txn() != nullptr && !unpacked_;
    for (size_t i = 0; i < slots_.size(); ++i) {
      if (columns_[i].early != early) continue;
      if (columns_[i].recheck_only && !access_.truncated()) continue;
      if (decoded_slowly_ || !DecodeColumn(columns_[i], &vectors_[i])) return DecodeSlowly();
      vectors_[i].stable = stable;
    }
    return absl::OkStatus();
  }

  // False: some row can only be read by kv::Row.
  bool DecodeColumn(ColumnState& column, Vector* vector) {
    const Selection& selection = rows_batch_.selection;
    if (column.is_rowid) {
      int64_t* to = vector->MakeIntegers();
      if (selection.rows == nullptr) {
        std::memcpy(to, entries_.rowids, selection.count * sizeof(int64_t));
      } else {
        ForEachRow(selection, [&](uint32_t row) { to[row] = entries_.rowids[row]; });
      }
      return true;
    }
    if (column.is_key) {
      ValueView* keys = vector->MakeValues();
      ForEachRow(selection, [&](uint32_t row) { keys[row] = ValueView::Blob(entries_.key(row)); });
      return true;
    }
    const kv::CellRows rows{entries_.cells, selection.rows, selection.count};
    // What the column was in the batch before, it mostly is again.
    if (column.kind == VectorTag::kInteger) {
      if (kv::DecodeIntegers(rows, column.place, vector->MakeIntegers())) return true;
    } else if (column.kind == VectorTag::kReal) {
      if (kv::DecodeReals(rows, column.place, vector->MakeReals())) return true;
    }
    kv::ValueCounts counts;
    if (!kv::DecodeValues(rows, column.place, column.missing, vector->MakeValues(), &counts)) {
      return false;
    }
    Compact(counts, vector);
    column.kind = vector->tag;
    return true;
  }

  // A vector of nothing but integers, or reals, becomes one of that kind.
  void Compact(const kv::ValueCounts& counts, Vector* vector) {
    const Selection& selection = rows_batch_.selection;
    if (selection.count == 0) return;
    // Places only ever move towards the front, behind the reading end.
    if (counts.integers == selection.count) {
      const ValueView* from = vector->values();
      int64_t* to = vector->MakeIntegers();
      ForEachRow(selection, [&](uint32_t row) {
        const int64_t value = from[row].integer;
        to[row] = value;
      });
    } else if (counts.reals == selection.count) {
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
        KV_RETURN_IF_ERROR(row_.Set(context_.reader->Of(table_), table_, entries_.rowids[row],
                                    entries_.cells[row]));
      } else {
        KV_RETURN_IF_ERROR(row_.SetOwningKey(context_.reader->Of(table_), table_, entries_.key(row),
                                             entries_.cells[row]));
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
  std::vector<SlotId> slots_;         // of plan_.columns
  std::vector<ColumnState> columns_;  // per slot
  std::vector<uint32_t> outputs_;     // positions among the slots
  std::vector<Vector> vectors_;       // per slot
  Batch rows_batch_;
  Conjunction filters_;
  Conjunction recheck_;
  const TopBound* bound_ = nullptr;  // of a sort above
  size_t bound_column_ = 0;
  uint16_t bound_rows_[kBatchRows];
  uint32_t want_ = kFirstBatch;
  bool done_ = false;
  bool decoded_slowly_ = false;
  bool reads_cells_ = false;  // a column comes from the rows themselves
  bool unpacked_ = false;     // cells are not those of pages
  Entries entries_;
  kv::CellUnpacker unpacker_;
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
