// Expressions over batches, made from bound ones for the layout of one operator's rows.
//
// Thread safety: none; belongs to one execution.
//
// Invariants:
//   1. Evaluate computes the selected rows only; other places of the result are undefined.
//   2. The result lives until the same expression is evaluated again, and its bytes until Reset.
//   3. What cannot be computed is NULL; errors (functions, subqueries) are in status(), and then results are
//      undefined.
#ifndef KVSQL_EXEC_BATCH_EXPRESSION_H_
#define KVSQL_EXEC_BATCH_EXPRESSION_H_

#include <memory>
#include <vector>

#include "base/status.h"
#include "exec/batch/query_context.h"
#include "exec/batch/vector.h"
#include "exec/functions/text_arena.h"
#include "planner/query/expr_node.h"

namespace kvsql::exec {

// What expressions of one operator work with.
struct Evaluation {
  explicit Evaluation(QueryContext* the_query) : query(*the_query) { functions.arena = &arena; }
  QueryContext& query;
  TextArena arena;
  FunctionContext functions;
  const Batch* batch = nullptr;

  const Status& status() const { return functions.status; }
  void Fail(Status status) {
    if (functions.status.ok()) functions.status = std::move(status);
  }
};

class Expression {
 public:
  virtual ~Expression() = default;
  virtual const Vector& Evaluate(Evaluation& evaluation, const Selection& selection) = 0;
  // Writes the rows for which the value is true to `out`; returns how many.
  virtual uint32_t Filter(Evaluation& evaluation, const Selection& selection, uint16_t* out);
};

using ExpressionPtr = std::unique_ptr<Expression>;

// Turns bound expressions into ones over rows with these slots.
class ExpressionMaker {
 public:
  ExpressionMaker(QueryContext* query, const std::vector<planner::SlotId>& slots)
      : query_(*query), slots_(slots) {}

  StatusOr<ExpressionPtr> Make(const planner::ExprNode& node) const;
  StatusOr<std::vector<ExpressionPtr>> MakeAll(const std::vector<planner::ExprNode*>& nodes) const;
  // The place of a slot in the rows.
  StatusOr<uint32_t> PositionOf(planner::SlotId slot) const;
  QueryContext& query() const { return query_; }

 private:
  QueryContext& query_;
  const std::vector<planner::SlotId>& slots_;
};

// Makers by kind of node, for ExpressionMaker.
StatusOr<ExpressionPtr> MakeArithmetic(const planner::ExprNode& node,
                                       std::vector<ExpressionPtr> args);
StatusOr<ExpressionPtr> MakeComparison(const planner::ExprNode& node,
                                       std::vector<ExpressionPtr> args);
StatusOr<ExpressionPtr> MakeBetween(const planner::ExprNode& node, std::vector<ExpressionPtr> args);
StatusOr<ExpressionPtr> MakeLogic(const planner::ExprNode& node, std::vector<ExpressionPtr> args);
StatusOr<ExpressionPtr> MakeCase(const planner::ExprNode& node, std::vector<ExpressionPtr> args);
StatusOr<ExpressionPtr> MakeIn(const planner::ExprNode& node, std::vector<ExpressionPtr> args);
StatusOr<ExpressionPtr> MakeFunctionCall(const planner::ExprNode& node,
                                         std::vector<ExpressionPtr> args);
StatusOr<ExpressionPtr> MakeSubquery(const planner::ExprNode& node, const ExpressionMaker& maker,
                                     std::vector<ExpressionPtr> args);

// Conditions that must all hold, narrowing a selection one after the other.
class Conjunction {
 public:
  Status Make(const std::vector<planner::ExprNode*>& nodes, const ExpressionMaker& maker);
  bool empty() const { return conditions_.empty(); }
  // Replaces *selection with the rows that satisfy all; it points into this object then.
  void Narrow(Evaluation& evaluation, Selection* selection);

 private:
  std::vector<ExpressionPtr> conditions_;
  uint16_t rows_[2][kBatchRows];
};

// The value of an expression that reads no row.
StatusOr<kv::ValueView> EvaluateOnce(const planner::ExprNode& node, Evaluation* evaluation);

}  // namespace kvsql::exec

#endif  // KVSQL_EXEC_BATCH_EXPRESSION_H_
