// Expressions that evaluate their parts for some rows only: AND, OR, CASE, IN, functions.
#include <algorithm>
#include <optional>
#include <string>
#include <unordered_set>

#include "exec/batch/expression.h"
#include "exec/functions/like.h"
#include "exec/scalar_ops.h"
#include "kv/key_codec.h"

namespace kvsql::exec {

using kv::ValueType;
using kv::ValueView;
using planner::ExprNode;
using planner::FunctionId;
using planner::NodeKind;
using planner::Opcode;

namespace {

// ------------------------------------------------------------------------------------ AND, OR

class LogicExpression : public Expression {
 public:
  LogicExpression(const ExprNode& node, std::vector<ExpressionPtr> args)
      : is_and_(node.op == Opcode::kAnd), args_(std::move(args)) {}

  const Vector& Evaluate(Evaluation& evaluation, const Selection& selection) override {
    const Vector& left = args_[0]->Evaluate(evaluation, selection);
    const int dominant = is_and_ ? 0 : 1;
    if (left.constant) {
      const int truth = Truth(left.At(0));
      if (truth == dominant) {
        result_.MakeConstant(ValueView::Integer(dominant));
        return result_;
      }
    }
    // The right side is asked where the left one has not decided.
    ValueView* to = result_.MakeValues();
    uint32_t open = 0;
    ForEachRow(selection, [&](uint32_t row) {
      const int truth = Truth(left.At(row));
      if (truth == dominant) {
        to[row] = ValueView::Integer(dominant);
        return;
      }
      open_[open] = static_cast<uint16_t>(row);
      truths_[open++] = static_cast<int8_t>(truth);
    });
    if (open == 0) return result_;
    const Vector& right = args_[1]->Evaluate(evaluation, {open_, open});
    for (uint32_t i = 0; i < open; ++i) {
      to[open_[i]] = Logic(is_and_, truths_[i], Truth(right.At(open_[i])));
    }
    return result_;
  }

  uint32_t Filter(Evaluation& evaluation, const Selection& selection, uint16_t* out) override {
    if (is_and_) {
      const uint32_t first = args_[0]->Filter(evaluation, selection, open_);
      return first == 0 ? 0 : args_[1]->Filter(evaluation, {open_, first}, out);
    }
    // The rows of either side, in order.
    const uint32_t first = args_[0]->Filter(evaluation, selection, open_);
    uint32_t rest = 0;
    uint32_t taken = 0;
    ForEachRow(selection, [&](uint32_t row) {
      if (taken < first && open_[taken] == row) {
        ++taken;
      } else {
        rest_[rest++] = static_cast<uint16_t>(row);
      }
    });
    const uint32_t second = rest == 0 ? 0 : args_[1]->Filter(evaluation, {rest_, rest}, second_);
    return static_cast<uint32_t>(std::merge(open_, open_ + first, second_, second_ + second, out) -
                                 out);
  }

 private:
  const bool is_and_;
  std::vector<ExpressionPtr> args_;
  Vector result_;
  uint16_t open_[kBatchRows];
  uint16_t rest_[kBatchRows];
  uint16_t second_[kBatchRows];
  int8_t truths_[kBatchRows];
};

// ------------------------------------------------------------------------------------ CASE

class CaseExpression : public Expression {
 public:
  CaseExpression(const ExprNode& node, std::vector<ExpressionPtr> args)
      : extras_(node.compare_extras),
        has_operand_((node.flags & planner::kHasOperand) != 0),
        has_else_((node.flags & planner::kHasElse) != 0),
        args_(std::move(args)) {}

  const Vector& Evaluate(Evaluation& evaluation, const Selection& selection) override {
    ValueView* to = result_.MakeValues();
    const Vector* operand = has_operand_ ? &args_[0]->Evaluate(evaluation, selection) : nullptr;
    uint32_t left = 0;
    ForEachRow(selection, [&](uint32_t row) { left_[left++] = static_cast<uint16_t>(row); });
    const size_t first = has_operand_ ? 1 : 0;
    const size_t branches = (args_.size() - first) / 2;
    for (size_t b = 0; b < branches && left != 0; ++b) {
      const Vector& when = args_[first + 2 * b]->Evaluate(evaluation, {left_, left});
      uint32_t taken = 0;
      uint32_t kept = 0;
      for (uint32_t i = 0; i < left; ++i) {
        const uint16_t row = left_[i];
        const bool hit =
            operand != nullptr
                ? Truth(Compare(Opcode::kEqual, extras_[b], operand->At(row), when.At(row))) == 1
                : Truth(when.At(row)) == 1;
        (hit ? taken_[taken++] : left_[kept++]) = row;
      }
      left = kept;
      Take(evaluation, *args_[first + 2 * b + 1], taken_, taken, to);
    }
    if (has_else_) {
      Take(evaluation, *args_.back(), left_, left, to);
    } else {
      for (uint32_t i = 0; i < left; ++i) to[left_[i]] = ValueView();
    }
    return result_;
  }

 private:
  void Take(Evaluation& evaluation, Expression& value, const uint16_t* rows, uint32_t count,
            ValueView* to) {
    if (count == 0) return;
    const Vector& values = value.Evaluate(evaluation, {rows, count});
    for (uint32_t i = 0; i < count; ++i) to[rows[i]] = values.At(rows[i]);
  }

  const std::vector<uint8_t> extras_;
  const bool has_operand_;
  const bool has_else_;
  std::vector<ExpressionPtr> args_;
  Vector result_;
  uint16_t left_[kBatchRows];
  uint16_t taken_[kBatchRows];
};

// The first argument that is not NULL.
class CoalesceExpression : public Expression {
 public:
  explicit CoalesceExpression(std::vector<ExpressionPtr> args) : args_(std::move(args)) {}

  const Vector& Evaluate(Evaluation& evaluation, const Selection& selection) override {
    ValueView* to = result_.MakeValues();
    uint32_t left = 0;
    ForEachRow(selection, [&](uint32_t row) {
      to[row] = ValueView();
      left_[left++] = static_cast<uint16_t>(row);
    });
    for (const ExpressionPtr& arg : args_) {
      if (left == 0) break;
      const Vector& values = arg->Evaluate(evaluation, {left_, left});
      uint32_t kept = 0;
      for (uint32_t i = 0; i < left; ++i) {
        const uint16_t row = left_[i];
        to[row] = values.At(row);
        if (to[row].is_null()) left_[kept++] = row;
      }
      left = kept;
    }
    return result_;
  }

 private:
  std::vector<ExpressionPtr> args_;
  Vector result_;
  uint16_t left_[kBatchRows];
};

// ------------------------------------------------------------------------------------ IN

class InExpression : public Expression {
 public:
  InExpression(const ExprNode& node, std::vector<ExpressionPtr> args)
      : extra_(node.extra),
        lifted_(node.Is(NodeKind::kInLifted)),
        index_(node.index),
        args_(std::move(args)) {
    fixed_ = lifted_;
    if (!lifted_) {
      fixed_ = node.args.size() > kFewItems;
      for (size_t i = 1; i < node.args.size(); ++i) {
        fixed_ &= node.args[i]->Is(NodeKind::kConstant);
      }
    }
  }

  const Vector& Evaluate(Evaluation& evaluation, const Selection& selection) override {
    const Vector& x = args_[0]->Evaluate(evaluation, selection);
    if (fixed_) {
      if (run_ != evaluation.query.run) MakeSet(evaluation, selection);
      ValueView* to = result_.MakeValues();
      ForEachRow(selection, [&](uint32_t row) { to[row] = InSet(x.At(row)); });
      return result_;
    }
    ValueView* to = result_.MakeValues();
    uint32_t left = 0;
    ForEachRow(selection, [&](uint32_t row) {
      to[row] = ValueView::Integer(0);
      // NULL IN () is false; NULL IN (...) is NULL.
      if (args_.size() > 1 && x.IsNull(row)) {
        to[row] = ValueView();
      } else {
        left_[left++] = static_cast<uint16_t>(row);
      }
    });
    for (size_t i = 1; i < args_.size() && left != 0; ++i) {
      const Vector& item = args_[i]->Evaluate(evaluation, {left_, left});
      uint32_t kept = 0;
      for (uint32_t k = 0; k < left; ++k) {
        const uint16_t row = left_[k];
        const ValueView value = item.At(row);
        if (value.is_null()) {
          to[row] = ValueView();
        } else if (CompareOperands(extra_, x.At(row), value) == 0) {
          to[row] = ValueView::Integer(1);
          continue;
        }
        left_[kept++] = row;
      }
      left = kept;
    }
    return result_;
  }

 private:
  static constexpr size_t kFewItems = 4;

  void AppendKey(const ValueView& value) {
    kv::NumberText text;
    ValueView converted = value;
    const planner::CompareAffinity affinity = planner::AffinityOfComparison(extra_);
    if (affinity == planner::CompareAffinity::kNumeric) {
      converted = kv::ApplyAffinity(value, kv::Affinity::kNumeric, &text);
    } else if (affinity == planner::CompareAffinity::kText) {
      converted = kv::ApplyAffinity(value, kv::Affinity::kText, &text);
    }
    key_.clear();
    kv::AppendKeyElement(converted, {planner::CollationOfComparison(extra_), false, false}, &key_);
  }

  void MakeSet(Evaluation& evaluation, const Selection& selection) {
    run_ = evaluation.query.run;
    set_.clear();
    has_null_ = false;
    const auto add = [&](const ValueView& value) {
      if (value.is_null()) {
        has_null_ = true;
        return;
      }
      AppendKey(value);
      set_.insert(key_);
    };
    if (lifted_) {
      const planner::LiftedValues& lifted = *evaluation.query.lifted;
      const parser::LiftedSlot& slot = lifted.slots[index_];
      for (uint32_t i = 0; i < slot.count; ++i) add(lifted.values[slot.first + i]);
      empty_ = slot.count == 0;
    } else {
      for (size_t i = 1; i < args_.size(); ++i) {
        add(args_[i]->Evaluate(evaluation, selection).At(0));
      }
      empty_ = args_.size() == 1;
    }
  }

  ValueView InSet(const ValueView& value) {
    if (empty_) return ValueView::Integer(0);
    if (value.is_null()) return {};
    AppendKey(value);
    if (set_.contains(key_)) return ValueView::Integer(1);
    return has_null_ ? ValueView() : ValueView::Integer(0);
  }

  const uint8_t extra_;
  const bool lifted_;
  const uint32_t index_;
  bool fixed_ = false;
  std::vector<ExpressionPtr> args_;
  Vector result_;
  uint16_t left_[kBatchRows];
  std::unordered_set<std::string> set_;  // canonical keys
  std::string key_;
  bool has_null_ = false;
  bool empty_ = false;
  uint64_t run_ = 0;
};

// ------------------------------------------------------------------------------------ functions

class CallExpression : public Expression {
 public:
  CallExpression(const ExprNode& node, std::vector<ExpressionPtr> args)
      : function_(ScalarOf(node.function->id)),
        collation_(static_cast<kv::Collation>(node.extra)),
        deterministic_((node.function->flags & planner::kDeterministic) != 0),
        args_(std::move(args)),
        values_(args_.size()),
        row_(args_.size()) {}

  const Vector& Evaluate(Evaluation& evaluation, const Selection& selection) override {
    bool constant = deterministic_;
    for (size_t i = 0; i < args_.size(); ++i) {
      values_[i] = &args_[i]->Evaluate(evaluation, selection);
      constant &= values_[i]->constant;
    }
    FunctionContext& context = evaluation.functions;
    context.collation = collation_;
    if (!deterministic_) {
      context.changes = evaluation.query.changes;
      context.total_changes = evaluation.query.total_changes;
      context.last_insert_rowid = evaluation.query.last_insert_rowid;
    }
    const auto one = [&](uint32_t row) {
      for (size_t i = 0; i < row_.size(); ++i) row_[i] = values_[i]->At(row);
      return function_(context, row_.data(), static_cast<int>(row_.size()));
    };
    if (constant) {
      result_.MakeConstant(one(0));
      return result_;
    }
    ValueView* to = result_.MakeValues();
    ForEachRow(selection, [&](uint32_t row) { to[row] = one(row); });
    return result_;
  }

 private:
  const ScalarFunction function_;
  const kv::Collation collation_;
  const bool deterministic_;
  std::vector<ExpressionPtr> args_;
  std::vector<const Vector*> values_;
  std::vector<ValueView> row_;
  Vector result_;
};

// x LIKE pattern, where the pattern is the same for a whole batch: compiled once.
class LikeExpression : public Expression {
 public:
  LikeExpression(const ExprNode& node, std::vector<ExpressionPtr> args)
      : glob_(node.function->id == FunctionId::kGlob), args_(std::move(args)) {}

  const Vector& Evaluate(Evaluation& evaluation, const Selection& selection) override {
    const Vector& pattern = args_[0]->Evaluate(evaluation, selection);
    const Vector& text = args_[1]->Evaluate(evaluation, selection);
    const bool compiled = Compile(pattern);
    ValueView* to = result_.MakeValues();
    ForEachRow(selection, [&](uint32_t row) {
      const ValueView value = text.At(row);
      if (compiled && value.type == ValueType::kText) [[likely]] {
        to[row] = ValueView::Integer(matcher_->Matches(value.bytes()) ? 1 : 0);
      } else {
        to[row] = Call(evaluation, pattern.At(row), value);
      }
    });
    return result_;
  }

  uint32_t Filter(Evaluation& evaluation, const Selection& selection, uint16_t* out) override {
    const Vector& pattern = args_[0]->Evaluate(evaluation, selection);
    const Vector& text = args_[1]->Evaluate(evaluation, selection);
    const bool compiled = Compile(pattern);
    uint32_t n = 0;
    ForEachRow(selection, [&](uint32_t row) {
      const ValueView value = text.At(row);
      out[n] = static_cast<uint16_t>(row);
      if (compiled && value.type == ValueType::kText) [[likely]] {
        n += matcher_->Matches(value.bytes()) ? 1u : 0u;
      } else {
        n += Truth(Call(evaluation, pattern.At(row), value)) == 1 ? 1u : 0u;
      }
    });
    return n;
  }

 private:
  // Makes the matcher if the pattern is the same for all rows; false: it is not, or no text.
  bool Compile(const Vector& pattern) {
    if (!pattern.constant) return false;
    const ValueView fixed = pattern.At(0);
    if (fixed.type != ValueType::kText || fixed.size > kMaxLikePattern) return false;
    if (!matcher_.has_value() || pattern_ != fixed.bytes()) {
      pattern_ = fixed.bytes();
      matcher_ = glob_ ? LikeMatcher::Glob(pattern_) : LikeMatcher::Like(pattern_);
    }
    return true;
  }
  ValueView Call(Evaluation& evaluation, const ValueView& pattern, const ValueView& text) const {
    const ValueView arguments[2] = {pattern, text};
    return ScalarOf(glob_ ? FunctionId::kGlob : FunctionId::kLike)(evaluation.functions, arguments,
                                                                   2);
  }

  const bool glob_;
  std::vector<ExpressionPtr> args_;
  std::string pattern_;
  std::optional<LikeMatcher> matcher_;
  Vector result_;
};

}  // namespace

StatusOr<ExpressionPtr> MakeLogic(const ExprNode& node, std::vector<ExpressionPtr> args) {
  return ExpressionPtr(std::make_unique<LogicExpression>(node, std::move(args)));
}

StatusOr<ExpressionPtr> MakeCase(const ExprNode& node, std::vector<ExpressionPtr> args) {
  return ExpressionPtr(std::make_unique<CaseExpression>(node, std::move(args)));
}

StatusOr<ExpressionPtr> MakeIn(const ExprNode& node, std::vector<ExpressionPtr> args) {
  return ExpressionPtr(std::make_unique<InExpression>(node, std::move(args)));
}

StatusOr<ExpressionPtr> MakeFunctionCall(const ExprNode& node, std::vector<ExpressionPtr> args) {
  switch (node.function->id) {
    case FunctionId::kCoalesce:
    case FunctionId::kIfnull:
      return ExpressionPtr(std::make_unique<CoalesceExpression>(std::move(args)));
    case FunctionId::kLike:
    case FunctionId::kGlob:
      if (args.size() == 2) {
        return ExpressionPtr(std::make_unique<LikeExpression>(node, std::move(args)));
      }
      break;
    default:
      break;
  }
  return ExpressionPtr(std::make_unique<CallExpression>(node, std::move(args)));
}

}  // namespace kvsql::exec
