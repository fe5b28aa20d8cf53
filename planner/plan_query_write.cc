// INSERT ... SELECT, and UPDATE and DELETE with any WHERE: a query finds the rows and their new values.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "planner/planner.h"
#include "planner/query/query_builder.h"

namespace kvsql::planner {

using parser::Expr;
using parser::ExprKind;

namespace {

// The statement's WITH, as what its queries see.
CommonTableScope ScopeOf(const parser::WithClause* with) {
  CommonTableScope scope;
  scope.with = with;
  return scope;
}

std::string Positional(uint32_t count, std::string_view noun) {
  return absl::StrCat(count, " ", std::string(noun), count == 1 ? "" : "s");
}

}  // namespace

StatusOr<PlanPtr> Planner::PlanQueryInsert(const parser::InsertStatement& statement) {
  KV_ASSIGN_OR_RETURN(const kv::TableDef* table, FindTable(statement.target.name));
  if (!statement.upserts.empty()) return Unsupported(statement.range.begin, "ON CONFLICT ... DO");
  if (!statement.returning.empty()) {
    return Unsupported(statement.returning[0].range.begin, "RETURNING");
  }
  auto plan = New<QueryInsertPlan>();
  plan->read_only = false;
  plan->table = table;
  plan->writes_temp = table->temporary;
  plan->conflict = ModeOf(statement.conflict);
  UseSchema(plan.get());
  plan->value_of.assign(table->columns.size(), QueryInsertPlan::kDefault);
  uint32_t targets = 0;
  for (const parser::Name& name : statement.columns) {
    const std::optional<uint32_t> column = ResolveColumn(*table, name.text);
    if (!column.has_value()) {
      return Error(name.range.begin, absl::StrCat("table ", table->name, " has no column named ",
                                                  std::string(name.text)));
    }
    uint32_t& place = *column == kv::kRowidColumn ? plan->rowid_of : plan->value_of[*column];
    // Of a column named twice the first value counts.
    if (place == QueryInsertPlan::kDefault) place = targets;
    ++targets;
  }
  if (statement.columns.empty()) {
    for (uint32_t i = 0; i < table->columns.size(); ++i) {
      if (!table->columns[i].hidden) plan->value_of[i] = targets++;
    }
  }
  if (statement.source == nullptr && statement.columns.empty()) {
    return Unsupported(statement.range.begin, "DEFAULT VALUES here");
  }
  if (statement.source == nullptr) {
    return Error(statement.columns[0].range.begin,
                 absl::StrCat("0 values for ", statement.columns.size(), " columns"));
  }
  QueryBuilder builder(sql_, reader_, options_, plan.get());
  const CommonTableScope with = ScopeOf(statement.with);
  KV_ASSIGN_OR_RETURN(BoundQuery query,
                      builder.BindSelect(*statement.source, nullptr, nullptr, &with));
  const auto given = static_cast<uint32_t>(query.columns.size());
  if (given != targets) {
    return Error(statement.range.begin,
                 statement.columns.empty()
                     ? absl::StrCat("table ", table->name, " has ", Positional(targets, "column"),
                                    " but ", given, " values were supplied")
                     : absl::StrCat(given, " values for ", targets, " columns"));
  }
  KV_ASSIGN_OR_RETURN(plan->root, builder.PlanWhole(query.query.get()));
  for (const SourceColumn& column : query.columns) plan->results.push_back(column.slot);
  KV_RETURN_IF_ERROR(builder.FinishPlan());
  return PlanPtr(plan);
}

StatusOr<PlanPtr> Planner::PlanQueryUpdate(const parser::UpdateStatement& statement) {
  KV_ASSIGN_OR_RETURN(const kv::TableDef* table, FindTable(statement.target.name));
  if (!statement.returning.empty()) {
    return Unsupported(statement.returning[0].range.begin, "RETURNING");
  }
  if (!statement.order_by.empty() || statement.limit != nullptr) {
    return Unsupported(statement.range.begin, "UPDATE ... ORDER BY and LIMIT");
  }
  auto plan = New<QueryUpdatePlan>();
  plan->read_only = false;
  plan->table = table;
  plan->writes_temp = table->temporary;
  plan->conflict = ModeOf(statement.conflict);
  UseSchema(plan.get());

  QueryBuilder builder(sql_, reader_, options_, plan.get());
  const CommonTableScope with = ScopeOf(statement.with);
  Block block;
  QueryScope scope;
  scope.block = &block;
  scope.common_tables = &with;
  KV_ASSIGN_OR_RETURN(Source * source, builder.AddTarget(*table, statement.target, &block));
  if (!statement.from.empty()) {
    plan->may_repeat = true;
    auto join = std::make_unique<FromNode>();
    join->left = std::move(block.from);
    KV_ASSIGN_OR_RETURN(join->right, builder.BindTerms(statement.from, &scope));
    join->mask = join->left->mask | join->right->mask;
    block.from = std::move(join);
  }
  std::vector<ExprNode*> results = {builder.KeyOf(*source)};
  for (const parser::Assignment& assignment : statement.assignments) {
    std::vector<ExprNode*> values;
    if (assignment.is_row || assignment.columns.size() > 1) {
      KV_ASSIGN_OR_RETURN(values, builder.BindRow(*assignment.value, &scope));
      if (values.empty()) {
        KV_ASSIGN_OR_RETURN(ExprNode * value, builder.BindScalar(*assignment.value, &scope));
        values.push_back(value);
      }
      if (values.size() != assignment.columns.size()) {
        return Error(assignment.columns[0].range.begin,
                     absl::StrCat(assignment.columns.size(), " columns assigned ", values.size(),
                                  " values"));
      }
    } else {
      KV_ASSIGN_OR_RETURN(ExprNode * value, builder.BindScalar(*assignment.value, &scope));
      values.push_back(value);
    }
    for (size_t i = 0; i < values.size(); ++i) {
      const parser::Name& name = assignment.columns[i];
      const std::optional<uint32_t> column = ResolveColumn(*table, name.text);
      if (!column.has_value()) {
        return Error(name.range.begin, "no such column: " + std::string(name.text));
      }
      plan->columns.push_back(*column);
      results.push_back(values[i]);
    }
  }
  std::vector<ExprNode*> conjuncts;
  if (statement.where != nullptr) {
    KV_ASSIGN_OR_RETURN(ExprNode * where, builder.BindScalar(*statement.where, &scope));
    builder.SplitConjuncts(where, &conjuncts);
  }
  KV_ASSIGN_OR_RETURN(std::unique_ptr<OperatorPlan> root,
                      builder.PlanFromByRules(&block, std::move(conjuncts)));
  KV_RETURN_IF_ERROR(builder.SetResults(results, std::move(root)));
  return PlanPtr(plan);
}

StatusOr<PlanPtr> Planner::PlanQueryDelete(const parser::DeleteStatement& statement) {
  KV_ASSIGN_OR_RETURN(const kv::TableDef* table, FindTable(statement.target.name));
  if (!statement.returning.empty()) {
    return Unsupported(statement.returning[0].range.begin, "RETURNING");
  }
  if (!statement.order_by.empty() || statement.limit != nullptr) {
    return Unsupported(statement.range.begin, "DELETE ... ORDER BY and LIMIT");
  }
  auto plan = New<QueryDeletePlan>();
  plan->read_only = false;
  plan->table = table;
  plan->writes_temp = table->temporary;
  UseSchema(plan.get());
  QueryBuilder builder(sql_, reader_, options_, plan.get());
  const CommonTableScope with = ScopeOf(statement.with);
  Block block;
  QueryScope scope;
  scope.block = &block;
  scope.common_tables = &with;
  KV_ASSIGN_OR_RETURN(Source * source, builder.AddTarget(*table, statement.target, &block));
  std::vector<ExprNode*> conjuncts;
  if (statement.where != nullptr) {
    KV_ASSIGN_OR_RETURN(ExprNode * where, builder.BindScalar(*statement.where, &scope));
    builder.SplitConjuncts(where, &conjuncts);
  }
  KV_ASSIGN_OR_RETURN(std::unique_ptr<OperatorPlan> root,
                      builder.PlanFromByRules(&block, std::move(conjuncts)));
  KV_RETURN_IF_ERROR(builder.SetResults({builder.KeyOf(*source)}, std::move(root)));
  return PlanPtr(plan);
}

}  // namespace kvsql::planner
