// Expressions: operators, LIKE, BETWEEN, IN, CASE, CAST, COLLATE; row values taken apart.
#include <algorithm>
#include <string>

#include "kv/value.h"
#include "planner/query/query_builder.h"

namespace kvsql::planner {

using kv::Affinity;
using kv::Collation;
using kv::ValueView;
using parser::As;
using parser::BinaryOp;
using parser::Expr;
using parser::ExprKind;
using parser::UnaryOp;

namespace {

// An explicit collation inside an operand holds for what is made of it.
ExprTraits ExplicitOf(const std::vector<ExprNode*>& args) {
  for (const ExprNode* arg : args) {
    if (arg->traits.explicit_collation) return {std::nullopt, arg->traits.collation, true};
  }
  return {};
}

bool IsComparison(Opcode op) { return op >= Opcode::kEqual && op <= Opcode::kIsNot; }

}  // namespace

bool SameExpr(const ExprNode& a, const ExprNode& b) {
  if (a.kind != b.kind || a.op != b.op || a.extra != b.extra || a.extra2 != b.extra2 ||
      a.flags != b.flags || a.index != b.index || a.function != b.function ||
      a.args.size() != b.args.size() || a.compare_extras != b.compare_extras) {
    return false;
  }
  for (size_t i = 0; i < a.args.size(); ++i) {
    if (!SameExpr(*a.args[i], *b.args[i])) return false;
  }
  return true;
}

ExprNode* QueryBuilder::ConstantNode(const ValueView& value) {
  // Equal constants share a place, so that expressions which contain them can be recognised as the same.
  uint32_t index = 0;
  for (; index < plan_.constants.size(); ++index) {
    const ValueView other = plan_.constants[index].view();
    if (other.type == value.type && kv::CompareValues(other, value) == 0) break;
  }
  if (index == plan_.constants.size()) plan_.constants.emplace_back(value);
  ExprNode* node = NewNode(NodeKind::kConstant);
  node->index = index;
  return node;
}

ExprNode* QueryBuilder::OperatorNode(Opcode op, std::vector<ExprNode*> args) {
  ExprNode* node = NewNode(NodeKind::kOperator);
  node->op = op;
  node->traits = ExplicitOf(args);
  node->args = std::move(args);
  if (!node->args.empty()) node->offset = node->args[0]->offset;
  return node;
}

ExprNode* QueryBuilder::Compare(Opcode op, ExprNode* left, ExprNode* right) {
  ExprNode* node = OperatorNode(op, {left, right});
  node->extra = ComparisonOf(left->traits, right->traits);
  return node;
}

ExprNode* QueryBuilder::Negate(ExprNode* node) { return OperatorNode(Opcode::kNot, {node}); }

void QueryBuilder::SplitConjuncts(ExprNode* node, std::vector<ExprNode*>* conjuncts) const {
  if (node->IsOperator(Opcode::kAnd)) {
    SplitConjuncts(node->args[0], conjuncts);
    SplitConjuncts(node->args[1], conjuncts);
    return;
  }
  conjuncts->push_back(node);
}

// ------------------------------------------------------------------------------------ row values

StatusOr<std::vector<ExprNode*>> QueryBuilder::BindRow(const Expr& expr, QueryScope* scope) {
  std::vector<ExprNode*> items;
  if (expr.kind == ExprKind::kRow) {
    for (const Expr* item : As<parser::RowExpr>(expr).items) {
      KV_ASSIGN_OR_RETURN(ExprNode * node, BindScalar(*item, scope));
      items.push_back(node);
    }
    return items;
  }
  if (expr.kind != ExprKind::kSubquery) return items;
  KV_ASSIGN_OR_RETURN(ExprNode * first,
                      BindSubquery(*As<parser::SubqueryExpr>(expr).query, NodeKind::kScalarSubquery,
                                   expr.range.begin, scope));
  const size_t columns = plan_.subqueries[first->index]->results.size();
  if (columns == 1) {
    items.push_back(first);
    return items;
  }
  for (size_t i = 0; i < columns; ++i) {
    ExprNode* item = NewNode(NodeKind::kScalarSubquery);
    *item = *first;
    item->extra2 = static_cast<uint8_t>(i);
    items.push_back(item);
  }
  return items;
}

StatusOr<ExprNode*> QueryBuilder::CompareRows(const parser::BinaryExpr& expr, QueryScope* scope) {
  KV_ASSIGN_OR_RETURN(std::vector<ExprNode*> left, BindRow(*expr.left, scope));
  KV_ASSIGN_OR_RETURN(std::vector<ExprNode*> right, BindRow(*expr.right, scope));
  for (auto [items, side] : {std::pair{&left, expr.left}, std::pair{&right, expr.right}}) {
    if (!items->empty()) continue;
    KV_ASSIGN_OR_RETURN(ExprNode * node, BindExpr(*side, scope));
    items->push_back(node);
  }
  if (left.size() != right.size()) return Error(expr.range.begin, "row value misused");
  ExprNode* result = nullptr;
  const auto chain = [&](Opcode op, ExprNode* a, ExprNode* b) {
    return b == nullptr ? a : OperatorNode(op, {a, b});
  };
  switch (expr.op) {
    case BinaryOp::kEqual:
    case BinaryOp::kIs:
    case BinaryOp::kNotEqual:
    case BinaryOp::kIsNot: {
      const bool is = expr.op == BinaryOp::kIs || expr.op == BinaryOp::kIsNot;
      for (size_t i = left.size(); i-- > 0;) {
        result = chain(Opcode::kAnd, Compare(is ? Opcode::kIs : Opcode::kEqual, left[i], right[i]),
                       result);
      }
      return expr.op == BinaryOp::kNotEqual || expr.op == BinaryOp::kIsNot ? Negate(result)
                                                                           : result;
    }
    case BinaryOp::kLess:
    case BinaryOp::kLessEqual:
    case BinaryOp::kGreater:
    case BinaryOp::kGreaterEqual: {
      const bool less = expr.op == BinaryOp::kLess || expr.op == BinaryOp::kLessEqual;
      const Opcode strict = less ? Opcode::kLess : Opcode::kGreater;
      const size_t last = left.size() - 1;
      Opcode at_end = strict;
      if (expr.op == BinaryOp::kLessEqual) at_end = Opcode::kLessEqual;
      if (expr.op == BinaryOp::kGreaterEqual) at_end = Opcode::kGreaterEqual;
      result = Compare(at_end, left[last], right[last]);
      for (size_t i = last; i-- > 0;) {
        ExprNode* tie =
            OperatorNode(Opcode::kAnd, {Compare(Opcode::kEqual, left[i], right[i]), result});
        result = OperatorNode(Opcode::kOr, {Compare(strict, left[i], right[i]), tie});
      }
      return result;
    }
    default:
      return Error(expr.range.begin, "row value misused");
  }
}

StatusOr<ExprNode*> QueryBuilder::BindScalar(const Expr& expr, QueryScope* scope) {
  if (expr.kind == ExprKind::kRow) return Error(expr.range.begin, "row value misused");
  KV_ASSIGN_OR_RETURN(ExprNode * node, BindExpr(expr, scope));
  if (node->kind == NodeKind::kScalarSubquery) {
    const size_t columns = plan_.subqueries[node->index]->results.size();
    if (columns != 1) {
      return Error(expr.range.begin,
                   "sub-select returns " + std::to_string(columns) + " columns - expected 1");
    }
  }
  return node;
}

// ------------------------------------------------------------------------------------ operators

StatusOr<ExprNode*> QueryBuilder::BindUnary(const parser::UnaryExpr& expr, QueryScope* scope) {
  KV_ASSIGN_OR_RETURN(ExprNode * operand, BindScalar(*expr.operand, scope));
  Opcode op = Opcode::kNot;
  switch (expr.op) {
    case UnaryOp::kPlus: {
      // The same value without an affinity.
      ExprNode* node = NewNode(operand->kind);
      *node = *operand;
      node->traits.affinity = std::nullopt;
      return node;
    }
    case UnaryOp::kNegate:
      op = Opcode::kNegate;
      break;
    case UnaryOp::kBitNot:
      op = Opcode::kBitNot;
      break;
    case UnaryOp::kNot:
      op = Opcode::kNot;
      break;
    case UnaryOp::kIsNull:
      op = Opcode::kIsNull;
      break;
    case UnaryOp::kNotNull:
      op = Opcode::kNotNull;
      break;
  }
  return OperatorNode(op, {operand});
}

StatusOr<ExprNode*> QueryBuilder::BindBinary(const parser::BinaryExpr& expr, QueryScope* scope) {
  if (expr.op == BinaryOp::kArrow || expr.op == BinaryOp::kLongArrow) {
    return Unsupported(expr.range.begin, "JSON operators");
  }
  const auto is_row = [](const Expr& side) { return side.kind == ExprKind::kRow; };
  if (is_row(*expr.left) || is_row(*expr.right)) return CompareRows(expr, scope);
  if (expr.op == BinaryOp::kIs || expr.op == BinaryOp::kIsNot) {
    if (const std::optional<bool> truth = AsBoolean(*expr.right, scope); truth.has_value()) {
      KV_ASSIGN_OR_RETURN(ExprNode * operand, BindScalar(*expr.left, scope));
      ExprNode* node = OperatorNode(Opcode::kIsTrue, {operand});
      const unsigned negated = expr.op == BinaryOp::kIsNot ? 2 : 0;
      node->extra = static_cast<uint8_t>(negated + (*truth ? 0 : 1));
      return node;
    }
  }
  KV_ASSIGN_OR_RETURN(ExprNode * left, BindScalar(*expr.left, scope));
  KV_ASSIGN_OR_RETURN(ExprNode * right, BindScalar(*expr.right, scope));
  const Opcode op = OpcodeOf(expr.op);
  return IsComparison(op) ? Compare(op, left, right) : OperatorNode(op, {left, right});
}

StatusOr<ExprNode*> QueryBuilder::BindLike(const parser::LikeExpr& expr, QueryScope* scope) {
  std::string_view name = "like";
  switch (expr.op) {
    case parser::LikeOp::kLike:
      break;
    case parser::LikeOp::kGlob:
      name = "glob";
      break;
    case parser::LikeOp::kRegexp:
      return Error(expr.range.begin, "no such function: REGEXP");
    case parser::LikeOp::kMatch:
      return Error(expr.range.begin, "unable to use function MATCH in the requested context");
  }
  ExprNode* node = NewNode(NodeKind::kFunction);
  node->offset = expr.range.begin;
  // x LIKE y is like(y, x).
  KV_ASSIGN_OR_RETURN(ExprNode * pattern, BindScalar(*expr.pattern, scope));
  KV_ASSIGN_OR_RETURN(ExprNode * operand, BindScalar(*expr.operand, scope));
  node->args = {pattern, operand};
  if (expr.escape != nullptr) {
    KV_ASSIGN_OR_RETURN(ExprNode * escape, BindScalar(*expr.escape, scope));
    node->args.push_back(escape);
  }
  bool known = false;
  node->function = FindFunction(name, static_cast<int>(node->args.size()), &known);
  if (node->function == nullptr) {
    return Error(expr.range.begin,
                 "wrong number of arguments to function " + std::string(name) + "()");
  }
  node->traits = ExplicitOf(node->args);
  return expr.negated ? Negate(node) : node;
}

// (a, b) IN ((1, 2), (3, 4)) is (a, b) IN (VALUES (1, 2), (3, 4)).
StatusOr<ExprNode*> QueryBuilder::BindInRows(const parser::InExpr& expr, QueryScope* scope) {
  const size_t terms = As<parser::RowExpr>(*expr.operand).items.size();
  std::vector<std::span<Expr*>> rows;
  for (const Expr* item : expr.list) {
    const bool is_row = item->kind == ExprKind::kRow;
    const size_t given = is_row ? As<parser::RowExpr>(*item).items.size() : 1;
    if (given != terms) {
      return Error(item->range.begin, "IN(...) element has " + std::to_string(given) + " term" +
                                          (given == 1 ? "" : "s") + " - expected " +
                                          std::to_string(terms));
    }
    rows.push_back(As<parser::RowExpr>(*item).items);
  }
  parser::SelectCore core;
  core.is_values = true;
  core.rows = rows;
  parser::Select select;
  select.cores = {&core, 1};
  parser::InExpr query = expr;
  query.list = {};
  query.query = &select;
  return BindIn(query, scope);
}

StatusOr<ExprNode*> QueryBuilder::BindIn(const parser::InExpr& expr, QueryScope* scope) {
  ExprNode* node = nullptr;
  if (expr.query == nullptr && expr.table.object.empty() && expr.list.empty()) {
    // In nothing is nothing: as in SQLite, names on the left need not even exist.
    node = ConstantNode(ValueView::Integer(expr.negated ? 1 : 0));
    node->offset = expr.range.begin;
    return node;
  }
  if (expr.query != nullptr || !expr.table.object.empty()) {
    if (expr.is_function) return Unsupported(expr.range.begin, "table functions");
    std::vector<ExprNode*> left;
    if (expr.operand->kind == ExprKind::kRow || expr.operand->kind == ExprKind::kSubquery) {
      KV_ASSIGN_OR_RETURN(left, BindRow(*expr.operand, scope));
    } else {
      KV_ASSIGN_OR_RETURN(ExprNode * operand, BindScalar(*expr.operand, scope));
      left.push_back(operand);
    }
    if (expr.query != nullptr) {
      KV_ASSIGN_OR_RETURN(
          node, BindSubquery(*expr.query, NodeKind::kInSubquery, expr.range.begin, scope));
    } else {
      // x IN t is x IN (SELECT * FROM t).
      parser::TableTerm term;
      term.table = expr.table;
      term.range = expr.range;
      parser::ResultColumn star;
      star.kind = parser::ResultColumnKind::kStar;
      star.range = expr.range;
      parser::SelectCore core;
      core.columns = {&star, 1};
      core.from = {&term, 1};
      parser::Select select;
      select.cores = {&core, 1};
      KV_ASSIGN_OR_RETURN(node,
                          BindSubquery(select, NodeKind::kInSubquery, expr.range.begin, scope));
    }
    const size_t columns = plan_.subqueries[node->index]->results.size();
    if (columns != left.size()) {
      return Error(expr.range.begin, "sub-select returns " + std::to_string(columns) +
                                         " columns - expected " + std::to_string(left.size()));
    }
    for (size_t i = 0; i < columns; ++i) {
      // node->args has the subquery's columns, for their traits.
      node->compare_extras.push_back(ComparisonOf(left[i]->traits, node->args[i]->traits));
    }
    node->args = std::move(left);
  } else if (expr.list.size() == 1 && expr.list[0]->kind == ExprKind::kLifted &&
             As<parser::LiftedExpr>(*expr.list[0]).is_list) {
    KV_ASSIGN_OR_RETURN(ExprNode * operand, BindScalar(*expr.operand, scope));
    node = NewNode(NodeKind::kInLifted);
    node->index = As<parser::LiftedExpr>(*expr.list[0]).slot;
    node->args = {operand};
  } else {
    if (expr.operand->kind == ExprKind::kRow) return BindInRows(expr, scope);
    KV_ASSIGN_OR_RETURN(ExprNode * operand, BindScalar(*expr.operand, scope));
    node = NewNode(NodeKind::kIn);
    node->args = {operand};
    for (const Expr* item : expr.list) {
      KV_ASSIGN_OR_RETURN(ExprNode * value, BindScalar(*item, scope));
      node->args.push_back(value);
    }
  }
  if (node->kind != NodeKind::kInSubquery) {
    // Only the operand's affinity counts.
    ExprTraits none;
    node->extra = ComparisonOf(node->args[0]->traits, none);
  }
  node->offset = expr.range.begin;
  return expr.negated ? Negate(node) : node;
}

StatusOr<ExprNode*> QueryBuilder::BindCase(const parser::CaseExpr& expr, QueryScope* scope) {
  ExprNode* node = NewNode(NodeKind::kCase);
  node->offset = expr.range.begin;
  ExprNode* operand = nullptr;
  if (expr.operand != nullptr) {
    KV_ASSIGN_OR_RETURN(operand, BindScalar(*expr.operand, scope));
    node->args.push_back(operand);
    node->flags |= kHasOperand;
  }
  for (const parser::CaseBranch& branch : expr.branches) {
    KV_ASSIGN_OR_RETURN(ExprNode * when, BindScalar(*branch.when, scope));
    KV_ASSIGN_OR_RETURN(ExprNode * then, BindScalar(*branch.then, scope));
    if (operand != nullptr) {
      node->compare_extras.push_back(ComparisonOf(operand->traits, when->traits));
    }
    node->args.push_back(when);
    node->args.push_back(then);
  }
  if (expr.otherwise != nullptr) {
    KV_ASSIGN_OR_RETURN(ExprNode * otherwise, BindScalar(*expr.otherwise, scope));
    node->args.push_back(otherwise);
    node->flags |= kHasElse;
  }
  node->traits = ExplicitOf(node->args);
  return node;
}

ExprNode* QueryBuilder::CurrentTime(parser::LiteralKind literal) {
  ExprNode* node = NewNode(NodeKind::kFunction);
  bool known = false;
  node->function =
      FindFunction(literal == parser::LiteralKind::kCurrentDate   ? "current_date"
                   : literal == parser::LiteralKind::kCurrentTime ? "current_time"
                                                                  : "current_timestamp",
                   0, &known);
  return node;
}

StatusOr<ExprNode*> QueryBuilder::BindExpr(const Expr& expr, QueryScope* scope) {
  if (const std::optional<ValueView> literal = LiteralOf(expr); literal.has_value()) {
    ExprNode* node = ConstantNode(*literal);
    node->offset = expr.range.begin;
    return node;
  }
  switch (expr.kind) {
    case ExprKind::kLiteral:
      return CurrentTime(As<parser::LiteralExpr>(expr).literal);
    case ExprKind::kLifted: {
      if (As<parser::LiftedExpr>(expr).is_list) return Error(expr.range.begin, "row value misused");
      ExprNode* node = NewNode(NodeKind::kLifted);
      node->index = As<parser::LiftedExpr>(expr).slot;
      node->offset = expr.range.begin;
      return node;
    }
    case ExprKind::kParameter: {
      ExprNode* node = NewNode(NodeKind::kParameter);
      node->index = As<parser::ParameterExpr>(expr).number - 1;
      node->offset = expr.range.begin;
      return node;
    }
    case ExprKind::kColumn:
      return BindColumn(As<parser::ColumnExpr>(expr), scope);
    case ExprKind::kUnary:
      return BindUnary(As<parser::UnaryExpr>(expr), scope);
    case ExprKind::kBinary:
      return BindBinary(As<parser::BinaryExpr>(expr), scope);
    case ExprKind::kLike:
      return BindLike(As<parser::LikeExpr>(expr), scope);
    case ExprKind::kBetween: {
      const auto& between = As<parser::BetweenExpr>(expr);
      if (between.operand->kind == ExprKind::kRow) {
        parser::BinaryExpr low{};
        static_cast<Expr&>(low) = expr;
        low.kind = ExprKind::kBinary;
        low.op = BinaryOp::kGreaterEqual;
        low.left = between.operand;
        low.right = between.low;
        parser::BinaryExpr high = low;
        high.op = BinaryOp::kLessEqual;
        high.right = between.high;
        KV_ASSIGN_OR_RETURN(ExprNode * above, CompareRows(low, scope));
        KV_ASSIGN_OR_RETURN(ExprNode * below, CompareRows(high, scope));
        ExprNode* both = OperatorNode(Opcode::kAnd, {above, below});
        return between.negated ? Negate(both) : both;
      }
      ExprNode* node = NewNode(NodeKind::kBetween);
      node->offset = expr.range.begin;
      for (const Expr* arg : {between.operand, between.low, between.high}) {
        KV_ASSIGN_OR_RETURN(ExprNode * value, BindScalar(*arg, scope));
        node->args.push_back(value);
      }
      node->extra = ComparisonOf(node->args[0]->traits, node->args[1]->traits);
      node->extra2 = ComparisonOf(node->args[0]->traits, node->args[2]->traits);
      return between.negated ? Negate(node) : node;
    }
    case ExprKind::kIn:
      return BindIn(As<parser::InExpr>(expr), scope);
    case ExprKind::kExists:
      return BindSubquery(*As<parser::ExistsExpr>(expr).query, NodeKind::kExists, expr.range.begin,
                          scope);
    case ExprKind::kSubquery:
      return BindSubquery(*As<parser::SubqueryExpr>(expr).query, NodeKind::kScalarSubquery,
                          expr.range.begin, scope);
    case ExprKind::kRow:
      return Error(expr.range.begin, "row value misused");
    case ExprKind::kCase:
      return BindCase(As<parser::CaseExpr>(expr), scope);
    case ExprKind::kCast: {
      const auto& cast = As<parser::CastExpr>(expr);
      KV_ASSIGN_OR_RETURN(ExprNode * operand, BindScalar(*cast.operand, scope));
      ExprNode* node = OperatorNode(Opcode::kCast, {operand});
      const Affinity affinity = CastAffinity(cast.type.text);
      node->extra = static_cast<uint8_t>(affinity);
      node->traits = operand->traits;
      node->traits.affinity = affinity;
      return node;
    }
    case ExprKind::kCollate: {
      const auto& collate = As<parser::CollateExpr>(expr);
      KV_ASSIGN_OR_RETURN(ExprNode * operand, BindScalar(*collate.operand, scope));
      Collation collation = Collation::kBinary;
      if (!kv::ParseCollation(collate.collation.text, &collation)) {
        return Error(collate.collation.range.begin,
                     "no such collation sequence: " + std::string(collate.collation.text));
      }
      ExprNode* node = NewNode(operand->kind);
      *node = *operand;
      node->traits.collation = collation;
      node->traits.explicit_collation = true;
      return node;
    }
    case ExprKind::kFunction:
      return BindFunction(As<parser::FunctionExpr>(expr), scope);
    case ExprKind::kRaise:
      return Error(expr.range.begin, "RAISE() may only be used within a trigger-program");
  }
  return Unsupported(expr.range.begin, "this expression");
}

}  // namespace kvsql::planner
