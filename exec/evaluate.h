// Running expression programs: SQLite's arithmetic, comparison and logic over single rows.
//
// Thread safety: functions without state of their own; an EvalContext's arena belongs to one thread.
//
// Invariants:
//   1. Nothing fails: what SQLite cannot compute is NULL.
//   2. Evaluating allocates only where a text longer than ever before is made.
#ifndef KVSQL_EXEC_EVALUATE_H_
#define KVSQL_EXEC_EVALUATE_H_

#include <cstdint>

#include "exec/functions/text_arena.h"
#include "exec/scalar_ops.h"
#include "kv/row.h"
#include "kv/value.h"
#include "planner/lifted.h"
#include "planner/plan.h"

namespace kvsql::exec {

// What expressions look at while a statement runs.
struct EvalContext {
  const planner::Plan* plan = nullptr;
  const kv::ValueView* parameters = nullptr;
  const planner::LiftedValues* lifted = nullptr;
  size_t matrix_offset = 0;      // of the current row in the matrix of lifted values
  const kv::Row* row = nullptr;  // null: no columns
  kv::ValueView* registers = nullptr;
  TextArena* scratch = nullptr;
};

kv::ValueView RunProgram(const planner::Program& program, const EvalContext& context);

inline kv::ValueView Evaluate(planner::Operand operand, const EvalContext& context) {
  switch (operand.kind) {
    case planner::OperandKind::kConstant:
      return context.plan->constant_views[operand.index];
    case planner::OperandKind::kParameter:
      return context.parameters[operand.index];
    case planner::OperandKind::kLifted:
      return context.lifted
          ->values[context.matrix_offset + context.lifted->slots[operand.index].first];
    case planner::OperandKind::kColumn:
      return context.row->column(operand.index);
    case planner::OperandKind::kRowid:
      return kv::ValueView::Integer(context.row->rowid());
    case planner::OperandKind::kProgram:
      return RunProgram(context.plan->programs[operand.index], context);
  }
  return {};
}

}  // namespace kvsql::exec

#endif  // KVSQL_EXEC_EVALUATE_H_
