// AST: expressions.
#ifndef KVSQL_PARSER_AST_EXPR_H_
#define KVSQL_PARSER_AST_EXPR_H_

#include "parser/ast.h"

namespace kvsql::parser {

enum class ExprKind : uint8_t {
  kLiteral,
  kLifted,
  kParameter,
  kColumn,
  kUnary,
  kBinary,
  kLike,
  kBetween,
  kIn,
  kExists,
  kSubquery,
  kRow,
  kCase,
  kCast,
  kCollate,
  kFunction,
  kRaise,
};

struct Expr {
  ExprKind kind;
  uint16_t height = 1;  // of the tree below, itself included
  TextRange range;      // without the parentheses around it
};

// Nodes of kind `Node::kKind`; the caller has looked at `kind`.
template <typename Node>
const Node& As(const Expr& expr) {
  return static_cast<const Node&>(expr);
}

enum class LiteralKind : uint8_t {
  kNull,
  kInteger,
  kReal,
  kText,
  kBlob,
  kCurrentDate,
  kCurrentTime,
  kCurrentTimestamp,
};

struct LiteralExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::kLiteral;
  LiteralKind literal = LiteralKind::kNull;
  // 9223372036854775808: real on its own, the least integer behind a minus.
  bool is_min_magnitude = false;
  int64_t integer = 0;
  double real = 0;
  std::string_view bytes;  // text and blob, decoded
};

// A literal that the normaliser lifted: its value comes with each execution.
struct LiftedExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::kLifted;
  uint32_t slot = 0;
  bool is_list = false;  // a whole IN list
};

struct ParameterExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::kParameter;
  uint32_t number = 0;  // from 1
};

struct ColumnExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::kColumn;
  Name schema;  // may be empty()
  Name table;   // may be empty()
  // A double-quoted name that is no column is a text; TRUE and FALSE that are no columns are 1 and 0.
  Name column;
};

enum class UnaryOp : uint8_t { kNegate, kPlus, kBitNot, kNot, kIsNull, kNotNull };

struct UnaryExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::kUnary;
  UnaryOp op = UnaryOp::kNegate;
  Expr* operand = nullptr;
};

enum class BinaryOp : uint8_t {
  kOr,
  kAnd,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kIs,     // also IS NOT DISTINCT FROM
  kIsNot,  // also IS DISTINCT FROM
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kRemainder,
  kBitAnd,
  kBitOr,
  kShiftLeft,
  kShiftRight,
  kConcat,
  kArrow,      // ->
  kLongArrow,  // ->>
};

struct BinaryExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::kBinary;
  BinaryOp op = BinaryOp::kOr;
  Expr* left = nullptr;
  Expr* right = nullptr;
};

enum class LikeOp : uint8_t { kLike, kGlob, kRegexp, kMatch };

struct LikeExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::kLike;
  LikeOp op = LikeOp::kLike;
  bool negated = false;
  Expr* operand = nullptr;
  Expr* pattern = nullptr;
  Expr* escape = nullptr;  // may be null
};

struct BetweenExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::kBetween;
  bool negated = false;
  Expr* operand = nullptr;
  Expr* low = nullptr;
  Expr* high = nullptr;
};

struct InExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::kIn;
  bool negated = false;
  Expr* operand = nullptr;
  // Exactly one of: a list (which may be empty), a query, a table or table function.
  std::span<Expr*> list;
  Select* query = nullptr;
  QualifiedName table;       // empty() unless that form
  bool is_function = false;  // table(arguments)
  std::span<Expr*> arguments;
};

struct ExistsExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::kExists;
  Select* query = nullptr;
};

struct SubqueryExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::kSubquery;
  Select* query = nullptr;
};

// (a, b, c)
struct RowExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::kRow;
  std::span<Expr*> items;
};

struct CaseBranch {
  Expr* when = nullptr;
  Expr* then = nullptr;
};

struct CaseExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::kCase;
  Expr* operand = nullptr;  // may be null
  std::span<CaseBranch> branches;
  Expr* otherwise = nullptr;  // may be null
};

struct CastExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::kCast;
  Expr* operand = nullptr;
  TypeName type;
};

struct CollateExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::kCollate;
  Expr* operand = nullptr;
  Name collation;
};

enum class FrameUnit : uint8_t { kRange, kRows, kGroups };
enum class FrameBoundKind : uint8_t {
  kUnboundedPreceding,
  kPreceding,
  kCurrentRow,
  kFollowing,
  kUnboundedFollowing,
};
enum class FrameExclude : uint8_t { kNoOthers, kCurrentRow, kGroup, kTies };

struct FrameBound {
  FrameBoundKind kind = FrameBoundKind::kCurrentRow;
  Expr* offset = nullptr;  // of kPreceding and kFollowing
};

struct WindowDefinition {
  Name base;  // the window that this one refines; may be empty()
  std::span<Expr*> partition_by;
  std::span<OrderingTerm> order_by;
  bool has_frame = false;
  FrameUnit unit = FrameUnit::kRange;
  FrameBound start{FrameBoundKind::kUnboundedPreceding, nullptr};
  FrameBound end{FrameBoundKind::kCurrentRow, nullptr};
  FrameExclude exclude = FrameExclude::kNoOthers;
};

struct FunctionExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::kFunction;
  Name name;
  bool distinct = false;
  bool star = false;  // f(*)
  std::span<Expr*> arguments;
  Expr* filter = nullptr;  // may be null
  // A window function: a name of the WINDOW clause, or a definition.
  bool windowed = false;
  Name window_name;                    // may be empty()
  WindowDefinition* window = nullptr;  // null if window_name is set
};

struct RaiseExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::kRaise;
  ConflictAction action = ConflictAction::kIgnore;
  std::string_view message;
};

}  // namespace kvsql::parser

#endif  // KVSQL_PARSER_AST_EXPR_H_
