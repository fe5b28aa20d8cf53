// Equality closure: from a = b and a condition that compares a with something that needs no row, the same condition for
// b. Only for columns that compare alike: of one affinity and one collation.
#include <algorithm>

#include "planner/query/query_builder.h"

namespace kvsql::planner {
namespace {

bool IsColumn(const ExprNode* node) {
  return node->Is(NodeKind::kSlot) && node->traits.affinity.has_value() &&
         !node->traits.explicit_collation;
}

bool CompareAlike(const ExprNode& a, const ExprNode& b) {
  return a.traits.affinity == b.traits.affinity && a.traits.collation == b.traits.collation;
}

bool ComparesColumn(const ExprNode& condition) {
  if (condition.Is(NodeKind::kOperator)) {
    return condition.op >= Opcode::kEqual && condition.op <= Opcode::kGreaterEqual &&
           condition.op != Opcode::kNotEqual;
  }
  return condition.Is(NodeKind::kBetween) || condition.Is(NodeKind::kIn) ||
         condition.Is(NodeKind::kInLifted);
}

}  // namespace

void QueryBuilder::CloseEqualities(const Block& block, std::vector<ExprNode*>* where) {
  if (block.sources.size() < 2) return;
  constexpr size_t kMaxConditions = 100;
  if (where->size() > kMaxConditions) return;
  std::vector<std::pair<ExprNode*, ExprNode*>> equal;
  for (ExprNode* condition : *where) {
    if (!condition->IsOperator(Opcode::kEqual)) continue;
    ExprNode* a = condition->args[0];
    ExprNode* b = condition->args[1];
    if (IsColumn(a) && IsColumn(b) && a->index != b->index && CompareAlike(*a, *b)) {
      equal.emplace_back(a, b);
    }
  }
  if (equal.empty()) return;
  // Conditions that are added may imply more.
  for (size_t i = 0; i < where->size() && where->size() <= kMaxConditions; ++i) {
    ExprNode* condition = (*where)[i];
    if (!ComparesColumn(*condition) || !IsPure(condition)) continue;
    std::vector<SlotId> slots;
    SlotsOf(condition, &slots);
    if (slots.size() != 1) continue;
    const auto column = std::find_if(condition->args.begin(), condition->args.end(),
                                     [](const ExprNode* arg) { return IsColumn(arg); });
    if (column == condition->args.end()) continue;
    for (const auto& [a, b] : equal) {
      for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, a}}) {
        if ((*column)->index != from->index || !CompareAlike(**column, *from)) continue;
        ExprNode* other = to;
        ExprNode* added = Replace(condition, [&](ExprNode* node) -> ExprNode* {
          return IsColumn(node) ? other : nullptr;
        });
        const bool known = std::any_of(where->begin(), where->end(),
                                       [&](const ExprNode* c) { return SameExpr(*c, *added); });
        if (!known) where->push_back(added);
      }
    }
  }
}

}  // namespace kvsql::planner
