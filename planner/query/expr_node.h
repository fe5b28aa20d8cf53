// Bound expressions of queries: names resolved to slots, affinity and collation decided, ready to be evaluated
// over batches.
//
// A slot is one column of one stream of rows, numbered within its statement: a column of a table in FROM, a result
// of a subquery, a group key, an aggregate. An operator's rows are the slots it says it produces.
//
// Thread safety: immutable once the plan is made.
//
// Invariants:
//   1. Nodes belong to their QueryPlan and live as long; a node may have several parents.
//   2. `traits` say what SQLite's comparison rules see: only columns and CAST have an affinity.
#ifndef KVSQL_PLANNER_QUERY_EXPR_NODE_H_
#define KVSQL_PLANNER_QUERY_EXPR_NODE_H_

#include <cstdint>
#include <vector>

#include "planner/expr_compiler.h"
#include "planner/expression.h"
#include "planner/function_catalog.h"

namespace kvsql::planner {

using SlotId = uint32_t;
inline constexpr SlotId kNoSlot = UINT32_MAX;

enum class NodeKind : uint8_t {
  kConstant,   // plan.constants[index]
  kParameter,  // parameter index + 1
  kLifted,     // slot `index` of the lifted literals
  kSlot,       // slot `index` of the row at hand
  kOuter,      // outer cell `index`: a slot of an enclosing query's row
  kOperator,   // `op` over one or two arguments
  kBetween,    // x, low, high; extra and extra2: how they are compared
  kIn,         // x, items...; `extra`
  kInLifted,   // x in the lifted list `index`; `extra`
  kCase,  // [operand,] (when, then)..., [else]; kHasOperand, kHasElse; compare_extras per branch
  kFunction,        // function(args)
  kScalarSubquery,  // first column of the first row of subqueries[index]; extra2: which column
  kExists,          // whether subqueries[index] has a row
  kInSubquery,      // args in the rows of subqueries[index]; compare_extras per column
};

enum NodeFlags : uint8_t {
  kHasOperand = 1,
  kHasElse = 2,
  kNegated = 4,
  kImplied = 8,  // a condition that others imply: only for access paths
  kHanded = 16,  // a subquery of which a join has put inputs into their cells
};

struct ExprNode {
  NodeKind kind = NodeKind::kConstant;
  Opcode op = Opcode::kConstant;
  uint8_t extra = 0;
  uint8_t extra2 = 0;
  uint8_t flags = 0;  // NodeFlags
  uint32_t index = 0;
  uint32_t offset = 0;  // in the statement's text, for messages
  const FunctionInfo* function = nullptr;
  std::vector<ExprNode*> args;
  std::vector<uint8_t> compare_extras;
  ExprTraits traits;

  bool Is(NodeKind k) const { return kind == k; }
  bool IsOperator(Opcode o) const { return kind == NodeKind::kOperator && op == o; }
};

inline bool IsSubquery(const ExprNode& node) {
  return node.Is(NodeKind::kScalarSubquery) || node.Is(NodeKind::kExists) ||
         node.Is(NodeKind::kInSubquery);
}

// Calls visit(node) for the node and all below it, parents first.
template <typename Visit>
void VisitNodes(const ExprNode* node, const Visit& visit) {
  visit(node);
  for (const ExprNode* arg : node->args) VisitNodes(arg, visit);
}

}  // namespace kvsql::planner

#endif  // KVSQL_PLANNER_QUERY_EXPR_NODE_H_
