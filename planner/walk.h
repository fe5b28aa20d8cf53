// Walks over the syntax tree.
#ifndef KVSQL_PLANNER_WALK_H_
#define KVSQL_PLANNER_WALK_H_

#include <functional>

#include "base/status.h"
#include "parser/ast_statement.h"

namespace kvsql::planner {

// Calls visit for the expression (which may be null) and those below it, not for what is in queries, until one is not
// OK.
Status WalkExpr(const parser::Expr* expr, const std::function<Status(const parser::Expr&)>& visit);

// Calls visit for every name of a table in FROM and behind IN, in all queries inside of the query too, until one is not
// OK.
Status WalkTables(const parser::Select& select,
                  const std::function<Status(const parser::QualifiedName&)>& visit);

}  // namespace kvsql::planner

#endif  // KVSQL_PLANNER_WALK_H_
