// Running expression programs: SQLite's arithmetic, comparison and logic over single rows.
//
// Thread safety: functions without state of their own; an EvalScratch belongs to one thread.
//
// Invariants:
//   1. Nothing fails: what SQLite cannot compute is NULL.
//   2. Evaluating allocates only where a text longer than ever before is made.
#ifndef KVSQL_EXEC_EVALUATE_H_
#define KVSQL_EXEC_EVALUATE_H_

#include <cstdint>
#include <deque>
#include <string>

#include "kv/row.h"
#include "kv/value.h"
#include "planner/lifted.h"
#include "planner/plan.h"

namespace kvsql::exec {

// Texts that expressions make. They stay until Reset, which keeps their memory.
class EvalScratch {
 public:
  std::string* Next() {
    if (used_ == texts_.size()) texts_.emplace_back();
    std::string* text = &texts_[used_++];
    text->clear();
    return text;
  }
  void Reset() { used_ = 0; }

 private:
  std::deque<std::string> texts_;  // addresses stay
  size_t used_ = 0;
};

// What expressions look at while a statement runs.
struct EvalContext {
  const planner::Plan* plan = nullptr;
  const kv::ValueView* parameters = nullptr;
  const planner::LiftedValues* lifted = nullptr;
  size_t matrix_offset = 0;      // of the current row in the matrix of lifted values
  const kv::Row* row = nullptr;  // null: no columns
  kv::ValueView* registers = nullptr;
  EvalScratch* scratch = nullptr;
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

// What WHERE makes of a value: 1, 0, or -1 for NULL.
int Truth(const kv::ValueView& value);

}  // namespace kvsql::exec

#endif  // KVSQL_EXEC_EVALUATE_H_
