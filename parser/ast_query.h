// AST: SELECT, VALUES, WITH and what stands after FROM.
#ifndef KVSQL_PARSER_AST_QUERY_H_
#define KVSQL_PARSER_AST_QUERY_H_

#include "parser/ast.h"
#include "parser/ast_expr.h"

namespace kvsql::parser {

enum class ResultColumnKind : uint8_t { kExpr, kStar, kTableStar };

struct ResultColumn {
  ResultColumnKind kind = ResultColumnKind::kExpr;
  Expr* expr = nullptr;  // kExpr
  Name alias;            // may be empty()
  Name table;            // kTableStar
  TextRange range;
};

// Bits: what was written before JOIN.
enum JoinFlags : uint8_t {
  kJoinComma = 0,
  kJoinInner = 1,
  kJoinCross = 2,
  kJoinNatural = 4,
  kJoinLeft = 8,
  kJoinRight = 16,  // FULL is kJoinLeft | kJoinRight
  kJoinOuter = 32,
};

enum class TableTermKind : uint8_t { kTable, kFunction, kSubquery, kGroup };

struct TableTerm {
  TableTermKind kind = TableTermKind::kTable;
  uint8_t join = 0;  // JoinFlags: how it joins the terms before it; unused in the first
  TextRange range;
  QualifiedName table;         // kTable, kFunction
  std::span<Expr*> arguments;  // kFunction
  Select* query = nullptr;     // kSubquery
  std::span<TableTerm> group;  // kGroup: a join in parentheses
  Name alias;                  // may be empty()
  bool not_indexed = false;
  Name index;          // INDEXED BY; may be empty()
  Expr* on = nullptr;  // may be null
  std::span<Name> using_columns;
};

struct CommonTable {
  Name name;
  std::span<Name> columns;
  enum class Hint : uint8_t { kNone, kMaterialized, kNotMaterialized };
  Hint hint = Hint::kNone;
  Select* query = nullptr;
};

struct WithClause {
  bool recursive = false;
  std::span<CommonTable> tables;
};

struct NamedWindow {
  Name name;
  WindowDefinition* window = nullptr;
};

enum class CompoundOp : uint8_t { kNone, kUnion, kUnionAll, kExcept, kIntersect };

// One SELECT or VALUES of a compound.
struct SelectCore {
  CompoundOp op = CompoundOp::kNone;  // how it combines with the ones before it
  bool is_values = false;
  bool distinct = false;
  uint32_t offset = 0;
  std::span<ResultColumn> columns;
  std::span<TableTerm> from;
  Expr* where = nullptr;  // may be null
  std::span<Expr*> group_by;
  Expr* having = nullptr;  // may be null
  std::span<NamedWindow> windows;
  std::span<std::span<Expr*>> rows;  // of VALUES
  // VALUES whose rows the normaliser lifted as a matrix: `rows` has one row, the template, and each execution
  // brings its own number of rows.
  bool lifted_matrix = false;
};

struct Select {
  WithClause* with = nullptr;  // may be null
  std::span<SelectCore> cores;
  std::span<OrderingTerm> order_by;
  Expr* limit = nullptr;   // may be null
  Expr* offset = nullptr;  // may be null
};

}  // namespace kvsql::parser

#endif  // KVSQL_PARSER_AST_QUERY_H_
