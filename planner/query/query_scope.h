// What names mean inside one SELECT: the tables and subqueries of its FROM, its result aliases, and the enclosing
// queries behind them.
//
// Thread safety: none; lives while one plan is made.
#ifndef KVSQL_PLANNER_QUERY_QUERY_SCOPE_H_
#define KVSQL_PLANNER_QUERY_QUERY_SCOPE_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kv/schema.h"
#include "parser/ast_statement.h"
#include "planner/query/expr_node.h"
#include "planner/query/query_plan.h"

namespace kvsql::planner {

struct SourceColumn {
  std::string name;
  std::string declared_type;
  ExprTraits traits;
  SlotId slot = kNoSlot;
  bool hidden = false;       // not part of *
  bool merged_away = false;  // by USING: not part of * either, though of table.*
};

struct LogicalQuery;

// A table or subquery in FROM.
struct Source {
  std::string name;        // by which columns are qualified; may be empty
  bool in_main = true;     // main.name.column is allowed
  bool in_temp = false;    // temp.name.column is
  bool temporary = false;  // a table of the catalog: of the temporary one
  const kv::TableDef* table = nullptr;
  bool not_indexed = false;
  std::string indexed_by;
  std::vector<SourceColumn> columns;
  SlotId rowid = kNoSlot;  // kNoSlot: has none
  SlotId key = kNoSlot;    // the key's bytes, where a statement changes rows without rowids
  std::unique_ptr<LogicalQuery> query;  // of a query in FROM, until it is planned
  std::unique_ptr<OperatorPlan> plan;   // of anything but a plain table
  uint32_t number = 0;                  // within its block: its bit in masks
  uint32_t offset = 0;                  // in the text
};

// What an index has of a source's rows, where that is not all of them or not only columns.
struct BoundIndex {
  std::vector<ExprNode*> where;   // all must be true; none: not partial
  std::vector<ExprNode*> values;  // per column of the index, null for plain ones; or empty
  double rows = 0;                // entries
  bool usable = true;
};

using SourceMask = uint64_t;
inline constexpr uint32_t kMaxSources = 64;

// FROM as a tree of joins.
struct FromNode {
  Source* source = nullptr;  // a leaf
  JoinKind join = JoinKind::kInner;
  std::unique_ptr<FromNode> left;
  std::unique_ptr<FromNode> right;
  std::vector<ExprNode*> on;  // conjuncts
  bool fixed_order = false;   // CROSS JOIN: the left side stays outside
  SourceMask mask = 0;
};

// A column that a join with USING or NATURAL made of several.
struct MergedColumn {
  std::string name;
  std::vector<ExprNode*> parts;  // the columns, from the left
  std::vector<ExprNode*>
      operands;  // the same, but one for each join in parentheses: its merged column
  // Its value is the first of these that is not NULL: the leftmost part; after a RIGHT JOIN the part on the right of
  // it; a FULL JOIN adds that part.
  std::vector<ExprNode*> values;
};

struct ResultAlias {
  std::string_view name;
  const parser::Expr* expr = nullptr;
};

// What rows of FROM must have, or must not have, a partner in: EXISTS, IN and their negations as joins.
//
// The source is a table, with `where` on it alone, or a query.
struct SemiJoin {
  JoinKind kind = JoinKind::kSemi;
  Source* source = nullptr;
  std::vector<ExprNode*> conditions;  // over the source and those of FROM
  std::vector<ExprNode*> where;       // over the source alone
};

// What a SELECT core is bound into.
struct Block {
  std::deque<Source> sources;
  std::unique_ptr<FromNode> from;  // null: no FROM
  std::vector<SemiJoin> semi_joins;
  std::vector<MergedColumn> merged;
  uint32_t left_of_right = 0;  // sources with numbers below this stand left of a RIGHT or FULL JOIN
  // Aggregates; expressions name them by their slots.
  std::vector<AggregateCall> calls;
};

struct QueryScope;

struct CommonTableScope {
  const CommonTableScope* parent = nullptr;
  const parser::WithClause* with = nullptr;
  // The query around the one with the WITH clause, and what it runs that one as.
  QueryScope* around = nullptr;
  Subquery* subquery = nullptr;
};

enum class AggregateUse : uint8_t { kForbidden, kAllowed, kInside };

struct QueryScope {
  QueryScope* parent = nullptr;  // the query around this one, whose columns it may name
  Block* block = nullptr;
  Subquery* subquery = nullptr;  // what `parent` runs this query as; null if parent is null
  const CommonTableScope* common_tables = nullptr;
  std::vector<ResultAlias> aliases;
  bool aliases_visible = false;
  bool outer_hidden = false;  // GROUP BY and ORDER BY do not see the queries around
  AggregateUse aggregates = AggregateUse::kForbidden;
  uint32_t expanding = 0;  // aliases being expanded inside each other
};

// A bound query whose operators are not chosen yet: what the rules work on.
struct LogicalQuery {
  enum class Kind : uint8_t { kCore, kValues, kSet };
  Kind kind = Kind::kCore;
  std::vector<SlotId> results;

  // kCore. Aggregates and group keys stand in `aggregate`, null if there are none; having, items and order are over
  // its outputs then.
  std::unique_ptr<Block> block;
  std::vector<ExprNode*> where;
  std::unique_ptr<AggregatePlan> aggregate;
  std::vector<ExprNode*> having;
  std::vector<ProjectPlan::Item> items;  // results that are computed
  bool distinct = false;
  std::vector<kv::Collation> collations;  // DISTINCT: per result

  std::vector<std::vector<ExprNode*>> rows;  // kValues

  // kSet
  SetOperation operation = SetOperation::kUnionAll;
  std::unique_ptr<LogicalQuery> left;
  std::unique_ptr<LogicalQuery> right;
  std::vector<kv::Collation> set_collations;

  std::vector<SortKey> order;
  ExprNode* limit = nullptr;
  ExprNode* offset = nullptr;
};

// A query and what its results are.
struct BoundQuery {
  std::unique_ptr<LogicalQuery> query;
  std::vector<SourceColumn> columns;  // name, type, traits and slot of each result
};

}  // namespace kvsql::planner

#endif  // KVSQL_PLANNER_QUERY_QUERY_SCOPE_H_
