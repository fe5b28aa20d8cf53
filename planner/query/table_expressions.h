// The expressions that a table's definition has as texts (CHECKs, defaults, the WHERE and the terms of
// indexes), bound over the table's columns.
//
// Thread safety: free functions; what they return is immutable.
#ifndef KVSQL_PLANNER_QUERY_TABLE_EXPRESSIONS_H_
#define KVSQL_PLANNER_QUERY_TABLE_EXPRESSIONS_H_

#include <memory>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "kv/schema.h"
#include "kv/statement_reader.h"
#include "parser/ast_statement.h"
#include "planner/query/query_plan.h"

namespace kvsql::planner {

struct TableExpressions {
  struct Index {
    ExprNode* where = nullptr;      // null: not partial
    std::vector<ExprNode*> values;  // per column of the index, null for plain columns; or empty
  };
  struct Default {
    ExprNode* expr = nullptr;  // null: none, or a constant
    Status error;              // why there is none: known only when a row needs it
  };

  std::unique_ptr<QueryPlan> plan;  // that the nodes belong to
  std::vector<SlotId> slots;        // per column of the table; behind them one for the rowid
  std::vector<ExprNode*> checks;    // as in the definition
  std::vector<Index> indexes;       // as in the definition
  std::vector<Default> defaults;    // per column
};

// Binds all of them.
StatusOr<TableExpressions> BindTableExpressions(const kv::TableDef& table,
                                                const kv::StatementReader& reader);

// Binds one expression of a statement over the table's columns (none: over no columns), for its errors.
Status CheckNames(std::string_view sql, const kv::TableDef* table, const parser::Expr& expr,
                  const kv::StatementReader& reader);

// What a stored expression must not have: queries, parameters, aggregates, functions whose answers change.
// `where` ends the message: "subqueries prohibited in CHECK constraints".
Status CheckStorable(std::string_view sql, const parser::Expr& expr, std::string_view where);

// "default value of column [c] is not constant" for a default that reads columns or queries.
Status CheckConstant(std::string_view sql, const parser::Expr& expr, std::string_view column);

}  // namespace kvsql::planner

#endif  // KVSQL_PLANNER_QUERY_TABLE_EXPRESSIONS_H_
