// Compounds and VALUES, and the queries of views, CTEs and subqueries in FROM.
//
// The arms of a compound agree in each column on a type without equal values that differ, and on an affinity:
// which arm's affinity counts is not defined.
#include <algorithm>
#include <utility>

#include "tests/diff/queries.h"
#include "tests/diff/values.h"

namespace kvsql::diff {

Node Queries::Arm(const std::vector<Affinity>& types, const std::vector<std::string>& aliases,
                  bool aliased) {
  Scope scope;
  Node from = From(&scope, random_->Percent(80) ? 1 : 2, true, 0);
  Node list;
  for (size_t i = 0; i < types.size(); ++i) {
    if (i > 0) list.Add(", ");
    Node value = expressions_.Any(scope, 1);
    list.Add(
        types[i] == Affinity::kInteger
            ? Node::Of("CAST(", std::move(value), " AS INTEGER)").Feature("CAST AS INTEGER")
            : Node::Of("((", std::move(value), " || '') COLLATE BINARY)").Feature("operator ||"));
    if (aliased) list.Add(" AS " + aliases[i]);
  }
  return Node::Of("SELECT ", std::move(list), std::move(from), Where(scope, 60, 1));
}

Node Queries::CompoundOf(size_t columns, std::vector<std::string>* aliases,
                         std::vector<Column>* result) {
  std::vector<Affinity> types;
  for (size_t i = 0; i < columns; ++i) {
    types.push_back(random_->Pick({Affinity::kInteger, Affinity::kBlob}));
    aliases->push_back(NewAlias("r"));
    Column column;
    column.name = aliases->back();
    column.affinity = types.back();
    column.exact = true;
    result->push_back(column);
  }
  Node compound = Node::Of(Arm(types, *aliases, true));
  const size_t more = 1 + random_->Below(3);
  for (size_t i = 0; i < more; ++i) {
    const std::string word = random_->Pick({"UNION", "UNION ALL", "EXCEPT", "INTERSECT"});
    compound.Add(Node::Optional(" " + word + " ", Arm(types, *aliases, false)).Feature(word));
  }
  return compound;
}

Node Queries::Compound() {
  std::vector<std::string> aliases;
  std::vector<Column> columns;
  Node compound = CompoundOf(1 + random_->Below(3), &aliases, &columns);
  if (random_->Percent(50)) {
    // The columns are exact: all of them are a total order.
    Node order = Node::Of(" ORDER BY ");
    for (size_t i = 0; i < aliases.size(); ++i) {
      if (i > 0) order.Add(", ");
      Node term = random_->Percent(50) ? Node(aliases[i]) : Node(std::to_string(i + 1));
      order.Add(OrderTerm(std::move(term)));
    }
    compound.Add(Node::Optional(std::move(order), Limit()).Orders().Feature("ORDER BY"));
  }
  return compound;
}

Node Queries::Values() {
  const size_t columns = 1 + random_->Below(3);
  std::vector<Node> rows;
  for (size_t i = 0; i < 1 + random_->Below(4); ++i) {
    Node row = "(";
    for (size_t j = 0; j < columns; ++j) {
      row.Add(Node::Of(j > 0 ? ", " : "", random_->Percent(60)
                                              ? Node::Expr(LiteralFor(Profile::kAny, random_))
                                              : expressions_.Any(Scope(), 1)));
    }
    row.Add(")");
    rows.push_back(std::move(row));
  }
  return Node::Of("VALUES ", Node::List(", ", std::move(rows))).Feature("VALUES");
}

Node Queries::Derived(int depth, Relation* result) {
  const bool subqueries = random_->Percent(50);
  expressions_.set_subqueries_allowed(subqueries);
  Node query;
  switch (random_->Weighted({50, 25, 15, 10})) {
    case 0: {
      Scope scope;
      Node from = From(&scope, 1 + random_->Below(2), true, depth);
      const bool distinct = random_->Percent(20);
      std::vector<Output> outputs;
      for (size_t i = 0; i < 1 + random_->Below(3); ++i)
        outputs.push_back(OutputOf(scope, depth, distinct));
      query = Node::Of("SELECT ", distinct ? "DISTINCT " : "", OutputList(outputs), std::move(from),
                       Where(scope, 60, 1));
      if (random_->Percent(20)) query.Add(Node::Optional(TotalOrder(outputs, {}), Limit()));
      for (const Output& output : outputs) result->columns.push_back(output.column);
      result->rows = scope.rows;
      break;
    }
    case 1: {
      Scope scope;
      Node from = From(&scope, 1, true, depth);
      Output key = OutputOf(scope, 0, true);
      Output aggregate;
      aggregate.alias = NewAlias("r");
      aggregate.column.name = aggregate.alias;
      aggregate.expression = expressions_.Aggregate(scope, 0);
      result->columns = {key.column, aggregate.column};
      query = Node::Of("SELECT ", OutputList({key, aggregate}), std::move(from),
                       Where(scope, 40, 1), " GROUP BY ", key.expression);
      result->rows = std::min<size_t>(scope.rows, 20);
      break;
    }
    case 2: {
      std::vector<std::string> aliases;
      query = CompoundOf(1 + random_->Below(2), &aliases, &result->columns);
      result->rows = 100;
      break;
    }
    default: {
      Scope scope;
      Node from = From(&scope, 1, true, depth);
      const std::string alias = NewAlias("r");
      query = Node::Of("SELECT ", expressions_.Aggregate(scope, 0), " AS ", alias, std::move(from),
                       Where(scope, 40, 1));
      Column column;
      column.name = alias;
      result->columns = {column};
      result->rows = 1;
    }
  }
  expressions_.set_subqueries_allowed(true);
  return query;
}

}  // namespace kvsql::diff
