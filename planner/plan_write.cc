// INSERT, UPDATE, DELETE.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "planner/planner.h"

namespace kvsql::planner {

using parser::Expr;

namespace {

bool IsUnsupported(const StatusOr<PlanPtr>& plan) {
  return plan.status().code() == absl::StatusCode::kUnimplemented;
}

}  // namespace

ConflictMode ModeOf(parser::ConflictAction action) {
  switch (action) {
    case parser::ConflictAction::kRollback:
      return ConflictMode::kRollback;
    case parser::ConflictAction::kFail:
      return ConflictMode::kFail;
    case parser::ConflictAction::kIgnore:
      return ConflictMode::kIgnore;
    case parser::ConflictAction::kReplace:
      return ConflictMode::kReplace;
    case parser::ConflictAction::kAbort:
      return ConflictMode::kAbort;
    default:
      return ConflictMode::kDefault;
  }
}

// One row of VALUES: operands for all columns of the table, defaults for those without a value.
Status Planner::BindInsertRow(std::span<Expr* const> items, std::span<const uint32_t> targets,
                              ExprCompiler* compiler, InsertPlan* plan) {
  const kv::TableDef& table = *plan->table;
  std::vector<Operand> row(table.columns.size());
  std::vector<uint8_t> given(table.columns.size(), 0);
  bool has_rowid = false;
  for (size_t i = 0; i < items.size(); ++i) {
    KV_ASSIGN_OR_RETURN(const Operand operand, compiler->Compile(*items[i]));
    if (targets[i] == kv::kRowidColumn) {
      if (!has_rowid) plan->rowids.push_back(operand);
      has_rowid = true;
    } else if (given[targets[i]] == 0) {  // of a column named twice the first value counts
      row[targets[i]] = operand;
      given[targets[i]] = 1;
    }
  }
  for (size_t i = 0; i < row.size(); ++i) {
    if (given[i] != 0) continue;
    row[i] = compiler->Constant(table.columns[i].default_value.view());
    if (table.columns[i].default_expression && plan->rows.empty()) {
      plan->default_columns.push_back(static_cast<uint32_t>(i));
    }
  }
  plan->rows.push_back(std::move(row));
  return absl::OkStatus();
}

// The direct tier where it serves; else a query whose rows are written.
StatusOr<PlanPtr> Planner::PlanInsert(const parser::InsertStatement& statement) {
  if (options_.batch_only) {
    StatusOr<PlanPtr> query = PlanQueryInsert(statement);
    if (query.ok()) return query;
  }
  StatusOr<PlanPtr> direct = PlanDirectInsert(statement);
  if (direct.ok()) return direct;
  StatusOr<PlanPtr> query = PlanQueryInsert(statement);
  return IsUnsupported(query) && !IsUnsupported(direct) ? std::move(direct) : std::move(query);
}

StatusOr<PlanPtr> Planner::PlanDirectInsert(const parser::InsertStatement& statement) {
  if (statement.with != nullptr) return Unsupported(statement.range.begin, "WITH");
  KV_ASSIGN_OR_RETURN(const kv::TableDef* table, FindTable(statement.target.name));
  auto plan = New<InsertPlan>();
  plan->read_only = false;
  UseSchema(plan.get());
  plan->table = table;
  plan->writes_temp = table->temporary;
  plan->conflict = ModeOf(statement.conflict);

  std::vector<uint32_t> targets;
  for (const parser::Name& name : statement.columns) {
    const std::optional<uint32_t> column = ResolveColumn(*table, name.text);
    if (!column.has_value()) {
      return Error(name.range.begin, absl::StrCat("table ", table->name, " has no column named ",
                                                  std::string(name.text)));
    }
    targets.push_back(*column);
  }
  if (statement.columns.empty()) {
    for (uint32_t i = 0; i < table->columns.size(); ++i) {
      if (!table->columns[i].hidden) targets.push_back(i);
    }
  }

  Scope scope;
  scope.sql = sql_;
  ExprCompiler compiler(plan.get(), scope);
  if (statement.source == nullptr) {
    if (!statement.columns.empty()) {
      return Error(statement.columns[0].range.begin,
                   absl::StrCat("0 values for ", statement.columns.size(), " columns"));
    }
    KV_RETURN_IF_ERROR(BindInsertRow({}, {}, &compiler, plan.get()));
  } else {
    const parser::Select& source = *statement.source;
    const parser::SelectCore& core = source.cores[0];
    if (source.with != nullptr || source.cores.size() > 1 || !core.is_values) {
      return Unsupported(core.offset, "INSERT ... SELECT");
    }
    plan->matrix = core.lifted_matrix;
    if (core.rows[0].size() != targets.size()) {
      return Error(
          core.rows[0][0]->range.begin,
          statement.columns.empty()
              ? absl::StrCat("table ", table->name, " has ", targets.size(), " columns but ",
                             core.rows[0].size(), " values were supplied")
              : absl::StrCat(core.rows[0].size(), " values for ", targets.size(), " columns"));
    }
    for (const std::span<Expr*> items : core.rows) {
      KV_RETURN_IF_ERROR(BindInsertRow(items, targets, &compiler, plan.get()));
    }
  }
  if (!statement.upserts.empty()) return Unsupported(statement.range.begin, "ON CONFLICT ... DO");
  if (!statement.returning.empty()) {
    return Unsupported(statement.returning[0].range.begin, "RETURNING");
  }
  return PlanPtr(plan);
}

// The direct tier where it serves; else a query whose rows are written.
StatusOr<PlanPtr> Planner::PlanUpdate(const parser::UpdateStatement& statement) {
  if (kv::EqualsIgnoreCase(statement.target.name.object.text, "sqlite_sequence")) {
    return PlanSequenceWrite(statement.target, &statement.assignments, statement.where);
  }
  if (options_.batch_only) return PlanQueryUpdate(statement);
  StatusOr<PlanPtr> direct = PlanDirectUpdate(statement);
  if (direct.ok()) return direct;
  StatusOr<PlanPtr> query = PlanQueryUpdate(statement);
  return IsUnsupported(query) && !IsUnsupported(direct) ? std::move(direct) : std::move(query);
}

StatusOr<PlanPtr> Planner::PlanDirectUpdate(const parser::UpdateStatement& statement) {
  if (statement.with != nullptr) return Unsupported(statement.range.begin, "WITH");
  KV_ASSIGN_OR_RETURN(const kv::TableDef* table, FindTable(statement.target.name));
  if (!statement.from.empty()) return Unsupported(statement.from[0].range.begin, "UPDATE ... FROM");
  if (!statement.target.index.empty()) {
    return Unsupported(statement.target.index.range.begin, "INDEXED BY");
  }
  auto plan = New<UpdatePlan>();
  plan->read_only = false;
  UseSchema(plan.get());
  plan->conflict = ModeOf(statement.conflict);
  plan->writes_temp = table->temporary;
  Scope scope{sql_, table, statement.target.alias.text};
  ExprCompiler compiler(plan.get(), scope);
  for (const parser::Assignment& assignment : statement.assignments) {
    if (assignment.is_row) {
      return Unsupported(assignment.columns[0].range.begin, "assignment of row values");
    }
    const parser::Name& name = assignment.columns[0];
    const std::optional<uint32_t> column = ResolveColumn(*table, name.text);
    if (!column.has_value()) {
      return Error(name.range.begin, "no such column: " + std::string(name.text));
    }
    KV_ASSIGN_OR_RETURN(const Operand value, compiler.Compile(*assignment.value));
    plan->assignments.push_back({*column, value});
  }
  if (statement.where == nullptr) {
    return Unsupported(statement.range.begin, "UPDATE of all rows");
  }
  KV_ASSIGN_OR_RETURN(plan->lookup, BindLookup(*statement.where, scope, plan.get()));
  if (!statement.returning.empty()) {
    return Unsupported(statement.returning[0].range.begin, "RETURNING");
  }
  if (!statement.order_by.empty() || statement.limit != nullptr) {
    return Unsupported(statement.range.begin, "UPDATE ... ORDER BY and LIMIT");
  }
  return PlanPtr(plan);
}

// The direct tier where it serves; else a query whose rows are written.
StatusOr<PlanPtr> Planner::PlanDelete(const parser::DeleteStatement& statement) {
  if (kv::EqualsIgnoreCase(statement.target.name.object.text, "sqlite_sequence")) {
    return PlanSequenceWrite(statement.target, nullptr, statement.where);
  }
  if (options_.batch_only) return PlanQueryDelete(statement);
  StatusOr<PlanPtr> direct = PlanDirectDelete(statement);
  if (direct.ok()) return direct;
  StatusOr<PlanPtr> query = PlanQueryDelete(statement);
  return IsUnsupported(query) && !IsUnsupported(direct) ? std::move(direct) : std::move(query);
}

StatusOr<PlanPtr> Planner::PlanDirectDelete(const parser::DeleteStatement& statement) {
  if (statement.with != nullptr) return Unsupported(statement.range.begin, "WITH");
  KV_ASSIGN_OR_RETURN(const kv::TableDef* table, FindTable(statement.target.name));
  if (!statement.target.index.empty()) {
    return Unsupported(statement.target.index.range.begin, "INDEXED BY");
  }
  auto plan = New<DeletePlan>();
  plan->read_only = false;
  UseSchema(plan.get());
  plan->writes_temp = table->temporary;
  Scope scope{sql_, table, statement.target.alias.text};
  plan->lookup.table = table;
  plan->all = statement.where == nullptr;
  if (!plan->all) {
    KV_ASSIGN_OR_RETURN(plan->lookup, BindLookup(*statement.where, scope, plan.get()));
  }
  if (!statement.returning.empty()) {
    return Unsupported(statement.returning[0].range.begin, "RETURNING");
  }
  if (!statement.order_by.empty() || statement.limit != nullptr) {
    return Unsupported(statement.range.begin, "DELETE ... ORDER BY and LIMIT");
  }
  return PlanPtr(plan);
}

}  // namespace kvsql::planner
