// Expressions above GROUP BY: what is a group key, what is an aggregate, and what is a bare column.
#include "planner/query/query_builder.h"

namespace kvsql::planner {

// A column that is neither grouped by nor inside an aggregate: SQLite takes it from the first row of the group,
// or from the row that min() or max() chose.
SlotId QueryBuilder::BareColumn(SlotId slot, const ExprTraits& traits, AggregatePlan* aggregate,
                                Block* block) {
  bool own = false;
  for (const Source& source : block->sources) {
    own |= source.rowid == slot;
    for (const SourceColumn& column : source.columns) own |= column.slot == slot;
  }
  if (!own) return slot;  // an aggregate's
  for (const AggregatePlan::Key& key : aggregate->keys) {
    if (key.expr->Is(NodeKind::kSlot) && key.expr->index == slot) return key.slot;
  }
  for (const AggregateCall& call : aggregate->calls) {
    if (call.function == nullptr && call.args[0]->index == slot) return call.slot;
  }
  AggregateCall call;
  call.args = {SlotNode(slot, traits)};
  call.slot = NewSlot();
  for (size_t i = 0; i < aggregate->calls.size(); ++i) {
    const FunctionInfo* function = aggregate->calls[i].function;
    if (function != nullptr && (function->id == FunctionId::kMinAggregate ||
                                function->id == FunctionId::kMaxAggregate)) {
      call.bare_of = static_cast<int>(i);
    }
  }
  aggregate->calls.push_back(call);
  return call.slot;
}

ExprNode* QueryBuilder::OverGroups(ExprNode* node, AggregatePlan* aggregate, Block* block) {
  for (const AggregatePlan::Key& key : aggregate->keys) {
    if (SameExpr(*key.expr, *node)) return SlotNode(key.slot, node->traits);
  }
  if (node->Is(NodeKind::kSlot)) {
    const SlotId slot = BareColumn(node->index, node->traits, aggregate, block);
    return slot == node->index ? node : SlotNode(slot, node->traits);
  }
  if (node->Is(NodeKind::kScalarSubquery) || node->Is(NodeKind::kExists) ||
      node->Is(NodeKind::kInSubquery)) {
    for (Subquery::Input& input : plan_.subqueries[node->index]->inputs) {
      input.slot = BareColumn(input.slot, {}, aggregate, block);
    }
  }
  if (node->args.empty()) return node;
  ExprNode* copy = NewNode(node->kind);
  *copy = *node;
  for (ExprNode*& arg : copy->args) arg = OverGroups(arg, aggregate, block);
  return copy;
}

}  // namespace kvsql::planner
