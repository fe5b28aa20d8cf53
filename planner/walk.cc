#include "planner/walk.h"

namespace kvsql::planner {

using parser::As;
using parser::Expr;
using parser::ExprKind;

Status WalkExpr(const Expr* expr, const std::function<Status(const Expr&)>& visit) {
  if (expr == nullptr) return absl::OkStatus();
  KV_RETURN_IF_ERROR(visit(*expr));
  switch (expr->kind) {
    case ExprKind::kUnary:
      return WalkExpr(As<parser::UnaryExpr>(*expr).operand, visit);
    case ExprKind::kBinary:
      KV_RETURN_IF_ERROR(WalkExpr(As<parser::BinaryExpr>(*expr).left, visit));
      return WalkExpr(As<parser::BinaryExpr>(*expr).right, visit);
    case ExprKind::kLike:
      KV_RETURN_IF_ERROR(WalkExpr(As<parser::LikeExpr>(*expr).operand, visit));
      KV_RETURN_IF_ERROR(WalkExpr(As<parser::LikeExpr>(*expr).pattern, visit));
      return WalkExpr(As<parser::LikeExpr>(*expr).escape, visit);
    case ExprKind::kBetween:
      KV_RETURN_IF_ERROR(WalkExpr(As<parser::BetweenExpr>(*expr).operand, visit));
      KV_RETURN_IF_ERROR(WalkExpr(As<parser::BetweenExpr>(*expr).low, visit));
      return WalkExpr(As<parser::BetweenExpr>(*expr).high, visit);
    case ExprKind::kIn:
      KV_RETURN_IF_ERROR(WalkExpr(As<parser::InExpr>(*expr).operand, visit));
      for (const Expr* item : As<parser::InExpr>(*expr).list) {
        KV_RETURN_IF_ERROR(WalkExpr(item, visit));
      }
      return absl::OkStatus();
    case ExprKind::kRow:
      for (const Expr* item : As<parser::RowExpr>(*expr).items) {
        KV_RETURN_IF_ERROR(WalkExpr(item, visit));
      }
      return absl::OkStatus();
    case ExprKind::kCase: {
      const auto& branches = As<parser::CaseExpr>(*expr);
      KV_RETURN_IF_ERROR(WalkExpr(branches.operand, visit));
      for (const parser::CaseBranch& branch : branches.branches) {
        KV_RETURN_IF_ERROR(WalkExpr(branch.when, visit));
        KV_RETURN_IF_ERROR(WalkExpr(branch.then, visit));
      }
      return WalkExpr(branches.otherwise, visit);
    }
    case ExprKind::kCast:
      return WalkExpr(As<parser::CastExpr>(*expr).operand, visit);
    case ExprKind::kCollate:
      return WalkExpr(As<parser::CollateExpr>(*expr).operand, visit);
    case ExprKind::kFunction:
      for (const Expr* argument : As<parser::FunctionExpr>(*expr).arguments) {
        KV_RETURN_IF_ERROR(WalkExpr(argument, visit));
      }
      return WalkExpr(As<parser::FunctionExpr>(*expr).filter, visit);
    default:
      return absl::OkStatus();
  }
}

namespace {

using NameVisitor = std::function<Status(const parser::QualifiedName&)>;

Status WalkQueries(const Expr* expr, const NameVisitor& visit) {
  return WalkExpr(expr, [&](const Expr& part) -> Status {
    switch (part.kind) {
      case ExprKind::kSubquery:
        return WalkTables(*As<parser::SubqueryExpr>(part).query, visit);
      case ExprKind::kExists:
        return WalkTables(*As<parser::ExistsExpr>(part).query, visit);
      case ExprKind::kIn: {
        const auto& in = As<parser::InExpr>(part);
        if (in.query != nullptr) return WalkTables(*in.query, visit);
        return in.table.object.empty() ? absl::OkStatus() : visit(in.table);
      }
      default:
        return absl::OkStatus();
    }
  });
}

Status WalkTerms(std::span<const parser::TableTerm> terms, const NameVisitor& visit) {
  for (const parser::TableTerm& term : terms) {
    KV_RETURN_IF_ERROR(WalkQueries(term.on, visit));
    if (term.kind == parser::TableTermKind::kTable) KV_RETURN_IF_ERROR(visit(term.table));
    if (term.query != nullptr) KV_RETURN_IF_ERROR(WalkTables(*term.query, visit));
    KV_RETURN_IF_ERROR(WalkTerms(term.group, visit));
  }
  return absl::OkStatus();
}

}  // namespace

Status WalkTables(const parser::Select& select, const NameVisitor& visit) {
  for (size_t i = 0; select.with != nullptr && i < select.with->tables.size(); ++i) {
    KV_RETURN_IF_ERROR(WalkTables(*select.with->tables[i].query, visit));
  }
  for (const parser::SelectCore& core : select.cores) {
    for (const parser::ResultColumn& column : core.columns) {
      KV_RETURN_IF_ERROR(WalkQueries(column.expr, visit));
    }
    KV_RETURN_IF_ERROR(WalkTerms(core.from, visit));
    KV_RETURN_IF_ERROR(WalkQueries(core.where, visit));
    for (const Expr* key : core.group_by) KV_RETURN_IF_ERROR(WalkQueries(key, visit));
    KV_RETURN_IF_ERROR(WalkQueries(core.having, visit));
    for (const std::span<Expr*> row : core.rows) {
      for (const Expr* item : row) KV_RETURN_IF_ERROR(WalkQueries(item, visit));
    }
  }
  for (const parser::OrderingTerm& term : select.order_by) {
    KV_RETURN_IF_ERROR(WalkQueries(term.expr, visit));
  }
  KV_RETURN_IF_ERROR(WalkQueries(select.limit, visit));
  return WalkQueries(select.offset, visit);
}

}  // namespace kvsql::planner
