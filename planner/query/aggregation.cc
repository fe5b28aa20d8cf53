// Expressions above GROUP BY: what is a group key, what is an aggregate, and what is a bare column.
#include "planner/query/query_builder.h"

namespace kvsql::planner {
namespace {

bool IsBest(const AggregateCall& call) {
  return call.function != nullptr && (call.function->id == FunctionId::kMinAggregate ||
                                      call.function->id == FunctionId::kMaxAggregate);
}

// Whether a group key is shown as it stands in the row that min() or max() chose: a column whose equal values may
// look different (1 and 1.0, 'a' and 'A').
bool FollowsBestRow(const ExprNode& key, const AggregatePlan& aggregate) {
  if (!key.Is(NodeKind::kSlot)) return false;
  const bool looks_alike =
      key.traits.affinity.has_value() && *key.traits.affinity != kv::Affinity::kBlob &&
      key.traits.collation.value_or(kv::Collation::kBinary) == kv::Collation::kBinary;
  if (looks_alike) return false;
  for (const AggregateCall& call : aggregate.calls) {
    if (IsBest(call)) return true;
  }
  return false;
}

}  // namespace

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
    if (!FollowsBestRow(*key.expr, *aggregate) && key.expr->Is(NodeKind::kSlot) &&
        key.expr->index == slot) {
      return key.slot;
    }
  }
  for (const AggregateCall& call : aggregate->calls) {
    if (call.function == nullptr && call.args[0]->index == slot) return call.slot;
  }
  AggregateCall call;
  call.args = {SlotNode(slot, traits)};
  call.slot = NewSlot();
  for (size_t i = 0; i < aggregate->calls.size(); ++i) {
    if (IsBest(aggregate->calls[i])) call.bare_of = static_cast<int>(i);
  }
  aggregate->calls.push_back(call);
  return call.slot;
}

ExprNode* QueryBuilder::OverGroups(ExprNode* node, AggregatePlan* aggregate, Block* block) {
  for (const AggregatePlan::Key& key : aggregate->keys) {
    if (SameExpr(*key.expr, *node) && !FollowsBestRow(*key.expr, *aggregate)) {
      return SlotNode(key.slot, node->traits);
    }
  }
  if (node->Is(NodeKind::kSlot)) {
    const SlotId slot = BareColumn(node->index, node->traits, aggregate, block);
    return slot == node->index ? node : SlotNode(slot, node->traits);
  }
  if (IsSubquery(*node)) {
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
