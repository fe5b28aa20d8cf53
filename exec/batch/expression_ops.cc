// Arithmetic, comparison and BETWEEN: loops for integers and reals, one value at a time for the rest.
#include "exec/batch/expression.h"
#include "exec/scalar_ops.h"

namespace kvsql::exec {

using kv::ValueType;
using kv::ValueView;
using planner::ExprNode;
using planner::Opcode;

namespace {

class BinaryExpression : public Expression {
 public:
  BinaryExpression(const ExprNode& node, std::vector<ExpressionPtr> args)
      : op_(node.op), extra_(node.extra), args_(std::move(args)) {}

 protected:
  const Opcode op_;
  const uint8_t extra_;
  std::vector<ExpressionPtr> args_;
  Vector result_;
};

// ------------------------------------------------------------------------------------ arithmetic

class ArithmeticExpression : public BinaryExpression {
 public:
  using BinaryExpression::BinaryExpression;

  const Vector& Evaluate(Evaluation& evaluation, const Selection& selection) override {
    const Vector& left = args_[0]->Evaluate(evaluation, selection);
    const Vector& right = args_[1]->Evaluate(evaluation, selection);
    if (left.constant && right.constant) {
      result_.MakeConstant(One(left.At(0), right.At(0), &evaluation.arena));
      return result_;
    }
    if (left.tag == VectorTag::kInteger && right.tag == VectorTag::kInteger &&
        Integers(left, right, selection)) {
      return result_;
    }
    if (left.tag == VectorTag::kReal && right.tag == VectorTag::kReal &&
        (op_ == Opcode::kAdd || op_ == Opcode::kSubtract || op_ == Opcode::kMultiply) &&
        Reals(left, right, selection)) {
      return result_;
    }
    ValueView* to = result_.MakeValues();
    ForEachRow(selection, [&](uint32_t row) {
      to[row] = One(left.At(row), right.At(row), &evaluation.arena);
    });
    return result_;
  }

 private:
  ValueView One(const ValueView& a, const ValueView& b, TextArena* arena) const {
    switch (op_) {
      case Opcode::kBitAnd:
      case Opcode::kBitOr:
      case Opcode::kShiftLeft:
      case Opcode::kShiftRight:
        return Bitwise(op_, a, b);
      case Opcode::kConcat:
        return Concat(a, b, arena);
      default:
        return Arithmetic(op_, a, b);
    }
  }

  // False: a result is not an integer.
  bool Integers(const Vector& left, const Vector& right, const Selection& selection) {
    const int64_t* a = left.integers();
    const int64_t* b = right.integers();
    const uint32_t a_step = left.constant ? 0 : 1;
    const uint32_t b_step = right.constant ? 0 : 1;
    int64_t* to = result_.MakeIntegers();
    bool bad = false;
    switch (op_) {
      case Opcode::kAdd:
        ForEachRow(selection, [&](uint32_t row) {
          bad |= __builtin_add_overflow(a[row * a_step], b[row * b_step], &to[row]);
        });
        return !bad;
      case Opcode::kSubtract:
        ForEachRow(selection, [&](uint32_t row) {
          bad |= __builtin_sub_overflow(a[row * a_step], b[row * b_step], &to[row]);
        });
        return !bad;
      case Opcode::kMultiply:
        ForEachRow(selection, [&](uint32_t row) {
          bad |= __builtin_mul_overflow(a[row * a_step], b[row * b_step], &to[row]);
        });
        return !bad;
      case Opcode::kDivide:
      case Opcode::kRemainder:
        ForEachRow(selection, [&](uint32_t row) {
          const int64_t x = a[row * a_step];
          const int64_t y = b[row * b_step];
          // Zero gives NULL; -1 may overflow.
          if (y == 0 || y == -1) {
            bad = true;
          } else {
            to[row] = op_ == Opcode::kDivide ? x / y : x % y;
          }
        });
        return !bad;
      case Opcode::kBitAnd:
        ForEachRow(selection, [&](uint32_t row) { to[row] = a[row * a_step] & b[row * b_step]; });
        return true;
      case Opcode::kBitOr:
        ForEachRow(selection, [&](uint32_t row) { to[row] = a[row * a_step] | b[row * b_step]; });
        return true;
      default:
        return false;
    }
  }

  // False: a result is no number.
  bool Reals(const Vector& left, const Vector& right, const Selection& selection) {
    const double* a = left.reals();
    const double* b = right.reals();
    const uint32_t a_step = left.constant ? 0 : 1;
    const uint32_t b_step = right.constant ? 0 : 1;
    double* to = result_.MakeReals();
    bool bad = false;
    ForEachRow(selection, [&](uint32_t row) {
      const double x = a[row * a_step];
      const double y = b[row * b_step];
      const double z = op_ == Opcode::kAdd ? x + y : op_ == Opcode::kSubtract ? x - y : x * y;
      to[row] = z;
      bad |= z != z;
    });
    return !bad;
  }
};

// ------------------------------------------------------------------------------------ comparison

template <typename F>
void WithOrder(Opcode op, const F& f) {
  switch (op) {
    case Opcode::kEqual:
    case Opcode::kIs:
      return f([](auto a, auto b) { return a == b; });
    case Opcode::kNotEqual:
    case Opcode::kIsNot:
      return f([](auto a, auto b) { return a != b; });
    case Opcode::kLess:
      return f([](auto a, auto b) { return a < b; });
    case Opcode::kLessEqual:
      return f([](auto a, auto b) { return a <= b; });
    case Opcode::kGreater:
      return f([](auto a, auto b) { return a > b; });
    default:
      return f([](auto a, auto b) { return a >= b; });
  }
}

class ComparisonExpression : public BinaryExpression {
 public:
  using BinaryExpression::BinaryExpression;

  const Vector& Evaluate(Evaluation& evaluation, const Selection& selection) override {
    const Vector& left = args_[0]->Evaluate(evaluation, selection);
    const Vector& right = args_[1]->Evaluate(evaluation, selection);
    if (left.constant && right.constant) {
      result_.MakeConstant(Compare(op_, extra_, left.At(0), right.At(0)));
      return result_;
    }
    if (SameNumbers(left, right)) {
      int64_t* to = result_.MakeIntegers();
      Numbers(left, right, [&](auto at_left, auto at_right) {
        WithOrder(op_, [&](auto holds) {
          ForEachRow(selection,
                     [&](uint32_t row) { to[row] = holds(at_left(row), at_right(row)) ? 1 : 0; });
        });
      });
      return result_;
    }
    ValueView* to = result_.MakeValues();
    ForEachRow(selection,
               [&](uint32_t row) { to[row] = Compare(op_, extra_, left.At(row), right.At(row)); });
    return result_;
  }

  uint32_t Filter(Evaluation& evaluation, const Selection& selection, uint16_t* out) override {
    const Vector& left = args_[0]->Evaluate(evaluation, selection);
    const Vector& right = args_[1]->Evaluate(evaluation, selection);
    uint32_t n = 0;
    if (!(left.constant && right.constant) && SameNumbers(left, right)) {
      Numbers(left, right, [&](auto at_left, auto at_right) {
        WithOrder(op_, [&](auto holds) {
          ForEachRow(selection, [&](uint32_t row) {
            out[n] = static_cast<uint16_t>(row);
            n += holds(at_left(row), at_right(row)) ? 1u : 0u;
          });
        });
      });
      return n;
    }
    ForEachRow(selection, [&](uint32_t row) {
      const ValueView value = Compare(op_, extra_, left.At(row), right.At(row));
      out[n] = static_cast<uint16_t>(row);
      n += !value.is_null() && value.integer != 0 ? 1u : 0u;
    });
    return n;
  }

 private:
  // Both all integers or all reals, and no text is made of them first.
  bool SameNumbers(const Vector& left, const Vector& right) const {
    return left.tag == right.tag && left.tag != VectorTag::kValues &&
           planner::AffinityOfComparison(extra_) != planner::CompareAffinity::kText;
  }

  template <typename F>
  static void Numbers(const Vector& left, const Vector& right, const F& f) {
    const auto with = [&](const auto* a, const auto* b) {
      if (right.constant) {
        const auto value = b[0];
        f([a](uint32_t row) { return a[row]; }, [value](uint32_t) { return value; });
      } else if (left.constant) {
        const auto value = a[0];
        f([value](uint32_t) { return value; }, [b](uint32_t row) { return b[row]; });
      } else {
        f([a](uint32_t row) { return a[row]; }, [b](uint32_t row) { return b[row]; });
      }
    };
    if (left.tag == VectorTag::kInteger) {
      with(left.integers(), right.integers());
    } else {
      with(left.reals(), right.reals());
    }
  }
};

// x BETWEEN low AND high, with x evaluated once.
class BetweenExpression : public Expression {
 public:
  BetweenExpression(const ExprNode& node, std::vector<ExpressionPtr> args)
      : low_extra_(node.extra), high_extra_(node.extra2), args_(std::move(args)) {}

  const Vector& Evaluate(Evaluation& evaluation, const Selection& selection) override {
    const Vector& x = args_[0]->Evaluate(evaluation, selection);
    const Vector& low = args_[1]->Evaluate(evaluation, selection);
    const Vector& high = args_[2]->Evaluate(evaluation, selection);
    const auto one = [&](uint32_t row) {
      const ValueView value = x.At(row);
      return Logic(true, Truth(Compare(Opcode::kGreaterEqual, low_extra_, value, low.At(row))),
                   Truth(Compare(Opcode::kLessEqual, high_extra_, value, high.At(row))));
    };
    if (x.constant && low.constant && high.constant) {
      result_.MakeConstant(one(0));
      return result_;
    }
    const auto is_text = [](uint8_t extra) {
      return planner::AffinityOfComparison(extra) == planner::CompareAffinity::kText;
    };
    if (x.tag == VectorTag::kInteger && low.tag == VectorTag::kInteger &&
        high.tag == VectorTag::kInteger && low.constant && high.constant && !is_text(low_extra_) &&
        !is_text(high_extra_)) {
      const int64_t* values = x.integers();
      const int64_t from = low.integers()[0];
      const int64_t to = high.integers()[0];
      int64_t* result = result_.MakeIntegers();
      ForEachRow(selection, [&](uint32_t row) {
        result[row] = values[row] >= from && values[row] <= to ? 1 : 0;
      });
      return result_;
    }
    ValueView* to = result_.MakeValues();
    ForEachRow(selection, [&](uint32_t row) { to[row] = one(row); });
    return result_;
  }

 private:
  const uint8_t low_extra_;
  const uint8_t high_extra_;
  std::vector<ExpressionPtr> args_;
  Vector result_;
};

}  // namespace

StatusOr<ExpressionPtr> MakeArithmetic(const ExprNode& node, std::vector<ExpressionPtr> args) {
  return ExpressionPtr(std::make_unique<ArithmeticExpression>(node, std::move(args)));
}

StatusOr<ExpressionPtr> MakeComparison(const ExprNode& node, std::vector<ExpressionPtr> args) {
  return ExpressionPtr(std::make_unique<ComparisonExpression>(node, std::move(args)));
}

StatusOr<ExpressionPtr> MakeBetween(const ExprNode& node, std::vector<ExpressionPtr> args) {
  return ExpressionPtr(std::make_unique<BetweenExpression>(node, std::move(args)));
}

}  // namespace kvsql::exec
