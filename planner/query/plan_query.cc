// From a bound query to operators: FROM by the join planner, and above it groups, DISTINCT, ORDER BY and LIMIT.
#include <algorithm>

#include "planner/query/join_planner.h"
#include "planner/query/query_builder.h"

namespace kvsql::planner {

// ------------------------------------------------------------------------------------ what is needed

void QueryBuilder::MarkExpr(const ExprNode* node) {
  if (node == nullptr) return;
  std::vector<SlotId> slots;
  SlotsOf(node, &slots);
  for (const SlotId slot : slots) {
    if (slot >= needed_.size()) needed_.resize(slot + 1);
    needed_[slot] = true;
  }
}

void QueryBuilder::MarkFrom(const FromNode* node) {
  if (node == nullptr || node->source != nullptr) return;
  for (const ExprNode* on : node->on) MarkExpr(on);
  MarkFrom(node->left.get());
  MarkFrom(node->right.get());
}

void QueryBuilder::MarkNeeded(const LogicalQuery& query) {
  const auto mark = [&](SlotId slot) {
    if (slot >= needed_.size()) needed_.resize(slot + 1);
    needed_[slot] = true;
  };
  for (const SortKey& key : query.order) MarkExpr(key.expr);
  switch (query.kind) {
    case LogicalQuery::Kind::kValues:
      for (const auto& row : query.rows) {
        for (const ExprNode* value : row) MarkExpr(value);
      }
      return;
    case LogicalQuery::Kind::kSet: {
      const bool all = query.operation != SetOperation::kUnionAll;
      for (size_t i = 0; i < query.results.size(); ++i) {
        if (!all && !IsNeeded(query.results[i])) continue;
        mark(query.left->results[i]);
        mark(query.right->results[i]);
      }
      MarkNeeded(*query.left);
      MarkNeeded(*query.right);
      return;
    }
    case LogicalQuery::Kind::kCore:
      break;
  }
  if (query.distinct) {
    for (const SlotId slot : query.results) mark(slot);
  }
  for (const ProjectPlan::Item& item : query.items) {
    if (IsNeeded(item.slot)) MarkExpr(item.expr);
  }
  for (const ExprNode* conjunct : query.where) MarkExpr(conjunct);
  for (const ExprNode* conjunct : query.having) MarkExpr(conjunct);
  if (query.aggregate != nullptr) {
    for (const AggregatePlan::Key& key : query.aggregate->keys) MarkExpr(key.expr);
    for (const AggregateCall& call : query.aggregate->calls) {
      for (const ExprNode* arg : call.args) MarkExpr(arg);
      MarkExpr(call.filter);
    }
  }
  MarkFrom(query.block->from.get());
  for (const SemiJoin& join : query.block->semi_joins) {
    for (const ExprNode* condition : join.conditions) MarkExpr(condition);
    for (const ExprNode* condition : join.where) MarkExpr(condition);
  }
  for (const Source& source : query.block->sources) {
    if (source.query != nullptr) MarkNeeded(*source.query);
  }
}

// ------------------------------------------------------------------------------------ operators above FROM

void UseOrder(OperatorPlan* plan) {
  plan->order_used = true;
  for (const std::unique_ptr<OperatorPlan>& input : plan->inputs) UseOrder(input.get());
}

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
  const bool in_order = OrderSatisfies(root->order, keys, &reverse) && !reverse;
  if (in_order) UseOrder(root.get());
  if (!keys.empty() && !in_order) {
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
    node->order = root->order;
    node->inputs.push_back(std::move(root));
    root = std::move(node);
  }
  return root;
}

StatusOr<std::unique_ptr<OperatorPlan>> QueryBuilder::PlanSet(LogicalQuery* query) {
  KV_ASSIGN_OR_RETURN(std::unique_ptr<OperatorPlan> left, PlanQuery(query->left.get()));
  KV_ASSIGN_OR_RETURN(std::unique_ptr<OperatorPlan> right, PlanQuery(query->right.get()));
  auto set = std::make_unique<SetOperationPlan>();
  set->operation = query->operation;
  set->rows = left->rows + right->rows;
  set->cost = left->cost + right->cost + set->rows;
  set->left = query->left->results;
  set->right = query->right->results;
  set->collations = query->set_collations;
  set->outputs = query->results;
  set->inputs.push_back(std::move(left));
  set->inputs.push_back(std::move(right));
  if (set->operation != SetOperation::kUnion) return set;
  // The distinct rows of both.
  set->operation = SetOperation::kUnionAll;
  auto distinct = std::make_unique<DistinctPlan>();
  distinct->keys = set->outputs;
  distinct->collations = set->collations;
  distinct->outputs = set->outputs;
  distinct->rows = set->rows;
  distinct->cost = set->cost + set->rows;
  distinct->inputs.push_back(std::move(set));
  return distinct;
}

StatusOr<std::unique_ptr<OperatorPlan>> QueryBuilder::PlanCore(LogicalQuery* query) {
  const bool plain = query->aggregate == nullptr && !query->distinct;
  const std::vector<SortKey> for_min_max = WantedForMinMax(*query);
  KV_ASSIGN_OR_RETURN(
      std::unique_ptr<OperatorPlan> root,
      PlanFrom(query->block.get(), query->where, plain ? query->order : for_min_max));
  if (!for_min_max.empty()) TakeFirst(for_min_max, &root);
  if (query->aggregate != nullptr) {
    std::unique_ptr<AggregatePlan> aggregate = std::move(query->aggregate);
    for (const AggregatePlan::Key& key : aggregate->keys) aggregate->outputs.push_back(key.slot);
    for (const AggregateCall& call : aggregate->calls) aggregate->outputs.push_back(call.slot);
    aggregate->rows = aggregate->keys.empty() ? 1 : std::max(1.0, root->rows / 10);
    aggregate->cost = root->cost + root->rows;
    aggregate->inputs.push_back(std::move(root));
    root = std::move(aggregate);
    if (!query->having.empty()) {
      auto filter = std::make_unique<FilterPlan>();
      filter->filters = query->having;
      filter->outputs = root->outputs;
      filter->rows = std::max(1.0, root->rows / 2);
      filter->cost = root->cost;
      filter->order = root->order;
      filter->inputs.push_back(std::move(root));
      root = std::move(filter);
    }
  }

  // What is sorted by or made distinct has to be computed before; all else after the limit.
  std::vector<ProjectPlan::Item> before;
  std::vector<ProjectPlan::Item> after;
  for (const ProjectPlan::Item& item : query->items) {
    bool sorted = false;
    for (const SortKey& key : query->order) {
      std::vector<SlotId> slots;
      SlotsOf(key.expr, &slots);
      sorted |= std::find(slots.begin(), slots.end(), item.slot) != slots.end();
    }
    (query->distinct || sorted ? before : after).push_back(item);
  }
  if (query->distinct) {
    for (SortKey& key : query->order) {
      if (key.expr->Is(NodeKind::kSlot)) continue;
      const SlotId slot = NewSlot();
      before.push_back({slot, key.expr});
      key.expr = SlotNode(slot, key.expr->traits);
    }
  }
  AddProject(std::move(before), &root);
  if (query->distinct) {
    auto distinct = std::make_unique<DistinctPlan>();
    distinct->keys = query->results;
    distinct->collations = query->collations;
    distinct->outputs = root->outputs;
    distinct->rows = root->rows;
    distinct->cost = root->cost + root->rows;
    distinct->order = root->order;
    distinct->inputs.push_back(std::move(root));
    root = std::move(distinct);
  }
  root = AddSortAndLimit(std::move(root), query->order, query->limit, query->offset);
  AddProject(std::move(after), &root);
  return root;
}

StatusOr<std::unique_ptr<OperatorPlan>> QueryBuilder::PlanQuery(LogicalQuery* query) {
  if (query->kind == LogicalQuery::Kind::kCore) return PlanCore(query);
  std::unique_ptr<OperatorPlan> root;
  if (query->kind == LogicalQuery::Kind::kSet) {
    KV_ASSIGN_OR_RETURN(root, PlanSet(query));
  } else {
    auto rows = std::make_unique<RowsPlan>();
    rows->rows_exprs = query->rows;
    rows->outputs = query->results;
    rows->rows = static_cast<double>(query->rows.size());
    root = std::move(rows);
  }
  return AddSortAndLimit(std::move(root), query->order, query->limit, query->offset);
}

// ------------------------------------------------------------------------------------ statements

StatusOr<std::unique_ptr<OperatorPlan>> QueryBuilder::PlanWhole(LogicalQuery* query) {
  KV_RETURN_IF_ERROR(Rewrite(query));
  KV_RETURN_IF_ERROR(RewriteParts());
  needed_.assign(plan_.slots, false);
  for (const SlotId slot : query->results) needed_[slot] = true;
  all_needed_ = false;
  MarkNeeded(*query);
  for (const auto& shared : logical_->shared) {
    for (const SlotId slot : shared->results) needed_[slot] = true;
    MarkNeeded(*shared);
  }
  for (size_t i = 0; i < subqueries_.size(); ++i) {
    if (subqueries_[i] == nullptr) continue;
    for (const SlotId slot : subqueries_[i]->results) needed_[slot] = true;
    MarkNeeded(*subqueries_[i]);
  }
  KV_RETURN_IF_ERROR(PlanShared());
  return PlanQuery(query);
}

Status QueryBuilder::BuildStatement(const parser::Select& select) {
  KV_ASSIGN_OR_RETURN(BoundQuery query, BindSelect(select, nullptr, nullptr, nullptr));
  KV_ASSIGN_OR_RETURN(plan_.root, PlanWhole(query.query.get()));
  for (SourceColumn& column : query.columns) {
    plan_.results.push_back(column.slot);
    plan_.columns.push_back({std::move(column.name), std::move(column.declared_type)});
  }
  return FinishPlan();
}

Status QueryBuilder::SetResults(const std::vector<ExprNode*>& values,
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
  return FinishPlan();
}

Status QueryBuilder::FinishPlan() {
  for (size_t i = 0; i < subqueries_.size(); ++i) {
    if (subqueries_[i] == nullptr) continue;
    KV_ASSIGN_OR_RETURN(plan_.subqueries[i]->root, PlanQuery(subqueries_[i].get()));
  }
  for (const std::unique_ptr<SharedQuery>& shared : plan_.shared) {
    Prune(shared->root.get(), shared->results);
  }
  if (plan_.root != nullptr) Prune(plan_.root.get(), plan_.results);
  for (const std::unique_ptr<Subquery>& subquery : plan_.subqueries) {
    if (subquery->root != nullptr) Prune(subquery->root.get(), subquery->results);
  }
  return absl::OkStatus();
}

}  // namespace kvsql::planner
