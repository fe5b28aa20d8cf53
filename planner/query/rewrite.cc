// Applies the rules to a bound query before it is planned, from the outside in: what a query is changed to decides what
// its parts are asked for.
#include "planner/query/query_builder.h"

namespace kvsql::planner {

bool QueryBuilder::HasSubquery(const ExprNode* node) const {
  bool found = false;
  VisitNodes(node, [&](const ExprNode* n) { found |= IsSubquery(*n); });
  return found;
}

bool QueryBuilder::IsPure(const ExprNode* node) const {
  bool pure = !HasSubquery(node);
  VisitNodes(node, [&](const ExprNode* n) {
    if (n->Is(NodeKind::kFunction)) pure = pure && (n->function->flags & kDeterministic) != 0;
  });
  return pure;
}

ExprNode* QueryBuilder::Replace(ExprNode* node,
                                const std::function<ExprNode*(ExprNode*)>& replacement) {
  if (ExprNode* other = replacement(node); other != nullptr) return other;
  ExprNode* copy = nullptr;
  for (size_t i = 0; i < node->args.size(); ++i) {
    ExprNode* arg = Replace(node->args[i], replacement);
    if (arg == node->args[i]) continue;
    if (copy == nullptr) {
      copy = NewNode(node->kind);
      *copy = *node;
    }
    copy->args[i] = arg;
  }
  return copy != nullptr ? copy : node;
}

void QueryBuilder::VisitExprs(const LogicalQuery& query,
                              const std::function<void(const ExprNode*)>& visit) const {
  for (const SortKey& key : query.order) visit(key.expr);
  if (query.limit != nullptr) visit(query.limit);
  if (query.offset != nullptr) visit(query.offset);
  for (const auto& row : query.rows) {
    for (const ExprNode* value : row) visit(value);
  }
  if (query.left != nullptr) VisitExprs(*query.left, visit);
  if (query.right != nullptr) VisitExprs(*query.right, visit);
  for (const ProjectPlan::Item& item : query.items) visit(item.expr);
  for (const ExprNode* condition : query.where) visit(condition);
  for (const ExprNode* condition : query.having) visit(condition);
  if (query.aggregate != nullptr) {
    for (const AggregatePlan::Key& key : query.aggregate->keys) visit(key.expr);
    for (const AggregateCall& call : query.aggregate->calls) {
      for (const ExprNode* arg : call.args) visit(arg);
      if (call.filter != nullptr) visit(call.filter);
    }
  }
  if (query.block == nullptr) return;
  const std::function<void(const FromNode*)> from = [&](const FromNode* node) {
    if (node == nullptr) return;
    for (const ExprNode* on : node->on) visit(on);
    from(node->left.get());
    from(node->right.get());
  };
  from(query.block->from.get());
  for (const SemiJoin& join : query.block->semi_joins) {
    for (const ExprNode* condition : join.conditions) visit(condition);
    for (const ExprNode* condition : join.where) visit(condition);
  }
  for (const Source& source : query.block->sources) {
    if (source.query != nullptr) VisitExprs(*source.query, visit);
  }
}

void QueryBuilder::HoistConditions(FromNode* node, std::vector<ExprNode*>* where) const {
  if (node == nullptr || node->source != nullptr || node->join == JoinKind::kFull) return;
  if (node->join == JoinKind::kInner) {
    where->insert(where->end(), node->on.begin(), node->on.end());
    node->on.clear();
  }
  // What a row of the kept side must satisfy by itself, it must satisfy after the join too.
  if (node->join != JoinKind::kRight) HoistConditions(node->left.get(), where);
  if (node->join != JoinKind::kLeft) HoistConditions(node->right.get(), where);
}

double QueryBuilder::TableRows(const Source& source) const {
  if (source.table == nullptr) return source.plan != nullptr ? source.plan->rows : 1;
  return std::max(1.0, static_cast<double>(reader_.Of(*source.table).Count(source.table->tree)));
}

Status QueryBuilder::RewriteFrom(Block* block, std::vector<ExprNode*>* where,
                                 const std::vector<ExprNode**>& others) {
  HoistConditions(block->from.get(), where);
  if (options_.Has(Rule::kFold)) FoldConditions(where);
  if (options_.Has(Rule::kDecorrelate)) Decorrelate(block, where, others);
  if (options_.Has(Rule::kOrProbes)) OrToIn(where);
  if (options_.Has(Rule::kClosure)) CloseEqualities(*block, where);
  if (options_.Has(Rule::kPushdown)) PushDown(block, where);
  if (options_.Has(Rule::kPrefix)) AddPrefixRanges(*block, where);
  for (Source& source : block->sources) {
    if (source.query != nullptr) KV_RETURN_IF_ERROR(Rewrite(source.query.get()));
  }
  return absl::OkStatus();
}

Status QueryBuilder::RewriteCore(LogicalQuery* query) {
  if (options_.Has(Rule::kFlatten)) FlattenSources(query);
  // The expressions over the rows of FROM.
  std::vector<ExprNode**> others;
  if (query->aggregate != nullptr) {
    for (AggregatePlan::Key& key : query->aggregate->keys) others.push_back(&key.expr);
    for (AggregateCall& call : query->aggregate->calls) {
      for (ExprNode*& arg : call.args) others.push_back(&arg);
      if (call.filter != nullptr) others.push_back(&call.filter);
    }
  } else {
    for (ProjectPlan::Item& item : query->items) others.push_back(&item.expr);
    for (SortKey& key : query->order) others.push_back(&key.expr);
  }
  return RewriteFrom(query->block.get(), &query->where, others);
}

Status QueryBuilder::Rewrite(LogicalQuery* query) {
  switch (query->kind) {
    case LogicalQuery::Kind::kCore:
      return RewriteCore(query);
    case LogicalQuery::Kind::kValues:
      return absl::OkStatus();
    case LogicalQuery::Kind::kSet:
      KV_RETURN_IF_ERROR(Rewrite(query->left.get()));
      return Rewrite(query->right.get());
  }
  return absl::OkStatus();
}

// Subqueries, and queries that are shared.
Status QueryBuilder::RewriteParts() {
  if (rewritten_) return absl::OkStatus();
  rewritten_ = true;
  for (const auto& shared : logical_->shared) KV_RETURN_IF_ERROR(Rewrite(shared.get()));
  for (size_t i = 0; i < subqueries_.size(); ++i) {
    if (subqueries_[i] != nullptr) KV_RETURN_IF_ERROR(Rewrite(subqueries_[i].get()));
  }
  return absl::OkStatus();
}

StatusOr<std::unique_ptr<OperatorPlan>> QueryBuilder::PlanFromByRules(
    Block* block, std::vector<ExprNode*> conjuncts) {
  KV_RETURN_IF_ERROR(RewriteFrom(block, &conjuncts, {}));
  KV_RETURN_IF_ERROR(RewriteParts());
  KV_RETURN_IF_ERROR(PlanShared());
  return PlanFrom(block, std::move(conjuncts), {});
}

}  // namespace kvsql::planner
