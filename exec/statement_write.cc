// Statements that change something: INSERT, UPDATE, DELETE, CREATE, DROP; and transaction control.
#include <utility>

#include "absl/strings/str_cat.h"
#include "exec/statement.h"
#include "exec/write_rows.h"
#include "kv/table_ops.h"

namespace kvsql::exec {

using kv::OnConflict;
using kv::ValueType;
using kv::ValueView;
using planner::ConflictMode;

OnConflict ActionOf(ConflictMode mode) {
  switch (mode) {
    case ConflictMode::kIgnore:
      return OnConflict::kIgnore;
    case ConflictMode::kReplace:
      return OnConflict::kReplace;
    case ConflictMode::kFail:
      return OnConflict::kFail;
    case ConflictMode::kRollback:
      return OnConflict::kRollback;
    case ConflictMode::kAbort:
      return OnConflict::kAbort;
    case ConflictMode::kDefault:
      break;
  }
  return OnConflict::kDefault;
}

// A rowid given by the statement: an integer after INTEGER affinity, or NULL for the next one.
Status ReadRowid(const ValueView& value, std::optional<int64_t>* rowid) {
  kv::NumberText text;
  const ValueView number = kv::ApplyAffinity(value, kv::Affinity::kInteger, &text);
  if (number.is_null()) {
    rowid->reset();
    return absl::OkStatus();
  }
  if (number.type != ValueType::kInteger) return absl::InvalidArgumentError("datatype mismatch");
  *rowid = number.integer;
  return absl::OkStatus();
}

namespace {

bool WritesRows(planner::PlanKind kind) {
  return kind >= planner::PlanKind::kInsert && kind <= planner::PlanKind::kQueryDelete;
}

}  // namespace

Status Statement::RunWrite() {
  if (plan_->writes_temp) [[unlikely]]
    return RunTempWrite();
  KV_ASSIGN_OR_RETURN(kv::WriteTxn * txn, session_->BeginStatement());
  kv::StatementReader reader(*txn);
  Status status = CheckPlan(&reader);
  if (status.ok() && plan_->writes_temp) [[unlikely]] {
    // A temporary table has come to hide the one of the database.
    FinishRead();
    KV_RETURN_IF_ERROR(session_->EndStatement(absl::OkStatus()));
    return RunTempWrite();
  }
  if (status.ok()) status = Write(*txn, reader);
  return FinishWrite(*txn, std::move(status));
}

Status Statement::RunTempWrite() {
  KV_ASSIGN_OR_RETURN(kv::WriteTxn * txn, session_->BeginTempStatement());
  const StatusOr<kv::Reader> main = session_->BeginRead(&snapshot_);
  if (!main.ok()) return session_->EndStatement(main.status());
  temp_.reader = kv::Reader(*txn);
  kv::StatementReader reader(*main);
  reader.set_temp(&*temp_.reader);
  Status status = CheckPlan(&reader);
  if (status.ok() && !plan_->writes_temp) {
    FinishRead();
    KV_RETURN_IF_ERROR(session_->EndStatement(absl::OkStatus()));
    return RunWrite();
  }
  if (status.ok()) status = Write(*txn, reader);
  return FinishWrite(*txn, std::move(status));
}

Status Statement::FinishWrite(kv::WriteTxn& txn, Status status) {
  FinishRead();
  if (status.ok()) [[likely]]
    return session_->EndStatement(std::move(status));

  // A statement that fails has changed nothing, unless its rows before the failing one stay.
  if (WritesRows(plan_->kind) && kv::ActionOfError(status) != OnConflict::kFail) {
    session_->NoteChanges(0);
  }
  // What ON CONFLICT asks for when a constraint failed.
  const OnConflict action = kv::ActionOfError(status);
  if (txn.CheckUsable().ok()) {
    if (action == OnConflict::kFail) {
      // What was done before the failing row stays.
      if (const Status committed = session_->EndStatement(absl::OkStatus()); !committed.ok()) {
        return committed;
      }
      return status;
    }
    if (action == OnConflict::kRollback && session_->in_transaction()) {
      if (const Status rolled_back = session_->Rollback(); !rolled_back.ok()) return rolled_back;
      return status;
    }
  }
  return session_->EndStatement(std::move(status));
}

Status Statement::Write(kv::WriteTxn& txn, const kv::StatementReader& reader) {
  switch (plan_->kind) {
    case planner::PlanKind::kInsert:
      return Insert(txn, static_cast<const planner::InsertPlan&>(*plan_));
    case planner::PlanKind::kUpdate:
      return Update(txn, static_cast<const planner::UpdatePlan&>(*plan_));
    case planner::PlanKind::kDelete:
      return Delete(txn, static_cast<const planner::DeletePlan&>(*plan_));
    case planner::PlanKind::kQueryInsert:
    case planner::PlanKind::kQueryUpdate:
    case planner::PlanKind::kQueryDelete:
    case planner::PlanKind::kQuerySequence:
      return WriteQueryRows(txn, reader);
    case planner::PlanKind::kQueryCreate:
      return CreateTableAs(txn, reader);
    default:
      return RunDdl(txn);
  }
}

Status Statement::InsertOne(kv::WriteTxn& txn, const planner::InsertPlan& plan, size_t row,
                            size_t matrix_offset, int64_t* inserted) {
  const std::vector<planner::Operand>& operands = plan.rows[row];
  const EvalContext context = Context(nullptr, matrix_offset);
  scratch_.Reset();
  for (size_t i = 0; i < operands.size(); ++i) values_[i] = Evaluate(operands[i], context);
  for (const uint32_t column : plan.default_columns) {
    KV_ASSIGN_OR_RETURN(values_[column], kv::DefaultOf(txn, *plan.table, column));
  }
  std::optional<int64_t> rowid;
  if (!plan.rowids.empty()) {
    KV_RETURN_IF_ERROR(ReadRowid(Evaluate(plan.rowids[row], context), &rowid));
  }
  KV_ASSIGN_OR_RETURN(const kv::WriteResult result,
                      kv::InsertRow(txn, *plan.table, values_, ActionOf(plan.conflict), rowid));
  if (result.stored) {
    ++*inserted;
    if (plan.table->has_rowid()) session_->NoteInsert(result.rowid);
  }
  return absl::OkStatus();
}

Status Statement::Insert(kv::WriteTxn& txn, const planner::InsertPlan& plan) {
  const size_t rows = plan.matrix ? lifted_.matrix_rows : plan.rows.size();
  values_.resize(plan.table->columns.size());
  int64_t inserted = 0;
  if (rows == 1) [[likely]] {
    // One row is checked before it is stored: nothing to undo.
    Status status = InsertOne(txn, plan, 0, 0, &inserted);
    session_->NoteChanges(inserted);
    return status;
  }
  const auto keeps = [](const Status& failed) {
    return kv::ActionOfError(failed) == OnConflict::kFail;
  };
  Status status = WriteAll(
      txn, session_->in_transaction(),
      [&]() -> Status {
        for (size_t r = 0; r < rows; ++r) {
          KV_RETURN_IF_ERROR(plan.matrix
                                 ? InsertOne(txn, plan, 0, r * lifted_.slots.size(), &inserted)
                                 : InsertOne(txn, plan, r, 0, &inserted));
        }
        return absl::OkStatus();
      },
      keeps);
  if (status.ok() || keeps(status)) session_->NoteChanges(inserted);
  return status;
}

Status Statement::Update(kv::WriteTxn& txn, const planner::UpdatePlan& plan) {
  const kv::TableDef& table = *plan.lookup.table;
  KV_ASSIGN_OR_RETURN(const bool found, FindRow(kv::Reader(txn), plan.lookup));
  if (!found) {
    session_->NoteChanges(0);
    return absl::OkStatus();
  }
  values_.resize(table.columns.size());
  row_.Columns(values_.data());
  const EvalContext context = Context(&row_);
  std::optional<int64_t> rowid;
  for (const planner::UpdatePlan::Assignment& assignment : plan.assignments) {
    const ValueView value = Evaluate(assignment.value, context);
    if (assignment.column == kv::kRowidColumn) {
      KV_RETURN_IF_ERROR(ReadRowid(value, &rowid));
      if (!rowid.has_value()) return absl::InvalidArgumentError("datatype mismatch");
    } else {
      values_[assignment.column] = value;
    }
  }
  const StatusOr<kv::WriteResult> result =
      kv::UpdateRow(txn, table, row_, values_, ActionOf(plan.conflict), rowid);
  session_->NoteChanges(result.ok() && result->stored ? 1 : 0);
  return result.status();
}

Status Statement::Delete(kv::WriteTxn& txn, const planner::DeletePlan& plan) {
  const kv::TableDef& table = *plan.lookup.table;
  if (!plan.all) {
    KV_ASSIGN_OR_RETURN(const bool found, FindRow(kv::Reader(txn), plan.lookup));
    if (found) KV_RETURN_IF_ERROR(kv::DeleteRow(txn, table, row_));
    session_->NoteChanges(found ? 1 : 0);
    return absl::OkStatus();
  }
  uint64_t deleted = 0;
  KV_RETURN_IF_ERROR(WriteAll(
      txn, session_->in_transaction(),
      [&]() -> Status {
        KV_ASSIGN_OR_RETURN(deleted, kv::DeleteAllRows(txn, table));
        return absl::OkStatus();
      },
      [](const Status&) { return false; }));
  session_->NoteChanges(static_cast<int64_t>(deleted));
  return absl::OkStatus();
}

namespace {

StatusOr<bool> HasTableOrView(kv::WriteTxn& txn, std::string_view name) {
  KV_ASSIGN_OR_RETURN(const kv::TableDef* table, txn.FindTable(name));
  KV_ASSIGN_OR_RETURN(const kv::ViewDef* view, txn.FindView(name));
  return table != nullptr || view != nullptr;
}

}  // namespace

Status Statement::RunDdl(kv::WriteTxn& txn) {
  // A schema change takes several steps; in a transaction a mark undoes those before the one that fails.
  const auto change = [&](auto&& action) -> Status {
    return WriteAll(txn, session_->in_transaction(), action, [](const Status&) { return false; });
  };
  switch (plan_->kind) {
    case planner::PlanKind::kCreateTable: {
      const auto& plan = static_cast<const planner::CreateTablePlan&>(*plan_);
      if (plan.if_not_exists) {
        KV_ASSIGN_OR_RETURN(const bool there, HasTableOrView(txn, plan.table.name));
        if (there) return absl::OkStatus();
      }
      return change([&] { return txn.CreateTable(plan.table).status(); });
    }
    case planner::PlanKind::kCreateIndex: {
      const auto& plan = static_cast<const planner::CreateIndexPlan&>(*plan_);
      if (plan.if_not_exists) {
        KV_ASSIGN_OR_RETURN(const kv::TableDef* table, txn.FindTableOfIndex(plan.index.name));
        if (table != nullptr) return absl::OkStatus();
      }
      return change([&] { return txn.CreateIndex(plan.index).status(); });
    }
    case planner::PlanKind::kCreateView: {
      const auto& plan = static_cast<const planner::CreateViewPlan&>(*plan_);
      if (plan.if_not_exists) {
        KV_ASSIGN_OR_RETURN(const bool there, HasTableOrView(txn, plan.view.name));
        if (there) return absl::OkStatus();
      }
      return change([&] { return txn.CreateView(plan.view).status(); });
    }
    case planner::PlanKind::kPragma:
      return SetPragma(txn);
    case planner::PlanKind::kMaintain:
      return change([&] { return Maintain(txn); });
    case planner::PlanKind::kDrop: {
      const auto& plan = static_cast<const planner::DropPlan&>(*plan_);
      if (plan.object == planner::DropKind::kIndex) {
        if (plan.if_exists) {
          KV_ASSIGN_OR_RETURN(const kv::TableDef* table, txn.FindTableOfIndex(plan.name));
          if (table == nullptr) return absl::OkStatus();
        }
        return change([&] { return txn.DropIndex(plan.name); });
      }
      const bool is_table = plan.object == planner::DropKind::kTable;
      KV_ASSIGN_OR_RETURN(const kv::TableDef* table, txn.FindTable(plan.name));
      KV_ASSIGN_OR_RETURN(const kv::ViewDef* view, txn.FindView(plan.name));
      if (is_table ? view != nullptr : table != nullptr) {
        return absl::InvalidArgumentError(
            is_table ? absl::StrCat("use DROP VIEW to delete view ", view->name)
                     : absl::StrCat("use DROP TABLE to delete table ", table->name));
      }
      if (plan.if_exists && table == nullptr && view == nullptr) return absl::OkStatus();
      return change([&] { return is_table ? txn.DropTable(plan.name) : txn.DropView(plan.name); });
    }
    default:
      return absl::InternalError("plan is no schema change");
  }
}

Status Statement::RunControl() {
  const auto& plan = static_cast<const planner::ControlPlan&>(*plan_);
  switch (plan.action) {
    case planner::ControlAction::kBegin:
      return session_->Begin(BeginMode::kDeferred);
    case planner::ControlAction::kBeginImmediate:
      return session_->Begin(BeginMode::kImmediate);
    case planner::ControlAction::kBeginExclusive:
      return session_->Begin(BeginMode::kExclusive);
    case planner::ControlAction::kCommit:
      return session_->Commit();
    case planner::ControlAction::kRollback:
      return session_->Rollback();
    case planner::ControlAction::kSavepoint:
      return session_->SetSavepoint(plan.name);
    case planner::ControlAction::kRelease:
      return session_->Release(plan.name);
    case planner::ControlAction::kRollbackTo:
      return session_->RollbackTo(plan.name);
  }
  return absl::InternalError("unknown transaction control");
}

}  // namespace kvsql::exec
