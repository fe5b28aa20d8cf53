// Expressions from AST to Operands and Programs of one plan.
//
// Thread safety: none; lives while one plan is made.
#ifndef KVSQL_PLANNER_EXPR_COMPILER_H_
#define KVSQL_PLANNER_EXPR_COMPILER_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/status.h"
#include "parser/ast_statement.h"
#include "planner/plan.h"
#include "planner/scope.h"

namespace kvsql::planner {

// What comparisons need to know of an expression.
struct ExprTraits {
  std::optional<kv::Affinity> affinity;  // columns and CAST have one
  std::optional<kv::Collation> collation;
  bool explicit_collation = false;  // by COLLATE, which beats a column's
};

// How two operands are compared with each other: PackComparison.
uint8_t ComparisonOf(const ExprTraits& left, const ExprTraits& right);

// Whether comparing a column with a value of this affinity converts no value of the column, so that its index
// finds what the comparison would find.
bool LeavesColumnAsIs(const std::optional<kv::Affinity>& column,
                      const std::optional<kv::Affinity>& value);

// What CAST(x AS type) converts to; without a type, to a number.
kv::Affinity CastAffinity(std::string_view type);

Opcode OpcodeOf(parser::BinaryOp op);

class ExprCompiler {
 public:
  ExprCompiler(Plan* plan, const Scope& scope) : plan_(*plan), scope_(scope) {}

  // Adds to the plan what the expression needs.
  StatusOr<Operand> Compile(const parser::Expr& expr);

  ExprTraits TraitsOf(const parser::Expr& expr) const;
  // How left and right are compared with each other.
  uint8_t ComparisonOf(const parser::Expr& left, const parser::Expr& right) const;

  // Whether the value may depend on the row at hand.
  bool UsesColumns(const parser::Expr& expr) const;

  Operand Constant(const kv::ValueView& value);
  // TRUE and FALSE where they are no columns.
  std::optional<bool> AsBoolean(const parser::Expr& expr) const;

 private:
  StatusOr<std::optional<Operand>> CompileLeaf(const parser::Expr& expr);
  Status Emit(const parser::Expr& expr, uint32_t at, Program* program);
  Status EmitBinary(const parser::BinaryExpr& expr, uint32_t at, Program* program);
  Status EmitBetween(const parser::BetweenExpr& expr, uint32_t at, Program* program);
  Status Add(Opcode op, uint8_t extra, uint32_t at, uint32_t index, Program* program);
  Status Unsupported(const parser::Expr& expr, std::string_view what) const;

  Plan& plan_;
  const Scope& scope_;
};

// The constant that a literal with an optional sign stands for; nullopt if `expr` is something else.
std::optional<kv::ValueView> LiteralOf(const parser::Expr& expr);

}  // namespace kvsql::planner

#endif  // KVSQL_PLANNER_EXPR_COMPILER_H_
