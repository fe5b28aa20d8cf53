// SELECT and VALUES.
#include "planner/planner.h"
#include "planner/query/query_builder.h"

namespace kvsql::planner {

using parser::As;
using parser::Expr;
using parser::ExprKind;
using parser::ResultColumn;
using parser::ResultColumnKind;
using parser::SelectCore;

// The direct tier where it serves; else operators over batches.
StatusOr<PlanPtr> Planner::PlanSelect(const parser::SelectStatement& statement) {
  if (!options_.batch_only || statement.select->cores[0].lifted_matrix) {
    StatusOr<PlanPtr> direct = PlanDirectSelect(statement);
    if (direct.ok()) return direct;
  }
  auto plan = New<QueryPlan>();
  QueryBuilder builder(sql_, reader_, options_, plan.get());
  KV_RETURN_IF_ERROR(builder.BuildStatement(*statement.select));
  if (builder.used_schema()) UseSchema(plan.get());
  plan->outputs.resize(plan->columns.size());
  return PlanPtr(plan);
}

StatusOr<PlanPtr> Planner::PlanDirectSelect(const parser::SelectStatement& statement) {
  const parser::Select& select = *statement.select;
  if (select.with != nullptr) return Unsupported(statement.range.begin, "WITH");
  if (select.cores.size() > 1) {
    return Unsupported(select.cores[1].offset, "UNION, EXCEPT and INTERSECT");
  }
  if (!select.order_by.empty()) {
    return Unsupported(select.order_by[0].expr->range.begin, "ORDER BY");
  }
  if (select.limit != nullptr) return Unsupported(select.limit->range.begin, "LIMIT");
  const SelectCore& core = select.cores[0];
  if (core.is_values) return PlanValues(core);
  if (core.distinct) return Unsupported(core.offset, "SELECT DISTINCT");
  if (!core.group_by.empty()) return Unsupported(core.group_by[0]->range.begin, "GROUP BY");
  if (core.having != nullptr) return Unsupported(core.having->range.begin, "HAVING");
  if (!core.windows.empty()) return Unsupported(core.windows[0].name.range.begin, "WINDOW");
  return core.from.empty() ? PlanConstantSelect(core) : PlanTableSelect(core);
}

StatusOr<PlanPtr> Planner::PlanValues(const SelectCore& core) {
  auto plan = New<ValuesPlan>();
  Scope scope;
  scope.sql = sql_;
  ExprCompiler compiler(plan.get(), scope);
  for (const std::span<Expr*> items : core.rows) {
    std::vector<Operand>& row = plan->rows.emplace_back();
    for (const Expr* item : items) {
      KV_ASSIGN_OR_RETURN(const Operand operand, compiler.Compile(*item));
      row.push_back(operand);
    }
  }
  for (size_t i = 0; i < core.rows[0].size(); ++i) {
    plan->columns.push_back({"column" + std::to_string(i + 1), ""});
  }
  plan->outputs = plan->rows[0];
  return PlanPtr(plan);
}

StatusOr<PlanPtr> Planner::PlanConstantSelect(const SelectCore& core) {
  auto plan = New<ValuesPlan>();
  Scope scope;
  scope.sql = sql_;
  KV_RETURN_IF_ERROR(BindOutputs(core.columns, scope, plan.get()));
  plan->rows.push_back(plan->outputs);
  if (core.where != nullptr) {
    ExprCompiler compiler(plan.get(), scope);
    KV_ASSIGN_OR_RETURN(plan->filter, compiler.Compile(*core.where));
  }
  return PlanPtr(plan);
}

StatusOr<PlanPtr> Planner::PlanTableSelect(const SelectCore& core) {
  const parser::TableTerm& term = core.from[0];
  if (core.from.size() > 1) return Unsupported(core.from[1].range.begin, "joins");
  switch (term.kind) {
    case parser::TableTermKind::kTable:
      break;
    case parser::TableTermKind::kFunction:
      return Unsupported(term.range.begin, "table functions");
    case parser::TableTermKind::kSubquery:
      return Unsupported(term.range.begin, "subqueries in FROM");
    case parser::TableTermKind::kGroup:
      return Unsupported(term.range.begin, "joins");
  }
  if (!term.index.empty()) return Unsupported(term.index.range.begin, "INDEXED BY");
  KV_ASSIGN_OR_RETURN(const kv::TableDef* table, FindTable(term.table));
  if (table->temporary) return Unsupported(term.range.begin, "a temporary table");
  if (core.where == nullptr) return PlanCount(core, *table);

  auto plan = New<GetPlan>();
  UseSchema(plan.get());
  Scope scope{sql_, table, term.alias.text};
  KV_RETURN_IF_ERROR(BindOutputs(core.columns, scope, plan.get()));
  KV_ASSIGN_OR_RETURN(plan->lookup, BindLookup(*core.where, scope, plan.get()));
  return PlanPtr(plan);
}

// The one query of a whole table that needs no scan.
StatusOr<PlanPtr> Planner::PlanCount(const SelectCore& core, const kv::TableDef& table) {
  const ResultColumn& column = core.columns[0];
  const bool is_count =
      core.columns.size() == 1 && column.kind == ResultColumnKind::kExpr &&
      column.expr->kind == ExprKind::kFunction &&
      kv::EqualsIgnoreCase(As<parser::FunctionExpr>(*column.expr).name.text, "count") &&
      As<parser::FunctionExpr>(*column.expr).arguments.empty() &&
      As<parser::FunctionExpr>(*column.expr).filter == nullptr &&
      !As<parser::FunctionExpr>(*column.expr).windowed;
  if (!is_count) {
    // A wrong name is an error all the same.
    GetPlan scratch;
    Scope scope{sql_, &table, core.from[0].alias.text};
    KV_RETURN_IF_ERROR(BindOutputs(core.columns, scope, &scratch));
    return Unsupported(core.offset, "a query that is not WHERE <primary or unique key> = <value>");
  }
  auto plan = New<CountPlan>();
  UseSchema(plan.get());
  plan->table = &table;
  plan->columns.push_back(
      {std::string(column.alias.empty() ? column.range.In(sql_) : column.alias.text), ""});
  plan->outputs.push_back({});
  return PlanPtr(plan);
}

Status Planner::BindOutputs(std::span<const ResultColumn> columns, const Scope& scope, Plan* plan) {
  ExprCompiler compiler(plan, scope);
  for (const ResultColumn& column : columns) {
    if (column.kind != ResultColumnKind::kExpr) {
      if (scope.table == nullptr) return Error(column.range.begin, "no tables specified");
      if (column.kind == ResultColumnKind::kTableStar &&
          !kv::EqualsIgnoreCase(column.table.text, scope.table_name())) {
        return Error(column.range.begin, "no such table: " + std::string(column.table.text));
      }
      for (uint32_t i = 0; i < scope.table->columns.size(); ++i) {
        const kv::ColumnDef& def = scope.table->columns[i];
        if (def.hidden) continue;
        plan->outputs.push_back({OperandKind::kColumn, i});
        plan->columns.push_back({def.name, def.declared_type});
      }
      continue;
    }
    KV_ASSIGN_OR_RETURN(const Operand operand, compiler.Compile(*column.expr));
    plan->outputs.push_back(operand);
    OutputColumn& output = plan->columns.emplace_back();
    if (column.expr->kind == ExprKind::kColumn && operand.kind == OperandKind::kColumn) {
      output.name = scope.table->columns[operand.index].name;
      output.declared_type = scope.table->columns[operand.index].declared_type;
    } else if (column.expr->kind == ExprKind::kColumn && operand.kind == OperandKind::kRowid) {
      output.name = "rowid";
      output.declared_type = "INTEGER";
    } else {
      output.name = std::string(column.range.In(sql_));
    }
    if (!column.alias.empty()) output.name = std::string(column.alias.text);
  }
  return absl::OkStatus();
}

}  // namespace kvsql::planner
