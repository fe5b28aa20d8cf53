// Constant folding: operators over integer constants are computed, AND, OR and NOT are decided where one side is known,
// and conditions that always hold are left out. What could overflow is left to the execution.
#include <algorithm>

#include "planner/query/query_builder.h"

namespace kvsql::planner {
namespace {

using kv::ValueType;
using kv::ValueView;

// 1, 0, or -1: NULL or not known.
int TruthOf(const std::vector<kv::Value>& constants, const ExprNode* node) {
  if (!node->Is(NodeKind::kConstant)) return -1;
  const ValueView value = constants[node->index].view();
  return value.type == ValueType::kInteger ? (value.integer != 0 ? 1 : 0) : -1;
}

bool Compute(Opcode op, int64_t a, int64_t b, int64_t* out) {
  switch (op) {
    case Opcode::kAdd:
      return !__builtin_add_overflow(a, b, out);
    case Opcode::kSubtract:
      return !__builtin_sub_overflow(a, b, out);
    case Opcode::kMultiply:
      return !__builtin_mul_overflow(a, b, out);
    case Opcode::kEqual:
    case Opcode::kIs:
      *out = a == b;
      return true;
    case Opcode::kNotEqual:
    case Opcode::kIsNot:
      *out = a != b;
      return true;
    case Opcode::kLess:
      *out = a < b;
      return true;
    case Opcode::kLessEqual:
      *out = a <= b;
      return true;
    case Opcode::kGreater:
      *out = a > b;
      return true;
    case Opcode::kGreaterEqual:
      *out = a >= b;
      return true;
    default:
      return false;
  }
}

}  // namespace

ExprNode* QueryBuilder::Fold(ExprNode* node) {
  if (!node->Is(NodeKind::kOperator)) return node;
  for (ExprNode*& arg : node->args) arg = Fold(arg);
  const auto integer = [&](int64_t value) { return ConstantNode(ValueView::Integer(value)); };
  if (node->op == Opcode::kAnd || node->op == Opcode::kOr) {
    const int decides = node->op == Opcode::kOr ? 1 : 0;
    for (size_t side = 0; side < 2; ++side) {
      if (TruthOf(plan_.constants, node->args[side]) == decides) return integer(decides);
    }
    return node;
  }
  if (node->op == Opcode::kNot) {
    const int truth = TruthOf(plan_.constants, node->args[0]);
    return truth < 0 ? node : integer(1 - truth);
  }
  if (node->args.size() != 2) return node;
  int64_t values[2] = {};
  for (size_t side = 0; side < 2; ++side) {
    if (!node->args[side]->Is(NodeKind::kConstant)) return node;
    const ValueView value = plan_.constants[node->args[side]->index].view();
    if (value.type != ValueType::kInteger) return node;
    // A text affinity would make texts of both.
    if (node->op >= Opcode::kEqual && AffinityOfComparison(node->extra) == CompareAffinity::kText) {
      return node;
    }
    values[side] = value.integer;
  }
  int64_t result = 0;
  return Compute(node->op, values[0], values[1], &result) ? integer(result) : node;
}

void QueryBuilder::FoldConditions(std::vector<ExprNode*>* conditions) {
  for (ExprNode*& condition : *conditions) condition = Fold(condition);
  conditions->erase(std::remove_if(conditions->begin(), conditions->end(),
                                   [&](const ExprNode* condition) {
                                     return TruthOf(plan_.constants, condition) == 1;
                                   }),
                    conditions->end());
}

}  // namespace kvsql::planner
