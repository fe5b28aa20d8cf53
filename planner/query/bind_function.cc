// Function calls, aggregates, and queries inside expressions.
#include <string>

#include "planner/query/query_builder.h"

namespace kvsql::planner {

using parser::As;
using parser::FunctionExpr;

namespace {

bool UsesOwnRow(const ExprNode* node) {
  bool uses = false;
  VisitNodes(node, [&](const ExprNode* n) {
    uses |= n->Is(NodeKind::kSlot) || n->Is(NodeKind::kScalarSubquery) ||
            n->Is(NodeKind::kExists) || n->Is(NodeKind::kInSubquery);
  });
  return uses;
}

bool UsesOuterRow(const ExprNode* node) {
  bool uses = false;
  VisitNodes(node, [&](const ExprNode* n) { uses |= n->Is(NodeKind::kOuter); });
  return uses;
}

bool SameCall(const AggregateCall& a, const AggregateCall& b) {
  if (a.function != b.function || a.distinct != b.distinct || a.args.size() != b.args.size() ||
      (a.filter == nullptr) != (b.filter == nullptr) || a.collation != b.collation) {
    return false;
  }
  for (size_t i = 0; i < a.args.size(); ++i) {
    if (!SameExpr(*a.args[i], *b.args[i])) return false;
  }
  return a.filter == nullptr || SameExpr(*a.filter, *b.filter);
}

}  // namespace

namespace {

// Functions that SQLite has and kvsql has not yet.
bool IsToCome(std::string_view name) {
  if (kv::EqualsIgnoreCase(name.substr(0, 4), "json")) return true;
  for (const std::string_view other :
       {"date", "time", "datetime", "julianday", "unixepoch", "strftime", "timediff"}) {
    if (kv::EqualsIgnoreCase(name, other)) return true;
  }
  return false;
}

}  // namespace

StatusOr<ExprNode*> QueryBuilder::BindFunction(const FunctionExpr& expr, QueryScope* scope) {
  if (expr.windowed) return Unsupported(expr.range.begin, "window functions");
  const std::string name(expr.name.text);
  bool known = false;
  const FunctionInfo* info = FindFunction(name, static_cast<int>(expr.arguments.size()), &known);
  if (info == nullptr) {
    if (!known && IsToCome(name)) {
      return Unsupported(expr.range.begin, "function " + name + "()");
    }
    return Error(expr.range.begin, known ? "wrong number of arguments to function " + name + "()"
                                         : "no such function: " + name);
  }
  if (expr.star && info->id != FunctionId::kCount) {
    return Error(expr.range.begin, "wrong number of arguments to function " + name + "()");
  }
  if ((info->flags & kAggregate) != 0) return BindAggregate(expr, *info, scope);
  if (expr.filter != nullptr) {
    return Error(expr.range.begin, "FILTER may not be used with non-aggregate " + name + "()");
  }
  ExprNode* node = NewNode(NodeKind::kFunction);
  node->offset = expr.range.begin;
  node->function = info;
  for (const parser::Expr* argument : expr.arguments) {
    KV_ASSIGN_OR_RETURN(ExprNode * arg, BindScalar(*argument, scope));
    node->args.push_back(arg);
  }
  for (const ExprNode* arg : node->args) {
    if (!arg->traits.explicit_collation) continue;
    node->traits = {std::nullopt, arg->traits.collation, true};
    break;
  }
  switch (info->id) {
    case FunctionId::kIif:
      node->kind = NodeKind::kCase;
      node->function = nullptr;
      node->flags = kHasElse;
      break;
    case FunctionId::kLikely:
    case FunctionId::kUnlikely:
    case FunctionId::kLikelihood: {
      if (info->id == FunctionId::kLikelihood) {
        const std::optional<kv::ValueView> share = LiteralOf(*expr.arguments[1]);
        if (!share.has_value() || share->type != kv::ValueType::kReal || share->real < 0 ||
            share->real > 1) {
          return Error(expr.range.begin,
                       "second argument to likelihood() must be a constant between 0.0 and 1.0");
        }
      }
      ExprNode* arg = NewNode(node->args[0]->kind);
      *arg = *node->args[0];
      arg->traits.affinity = std::nullopt;
      return arg;
    }
    default:
      break;
  }
  if ((info->flags & kUsesCollation) != 0) {
    kv::Collation collation = kv::Collation::kBinary;
    for (const ExprNode* arg : node->args) {
      if (!arg->traits.collation.has_value()) continue;
      collation = *arg->traits.collation;
      break;
    }
    node->extra = static_cast<uint8_t>(collation);
  }
  return node;
}

StatusOr<ExprNode*> QueryBuilder::BindAggregate(const FunctionExpr& expr, const FunctionInfo& info,
                                                QueryScope* scope) {
  const std::string name(expr.name.text);
  if (expr.distinct && expr.arguments.size() != 1) {
    return Error(expr.range.begin, "DISTINCT aggregates must have exactly one argument");
  }
  AggregateCall call;
  call.function = &info;
  call.distinct = expr.distinct;
  const AggregateUse use = scope->aggregates;
  scope->aggregates = AggregateUse::kInside;
  Status status;
  for (const parser::Expr* argument : expr.arguments) {
    StatusOr<ExprNode*> arg = BindScalar(*argument, scope);
    if (!arg.ok()) {
      status = arg.status();
      break;
    }
    call.args.push_back(*arg);
  }
  if (status.ok() && expr.filter != nullptr) {
    StatusOr<ExprNode*> filter = BindScalar(*expr.filter, scope);
    status = filter.status();
    if (status.ok()) call.filter = *filter;
  }
  scope->aggregates = use;
  KV_RETURN_IF_ERROR(status);

  // An aggregate over nothing but an enclosing query's columns is that query's.
  bool own = call.args.empty();
  bool outer = false;
  for (const ExprNode* arg : call.args) {
    own |= UsesOwnRow(arg);
    outer |= UsesOuterRow(arg);
  }
  if (!own && outer && scope->parent != nullptr) {
    for (QueryScope* s = scope->parent; s != nullptr; s = s->parent) {
      if (s->aggregates != AggregateUse::kAllowed) continue;
      KV_ASSIGN_OR_RETURN(ExprNode * node, BindAggregate(expr, info, s));
      return node->Is(NodeKind::kSlot) ? FromOuter(node, s, scope) : node;
    }
  }
  if (use != AggregateUse::kAllowed || scope->block == nullptr) {
    return Error(expr.range.begin, use == AggregateUse::kInside
                                       ? "misuse of aggregate function " + name + "()"
                                       : "misuse of aggregate: " + name + "()");
  }
  if (!call.args.empty() && call.args[0]->traits.collation.has_value()) {
    call.collation = *call.args[0]->traits.collation;
  }
  ExprTraits traits;
  if (!call.args.empty() && call.args[0]->traits.explicit_collation) {
    traits = {std::nullopt, call.args[0]->traits.collation, true};
  }
  for (const AggregateCall& other : scope->block->calls) {
    if (SameCall(call, other)) return SlotNode(other.slot, traits);
  }
  call.slot = NewSlot();
  scope->block->calls.push_back(call);
  return SlotNode(call.slot, traits);
}

StatusOr<ExprNode*> QueryBuilder::BindSubquery(const parser::Select& select, NodeKind kind,
                                               uint32_t offset, QueryScope* scope) {
  const auto index = static_cast<uint32_t>(plan_.subqueries.size());
  plan_.subqueries.push_back(std::make_unique<Subquery>());
  subqueries_.emplace_back();
  Subquery* subquery = plan_.subqueries.back().get();
  KV_ASSIGN_OR_RETURN(BoundQuery query, BindSelect(select, scope, subquery, scope->common_tables));
  if (kind == NodeKind::kExists) {
    // As in SQLite neither counts here, so that what ORDER BY says is never computed.
    query.query->order.clear();
    query.query->distinct = false;
  }
  subqueries_[index] = std::move(query.query);
  ExprNode* node = NewNode(kind);
  node->index = index;
  node->offset = offset;
  for (const SourceColumn& column : query.columns) {
    subquery->results.push_back(column.slot);
    if (kind == NodeKind::kInSubquery) node->args.push_back(SlotNode(column.slot, column.traits));
  }
  if (kind == NodeKind::kScalarSubquery) node->traits.affinity = query.columns[0].traits.affinity;
  return node;
}

}  // namespace kvsql::planner
