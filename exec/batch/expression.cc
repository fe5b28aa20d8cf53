// Leaves, unary operators, and what expressions have in common.
#include "exec/batch/expression.h"

#include <cstring>

#include "exec/scalar_ops.h"

namespace kvsql::exec {

using kv::ValueType;
using kv::ValueView;
using planner::ExprNode;
using planner::NodeKind;
using planner::Opcode;

uint32_t Expression::Filter(Evaluation& evaluation, const Selection& selection, uint16_t* out) {
  const Vector& values = Evaluate(evaluation, selection);
  uint32_t n = 0;
  if (values.constant) {
    if (Truth(values.At(0)) != 1) return 0;
    ForEachRow(selection, [&](uint32_t row) { out[n++] = static_cast<uint16_t>(row); });
    return n;
  }
  if (values.tag == VectorTag::kInteger) {
    const int64_t* integers = values.integers();
    ForEachRow(selection, [&](uint32_t row) {
      out[n] = static_cast<uint16_t>(row);
      n += integers[row] != 0;
    });
    return n;
  }
  ForEachRow(selection, [&](uint32_t row) {
    if (Truth(values.At(row)) == 1) out[n++] = static_cast<uint16_t>(row);
  });
  return n;
}

namespace {

class ColumnExpression : public Expression {
 public:
  explicit ColumnExpression(uint32_t position) : position_(position) {}
  const Vector& Evaluate(Evaluation& evaluation, const Selection&) override {
    return *evaluation.batch->columns[position_];
  }

 private:
  const uint32_t position_;
};

// A value that does not change within a batch.
class FixedExpression : public Expression {
 public:
  FixedExpression(NodeKind kind, uint32_t index) : kind_(kind), index_(index) {}
  const Vector& Evaluate(Evaluation& evaluation, const Selection&) override {
    const QueryContext& query = evaluation.query;
    switch (kind_) {
      case NodeKind::kConstant:
        value_.MakeConstant(query.plan.constant_views[index_]);
        break;
      case NodeKind::kParameter:
        value_.MakeConstant(query.parameters[index_]);
        break;
      case NodeKind::kLifted:
        value_.MakeConstant(
            query.lifted->values[query.matrix_offset + query.lifted->slots[index_].first]);
        break;
      default:
        value_.MakeConstant(query.cells[index_]);
        return value_;  // a row's value may go before the execution ends
    }
    value_.stable = true;
    return value_;
  }

 private:
  const NodeKind kind_;
  const uint32_t index_;
  Vector value_;
};

class UnaryExpression : public Expression {
 public:
  UnaryExpression(const ExprNode& node, ExpressionPtr operand)
      : op_(node.op), extra_(node.extra), operand_(std::move(operand)) {}

  const Vector& Evaluate(Evaluation& evaluation, const Selection& selection) override {
    const Vector& operand = operand_->Evaluate(evaluation, selection);
    if (operand.constant) {
      result_.MakeConstant(One(operand.At(0), &evaluation.arena));
      return result_;
    }
    if (operand.tag == VectorTag::kInteger && op_ == Opcode::kNot) {
      const int64_t* from = operand.integers();
      int64_t* to = result_.MakeIntegers();
      ForEachRow(selection, [&](uint32_t row) { to[row] = from[row] == 0; });
      return result_;
    }
    if (op_ == Opcode::kIsNull || op_ == Opcode::kNotNull || op_ == Opcode::kIsTrue) {
      int64_t* to = result_.MakeIntegers();
      ForEachRow(selection,
                 [&](uint32_t row) { to[row] = One(operand.At(row), &evaluation.arena).integer; });
      return result_;
    }
    ValueView* to = result_.MakeValues();
    ForEachRow(selection, [&](uint32_t row) { to[row] = One(operand.At(row), &evaluation.arena); });
    return result_;
  }

 private:
  ValueView One(const ValueView& value, TextArena* arena) const {
    switch (op_) {
      case Opcode::kNegate:
        return Arithmetic(Opcode::kSubtract, ValueView::Integer(0), value);
      case Opcode::kBitNot:
        return value.is_null() ? ValueView() : ValueView::Integer(~ToInteger(value));
      case Opcode::kNot: {
        const int truth = Truth(value);
        return truth < 0 ? ValueView() : ValueView::Integer(1 - truth);
      }
      case Opcode::kIsNull:
        return ValueView::Integer(value.is_null() ? 1 : 0);
      case Opcode::kNotNull:
        return ValueView::Integer(value.is_null() ? 0 : 1);
      case Opcode::kCast:
        return Cast(value, static_cast<kv::Affinity>(extra_), arena);
      default: {  // kIsTrue
        const int wanted = (extra_ & planner::kTestFalse) != 0 ? 0 : 1;
        const bool negated = (extra_ & planner::kTestNotTrue) != 0;
        return ValueView::Integer((Truth(value) == wanted) != negated ? 1 : 0);
      }
    }
  }

  const Opcode op_;
  const uint8_t extra_;
  ExpressionPtr operand_;
  Vector result_;
};

bool IsUnary(Opcode op) { return op >= Opcode::kNegate && op <= Opcode::kIsTrue; }

}  // namespace

StatusOr<uint32_t> ExpressionMaker::PositionOf(planner::SlotId slot) const {
  for (uint32_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i] == slot) return i;
  }
  return absl::InternalError(absl::StrCat("plan: slot ", slot, " is not among the input's"));
}

StatusOr<std::vector<ExpressionPtr>> ExpressionMaker::MakeAll(
    const std::vector<ExprNode*>& nodes) const {
  std::vector<ExpressionPtr> all;
  for (const ExprNode* node : nodes) {
    KV_ASSIGN_OR_RETURN(ExpressionPtr made, Make(*node));
    all.push_back(std::move(made));
  }
  return all;
}

StatusOr<ExpressionPtr> ExpressionMaker::Make(const ExprNode& node) const {
  switch (node.kind) {
    case NodeKind::kSlot: {
      KV_ASSIGN_OR_RETURN(const uint32_t position, PositionOf(node.index));
      return ExpressionPtr(std::make_unique<ColumnExpression>(position));
    }
    case NodeKind::kConstant:
    case NodeKind::kParameter:
    case NodeKind::kLifted:
    case NodeKind::kOuter:
      return ExpressionPtr(std::make_unique<FixedExpression>(node.kind, node.index));
    default:
      break;
  }
  KV_ASSIGN_OR_RETURN(std::vector<ExpressionPtr> args, MakeAll(node.args));
  switch (node.kind) {
    case NodeKind::kOperator:
      if (IsUnary(node.op)) {
        return ExpressionPtr(std::make_unique<UnaryExpression>(node, std::move(args[0])));
      }
      if (node.op == Opcode::kAnd || node.op == Opcode::kOr) {
        return MakeLogic(node, std::move(args));
      }
      if (node.op >= Opcode::kEqual) return MakeComparison(node, std::move(args));
      return MakeArithmetic(node, std::move(args));
    case NodeKind::kBetween:
      return MakeBetween(node, std::move(args));
    case NodeKind::kIn:
    case NodeKind::kInLifted:
      return MakeIn(node, std::move(args));
    case NodeKind::kCase:
      return MakeCase(node, std::move(args));
    case NodeKind::kFunction:
      return MakeFunctionCall(node, std::move(args));
    default:
      return MakeSubquery(node, *this, std::move(args));
  }
}

Status Conjunction::Make(const std::vector<ExprNode*>& nodes, const ExpressionMaker& maker) {
  KV_ASSIGN_OR_RETURN(conditions_, maker.MakeAll(nodes));
  return absl::OkStatus();
}

void Conjunction::Narrow(Evaluation& evaluation, Selection* selection) {
  int turn = 0;
  for (const ExpressionPtr& condition : conditions_) {
    if (selection->count == 0) return;
    uint16_t* out = rows_[turn];
    turn = 1 - turn;
    const uint32_t count = condition->Filter(evaluation, *selection, out);
    *selection = {out, count};
  }
}

StatusOr<ValueView> EvaluateOnce(const ExprNode& node, Evaluation* evaluation) {
  static const std::vector<planner::SlotId> kNone;
  const ExpressionMaker maker(&evaluation->query, kNone);
  KV_ASSIGN_OR_RETURN(const ExpressionPtr expression, maker.Make(node));
  static const Batch kNoColumns;
  evaluation->batch = &kNoColumns;
  const ValueView value =
      CopyBytes(expression->Evaluate(*evaluation, Selection{nullptr, 1}).At(0), &evaluation->arena);
  KV_RETURN_IF_ERROR(evaluation->status());
  return value;
}

}  // namespace kvsql::exec
