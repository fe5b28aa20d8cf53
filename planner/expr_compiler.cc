#include "planner/expr_compiler.h"

#include <algorithm>
#include <limits>
#include <string>

#include "parser/parser.h"

namespace kvsql::planner {
namespace {

using kv::Affinity;
using kv::Collation;
using kv::ValueView;
using parser::As;
using parser::BinaryOp;
using parser::Expr;
using parser::ExprKind;
using parser::UnaryOp;

bool IsNumeric(Affinity affinity) {
  return affinity == Affinity::kNumeric || affinity == Affinity::kInteger ||
         affinity == Affinity::kReal;
}

std::optional<ValueView> PlainLiteral(const parser::LiteralExpr& literal) {
  switch (literal.literal) {
    case parser::LiteralKind::kNull:
      return ValueView::Null();
    case parser::LiteralKind::kInteger:
      return ValueView::Integer(literal.integer);
    case parser::LiteralKind::kReal:
      return ValueView::Real(literal.real);
    case parser::LiteralKind::kText:
      return ValueView::Text(literal.bytes);
    case parser::LiteralKind::kBlob:
      return ValueView::Blob(literal.bytes);
    default:
      return std::nullopt;  // the current time
  }
}

}  // namespace

Opcode OpcodeOf(BinaryOp op) {
  switch (op) {
    case BinaryOp::kOr:
      return Opcode::kOr;
    case BinaryOp::kAnd:
      return Opcode::kAnd;
    case BinaryOp::kEqual:
      return Opcode::kEqual;
    case BinaryOp::kNotEqual:
      return Opcode::kNotEqual;
    case BinaryOp::kLess:
      return Opcode::kLess;
    case BinaryOp::kLessEqual:
      return Opcode::kLessEqual;
    case BinaryOp::kGreater:
      return Opcode::kGreater;
    case BinaryOp::kGreaterEqual:
      return Opcode::kGreaterEqual;
    case BinaryOp::kIs:
      return Opcode::kIs;
    case BinaryOp::kIsNot:
      return Opcode::kIsNot;
    case BinaryOp::kAdd:
      return Opcode::kAdd;
    case BinaryOp::kSubtract:
      return Opcode::kSubtract;
    case BinaryOp::kMultiply:
      return Opcode::kMultiply;
    case BinaryOp::kDivide:
      return Opcode::kDivide;
    case BinaryOp::kRemainder:
      return Opcode::kRemainder;
    case BinaryOp::kBitAnd:
      return Opcode::kBitAnd;
    case BinaryOp::kBitOr:
      return Opcode::kBitOr;
    case BinaryOp::kShiftLeft:
      return Opcode::kShiftLeft;
    case BinaryOp::kShiftRight:
      return Opcode::kShiftRight;
    default:
      return Opcode::kConcat;
  }
}

namespace {

bool IsComparison(BinaryOp op) { return op >= BinaryOp::kEqual && op <= BinaryOp::kIsNot; }

}  // namespace

std::optional<ValueView> LiteralOf(const Expr& expr) {
  if (expr.kind == ExprKind::kLiteral) return PlainLiteral(As<parser::LiteralExpr>(expr));
  if (expr.kind != ExprKind::kUnary) return std::nullopt;
  const auto& unary = As<parser::UnaryExpr>(expr);
  if (unary.operand->kind != ExprKind::kLiteral) return std::nullopt;
  const auto& literal = As<parser::LiteralExpr>(*unary.operand);
  if (unary.op == UnaryOp::kPlus) return PlainLiteral(literal);
  if (unary.op != UnaryOp::kNegate) return std::nullopt;
  if (literal.is_min_magnitude) return ValueView::Integer(std::numeric_limits<int64_t>::min());
  if (literal.literal == parser::LiteralKind::kInteger &&
      literal.integer != std::numeric_limits<int64_t>::min()) {
    return ValueView::Integer(-literal.integer);
  }
  if (literal.literal == parser::LiteralKind::kReal) return ValueView::Real(-literal.real);
  return std::nullopt;
}

Operand ExprCompiler::Constant(const ValueView& value) {
  plan_.constants.emplace_back(value);
  return {OperandKind::kConstant, static_cast<uint32_t>(plan_.constants.size() - 1)};
}

Status ExprCompiler::Unsupported(const Expr& expr, std::string_view what) const {
  return parser::NotSupportedAt(scope_.sql, expr.range.begin, what);
}

std::optional<bool> ExprCompiler::AsBoolean(const Expr& expr) const {
  if (expr.kind != ExprKind::kColumn) return std::nullopt;
  const auto& column = As<parser::ColumnExpr>(expr);
  if (!column.table.empty() || column.column.quote != 0 || scope_.Resolve(column).has_value()) {
    return std::nullopt;
  }
  if (kv::EqualsIgnoreCase(column.column.text, "true")) return true;
  if (kv::EqualsIgnoreCase(column.column.text, "false")) return false;
  return std::nullopt;
}

ExprTraits ExprCompiler::TraitsOf(const Expr& expr) const {
  switch (expr.kind) {
    case ExprKind::kColumn: {
      const std::optional<uint32_t> column = scope_.Resolve(As<parser::ColumnExpr>(expr));
      if (!column.has_value()) return {};
      if (*column == kv::kRowidColumn) return {Affinity::kInteger, Collation::kBinary, false};
      const kv::ColumnDef& def = scope_.table->columns[*column];
      return {def.affinity, def.collation, false};
    }
    case ExprKind::kCast: {
      ExprTraits traits = TraitsOf(*As<parser::CastExpr>(expr).operand);
      traits.affinity = CastAffinity(As<parser::CastExpr>(expr).type.text);
      return traits;
    }
    case ExprKind::kCollate: {
      ExprTraits traits = TraitsOf(*As<parser::CollateExpr>(expr).operand);
      Collation collation = Collation::kBinary;
      kv::ParseCollation(As<parser::CollateExpr>(expr).collation.text, &collation);
      traits.collation = collation;
      traits.explicit_collation = true;
      return traits;
    }
    case ExprKind::kUnary: {
      const auto& unary = As<parser::UnaryExpr>(expr);
      ExprTraits traits = TraitsOf(*unary.operand);
      if (unary.op != UnaryOp::kPlus && !traits.explicit_collation) return {};
      traits.affinity = std::nullopt;
      return traits;
    }
    case ExprKind::kBinary: {
      // An explicit collation inside an operand holds for the whole operator.
      const auto& binary = As<parser::BinaryExpr>(expr);
      for (const Expr* side : {binary.left, binary.right}) {
        ExprTraits traits = TraitsOf(*side);
        if (traits.explicit_collation) return {std::nullopt, traits.collation, true};
      }
      return {};
    }
    default:
      return {};
  }
}

Affinity CastAffinity(std::string_view type) {
  return type.empty() ? Affinity::kNumeric : kv::AffinityOfType(type);
}

bool LeavesColumnAsIs(const std::optional<Affinity>& column, const std::optional<Affinity>& value) {
  if (!value.has_value()) return true;
  if (column.has_value() && IsNumeric(*column)) return true;
  if (IsNumeric(*value)) return false;
  // TEXT against a column without affinity would convert the column; two columns-like sides convert none.
  return column.has_value();
}

uint8_t ComparisonOf(const ExprTraits& l, const ExprTraits& r) {
  CompareAffinity affinity = CompareAffinity::kNone;
  if (l.affinity.has_value() && r.affinity.has_value()) {
    if (IsNumeric(*l.affinity) || IsNumeric(*r.affinity)) affinity = CompareAffinity::kNumeric;
  } else if (l.affinity.has_value() || r.affinity.has_value()) {
    const Affinity one = l.affinity.has_value() ? *l.affinity : *r.affinity;
    if (IsNumeric(one)) {
      affinity = CompareAffinity::kNumeric;
    } else if (one == Affinity::kText) {
      affinity = CompareAffinity::kText;
    }
  }
  Collation collation = Collation::kBinary;
  if (l.explicit_collation) {
    collation = *l.collation;
  } else if (r.explicit_collation) {
    collation = *r.collation;
  } else if (l.collation.has_value()) {
    collation = *l.collation;
  } else if (r.collation.has_value()) {
    collation = *r.collation;
  }
  return PackComparison(affinity, collation);
}

uint8_t ExprCompiler::ComparisonOf(const Expr& left, const Expr& right) const {
  return planner::ComparisonOf(TraitsOf(left), TraitsOf(right));
}

bool ExprCompiler::UsesColumns(const Expr& expr) const {
  switch (expr.kind) {
    case ExprKind::kLiteral:
    case ExprKind::kLifted:
    case ExprKind::kParameter:
      return false;
    case ExprKind::kColumn:
      return scope_.Resolve(As<parser::ColumnExpr>(expr)).has_value();
    case ExprKind::kUnary:
      return UsesColumns(*As<parser::UnaryExpr>(expr).operand);
    case ExprKind::kBinary:
      return UsesColumns(*As<parser::BinaryExpr>(expr).left) ||
             UsesColumns(*As<parser::BinaryExpr>(expr).right);
    case ExprKind::kCast:
      return UsesColumns(*As<parser::CastExpr>(expr).operand);
    case ExprKind::kCollate:
      return UsesColumns(*As<parser::CollateExpr>(expr).operand);
    default:
      return true;
  }
}

// Leaves need no program.
StatusOr<std::optional<Operand>> ExprCompiler::CompileLeaf(const Expr& expr) {
  if (const std::optional<ValueView> literal = LiteralOf(expr); literal.has_value()) {
    return std::optional<Operand>(Constant(*literal));
  }
  switch (expr.kind) {
    case ExprKind::kParameter:
      return std::optional<Operand>(
          {{OperandKind::kParameter, As<parser::ParameterExpr>(expr).number - 1}});
    case ExprKind::kLifted:
      if (As<parser::LiftedExpr>(expr).is_list) break;
      return std::optional<Operand>({{OperandKind::kLifted, As<parser::LiftedExpr>(expr).slot}});
    case ExprKind::kCollate: {
      const auto& collate = As<parser::CollateExpr>(expr);
      Collation collation;
      if (!kv::ParseCollation(collate.collation.text, &collation)) {
        return parser::ErrorAt(
            scope_.sql, collate.collation.range.begin,
            "no such collation sequence: " + std::string(collate.collation.text));
      }
      return CompileLeaf(*collate.operand);
    }
    case ExprKind::kUnary:
      if (As<parser::UnaryExpr>(expr).op != UnaryOp::kPlus) break;
      return CompileLeaf(*As<parser::UnaryExpr>(expr).operand);
    case ExprKind::kColumn: {
      const auto& column = As<parser::ColumnExpr>(expr);
      if (const std::optional<uint32_t> number = scope_.Resolve(column); number.has_value()) {
        if (*number == kv::kRowidColumn) return std::optional<Operand>({{OperandKind::kRowid, 0}});
        return std::optional<Operand>({{OperandKind::kColumn, *number}});
      }
      if (const std::optional<bool> boolean = AsBoolean(expr); boolean.has_value()) {
        return std::optional<Operand>(Constant(ValueView::Integer(*boolean ? 1 : 0)));
      }
      if (column.table.empty() && column.column.quote == '"') {
        return std::optional<Operand>(Constant(ValueView::Text(column.column.text)));
      }
      return NoSuchColumn(scope_.sql, column);
    }
    default:
      break;
  }
  return std::optional<Operand>();
}

StatusOr<Operand> ExprCompiler::Compile(const Expr& expr) {
  KV_ASSIGN_OR_RETURN(const std::optional<Operand> leaf, CompileLeaf(expr));
  if (leaf.has_value()) return *leaf;
  Program program;
  KV_RETURN_IF_ERROR(Emit(expr, 0, &program));
  plan_.registers = std::max(plan_.registers, program.registers);
  plan_.programs.push_back(std::move(program));
  return Operand{OperandKind::kProgram, static_cast<uint32_t>(plan_.programs.size() - 1)};
}

Status ExprCompiler::Add(Opcode op, uint8_t extra, uint32_t at, uint32_t index, Program* program) {
  program->registers = std::max(program->registers, at + 1);
  program->code.push_back({op, extra, static_cast<uint16_t>(at), index});
  return absl::OkStatus();
}

Status ExprCompiler::EmitBinary(const parser::BinaryExpr& expr, uint32_t at, Program* program) {
  if (expr.op == BinaryOp::kArrow || expr.op == BinaryOp::kLongArrow) {
    return Unsupported(expr, "JSON operators");
  }
  if (expr.op == BinaryOp::kIs || expr.op == BinaryOp::kIsNot) {
    if (const std::optional<bool> truth = AsBoolean(*expr.right); truth.has_value()) {
      KV_RETURN_IF_ERROR(Emit(*expr.left, at, program));
      const unsigned negated = expr.op == BinaryOp::kIsNot ? 2 : 0;
      return Add(Opcode::kIsTrue, static_cast<uint8_t>(negated + (*truth ? 0 : 1)), at, 0, program);
    }
  }
  KV_RETURN_IF_ERROR(Emit(*expr.left, at, program));
  KV_RETURN_IF_ERROR(Emit(*expr.right, at + 1, program));
  return Add(OpcodeOf(expr.op), IsComparison(expr.op) ? ComparisonOf(*expr.left, *expr.right) : 0,
             at, 0, program);
}

// x BETWEEN a AND b is x >= a AND x <= b, with x evaluated once.
Status ExprCompiler::EmitBetween(const parser::BetweenExpr& expr, uint32_t at, Program* program) {
  KV_RETURN_IF_ERROR(Emit(*expr.operand, at, program));
  KV_RETURN_IF_ERROR(Add(Opcode::kCopy, 0, at + 1, at, program));
  KV_RETURN_IF_ERROR(Emit(*expr.low, at + 2, program));
  KV_RETURN_IF_ERROR(
      Add(Opcode::kGreaterEqual, ComparisonOf(*expr.operand, *expr.low), at + 1, 0, program));
  KV_RETURN_IF_ERROR(Add(Opcode::kCopy, 0, at + 2, at, program));
  KV_RETURN_IF_ERROR(Emit(*expr.high, at + 3, program));
  KV_RETURN_IF_ERROR(
      Add(Opcode::kLessEqual, ComparisonOf(*expr.operand, *expr.high), at + 2, 0, program));
  KV_RETURN_IF_ERROR(Add(Opcode::kAnd, 0, at + 1, 0, program));
  KV_RETURN_IF_ERROR(Add(Opcode::kCopy, 0, at, at + 1, program));
  return expr.negated ? Add(Opcode::kNot, 0, at, 0, program) : absl::OkStatus();
}

Status ExprCompiler::Emit(const Expr& expr, uint32_t at, Program* program) {
  KV_ASSIGN_OR_RETURN(const std::optional<Operand> leaf, CompileLeaf(expr));
  if (leaf.has_value()) {
    switch (leaf->kind) {
      case OperandKind::kConstant:
        return Add(Opcode::kConstant, 0, at, leaf->index, program);
      case OperandKind::kParameter:
        return Add(Opcode::kParameter, 0, at, leaf->index, program);
      case OperandKind::kLifted:
        return Add(Opcode::kLifted, 0, at, leaf->index, program);
      case OperandKind::kColumn:
        return Add(Opcode::kColumn, 0, at, leaf->index, program);
      default:
        return Add(Opcode::kRowid, 0, at, 0, program);
    }
  }
  switch (expr.kind) {
    case ExprKind::kUnary: {
      const auto& unary = As<parser::UnaryExpr>(expr);
      KV_RETURN_IF_ERROR(Emit(*unary.operand, at, program));
      switch (unary.op) {
        case UnaryOp::kNegate:
          return Add(Opcode::kNegate, 0, at, 0, program);
        case UnaryOp::kBitNot:
          return Add(Opcode::kBitNot, 0, at, 0, program);
        case UnaryOp::kNot:
          return Add(Opcode::kNot, 0, at, 0, program);
        case UnaryOp::kIsNull:
          return Add(Opcode::kIsNull, 0, at, 0, program);
        case UnaryOp::kNotNull:
          return Add(Opcode::kNotNull, 0, at, 0, program);
        case UnaryOp::kPlus:
          return absl::OkStatus();
      }
      return absl::OkStatus();
    }
    case ExprKind::kBinary:
      return EmitBinary(As<parser::BinaryExpr>(expr), at, program);
    case ExprKind::kBetween:
      return EmitBetween(As<parser::BetweenExpr>(expr), at, program);
    case ExprKind::kCollate:
      return Emit(*As<parser::CollateExpr>(expr).operand, at, program);
    case ExprKind::kCast: {
      const auto& cast = As<parser::CastExpr>(expr);
      KV_RETURN_IF_ERROR(Emit(*cast.operand, at, program));
      return Add(Opcode::kCast, static_cast<uint8_t>(CastAffinity(cast.type.text)), at, 0, program);
    }
    case ExprKind::kLiteral:
      return Unsupported(expr, "CURRENT_DATE, CURRENT_TIME and CURRENT_TIMESTAMP");
    case ExprKind::kLike:
      return Unsupported(expr, "LIKE, GLOB, REGEXP and MATCH");
    case ExprKind::kIn:
    case ExprKind::kLifted:
      return Unsupported(expr, "IN");
    case ExprKind::kExists:
    case ExprKind::kSubquery:
      return Unsupported(expr, "subqueries");
    case ExprKind::kRow:
      return Unsupported(expr, "row values");
    case ExprKind::kCase:
      return Unsupported(expr, "CASE");
    case ExprKind::kFunction:
      return Unsupported(
          expr, "function " + std::string(As<parser::FunctionExpr>(expr).name.text) + "()");
    default:
      return Unsupported(expr, "this expression");
  }
}

}  // namespace kvsql::planner
