// Random queries whose answer SQLite defines: no LIMIT without a total order, no bare column of a group, no
// choice among values that are equal but not the same.
#ifndef KVSQL_TESTS_DIFF_QUERIES_H_
#define KVSQL_TESTS_DIFF_QUERIES_H_

#include <string>
#include <vector>

#include "tests/diff/expressions.h"
#include "tests/diff/model.h"
#include "tests/diff/node.h"
#include "tests/diff/random.h"

namespace kvsql::diff {

class Queries {
 public:
  Queries(Schema* schema, Random* random);

  // A statement: SELECT, compound, VALUES, with or without WITH.
  Node Statement();
  // A query for a view, CTE or subquery in FROM; *result gets its columns and a guess of its rows.
  Node Derived(int depth, Relation* result);
  // Exactly these expressions over one or two relations, in a total order; for INSERT ... SELECT.
  Node OrderedSelect(const std::vector<Profile>& profiles);
  // Short ones, by key and the like (direct.cc).
  Node Direct();
  // The query with other literals.
  Node Again(Node query);
  // The condition of an UPDATE or DELETE.
  Node TableCondition(const Table& table);

  Expressions& expressions() { return expressions_; }

 private:
  // One output column.
  struct Output {
    Node expression;
    std::string alias;
    Column column;
  };

  // FROM with its joins; fills the scope. `plain`: tables and views only.
  Node From(Scope* scope, size_t relations, bool plain, int depth);
  Node SourceOf(Scope* scope, bool plain, int depth, size_t max_rows, size_t* rows);
  Node JoinOf(Scope* scope, bool plain, int depth, size_t max_rows, size_t* rows);

  Node Where(const Scope& scope, size_t percent, int depth);
  Output OutputOf(const Scope& scope, int depth, bool exact);
  Node OutputList(const std::vector<Output>& outputs);
  // All outputs decide, so that the order is total; `terms`: further ones that come first.
  Node TotalOrder(const std::vector<Output>& outputs, std::vector<Node> terms);
  Node OrderTerm(Node expression);
  Node Limit();

  Node Plain(int depth);
  Node Star();
  Node Grouped(int depth);
  Node WholeAggregate(int depth);
  Node MinMaxBare();
  Node Compound();
  Node Values();
  Node Subquery(const Scope& outer, Expressions::SubqueryUse use, size_t columns);
  Node Arm(const std::vector<Affinity>& types, const std::vector<std::string>& aliases,
           bool aliased);
  Node CompoundOf(size_t columns, std::vector<std::string>* aliases, std::vector<Column>* result);
  Node With(Node query);

  std::string NewAlias(const char* prefix) { return schema_->NewName(prefix); }

  Schema* const schema_;
  Random* const random_;
  Expressions expressions_;
  std::vector<Relation> ctes_;  // of the statement at hand
  // The table that the statement at hand changes while it looks for rows: SQLite may see some of the changes
  // in subqueries, so they read others.
  std::string changed_table_;
  int subquery_depth_ = 0;
};

}  // namespace kvsql::diff

#endif  // KVSQL_TESTS_DIFF_QUERIES_H_
