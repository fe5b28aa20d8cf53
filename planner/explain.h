// What EXPLAIN QUERY PLAN says of a plan: one row per step, in SQLite's words where it has them.
//
//   SCAN t | SEARCH t USING [COVERING] INDEX i (a=? AND b>?) | SEARCH t USING INTEGER PRIMARY KEY (rowid=?)
//   HASH JOIN, INDEX JOIN, NESTED LOOP JOIN   with LEFT, FULL, SEMI or ANTI before; the inputs stand below
//   GROUP BY (hash) | GROUP BY (ordered) | AGGREGATE | DISTINCT | SORT | SORT (top 10) | LIMIT | FILTER
//   UNION ALL, UNION, EXCEPT, INTERSECT
//   [CORRELATED] SCALAR SUBQUERY 1, LIST SUBQUERY 1, EXISTS SUBQUERY 1
//   INSERT INTO t, UPDATE t, DELETE FROM t
//
// Thread safety: a free function.
#ifndef KVSQL_PLANNER_EXPLAIN_H_
#define KVSQL_PLANNER_EXPLAIN_H_

#include <vector>

#include "planner/plan.h"

namespace kvsql::planner {

std::vector<ExplainPlan::Row> Explain(const Plan& plan);

}  // namespace kvsql::planner

#endif  // KVSQL_PLANNER_EXPLAIN_H_
