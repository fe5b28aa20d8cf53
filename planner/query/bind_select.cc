// SELECT: one core with its clauses, VALUES, and the statement as a whole.
#include <algorithm>
#include <string>

#include "kv/value.h"
#include "planner/query/join_planner.h"
#include "planner/query/query_builder.h"

namespace kvsql::planner {

using kv::ValueType;
using kv::ValueView;
using parser::As;
using parser::Expr;
using parser::ExprKind;
using parser::ResultColumn;
using parser::ResultColumnKind;
using parser::Select;
using parser::SelectCore;

namespace {

const Expr* WithoutCollate(const Expr* expr) {
  while (expr->kind == ExprKind::kCollate) expr = As<parser::CollateExpr>(*expr).operand;
  return expr;
}

}  // namespace

std::string TermName(size_t index) {
  const size_t n = index + 1;
  const size_t tens = n % 100;
  const char* suffix = "th";
  if (tens < 11 || tens > 13) {
    if (n % 10 == 1) suffix = "st";
    if (n % 10 == 2) suffix = "nd";
    if (n % 10 == 3) suffix = "rd";
  }
  return std::to_string(n) + suffix;
}

// ------------------------------------------------------------------------------------ outputs

Status QueryBuilder::ExpandStar(const ResultColumn& column, QueryScope* scope,
                                std::vector<Output>* outputs) {
  if (scope->block->sources.empty()) return Error(column.range.begin, "no tables specified");
  bool found = false;
  for (const Source& source : scope->block->sources) {
    if (column.kind == ResultColumnKind::kTableStar) {
      if (!kv::EqualsIgnoreCase(column.table.text, source.name)) continue;
      found = true;
    }
    for (const SourceColumn& c : source.columns) {
      if (c.hidden) continue;
      if (column.kind == ResultColumnKind::kStar && c.merged_away) continue;
      Output& output = outputs->emplace_back();
      output.name = c.name;
      output.declared_type = c.declared_type;
      output.expr = SlotNode(c.slot, c.traits);
      // Where an outer join may leave the left table's column NULL, both kinds of star show the merged one.
      for (const MergedColumn& merged : scope->block->merged) {
        if (!merged.coalesce || merged.parts[0]->index != c.slot) continue;
        ExprNode* node = NewNode(NodeKind::kFunction);
        bool known = false;
        node->function = FindFunction("coalesce", 2, &known);
        node->args = merged.parts;
        node->traits = merged.parts[0]->traits;
        output.expr = node;
      }
    }
  }
  if (column.kind == ResultColumnKind::kTableStar && !found) {
    return Error(column.range.begin, "no such table: " + std::string(column.table.text));
  }
  return absl::OkStatus();
}

Status QueryBuilder::BindOutputs(std::span<const ResultColumn> columns, QueryScope* scope,
                                 std::vector<Output>* outputs) {
  for (const ResultColumn& column : columns) {
    if (column.kind != ResultColumnKind::kExpr) {
      KV_RETURN_IF_ERROR(ExpandStar(column, scope, outputs));
      continue;
    }
    KV_ASSIGN_OR_RETURN(ExprNode * expr, BindScalar(*column.expr, scope));
    Output& output = outputs->emplace_back();
    output.expr = expr;
    output.ast = column.expr;
    output.alias = column.alias.text;
    output.name = std::string(column.range.In(sql_));
    if (expr->Is(NodeKind::kSlot) && column.expr->kind == ExprKind::kColumn) {
      // A plain column is called as in its table.
      for (const Source& source : scope->block->sources) {
        if (source.rowid == expr->index) {
          output.name = "rowid";
          output.declared_type = "INTEGER";
        }
        for (const SourceColumn& c : source.columns) {
          // A subquery may have one value under several names.
          if (c.slot != expr->index ||
              (source.table == nullptr &&
               !kv::EqualsIgnoreCase(c.name, As<parser::ColumnExpr>(*column.expr).column.text))) {
            continue;
          }
          output.name = c.name;
          output.declared_type = c.declared_type;
        }
      }
    } else if (column.expr->kind == ExprKind::kColumn && expr->Is(NodeKind::kOuter)) {
      output.name = std::string(As<parser::ColumnExpr>(*column.expr).column.text);
    }
    if (!column.alias.empty()) output.name = std::string(column.alias.text);
  }
  return absl::OkStatus();
}

// ------------------------------------------------------------------------------------ ORDER BY, GROUP BY, LIMIT

std::optional<int64_t> OrdinalOf(const Expr& expr) {
  const std::optional<ValueView> literal = LiteralOf(expr);
  if (!literal.has_value() || literal->type != ValueType::kInteger ||
      literal->integer != static_cast<int32_t>(literal->integer)) {
    return std::nullopt;
  }
  return literal->integer;
}

StatusOr<uint32_t> QueryBuilder::Ordinal(int64_t number, size_t columns, size_t term,
                                         uint32_t offset, std::string_view clause) const {
  if (number >= 1 && static_cast<uint64_t>(number) <= columns) {
    return static_cast<uint32_t>(number - 1);
  }
  return Error(offset, TermName(term) + " " + std::string(clause) +
                           " term out of range - should be between 1 and " +
                           std::to_string(columns));
}

StatusOr<std::vector<SortKey>> QueryBuilder::BindOrderBy(
    std::span<const parser::OrderingTerm> terms, const std::vector<Output>& outputs,
    QueryScope* scope) {
  std::vector<SortKey> keys;
  for (size_t i = 0; i < terms.size(); ++i) {
    const parser::OrderingTerm& term = terms[i];
    const Expr* expr = WithoutCollate(term.expr);
    ExprNode* node = nullptr;
    if (const std::optional<int64_t> number = OrdinalOf(*expr); number.has_value()) {
      KV_ASSIGN_OR_RETURN(const uint32_t column,
                          Ordinal(*number, outputs.size(), i, expr->range.begin, "ORDER BY"));
      node = outputs[column].expr;
    } else if (expr->kind == ExprKind::kColumn && As<parser::ColumnExpr>(*expr).table.empty()) {
      for (const Output& output : outputs) {
        if (output.alias.empty() ||
            !kv::EqualsIgnoreCase(output.alias, As<parser::ColumnExpr>(*expr).column.text)) {
          continue;
        }
        node = output.expr;
        break;
      }
    }
    if (node == nullptr) {
      KV_ASSIGN_OR_RETURN(node, BindScalar(*expr, scope));
    }
    SortKey& key = keys.emplace_back();
    key.expr = node;
    key.collation = node->traits.collation.value_or(kv::Collation::kBinary);
    if (term.expr != expr) {
      const auto& collate = As<parser::CollateExpr>(*term.expr);
      if (!kv::ParseCollation(collate.collation.text, &key.collation)) {
        return Error(collate.collation.range.begin,
                     "no such collation sequence: " + std::string(collate.collation.text));
      }
    }
    key.descending = term.order == parser::SortOrder::kDescending;
    key.nulls_first = term.nulls == parser::NullsOrder::kUnspecified
                          ? !key.descending
                          : term.nulls == parser::NullsOrder::kFirst;
  }
  return keys;
}

StatusOr<std::vector<ExprNode*>> QueryBuilder::BindGroupBy(const SelectCore& core,
                                                           const std::vector<Output>& outputs,
                                                           QueryScope* scope) {
  std::vector<ExprNode*> keys;
  for (size_t i = 0; i < core.group_by.size(); ++i) {
    const Expr& expr = *core.group_by[i];
    if (const std::optional<int64_t> number = OrdinalOf(expr); number.has_value()) {
      KV_ASSIGN_OR_RETURN(const uint32_t column,
                          Ordinal(*number, outputs.size(), i, expr.range.begin, "GROUP BY"));
      // Bound anew where aggregates are forbidden.
      if (outputs[column].ast == nullptr) {
        keys.push_back(outputs[column].expr);
        continue;
      }
      KV_ASSIGN_OR_RETURN(ExprNode * key, BindScalar(*outputs[column].ast, scope));
      keys.push_back(key);
      continue;
    }
    KV_ASSIGN_OR_RETURN(ExprNode * key, BindScalar(expr, scope));
    keys.push_back(key);
  }
  return keys;
}

Status QueryBuilder::BindLimit(const Select& select, ExprNode** limit, ExprNode** offset) {
  QueryScope none;
  if (select.limit != nullptr) {
    KV_ASSIGN_OR_RETURN(*limit, BindScalar(*select.limit, &none));
  }
  if (select.offset != nullptr) {
    KV_ASSIGN_OR_RETURN(*offset, BindScalar(*select.offset, &none));
  }
  return absl::OkStatus();
}

// ------------------------------------------------------------------------------------ operators above FROM

void QueryBuilder::AddProject(std::vector<ProjectPlan::Item> items,
                              std::unique_ptr<OperatorPlan>* root) {
  if (items.empty()) return;
  auto project = std::make_unique<ProjectPlan>();
  project->rows = (*root)->rows;
  project->cost = (*root)->cost;
  project->order = (*root)->order;
  project->outputs = (*root)->outputs;
  for (const ProjectPlan::Item& item : items) project->outputs.push_back(item.slot);
  project->items = std::move(items);
  project->inputs.push_back(std::move(*root));
  *root = std::move(project);
}

std::unique_ptr<OperatorPlan> QueryBuilder::AddSortAndLimit(std::unique_ptr<OperatorPlan> root,
                                                            std::vector<SortKey> keys,
                                                            ExprNode* limit, ExprNode* offset) {
  bool reverse = false;
  if (!keys.empty() && !(OrderSatisfies(root->order, keys, &reverse) && !reverse)) {
    auto sort = std::make_unique<SortPlan>();
    sort->keys = std::move(keys);
    sort->limit = limit;
    sort->offset = offset;
    sort->rows = root->rows;
    sort->cost = root->cost + root->rows;
    sort->outputs = root->outputs;
    sort->inputs.push_back(std::move(root));
    root = std::move(sort);
  }
  if (limit != nullptr || offset != nullptr) {
    auto node = std::make_unique<LimitPlan>();
    node->limit = limit;
    node->offset = offset;
    node->rows = root->rows;
    node->cost = root->cost;
    node->outputs = root->outputs;
    node->inputs.push_back(std::move(root));
    root = std::move(node);
  }
  return root;
}

// ------------------------------------------------------------------------------------ cores

StatusOr<BoundQuery> QueryBuilder::BindValues(const SelectCore& core, QueryScope* scope) {
  auto rows = std::make_unique<RowsPlan>();
  BoundQuery query;
  for (size_t i = 0; i < core.rows[0].size(); ++i) {
    SourceColumn& column = query.columns.emplace_back();
    column.name = "column" + std::to_string(i + 1);
    column.slot = NewSlot();
    rows->outputs.push_back(column.slot);
  }
  for (const std::span<Expr*> items : core.rows) {
    if (items.size() != query.columns.size()) {
      return Error(items[0]->range.begin, "all VALUES must have the same number of terms");
    }
    std::vector<ExprNode*>& row = rows->rows_exprs.emplace_back();
    for (const Expr* item : items) {
      KV_ASSIGN_OR_RETURN(ExprNode * node, BindScalar(*item, scope));
      row.push_back(node);
    }
  }
  for (size_t i = 0; i < query.columns.size(); ++i) {
    query.columns[i].traits = rows->rows_exprs[0][i]->traits;
    query.columns[i].traits.explicit_collation = false;
  }
  rows->rows = static_cast<double>(core.rows.size());
  query.root = std::move(rows);
  return query;
}

StatusOr<BoundQuery> QueryBuilder::BindCore(const Select& select, const SelectCore& core,
                                            bool whole, QueryScope* scope) {
  Block block;
  scope->block = &block;
  if (!core.windows.empty()) return Unsupported(core.windows[0].name.range.begin, "WINDOW");
  KV_RETURN_IF_ERROR(BindFrom(core.from, scope));
  for (const ResultColumn& column : core.columns) {
    if (column.kind == ResultColumnKind::kExpr && !column.alias.empty()) {
      scope->aliases.push_back({column.alias.text, column.expr});
    }
  }

  std::vector<Output> outputs;
  scope->aggregates = AggregateUse::kAllowed;
  KV_RETURN_IF_ERROR(BindOutputs(core.columns, scope, &outputs));

  scope->aliases_visible = true;
  scope->aggregates = AggregateUse::kForbidden;
  std::vector<ExprNode*> conjuncts;
  if (core.where != nullptr) {
    KV_ASSIGN_OR_RETURN(ExprNode * where, BindScalar(*core.where, scope));
    SplitConjuncts(where, &conjuncts);
  }
  KV_ASSIGN_OR_RETURN(std::vector<ExprNode*> group_keys, BindGroupBy(core, outputs, scope));

  scope->aggregates = AggregateUse::kAllowed;
  ExprNode* having = nullptr;
  if (core.having != nullptr) {
    KV_ASSIGN_OR_RETURN(having, BindScalar(*core.having, scope));
  }
  std::vector<SortKey> sort_keys;
  ExprNode* limit = nullptr;
  ExprNode* offset = nullptr;
  if (whole) {
    KV_ASSIGN_OR_RETURN(sort_keys, BindOrderBy(select.order_by, outputs, scope));
    KV_RETURN_IF_ERROR(BindLimit(select, &limit, &offset));
  }
  const bool aggregated = !group_keys.empty() || !block.calls.empty();
  if (having != nullptr && !aggregated) {
    return Error(core.having->range.begin, "HAVING clause on a non-aggregate query");
  }

  KV_ASSIGN_OR_RETURN(std::unique_ptr<OperatorPlan> root,
                      PlanFrom(&block, std::move(conjuncts),
                               aggregated || core.distinct ? std::vector<SortKey>() : sort_keys));

  if (aggregated) {
    auto aggregate = std::make_unique<AggregatePlan>();
    for (ExprNode* key : group_keys) {
      aggregate->keys.push_back(
          {key, NewSlot(), key->traits.collation.value_or(kv::Collation::kBinary)});
    }
    aggregate->calls = block.calls;
    for (Output& output : outputs) {
      output.expr = OverGroups(output.expr, aggregate.get(), &block);
    }
    if (having != nullptr) having = OverGroups(having, aggregate.get(), &block);
    for (SortKey& key : sort_keys) key.expr = OverGroups(key.expr, aggregate.get(), &block);
    for (const AggregatePlan::Key& key : aggregate->keys) aggregate->outputs.push_back(key.slot);
    for (const AggregateCall& call : aggregate->calls) aggregate->outputs.push_back(call.slot);
    aggregate->rows = group_keys.empty() ? 1 : std::max(1.0, root->rows / 10);
    aggregate->cost = root->cost + root->rows;
    aggregate->inputs.push_back(std::move(root));
    root = std::move(aggregate);
    if (having != nullptr) {
      auto filter = std::make_unique<FilterPlan>();
      SplitConjuncts(having, &filter->filters);
      filter->outputs = root->outputs;
      filter->rows = std::max(1.0, root->rows / 2);
      filter->cost = root->cost;
      filter->inputs.push_back(std::move(root));
      root = std::move(filter);
    }
  }

  // What is sorted by or made distinct has to be computed before; all else after the limit.
  BoundQuery query;
  std::vector<ProjectPlan::Item> before;
  std::vector<ProjectPlan::Item> after;
  for (Output& output : outputs) {
    SourceColumn& column = query.columns.emplace_back();
    column.name = std::move(output.name);
    column.declared_type = std::move(output.declared_type);
    column.traits = output.expr->traits;
    if (output.expr->Is(NodeKind::kSlot)) {
      column.slot = output.expr->index;
      continue;
    }
    column.slot = NewSlot();
    bool sorted = false;
    for (SortKey& key : sort_keys) {
      if (key.expr != output.expr && !SameExpr(*key.expr, *output.expr)) continue;
      key.expr = SlotNode(column.slot, key.expr->traits);
      sorted = true;
    }
    (core.distinct || sorted ? before : after).push_back({column.slot, output.expr});
  }
  if (core.distinct) {
    for (SortKey& key : sort_keys) {
      if (key.expr->Is(NodeKind::kSlot)) continue;
      const SlotId slot = NewSlot();
      before.push_back({slot, key.expr});
      key.expr = SlotNode(slot, key.expr->traits);
    }
  }
  AddProject(std::move(before), &root);
  if (core.distinct) {
    auto distinct = std::make_unique<DistinctPlan>();
    for (const SourceColumn& column : query.columns) {
      distinct->keys.push_back(column.slot);
      distinct->collations.push_back(column.traits.collation.value_or(kv::Collation::kBinary));
    }
    distinct->outputs = root->outputs;
    distinct->rows = root->rows;
    distinct->cost = root->cost + root->rows;
    distinct->inputs.push_back(std::move(root));
    root = std::move(distinct);
  }
  root = AddSortAndLimit(std::move(root), std::move(sort_keys), limit, offset);
  AddProject(std::move(after), &root);
  query.root = std::move(root);
  return query;
}

StatusOr<BoundQuery> QueryBuilder::BindSelect(const Select& select, QueryScope* parent,
                                              Subquery* subquery,
                                              const CommonTableScope* common_tables) {
  CommonTableScope with;
  if (select.with != nullptr) {
    with = {common_tables, select.with, parent, subquery};
    common_tables = &with;
  }
  QueryScope scope;
  scope.parent = parent;
  scope.subquery = subquery;
  scope.common_tables = common_tables;
  if (select.cores.size() > 1) return BindCompound(select, &scope);
  const SelectCore& core = select.cores[0];
  if (!core.is_values) return BindCore(select, core, true, &scope);
  if (core.lifted_matrix) return Unsupported(core.offset, "VALUES here");
  KV_ASSIGN_OR_RETURN(BoundQuery query, BindValues(core, &scope));
  ExprNode* limit = nullptr;
  ExprNode* offset = nullptr;
  KV_RETURN_IF_ERROR(BindLimit(select, &limit, &offset));
  std::vector<Output> outputs;
  for (const SourceColumn& column : query.columns) {
    outputs.push_back({SlotNode(column.slot, column.traits), column.name, "", nullptr, {}});
  }
  KV_ASSIGN_OR_RETURN(std::vector<SortKey> keys, BindOrderBy(select.order_by, outputs, &scope));
  query.root = AddSortAndLimit(std::move(query.root), std::move(keys), limit, offset);
  return query;
}

Status QueryBuilder::BuildStatement(const Select& select) {
  KV_ASSIGN_OR_RETURN(BoundQuery query, BindSelect(select, nullptr, nullptr, nullptr));
  plan_.root = std::move(query.root);
  for (SourceColumn& column : query.columns) {
    plan_.results.push_back(column.slot);
    plan_.columns.push_back({std::move(column.name), std::move(column.declared_type)});
  }
  FinishPlan();
  return absl::OkStatus();
}

void QueryBuilder::SetResults(const std::vector<ExprNode*>& values,
                              std::unique_ptr<OperatorPlan> root) {
  std::vector<ProjectPlan::Item> items;
  for (ExprNode* value : values) {
    SlotId slot = value->index;
    if (!value->Is(NodeKind::kSlot)) {
      slot = NewSlot();
      items.push_back({slot, value});
    }
    plan_.results.push_back(slot);
  }
  AddProject(std::move(items), &root);
  plan_.root = std::move(root);
  FinishPlan();
}

void QueryBuilder::FinishPlan() {
  if (plan_.root != nullptr) Prune(plan_.root.get(), plan_.results);
  for (const std::unique_ptr<Subquery>& subquery : plan_.subqueries) {
    if (subquery->root != nullptr) Prune(subquery->root.get(), subquery->results);
  }
}

}  // namespace kvsql::planner
