#include "exec/evaluate.h"

#include "exec/scalar_ops.h"

namespace kvsql::exec {

using kv::ValueView;
using planner::Instruction;
using planner::Opcode;

ValueView RunProgram(const planner::Program& program, const EvalContext& context) {
  ValueView* const registers = context.registers;
  for (const Instruction& code : program.code) {
    ValueView& at = registers[code.at];
    switch (code.op) {
      case Opcode::kConstant:
        at = context.plan->constant_views[code.index];
        break;
      case Opcode::kParameter:
        at = context.parameters[code.index];
        break;
      case Opcode::kLifted:
        at = Evaluate({planner::OperandKind::kLifted, code.index}, context);
        break;
      case Opcode::kColumn:
        at = context.row->column(code.index);
        break;
      case Opcode::kRowid:
        at = ValueView::Integer(context.row->rowid());
        break;
      case Opcode::kCopy:
        at = registers[code.index];
        break;
      case Opcode::kNegate:
        at = Arithmetic(Opcode::kSubtract, ValueView::Integer(0), at);
        break;
      case Opcode::kBitNot:
        if (!at.is_null()) at = ValueView::Integer(~ToInteger(at));
        break;
      case Opcode::kNot: {
        const int truth = Truth(at);
        at = truth < 0 ? ValueView() : ValueView::Integer(1 - truth);
        break;
      }
      case Opcode::kIsNull:
        at = ValueView::Integer(at.is_null() ? 1 : 0);
        break;
      case Opcode::kNotNull:
        at = ValueView::Integer(at.is_null() ? 0 : 1);
        break;
      case Opcode::kCast:
        at = Cast(at, static_cast<kv::Affinity>(code.extra), context.scratch);
        break;
      case Opcode::kIsTrue: {
        const int wanted = (code.extra & planner::kTestFalse) != 0 ? 0 : 1;
        const bool negated = (code.extra & planner::kTestNotTrue) != 0;
        at = ValueView::Integer((Truth(at) == wanted) != negated ? 1 : 0);
        break;
      }
      case Opcode::kAdd:
      case Opcode::kSubtract:
      case Opcode::kMultiply:
      case Opcode::kDivide:
      case Opcode::kRemainder:
        at = Arithmetic(code.op, at, registers[code.at + 1]);
        break;
      case Opcode::kBitAnd:
      case Opcode::kBitOr:
      case Opcode::kShiftLeft:
      case Opcode::kShiftRight:
        at = Bitwise(code.op, at, registers[code.at + 1]);
        break;
      case Opcode::kConcat:
        at = Concat(at, registers[code.at + 1], context.scratch);
        break;
      case Opcode::kAnd:
      case Opcode::kOr:
        at = Logic(code.op == Opcode::kAnd, Truth(at), Truth(registers[code.at + 1]));
        break;
      case Opcode::kEqual:
      case Opcode::kNotEqual:
      case Opcode::kLess:
      case Opcode::kLessEqual:
      case Opcode::kGreater:
      case Opcode::kGreaterEqual:
      case Opcode::kIs:
      case Opcode::kIsNot:
        at = Compare(code.op, code.extra, at, registers[code.at + 1]);
        break;
    }
  }
  return registers[0];
}

}  // namespace kvsql::exec
