// UNION, UNION ALL, EXCEPT, INTERSECT.
#include <algorithm>
#include <string>

#include "kv/value.h"
#include "planner/query/query_builder.h"

namespace kvsql::planner {

using parser::As;
using parser::CompoundOp;
using parser::Expr;
using parser::ExprKind;
using parser::SelectCore;

namespace {

struct OperationName {
  SetOperation operation;
  std::string_view name;
};

OperationName OperationOf(CompoundOp op) {
  switch (op) {
    case CompoundOp::kUnion:
      return {SetOperation::kUnion, "UNION"};
    case CompoundOp::kExcept:
      return {SetOperation::kExcept, "EXCEPT"};
    case CompoundOp::kIntersect:
      return {SetOperation::kIntersect, "INTERSECT"};
    default:
      return {SetOperation::kUnionAll, "UNION ALL"};
  }
}

}  // namespace

// Which result of a core a qualified name is; nullopt: none, or not a plain one.
std::optional<uint32_t> QueryBuilder::ResultOf(const parser::ColumnExpr& name,
                                               const BoundQuery& core, QueryScope* scope) {
  const StatusOr<ExprNode*> node = FindInScope(name, scope);
  if (!node.ok() || *node == nullptr) return std::nullopt;
  for (uint32_t i = 0; i < core.columns.size(); ++i) {
    if ((*node)->Is(NodeKind::kSlot) && (*node)->index == core.columns[i].slot) return i;
    for (const ProjectPlan::Item& item : core.query->items) {
      if (item.slot == core.columns[i].slot && SameExpr(*item.expr, **node)) return i;
    }
  }
  return std::nullopt;
}

StatusOr<BoundQuery> QueryBuilder::BindCompound(const parser::Select& select, QueryScope* scope) {
  BoundQuery all;
  // Per core, the result columns' names and texts, which ORDER BY may use.
  std::vector<std::vector<std::string>> names;
  std::vector<std::vector<std::string_view>> texts;
  // Per term of ORDER BY, the result that it is if it is a qualified name.
  std::vector<std::optional<uint32_t>> qualified(select.order_by.size());
  for (const SelectCore& core : select.cores) {
    QueryScope own = *scope;
    StatusOr<BoundQuery> bound =
        core.is_values ? BindValues(core, &own) : BindCore(select, core, false, &own);
    KV_RETURN_IF_ERROR(bound.status());
    std::vector<std::string>& core_names = names.emplace_back();
    for (const SourceColumn& column : bound->columns) core_names.push_back(column.name);
    std::vector<std::string_view>& core_texts = texts.emplace_back();
    for (const parser::ResultColumn& column : core.columns) {
      core_texts.push_back(column.expr != nullptr ? column.expr->range.In(sql_)
                                                  : std::string_view());
    }
    for (size_t i = 0; i < qualified.size() && !core.is_values; ++i) {
      const Expr* expr = WithoutCollate(select.order_by[i].expr);
      if (qualified[i].has_value() || expr->kind != ExprKind::kColumn) continue;
      const auto& column = As<parser::ColumnExpr>(*expr);
      if (!column.table.empty()) qualified[i] = ResultOf(column, *bound, &own);
    }
    if (all.query == nullptr) {
      all = *std::move(bound);
      continue;
    }
    const auto [operation, name] = OperationOf(core.op);
    if (bound->columns.size() != all.columns.size()) {
      return Error(core.offset, "SELECTs to the left and right of " + std::string(name) +
                                    " do not have the same number of result columns");
    }
    auto set = std::make_unique<LogicalQuery>();
    set->kind = LogicalQuery::Kind::kSet;
    set->operation = operation;
    for (size_t i = 0; i < all.columns.size(); ++i) {
      SourceColumn& column = all.columns[i];
      const SourceColumn& other = bound->columns[i];
      if (!column.traits.collation.has_value()) column.traits.collation = other.traits.collation;
      set->set_collations.push_back(column.traits.collation.value_or(kv::Collation::kBinary));
      column.slot = NewSlot();
      set->results.push_back(column.slot);
    }
    set->left = std::move(all.query);
    set->right = std::move(bound->query);
    all.query = std::move(set);
  }

  // A term of ORDER BY is a number, a name or the text of a result column.
  std::vector<SortKey> keys;
  for (size_t i = 0; i < select.order_by.size(); ++i) {
    const parser::OrderingTerm& term = select.order_by[i];
    const Expr* expr = WithoutCollate(term.expr);
    std::optional<uint32_t> found = qualified[i];
    if (const std::optional<int64_t> number = OrdinalOf(*expr); number.has_value()) {
      KV_ASSIGN_OR_RETURN(found,
                          Ordinal(*number, all.columns.size(), i, expr->range.begin, "ORDER BY"));
    }
    for (size_t c = 0; c < names.size() && !found.has_value(); ++c) {
      for (uint32_t column = 0; column < names[c].size() && !found.has_value(); ++column) {
        if (expr->kind == ExprKind::kColumn && As<parser::ColumnExpr>(*expr).table.empty() &&
            kv::EqualsIgnoreCase(As<parser::ColumnExpr>(*expr).column.text, names[c][column])) {
          found = column;
        } else if (column < texts[c].size() && !texts[c][column].empty() &&
                   kv::EqualsIgnoreCase(expr->range.In(sql_), texts[c][column])) {
          found = column;
        }
      }
    }
    if (!found.has_value()) {
      return Error(expr->range.begin, TermName(i) +
                                          " ORDER BY term does not match any column in "
                                          "the result set");
    }
    SortKey& key = keys.emplace_back();
    const SourceColumn& column = all.columns[*found];
    key.expr = SlotNode(column.slot, column.traits);
    key.collation = column.traits.collation.value_or(kv::Collation::kBinary);
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
  all.query->order = std::move(keys);
  KV_RETURN_IF_ERROR(BindLimit(select, &all.query->limit, &all.query->offset));
  return all;
}

}  // namespace kvsql::planner
