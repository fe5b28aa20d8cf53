// Writes an expression fully parenthesised, so that tests can see how it was grouped.
#ifndef KVSQL_TESTS_PARSER_EXPR_DUMP_H_
#define KVSQL_TESTS_PARSER_EXPR_DUMP_H_

#include <string>

#include "parser/ast_statement.h"

namespace kvsql::parser {

inline std::string Dump(const Expr* expr) {
  if (expr == nullptr) return "-";
  const auto list = [](std::span<Expr* const> items) {
    std::string text;
    for (const Expr* item : items) text += (text.empty() ? "" : ",") + Dump(item);
    return text;
  };
  switch (expr->kind) {
    case ExprKind::kLiteral: {
      const auto& e = As<LiteralExpr>(*expr);
      switch (e.literal) {
        case LiteralKind::kNull:
          return "null";
        case LiteralKind::kInteger:
          return std::to_string(e.integer);
        case LiteralKind::kReal:
          return "r" + std::to_string(e.real);
        case LiteralKind::kText:
          return "'" + std::string(e.bytes) + "'";
        case LiteralKind::kBlob:
          return "x" + std::to_string(e.bytes.size());
        default:
          return "now";
      }
    }
    case ExprKind::kLifted: {
      const auto& e = As<LiftedExpr>(*expr);
      return (e.is_list ? "L*" : "L") + std::to_string(e.slot);
    }
    case ExprKind::kParameter:
      return "?" + std::to_string(As<ParameterExpr>(*expr).number);
    case ExprKind::kColumn: {
      const auto& e = As<ColumnExpr>(*expr);
      std::string text;
      if (!e.schema.empty()) text += std::string(e.schema.text) + ".";
      if (!e.table.empty()) text += std::string(e.table.text) + ".";
      return text + std::string(e.column.text);
    }
    case ExprKind::kUnary: {
      const auto& e = As<UnaryExpr>(*expr);
      constexpr const char* kNames[] = {"-", "+", "~", "not ", "isnull ", "notnull "};
      return std::string("(") + kNames[static_cast<size_t>(e.op)] + Dump(e.operand) + ")";
    }
    case ExprKind::kBinary: {
      const auto& e = As<BinaryExpr>(*expr);
      constexpr const char* kNames[] = {
          "or", "and", "=", "<>", "<", "<=", ">",  ">=", "is", "isnot", "+",
          "-",  "*",   "/", "%",  "&", "|",  "<<", ">>", "||", "->",    "->>"};
      return "(" + Dump(e.left) + " " + kNames[static_cast<size_t>(e.op)] + " " + Dump(e.right) +
             ")";
    }
    case ExprKind::kLike: {
      const auto& e = As<LikeExpr>(*expr);
      constexpr const char* kNames[] = {" like ", " glob ", " regexp ", " match "};
      return "(" + Dump(e.operand) + (e.negated ? " not" : "") + kNames[static_cast<size_t>(e.op)] +
             Dump(e.pattern) + (e.escape != nullptr ? " escape " + Dump(e.escape) : "") + ")";
    }
    case ExprKind::kBetween: {
      const auto& e = As<BetweenExpr>(*expr);
      return "(" + Dump(e.operand) + (e.negated ? " not between " : " between ") + Dump(e.low) +
             ".." + Dump(e.high) + ")";
    }
    case ExprKind::kIn: {
      const auto& e = As<InExpr>(*expr);
      const std::string in = e.negated ? " not in " : " in ";
      if (e.query != nullptr) return "(" + Dump(e.operand) + in + "select)";
      if (!e.table.object.empty()) {
        return "(" + Dump(e.operand) + in + std::string(e.table.object.text) + ")";
      }
      return "(" + Dump(e.operand) + in + "[" + list(e.list) + "])";
    }
    case ExprKind::kExists:
      return "exists";
    case ExprKind::kSubquery:
      return "(select)";
    case ExprKind::kRow:
      return "row(" + list(As<RowExpr>(*expr).items) + ")";
    case ExprKind::kCase: {
      const auto& e = As<CaseExpr>(*expr);
      std::string text = "case(" + Dump(e.operand);
      for (const CaseBranch& b : e.branches) text += "; " + Dump(b.when) + ":" + Dump(b.then);
      return text + "; " + Dump(e.otherwise) + ")";
    }
    case ExprKind::kCast: {
      const auto& e = As<CastExpr>(*expr);
      return "cast(" + Dump(e.operand) + " as " + std::string(e.type.text) + ")";
    }
    case ExprKind::kCollate: {
      const auto& e = As<CollateExpr>(*expr);
      return "(" + Dump(e.operand) + " collate " + std::string(e.collation.text) + ")";
    }
    case ExprKind::kFunction: {
      const auto& e = As<FunctionExpr>(*expr);
      return std::string(e.name.text) + "(" + (e.distinct ? "distinct " : "") +
             (e.star ? "*" : "") + list(e.arguments) + ")" +
             (e.filter != nullptr ? " filter " + Dump(e.filter) : "") + (e.windowed ? " over" : "");
    }
    case ExprKind::kRaise:
      return "raise";
  }
  return "?";
}

}  // namespace kvsql::parser

#endif  // KVSQL_TESTS_PARSER_EXPR_DUMP_H_
