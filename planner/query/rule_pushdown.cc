// Predicate pushdown: conditions on a query in FROM go into it, through projections and set operations, past DISTINCT
// and GROUP BY where they only look at keys; never past LIMIT.
#include <algorithm>

#include "planner/query/query_builder.h"

namespace kvsql::planner {
namespace {

// Whether all values that DISTINCT or GROUP BY take for equal give the condition the same answer.
bool SameForEqualValues(const ExprNode& condition) {
  const auto plain = [](uint8_t extra) {
    return CollationOfComparison(extra) == kv::Collation::kBinary &&
           AffinityOfComparison(extra) != CompareAffinity::kText;
  };
  const auto leaf = [](const ExprNode* node) { return node->args.empty(); };
  const bool leaves = std::all_of(condition.args.begin(), condition.args.end(), leaf);
  switch (condition.kind) {
    case NodeKind::kOperator:
      if (condition.op == Opcode::kIsNull || condition.op == Opcode::kNotNull) return leaves;
      return leaves && condition.op >= Opcode::kEqual && condition.op <= Opcode::kIsNot &&
             plain(condition.extra);
    case NodeKind::kBetween:
      return leaves && plain(condition.extra) && plain(condition.extra2);
    case NodeKind::kIn:
    case NodeKind::kInLifted:
      return leaves && plain(condition.extra);
    default:
      return false;
  }
}

bool AllBinary(const std::vector<kv::Collation>& collations) {
  return std::all_of(collations.begin(), collations.end(),
                     [](kv::Collation c) { return c == kv::Collation::kBinary; });
}

// Where the leaf's rows are all there: a condition of WHERE on it alone can be decided before the join.
bool IsKept(const FromNode* node, SourceMask mask) {
  if (node->source != nullptr) return true;
  if (node->join == JoinKind::kFull) return false;
  const bool in_left = (node->left->mask & mask) != 0;
  if (in_left && node->join == JoinKind::kRight) return false;
  if (!in_left && node->join == JoinKind::kLeft) return false;
  return IsKept(in_left ? node->left.get() : node->right.get(), mask);
}

}  // namespace

bool QueryBuilder::PushInto(ExprNode* condition, const std::vector<SlotId>& slots,
                            LogicalQuery* query) {
  if (query->limit != nullptr || query->offset != nullptr) return false;
  // slots[i] stands for result i of the query.
  const auto result_of = [&](const ExprNode* node) -> size_t {
    if (!node->Is(NodeKind::kSlot)) return slots.size();
    return static_cast<size_t>(std::find(slots.begin(), slots.end(), node->index) - slots.begin());
  };
  if (query->kind == LogicalQuery::Kind::kValues) return false;
  if (query->kind == LogicalQuery::Kind::kSet) {
    if (query->operation != SetOperation::kUnionAll &&
        (!SameForEqualValues(*condition) || !AllBinary(query->set_collations))) {
      return false;
    }
    // Both sides take it or none.
    std::vector<ExprNode*> sides;
    for (LogicalQuery* side : {query->left.get(), query->right.get()}) {
      sides.push_back(Replace(condition, [&](ExprNode* node) -> ExprNode* {
        const size_t i = result_of(node);
        return i < slots.size() ? SlotNode(side->results[i], node->traits) : nullptr;
      }));
      if (side->kind == LogicalQuery::Kind::kValues || side->limit != nullptr) return false;
    }
    if (!PushInto(sides[0], query->left->results, query->left.get())) return false;
    if (!PushInto(sides[1], query->right->results, query->right.get())) {
      // The left side is narrower than it had to be; the condition stays outside, and does no harm there.
      return query->operation == SetOperation::kExcept;
    }
    return true;
  }
  if (query->distinct && (!SameForEqualValues(*condition) || !AllBinary(query->collations))) {
    return false;
  }
  bool possible = true;
  ExprNode* pushed = Replace(condition, [&](ExprNode* node) -> ExprNode* {
    const size_t i = result_of(node);
    if (i >= slots.size()) return nullptr;
    ExprNode* value = SlotNode(query->results[i], node->traits);
    for (const ProjectPlan::Item& item : query->items) {
      if (item.slot != query->results[i]) continue;
      possible &= IsPure(item.expr);
      value = NewNode(item.expr->kind);
      *value = *item.expr;
      value->traits = node->traits;
    }
    return value;
  });
  if (!possible) return false;
  if (query->aggregate == nullptr) {
    query->where.push_back(pushed);
    return true;
  }
  // A condition on group keys alone decides whole groups.
  if (!SameForEqualValues(*pushed)) return false;
  bool keys_only = query->aggregate->keys.size() > 0;
  pushed = Replace(pushed, [&](ExprNode* node) -> ExprNode* {
    if (!node->Is(NodeKind::kSlot)) return nullptr;
    for (const AggregatePlan::Key& key : query->aggregate->keys) {
      if (key.slot != node->index || key.collation != kv::Collation::kBinary || !IsPure(key.expr)) {
        continue;
      }
      ExprNode* value = NewNode(key.expr->kind);
      *value = *key.expr;
      value->traits = node->traits;
      return value;
    }
    keys_only = false;
    return nullptr;
  });
  if (!keys_only) return false;
  query->where.push_back(pushed);
  return true;
}

void QueryBuilder::PushDown(Block* block, std::vector<ExprNode*>* where) {
  if (block->from == nullptr) return;
  for (Source& source : block->sources) {
    if (source.query == nullptr) continue;
    const SourceMask mask = SourceMask{1} << source.number;
    if ((block->from->mask & mask) == 0 || !IsKept(block->from.get(), mask)) continue;
    std::vector<SlotId> slots;
    for (const SourceColumn& column : source.columns) slots.push_back(column.slot);
    const auto push = [&](ExprNode* condition) {
      if (!IsPure(condition)) return false;
      std::vector<SlotId> used;
      SlotsOf(condition, &used);
      if (used.empty()) return false;
      for (const SlotId slot : used) {
        if (std::find(slots.begin(), slots.end(), slot) == slots.end()) return false;
      }
      return PushInto(condition, slots, source.query.get());
    };
    where->erase(std::remove_if(where->begin(), where->end(), push), where->end());
  }
}

}  // namespace kvsql::planner
