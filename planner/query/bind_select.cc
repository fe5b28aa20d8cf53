// SELECT: one core with its clauses, VALUES, and the statement as a whole.
#include <algorithm>
#include <string>

#include "kv/value.h"
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

const Expr* WithoutCollate(const Expr* expr) {
  while (expr->kind == ExprKind::kCollate) expr = As<parser::CollateExpr>(*expr).operand;
  return expr;
}

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

// * stands for qualified names: a table that stands twice under one name makes them ambiguous.
Status QueryBuilder::CheckStar(const Source& source, const SourceColumn& column, uint32_t offset,
                               const Block& block) const {
  for (const Source& other : block.sources) {
    if (&other == &source || source.name.empty() ||
        !kv::EqualsIgnoreCase(other.name, source.name) || other.in_temp != source.in_temp) {
      continue;
    }
    for (const SourceColumn& same : other.columns) {
      if (same.merged_away || column.merged_away || !kv::EqualsIgnoreCase(same.name, column.name)) {
        continue;
      }
      return Error(offset, "ambiguous column name: " +
                               std::string(source.in_temp   ? "temp."
                                           : source.in_main ? "main."
                                                            : "") +
                               source.name + "." + column.name);
    }
  }
  return absl::OkStatus();
}

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
      if (column.kind == ResultColumnKind::kStar) {
        KV_RETURN_IF_ERROR(CheckStar(source, c, column.range.begin, *scope->block));
      }
      Output& output = outputs->emplace_back();
      output.name = c.name;
      output.declared_type = c.declared_type;
      output.expr = SlotNode(c.slot, c.traits);
      // Where an outer join may leave the left table's column NULL, both kinds of star show the merged one.
      if (source.number >= scope->block->left_of_right) continue;
      for (const MergedColumn& merged : scope->block->merged) {
        for (const ExprNode* part : merged.parts) {
          if (part->index == c.slot && part != merged.parts.back()) {
            output.expr = FirstOf(merged.values);
          }
        }
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
  if (expr.kind == ExprKind::kUnary) {
    // Signs before a number, as many as there are.
    const auto& unary = As<parser::UnaryExpr>(expr);
    if (unary.op == parser::UnaryOp::kPlus) return OrdinalOf(*unary.operand);
    if (unary.op == parser::UnaryOp::kNegate && unary.operand->kind == ExprKind::kUnary) {
      const std::optional<int64_t> number = OrdinalOf(*unary.operand);
      return number.has_value() ? std::optional<int64_t>(-*number) : std::nullopt;
    }
  }
  const std::optional<ValueView> literal = LiteralOf(expr);
  if (!literal.has_value() || literal->type != ValueType::kInteger ||
      literal->integer < -INT32_MAX || literal->integer > INT32_MAX) {
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
    const Expr& bare = *WithoutCollate(&expr);
    if (const std::optional<int64_t> number = OrdinalOf(bare); number.has_value()) {
      KV_ASSIGN_OR_RETURN(const uint32_t column,
                          Ordinal(*number, outputs.size(), i, expr.range.begin, "GROUP BY"));
      // Bound anew where aggregates are forbidden.
      if (outputs[column].ast == nullptr) {
        keys.push_back(outputs[column].expr);
        continue;
      }
      scope->outer_hidden = false;
      KV_ASSIGN_OR_RETURN(ExprNode * key, BindScalar(*outputs[column].ast, scope));
      scope->outer_hidden = true;
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

// ------------------------------------------------------------------------------------ cores

StatusOr<BoundQuery> QueryBuilder::BindValues(const SelectCore& core, QueryScope* scope) {
  BoundQuery query;
  query.query = std::make_unique<LogicalQuery>();
  query.query->kind = LogicalQuery::Kind::kValues;
  for (size_t i = 0; i < core.rows[0].size(); ++i) {
    SourceColumn& column = query.columns.emplace_back();
    column.name = "column" + std::to_string(i + 1);
    column.slot = NewSlot();
    query.query->results.push_back(column.slot);
  }
  for (const std::span<Expr*> items : core.rows) {
    if (items.size() != query.columns.size()) {
      return Error(items[0]->range.begin, "all VALUES must have the same number of terms");
    }
    std::vector<ExprNode*>& row = query.query->rows.emplace_back();
    for (const Expr* item : items) {
      KV_ASSIGN_OR_RETURN(ExprNode * node, BindScalar(*item, scope));
      row.push_back(node);
    }
  }
  for (size_t i = 0; i < query.columns.size(); ++i) {
    query.columns[i].traits = query.query->rows[0][i]->traits;
    query.columns[i].traits.explicit_collation = false;
  }
  return query;
}

StatusOr<BoundQuery> QueryBuilder::BindCore(const Select& select, const SelectCore& core,
                                            bool whole, QueryScope* scope) {
  auto logical = std::make_unique<LogicalQuery>();
  logical->block = std::make_unique<Block>();
  Block& block = *logical->block;
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
  if (core.where != nullptr) {
    KV_ASSIGN_OR_RETURN(ExprNode * where, BindScalar(*core.where, scope));
    SplitConjuncts(where, &logical->where);
  }
  scope->outer_hidden = true;
  KV_ASSIGN_OR_RETURN(std::vector<ExprNode*> group_keys, BindGroupBy(core, outputs, scope));
  scope->outer_hidden = false;

  scope->aggregates = AggregateUse::kAllowed;
  ExprNode* having = nullptr;
  if (core.having != nullptr) {
    // Aggregates of its own do not count.
    if (core.group_by.empty() && block.calls.empty()) {
      return Error(core.having->range.begin, "HAVING clause on a non-aggregate query");
    }
    KV_ASSIGN_OR_RETURN(having, BindScalar(*core.having, scope));
  }
  std::vector<SortKey>& sort_keys = logical->order;
  if (whole) {
    scope->outer_hidden = true;
    KV_ASSIGN_OR_RETURN(sort_keys, BindOrderBy(select.order_by, outputs, scope));
    scope->outer_hidden = false;
    KV_RETURN_IF_ERROR(BindLimit(select, &logical->limit, &logical->offset));
  }
  const bool aggregated = !group_keys.empty() || !block.calls.empty();
  if (aggregated) {
    logical->aggregate = std::make_unique<AggregatePlan>();
    AggregatePlan* aggregate = logical->aggregate.get();
    for (ExprNode* key : group_keys) {
      aggregate->keys.push_back(
          {key, NewSlot(), key->traits.collation.value_or(kv::Collation::kBinary)});
    }
    aggregate->calls = block.calls;
    for (Output& output : outputs) output.expr = OverGroups(output.expr, aggregate, &block);
    if (having != nullptr) {
      SplitConjuncts(OverGroups(having, aggregate, &block), &logical->having);
    }
    for (SortKey& key : sort_keys) key.expr = OverGroups(key.expr, aggregate, &block);
  }

  BoundQuery query;
  for (Output& output : outputs) {
    SourceColumn& column = query.columns.emplace_back();
    column.name = std::move(output.name);
    column.declared_type = std::move(output.declared_type);
    column.traits = output.expr->traits;
    if (output.expr->Is(NodeKind::kSlot)) {
      column.slot = output.expr->index;
    } else {
      column.slot = NewSlot();
      logical->items.push_back({column.slot, output.expr});
      for (SortKey& key : sort_keys) {
        if (key.expr != output.expr && !SameExpr(*key.expr, *output.expr)) continue;
        key.expr = SlotNode(column.slot, key.expr->traits);
      }
    }
    logical->results.push_back(column.slot);
    logical->collations.push_back(column.traits.collation.value_or(kv::Collation::kBinary));
  }
  logical->distinct = core.distinct;
  query.query = std::move(logical);
  return query;
}

StatusOr<BoundQuery> QueryBuilder::BindSelect(const Select& select, QueryScope* parent,
                                              Subquery* subquery,
                                              const CommonTableScope* common_tables) {
  CommonTableScope with;
  if (select.with != nullptr) {
    for (const parser::CommonTable& table : select.with->tables) {
      for (const parser::CommonTable& before : select.with->tables) {
        if (&before == &table) break;
        if (!kv::EqualsIgnoreCase(before.name.text, table.name.text)) continue;
        return Error(table.name.range.begin,
                     "duplicate WITH table name: " + std::string(table.name.text));
      }
    }
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
  KV_RETURN_IF_ERROR(BindLimit(select, &query.query->limit, &query.query->offset));
  std::vector<Output> outputs;
  for (const SourceColumn& column : query.columns) {
    outputs.push_back({SlotNode(column.slot, column.traits), column.name, "", nullptr, {}});
  }
  KV_ASSIGN_OR_RETURN(query.query->order, BindOrderBy(select.order_by, outputs, &scope));
  return query;
}

}  // namespace kvsql::planner
