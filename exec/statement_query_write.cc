// Writing the rows that a query gives.
#include <algorithm>
#include <span>
#include <utility>

#include "exec/batch/column_store.h"
#include "exec/batch/key_table.h"
#include "exec/scalar_ops.h"
#include "exec/statement.h"
#include "exec/write_rows.h"
#include "kv/row_lookup.h"
#include "kv/table_ops.h"
#include "planner/query/query_plan.h"

namespace kvsql::exec {

using kv::ValueView;
using planner::QueryDeletePlan;
using planner::QueryInsertPlan;
using planner::QueryUpdatePlan;

namespace {

// One statement's writing, row by row.
class RowWriter {
 public:
  RowWriter(kv::WriteTxn& txn, const planner::QueryPlan& plan, Session* session)
      : txn_(txn), plan_(plan), session_(*session) {}

  // Writes the row whose query results are `results`.
  Status Write(std::span<const ValueView> results) {
    switch (plan_.kind) {
      case planner::PlanKind::kQueryInsert:
        return Insert(static_cast<const QueryInsertPlan&>(plan_), results);
      case planner::PlanKind::kQuerySequence:
        return WriteSequence(results);
      case planner::PlanKind::kQueryUpdate:
        return Update(static_cast<const QueryUpdatePlan&>(plan_), results);
      default:
        return Delete(static_cast<const QueryDeletePlan&>(plan_), results);
    }
  }

  // Of a DELETE from a table with rowids: deletes all its rows at once.
  Status DeleteRowids(std::vector<int64_t> rowids) {
    if (!std::is_sorted(rowids.begin(), rowids.end())) std::sort(rowids.begin(), rowids.end());
    rowids.erase(std::unique(rowids.begin(), rowids.end()), rowids.end());
    const kv::TableDef& table = *static_cast<const QueryDeletePlan&>(plan_).table;
    KV_ASSIGN_OR_RETURN(const uint64_t deleted, kv::DeleteRowids(txn_, table, rowids));
    changes_ += static_cast<int64_t>(deleted);
    return absl::OkStatus();
  }

  int64_t changes() const { return changes_; }

 private:
  Status Insert(const QueryInsertPlan& plan, std::span<const ValueView> results) {
    values_.resize(plan.table->columns.size());
    for (uint32_t i = 0; i < values_.size(); ++i) {
      if (plan.value_of[i] == QueryInsertPlan::kDefault) {
        KV_ASSIGN_OR_RETURN(values_[i], kv::DefaultOf(txn_, *plan.table, i));
      } else {
        values_[i] = results[plan.value_of[i]];
      }
    }
    std::optional<int64_t> rowid;
    if (plan.rowid_of != QueryInsertPlan::kDefault) {
      KV_RETURN_IF_ERROR(ReadRowid(results[plan.rowid_of], &rowid));
    }
    KV_ASSIGN_OR_RETURN(const kv::WriteResult result,
                        kv::InsertRow(txn_, *plan.table, values_, ActionOf(plan.conflict), rowid));
    if (result.stored) {
      ++changes_;
      if (plan.table->has_rowid()) session_.NoteInsert(result.rowid);
    }
    return absl::OkStatus();
  }

  // The row with this key, if it is still there.
  StatusOr<bool> Find(const kv::TableDef& table, const ValueView& key) {
    if (table.has_rowid()) return kv::GetByRowid(txn_, table, key.integer, &row_);
    return kv::GetByRowKey(txn_, table, {0, key.bytes()}, &row_);
  }

  Status Update(const QueryUpdatePlan& plan, std::span<const ValueView> results) {
    const kv::TableDef& table = *plan.table;
    if (table.has_rowid()) {
      KV_ASSIGN_OR_RETURN(const bool patched,
                          kv::PatchRow(txn_, table, results[0].integer, plan.columns,
                                       results.subspan(1, plan.columns.size())));
      if (patched) {
        ++changes_;
        return absl::OkStatus();
      }
    }
    KV_ASSIGN_OR_RETURN(const bool found, Find(table, results[0]));
    if (!found) return absl::OkStatus();
    values_.resize(table.columns.size());
    row_.Columns(values_.data());
    std::optional<int64_t> rowid;
    for (size_t i = 0; i < plan.columns.size(); ++i) {
      if (plan.columns[i] == kv::kRowidColumn) {
        KV_RETURN_IF_ERROR(ReadRowid(results[i + 1], &rowid));
        if (!rowid.has_value()) return absl::InvalidArgumentError("datatype mismatch");
      } else {
        values_[plan.columns[i]] = results[i + 1];
      }
    }
    KV_ASSIGN_OR_RETURN(const kv::WriteResult result,
                        kv::UpdateRow(txn_, table, row_, values_, ActionOf(plan.conflict), rowid));
    changes_ += result.stored ? 1 : 0;
    return absl::OkStatus();
  }

  Status Delete(const QueryDeletePlan& plan, std::span<const ValueView> results) {
    KV_ASSIGN_OR_RETURN(const bool found, Find(*plan.table, results[0]));
    if (!found) return absl::OkStatus();
    KV_RETURN_IF_ERROR(kv::DeleteRow(txn_, *plan.table, row_));
    ++changes_;
    return absl::OkStatus();
  }

  Status WriteSequence(std::span<const ValueView> results) {
    KV_ASSIGN_OR_RETURN(const kv::TableDef* table, txn_.FindTable(results[0].bytes()));
    if (table == nullptr) return absl::OkStatus();
    ++changes_;
    if (results.size() == 1) return txn_.EraseSequence(*table);
    TextArena arena;
    const ValueView number = Cast(results[1], kv::Affinity::kInteger, &arena);
    return txn_.WriteSequence(*table, number.is_null() ? 0 : number.integer);
  }

  kv::WriteTxn& txn_;
  const planner::QueryPlan& plan_;
  Session& session_;
  kv::Row row_;
  std::vector<ValueView> values_;
  int64_t changes_ = 0;
};

Status BeginSequence(kv::WriteTxn& txn, const kv::TableDef& table) {
  KV_ASSIGN_OR_RETURN(const std::optional<int64_t> largest, kv::Reader(txn).ReadSequence(table));
  return largest.has_value() ? absl::OkStatus() : txn.WriteSequence(table, 0);
}

// All rows of a query, kept until they are written.
class Spool {
 public:
  Spool(QueryContext* context, size_t columns)
      : store_(columns), columns_(columns), charge_(context) {}

  Status Fill(QueryRun* run, bool distinct_first) {
    KeyTable seen({{0, true}});
    uint32_t ids[kBatchRows];
    uint16_t kept[kBatchRows];
    for (;;) {
      KV_ASSIGN_OR_RETURN(Selection selection, run->NextBatch(&vectors_));
      if (selection.count == 0) return absl::OkStatus();
      if (distinct_first) {
        uint32_t known = seen.size();
        seen.FindOrAdd(vectors_.data(), selection, ids);
        uint32_t count = 0;
        ForEachRow(selection, [&](uint32_t row) {
          if (ids[row] != known) return;
          ++known;
          kept[count++] = static_cast<uint16_t>(row);
        });
        selection = {kept, count};
      }
      store_.Append(vectors_, selection);
      KV_RETURN_IF_ERROR(charge_.Set(store_.bytes()));
    }
  }

  uint32_t rows() const { return store_.rows(); }
  std::vector<int64_t> Integers(size_t column) const {
    std::vector<int64_t> values(store_.rows());
    for (uint32_t row = 0; row < store_.rows(); ++row) {
      values[row] = store_.At(column, row).integer;
    }
    return values;
  }
  // Calls write(row) for each row, until it fails. Rows are put together many at a time.
  template <typename F>
  Status ForEach(const F& write) const {
    constexpr uint32_t kTogether = 64;
    std::vector<ValueView> rows(columns_ * kTogether);
    for (uint32_t first = 0; first < store_.rows(); first += kTogether) {
      const uint32_t count = std::min(kTogether, store_.rows() - first);
      for (size_t i = 0; i < columns_; ++i) {
        for (uint32_t k = 0; k < count; ++k) {
          // Member by member, as in kv/row_change.cc.
          const ValueView value = store_.At(i, first + k);
          ValueView& to = rows[k * columns_ + i];
          to.integer = value.integer;
          to.size = value.size;
          to.type = value.type;
        }
      }
      for (uint32_t k = 0; k < count; ++k) {
        KV_RETURN_IF_ERROR(write(std::span<const ValueView>(&rows[k * columns_], columns_)));
      }
    }
    return absl::OkStatus();
  }

 private:
  ColumnStore store_;
  const size_t columns_;
  MemoryCharge charge_;
  std::vector<const Vector*> vectors_;
};

}  // namespace

void Statement::SetUpQuery() {
  if (query_ == nullptr) {
    query_ = std::make_unique<QueryRun>(static_cast<const planner::QueryPlan&>(*plan_));
  }
  QueryContext& context = query_->context();
  context.parameters = parameters_.data();
  context.lifted = &lifted_;
  context.memory_budget = session_->query_memory();
  const std::string& path = session_->store()->options().path;
  if (!path.empty() && context.spill_directory.empty()) {
    const size_t slash = path.rfind('/');
    context.spill_directory = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  }
  context.changes = session_->changes();
  context.total_changes = session_->total_changes();
  context.last_insert_rowid = session_->last_insert_rowid();
}

Status Statement::WriteQueryRows(kv::WriteTxn& txn, const kv::StatementReader& reader) {
  const auto& plan = static_cast<const planner::QueryPlan&>(*plan_);
  SetUpQuery();
  KV_RETURN_IF_ERROR(query_->Start(reader));
  Spool spool(&query_->context(), plan.results.size());
  const bool may_repeat = plan.kind == planner::PlanKind::kQueryUpdate &&
                          static_cast<const QueryUpdatePlan&>(plan).may_repeat;
  KV_RETURN_IF_ERROR(spool.Fill(query_.get(), may_repeat));

  RowWriter writer(txn, plan, session_);
  const auto keeps = [&](const Status& status) {
    return kv::ActionOfError(status) == kv::OnConflict::kFail;
  };
  const Status status = WriteAll(
      txn, session_->in_transaction(),
      [&]() -> Status {
        if (plan.kind == planner::PlanKind::kQueryDelete &&
            static_cast<const QueryDeletePlan&>(plan).table->has_rowid()) {
          return writer.DeleteRowids(spool.Integers(0));
        }
        // What the first rows take in the log record tells early whether there will be one.
        constexpr uint64_t kSample = 16;
        uint64_t written = 0;
        const size_t before = txn.record_size();
        KV_RETURN_IF_ERROR(spool.ForEach([&](std::span<const ValueView> results) {
          if (written++ == kSample && txn.record_size() > before) {
            txn.ForeseeRecord((txn.record_size() - before) / kSample * (spool.rows() - kSample));
          }
          return writer.Write(results);
        }));
        if (plan.kind == planner::PlanKind::kQueryInsert) {
          // INSERT begins the table's sequence even if it gives no row.
          const kv::TableDef& table = *static_cast<const QueryInsertPlan&>(plan).table;
          if (spool.rows() == 0 && table.autoincrement) return BeginSequence(txn, table);
        }
        return absl::OkStatus();
      },
      keeps);
  if (status.ok() || keeps(status)) session_->NoteChanges(writer.changes());
  return status;
}

Status Statement::CreateTableAs(kv::WriteTxn& txn, const kv::StatementReader& reader) {
  const auto& plan = static_cast<const planner::QueryCreatePlan&>(*plan_);
  if (plan.if_not_exists) {
    KV_ASSIGN_OR_RETURN(const kv::TableDef* table, txn.FindTable(plan.definition.name));
    KV_ASSIGN_OR_RETURN(const kv::ViewDef* view, txn.FindView(plan.definition.name));
    if (table != nullptr || view != nullptr) return absl::OkStatus();
  }
  SetUpQuery();
  KV_RETURN_IF_ERROR(query_->Start(reader));
  Spool spool(&query_->context(), plan.results.size());
  KV_RETURN_IF_ERROR(spool.Fill(query_.get(), false));
  return WriteAll(
      txn, session_->in_transaction(),
      [&]() -> Status {
        KV_ASSIGN_OR_RETURN(const kv::TableDef* table, txn.CreateTable(plan.definition));
        return spool.ForEach([&](std::span<const ValueView> row) {
          return kv::InsertRow(txn, *table, row).status();
        });
      },
      [](const Status&) { return false; });
}

}  // namespace kvsql::exec
