// Flattening: a query in FROM that only selects, projects and joins becomes part of the query around it, so that its
// tables are ordered and looked up together with the others.
#include <algorithm>

#include "planner/query/query_builder.h"

namespace kvsql::planner {
namespace {

// The leaves whose rows are never missing: not on the side of an outer join that NULLs may stand for.
void KeptLeaves(FromNode* node, std::vector<FromNode*>* leaves) {
  if (node == nullptr || node->join == JoinKind::kFull) return;
  if (node->source != nullptr) {
    leaves->push_back(node);
    return;
  }
  if (node->join != JoinKind::kRight) KeptLeaves(node->left.get(), leaves);
  if (node->join != JoinKind::kLeft) KeptLeaves(node->right.get(), leaves);
}

void Renumber(FromNode* node) {
  if (node->source != nullptr) {
    node->mask = SourceMask{1} << node->source->number;
    return;
  }
  Renumber(node->left.get());
  Renumber(node->right.get());
  node->mask = node->left->mask | node->right->mask;
}

void Repoint(FromNode* node, const std::vector<std::pair<Source*, Source*>>& moved) {
  if (node->source == nullptr) {
    Repoint(node->left.get(), moved);
    Repoint(node->right.get(), moved);
    return;
  }
  for (const auto& [from, to] : moved) {
    if (node->source != from) continue;
    node->source = to;
    return;
  }
}

}  // namespace

bool QueryBuilder::Flatten(LogicalQuery* query, FromNode* leaf) {
  LogicalQuery* inner = leaf->source->query.get();
  Block* block = query->block.get();
  if (inner == nullptr || inner->kind != LogicalQuery::Kind::kCore || inner->aggregate != nullptr ||
      inner->distinct || inner->limit != nullptr || inner->offset != nullptr ||
      inner->block->from == nullptr || !inner->block->semi_joins.empty() ||
      block->sources.size() + inner->block->sources.size() > kMaxSources) {
    return false;
  }
  const bool alone = block->from->source != nullptr;
  if (!inner->order.empty() &&
      !(alone && query->aggregate == nullptr && !query->distinct && query->order.empty())) {
    return false;
  }
  // What is computed must not be handed to subqueries, which take columns only.
  for (const ProjectPlan::Item& item : inner->items) {
    if (!IsPure(item.expr)) return false;
    for (const std::unique_ptr<Subquery>& subquery : plan_.subqueries) {
      for (const Subquery::Input& input : subquery->inputs) {
        if (input.slot == item.slot) return false;
      }
    }
  }
  // The inner tables, numbered behind the outer ones.
  std::unique_ptr<LogicalQuery> gone = std::move(leaf->source->query);
  std::vector<std::pair<Source*, Source*>> moved;
  for (Source& source : gone->block->sources) {
    Source& target = block->sources.emplace_back(std::move(source));
    target.number = static_cast<uint32_t>(block->sources.size()) - 1;
    moved.emplace_back(&source, &target);
  }
  leaf->source->columns.clear();  // their slots are the inner tables' again
  std::unique_ptr<FromNode> tree = std::move(gone->block->from);
  Repoint(tree.get(), moved);
  *leaf = std::move(*tree);
  Renumber(block->from.get());
  query->where.insert(query->where.end(), gone->where.begin(), gone->where.end());
  if (!gone->order.empty()) query->order = std::move(gone->order);
  if (gone->items.empty()) return true;

  // Its computed results stand for themselves.
  const auto computed = [&](ExprNode* node) -> ExprNode* {
    if (!node->Is(NodeKind::kSlot)) return nullptr;
    for (const ProjectPlan::Item& item : gone->items) {
      if (item.slot != node->index) continue;
      ExprNode* copy = NewNode(item.expr->kind);
      *copy = *item.expr;
      copy->traits = node->traits;
      return copy;
    }
    return nullptr;
  };
  const auto replace = [&](ExprNode*& node) {
    if (node != nullptr) node = Replace(node, computed);
  };
  const std::function<void(FromNode*)> replace_on = [&](FromNode* node) {
    for (ExprNode*& on : node->on) replace(on);
    if (node->source != nullptr) return;
    replace_on(node->left.get());
    replace_on(node->right.get());
  };
  replace_on(block->from.get());
  for (ExprNode*& condition : query->where) replace(condition);
  for (ExprNode*& condition : query->having) replace(condition);
  for (ProjectPlan::Item& item : query->items) replace(item.expr);
  for (SortKey& key : query->order) replace(key.expr);
  if (query->aggregate != nullptr) {
    for (AggregatePlan::Key& key : query->aggregate->keys) replace(key.expr);
    for (AggregateCall& call : query->aggregate->calls) {
      for (ExprNode*& arg : call.args) replace(arg);
      replace(call.filter);
    }
    return true;
  }
  // Results that were plain columns of the inner query are computed here now.
  for (const ProjectPlan::Item& item : gone->items) {
    if (std::find(query->results.begin(), query->results.end(), item.slot) ==
        query->results.end()) {
      continue;
    }
    query->items.push_back(item);
    // Sorting by it is sorting by the result.
    for (SortKey& key : query->order) {
      if (SameExpr(*key.expr, *item.expr)) key.expr = SlotNode(item.slot, key.expr->traits);
    }
  }
  return true;
}

void QueryBuilder::FlattenSources(LogicalQuery* query) {
  constexpr int kMaxRounds = 64;
  for (int round = 0; round < kMaxRounds; ++round) {
    std::vector<FromNode*> leaves;
    KeptLeaves(query->block->from.get(), &leaves);
    const bool any = std::any_of(leaves.begin(), leaves.end(),
                                 [&](FromNode* leaf) { return Flatten(query, leaf); });
    if (!any) return;
  }
}

}  // namespace kvsql::planner
