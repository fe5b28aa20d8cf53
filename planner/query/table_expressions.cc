#include "planner/query/table_expressions.h"

#include <string>

#include "parser/parser.h"
#include "planner/query/query_builder.h"
#include "planner/walk.h"

namespace kvsql::planner {

using parser::As;
using parser::Expr;
using parser::ExprKind;

namespace {

bool IsQuery(const Expr& expr) {
  return expr.kind == ExprKind::kSubquery || expr.kind == ExprKind::kExists ||
         (expr.kind == ExprKind::kIn && (As<parser::InExpr>(expr).query != nullptr ||
                                         !As<parser::InExpr>(expr).table.object.empty()));
}

// The table as the one source of a block.
class TableScope {
 public:
  Status Init(QueryBuilder* builder, const kv::TableDef& table) {
    KV_ASSIGN_OR_RETURN(Source * source, builder->AddSource(&block_, 0));
    source->name = table.name;
    builder->FillTableSource(table, source);
    for (const SourceColumn& column : source->columns) slots_.push_back(column.slot);
    slots_.push_back(source->rowid);
    return absl::OkStatus();
  }
  QueryScope* scope() {
    scope_.block = &block_;
    return &scope_;
  }
  const std::vector<SlotId>& slots() const { return slots_; }

 private:
  Block block_;
  QueryScope scope_;
  std::vector<SlotId> slots_;
};

}  // namespace

StatusOr<ExprNode*> QueryBuilder::BindStored(std::string_view text, QueryScope* scope) {
  const std::string query = "SELECT " + std::string(text);
  KV_ASSIGN_OR_RETURN(const parser::ParsedStatement parsed, parser::Parse(query));
  if (parsed.statement() == nullptr || parsed.statement()->kind != parser::StatementKind::kSelect) {
    return DataLoss("catalog: '", std::string(text), "' is no expression");
  }
  const parser::Select& select = *parser::As<parser::SelectStatement>(*parsed.statement()).select;
  if (select.cores[0].columns.size() != 1 || select.cores[0].columns[0].expr == nullptr) {
    return DataLoss("catalog: '", std::string(text), "' is no expression");
  }
  QueryBuilder builder(parsed.sql(), *this);
  return builder.BindScalar(*select.cores[0].columns[0].expr, scope);
}

// What indexes of a table in FROM are on, in terms of the source's slots.
const std::vector<BoundIndex>& QueryBuilder::BoundIndexesOf(const Source& source) {
  std::vector<BoundIndex>& bound = bound_indexes_[source.columns[0].slot];
  if (!bound.empty() || !source.table->index_rules) return bound;
  Block block;
  Source& copy = block.sources.emplace_back();
  copy.name = source.table->name;
  copy.columns = source.columns;
  copy.rowid = source.rowid;
  QueryScope scope;
  scope.block = &block;
  for (const kv::IndexDef& index : source.table->indexes) {
    BoundIndex& each = bound.emplace_back();
    each.rows = static_cast<double>(reader_.Of(*source.table).Count(index.tree));
    // What cannot be bound cannot be used.
    if (index.partial()) {
      const StatusOr<ExprNode*> where = BindStored(index.where_sql, &scope);
      each.usable &= where.ok();
      if (where.ok()) SplitConjuncts(*where, &each.where);
    }
    if (!index.has_expressions) continue;
    each.values.resize(index.columns.size());
    for (size_t i = 0; i < index.columns.size(); ++i) {
      if (index.columns[i].column != kv::kExpressionColumn) continue;
      const StatusOr<ExprNode*> value = BindStored(index.expressions[i], &scope);
      each.usable &= value.ok();
      if (value.ok()) each.values[i] = *value;
    }
  }
  return bound;
}

StatusOr<TableExpressions> BindTableExpressions(const kv::TableDef& table,
                                                const kv::StatementReader& reader) {
  TableExpressions all;
  all.plan = std::make_unique<QueryPlan>();
  TableScope scope;
  QueryBuilder builder("", reader, all.plan.get());
  KV_RETURN_IF_ERROR(scope.Init(&builder, table));
  all.slots = scope.slots();
  for (const kv::CheckDef& check : table.checks) {
    KV_ASSIGN_OR_RETURN(ExprNode * node, builder.BindStored(check.sql, scope.scope()));
    all.checks.push_back(node);
  }
  for (const kv::IndexDef& index : table.indexes) {
    TableExpressions::Index& bound = all.indexes.emplace_back();
    if (index.partial()) {
      KV_ASSIGN_OR_RETURN(bound.where, builder.BindStored(index.where_sql, scope.scope()));
    }
    if (!index.has_expressions) continue;
    bound.values.resize(index.columns.size());
    for (size_t i = 0; i < index.columns.size(); ++i) {
      if (index.columns[i].column != kv::kExpressionColumn) continue;
      KV_ASSIGN_OR_RETURN(bound.values[i], builder.BindStored(index.expressions[i], scope.scope()));
    }
  }
  QueryScope none;
  for (const kv::ColumnDef& column : table.columns) {
    TableExpressions::Default& value = all.defaults.emplace_back();
    if (!column.default_expression) continue;
    StatusOr<ExprNode*> node = builder.BindStored(column.default_sql, &none);
    if (node.ok()) {
      value.expr = *node;
    } else {
      value.error = node.status();
    }
  }
  all.plan->constant_views.reserve(all.plan->constants.size());
  for (const kv::Value& value : all.plan->constants) {
    all.plan->constant_views.push_back(value.view());
  }
  return all;
}

Status CheckNames(std::string_view sql, const kv::TableDef* table, const Expr& expr,
                  const kv::StatementReader& reader) {
  QueryPlan scratch;
  QueryBuilder builder(sql, reader, &scratch);
  TableScope scope;
  if (table != nullptr) KV_RETURN_IF_ERROR(scope.Init(&builder, *table));
  return builder.BindScalar(expr, scope.scope()).status();
}

Status CheckStorable(std::string_view sql, const Expr& expr, std::string_view where) {
  return WalkExpr(&expr, [&](const Expr& part) -> Status {
    const auto prohibited = [&](std::string_view what) {
      return parser::ErrorAt(sql, part.range.begin,
                             std::string(what) + " prohibited in " + std::string(where));
    };
    if (IsQuery(part)) return prohibited("subqueries");
    if (part.kind == ExprKind::kParameter) return prohibited("parameters");
    if (part.kind == ExprKind::kLiteral &&
        As<parser::LiteralExpr>(part).literal >= parser::LiteralKind::kCurrentDate &&
        where != "CHECK constraints") {
      return prohibited("non-deterministic functions");
    }
    if (part.kind != ExprKind::kFunction) return absl::OkStatus();
    const auto& call = As<parser::FunctionExpr>(part);
    bool known = false;
    const FunctionInfo* info =
        FindFunction(call.name.text, static_cast<int>(call.arguments.size()), &known);
    // SQLite lets CHECK constraints call what it likes.
    if (info != nullptr && (info->flags & (kDeterministic | kAggregate)) == 0 &&
        where != "CHECK constraints") {
      return prohibited("non-deterministic functions");
    }
    return absl::OkStatus();
  });
}

Status CheckConstant(std::string_view sql, const Expr& expr, std::string_view column) {
  return WalkExpr(&expr, [&](const Expr& part) -> Status {
    bool constant = !IsQuery(part) && part.kind != ExprKind::kParameter;
    if (part.kind == ExprKind::kColumn) {
      const auto& name = As<parser::ColumnExpr>(part);
      constant = name.table.empty() && name.column.quote == 0 &&
                 (kv::EqualsIgnoreCase(name.column.text, "true") ||
                  kv::EqualsIgnoreCase(name.column.text, "false"));
    }
    if (constant) return absl::OkStatus();
    return parser::ErrorAt(sql, expr.range.begin,
                           "default value of column [" + std::string(column) + "] is not constant");
  });
}

}  // namespace kvsql::planner
