// Which slots each operator passes on: those that something above it reads.
#include <algorithm>

#include "planner/query/query_builder.h"

namespace kvsql::planner {
namespace {

void AddUnique(SlotId slot, std::vector<SlotId>* slots) {
  if (std::find(slots->begin(), slots->end(), slot) == slots->end()) slots->push_back(slot);
}

}  // namespace

void QueryBuilder::Prune(OperatorPlan* root, const std::vector<SlotId>& needed) {
  std::vector<SlotId> below;  // what the inputs must give
  const auto uses = [&](const ExprNode* node) {
    if (node == nullptr) return;
    std::vector<SlotId> slots;
    SlotsOf(node, &slots);
    for (const SlotId slot : slots) AddUnique(slot, &below);
  };
  const auto is_needed = [&](SlotId slot) {
    return std::find(needed.begin(), needed.end(), slot) != needed.end();
  };
  const auto pass = [&] {
    root->outputs.erase(std::remove_if(root->outputs.begin(), root->outputs.end(),
                                       [&](SlotId slot) { return !is_needed(slot); }),
                        root->outputs.end());
  };
  switch (root->kind) {
    case OperatorKind::kRows: {
      // Its outputs stand beside its expressions; unneeded ones may stay.
      for (const auto& row : static_cast<RowsPlan*>(root)->rows_exprs) {
        for (const ExprNode* expr : row) uses(expr);
      }
      return;
    }
    case OperatorKind::kScan: {
      auto* scan = static_cast<ScanPlan*>(root);
      for (const ExprNode* filter : scan->filters) uses(filter);
      for (const ExprNode* filter : scan->access.recheck) uses(filter);
      pass();
      for (const SlotId slot : root->outputs) AddUnique(slot, &below);
      auto& columns = scan->columns;
      columns.erase(std::remove_if(columns.begin(), columns.end(),
                                   [&](const ScanPlan::Column& column) {
                                     return std::find(below.begin(), below.end(), column.slot) ==
                                            below.end();
                                   }),
                    columns.end());
      return;
    }
    case OperatorKind::kSchemaTable: {
      pass();
      auto& columns = static_cast<SchemaTablePlan*>(root)->columns;
      columns.erase(
          std::remove_if(columns.begin(), columns.end(),
                         [&](const ScanPlan::Column& column) { return !is_needed(column.slot); }),
          columns.end());
      return;
    }
    case OperatorKind::kShared: {
      pass();
      auto& columns = static_cast<SharedPlan*>(root)->columns;
      columns.erase(
          std::remove_if(columns.begin(), columns.end(),
                         [&](const ScanPlan::Column& column) { return !is_needed(column.slot); }),
          columns.end());
      return;
    }
    case OperatorKind::kFilter:
      for (const ExprNode* filter : static_cast<FilterPlan*>(root)->filters) uses(filter);
      for (const ExprNode* filter : static_cast<FilterPlan*>(root)->once) uses(filter);
      pass();
      break;
    case OperatorKind::kProject: {
      auto& items = static_cast<ProjectPlan*>(root)->items;
      items.erase(std::remove_if(items.begin(), items.end(),
                                 [&](const auto& item) { return !is_needed(item.slot); }),
                  items.end());
      for (const ProjectPlan::Item& item : items) uses(item.expr);
      pass();
      for (const SlotId slot : root->outputs) {
        const bool computed = std::any_of(items.begin(), items.end(),
                                          [&](const auto& item) { return item.slot == slot; });
        if (!computed) AddUnique(slot, &below);
      }
      Prune(root->inputs[0].get(), below);
      return;
    }
    case OperatorKind::kAggregate: {
      auto* aggregate = static_cast<AggregatePlan*>(root);
      for (const AggregatePlan::Key& key : aggregate->keys) uses(key.expr);
      for (const AggregateCall& call : aggregate->calls) {
        for (const ExprNode* arg : call.args) uses(arg);
        uses(call.filter);
      }
      pass();
      Prune(root->inputs[0].get(), below);
      return;
    }
    case OperatorKind::kDistinct: {
      for (const SlotId slot : static_cast<DistinctPlan*>(root)->keys) AddUnique(slot, &below);
      pass();
      break;
    }
    case OperatorKind::kSort:
      for (const SortKey& key : static_cast<SortPlan*>(root)->keys) uses(key.expr);
      pass();
      break;
    case OperatorKind::kLimit:
      pass();
      break;
    case OperatorKind::kJoin: {
      auto* join = static_cast<JoinPlan*>(root);
      for (const JoinPlan::Key& key : join->keys) {
        uses(key.left);
        uses(key.right);
      }
      for (const ExprNode* condition : join->conditions) uses(condition);
      for (const JoinPlan::Handover& handover : join->handovers) AddUnique(handover.slot, &below);
      pass();
      break;
    }
    case OperatorKind::kSetOperation: {
      auto* set = static_cast<SetOperationPlan*>(root);
      for (size_t i = set->outputs.size(); set->operation == SetOperation::kUnionAll && i-- > 0;) {
        if (is_needed(set->outputs[i])) continue;
        const auto at = static_cast<ptrdiff_t>(i);
        set->outputs.erase(set->outputs.begin() + at);
        set->left.erase(set->left.begin() + at);
        set->right.erase(set->right.begin() + at);
        set->collations.erase(set->collations.begin() + at);
      }
      Prune(root->inputs[0].get(), set->left);
      Prune(root->inputs[1].get(), set->right);
      return;
    }
  }
  for (const SlotId slot : root->outputs) AddUnique(slot, &below);
  for (const std::unique_ptr<OperatorPlan>& input : root->inputs) Prune(input.get(), below);
}

}  // namespace kvsql::planner
