// OR of equalities on one column becomes IN. (OR of conditions on several indexed columns: JoinPlanner::PlanProbes.)
#include "planner/query/query_builder.h"

namespace kvsql::planner {
namespace {

void SplitDisjuncts(ExprNode* node, std::vector<ExprNode*>* disjuncts) {
  if (node->IsOperator(Opcode::kOr)) {
    SplitDisjuncts(node->args[0], disjuncts);
    SplitDisjuncts(node->args[1], disjuncts);
    return;
  }
  disjuncts->push_back(node);
}

// A value that needs no row and converts nothing.
bool IsPlainValue(const ExprNode* node) {
  return (node->Is(NodeKind::kConstant) || node->Is(NodeKind::kParameter) ||
          node->Is(NodeKind::kLifted)) &&
         !node->traits.affinity.has_value() && !node->traits.explicit_collation;
}

}  // namespace

void QueryBuilder::OrToIn(std::vector<ExprNode*>* where) {
  for (ExprNode*& condition : *where) {
    if (!condition->IsOperator(Opcode::kOr)) continue;
    std::vector<ExprNode*> disjuncts;
    SplitDisjuncts(condition, &disjuncts);
    ExprNode* column = nullptr;
    std::vector<ExprNode*> values;
    for (ExprNode* disjunct : disjuncts) {
      if (!disjunct->IsOperator(Opcode::kEqual)) break;
      ExprNode* left = disjunct->args[0];
      ExprNode* right = disjunct->args[1];
      if (!left->Is(NodeKind::kSlot)) std::swap(left, right);
      if (!left->Is(NodeKind::kSlot) || !IsPlainValue(right)) break;
      if (column != nullptr &&
          (column->index != left->index || column->traits.affinity != left->traits.affinity)) {
        break;
      }
      if (disjunct->extra != ComparisonOf(left->traits, {})) break;
      column = left;
      values.push_back(right);
    }
    if (values.size() != disjuncts.size()) continue;
    ExprNode* in = NewNode(NodeKind::kIn);
    in->offset = condition->offset;
    in->extra = ComparisonOf(column->traits, {});
    in->args = {column};
    in->args.insert(in->args.end(), values.begin(), values.end());
    condition = in;
  }
}

}  // namespace kvsql::planner
