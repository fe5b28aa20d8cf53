// The short queries that programs ask most, and that engines have short cuts for: by key, by range, counts,
// the first rows in the order of an index. And queries asked again with other literals, for which an engine
// may use the plan it has.
#include <utility>

#include "tests/diff/queries.h"
#include "tests/diff/values.h"

namespace kvsql::diff {

Node Queries::Direct() {
  const Table& table = random_->Pick(schema_->tables);
  const auto any_column = [&] { return random_->Pick(table.columns).column.name; };
  std::vector<Node> items;
  for (size_t i = 0; i < 1 + random_->Below(3); ++i) items.emplace_back(any_column());
  Node list = random_->Percent(30) ? Node("*") : Node::List(", ", std::move(items));
  const auto literal = [&](const TableColumn& column) {
    return Node::Expr(LiteralFor(column.column.profile, random_)).Feature("literal");
  };
  // Equal in the columns of a key, or in the first of them and a range in the next.
  const auto by_key = [&]() -> Node {
    std::vector<size_t> places = {random_->Below(table.columns.size())};
    if (!table.keys.empty() && random_->Percent(75)) places = random_->Pick(table.keys);
    Node condition;
    for (size_t i = 0; i < places.size(); ++i) {
      const TableColumn& column = table.columns[places[i]];
      const bool last = i + 1 == places.size();
      if (i > 0) condition.Add(" AND ");
      condition.Add(column.column.name);
      if (last && random_->Percent(30)) {
        condition.Add(Node::Of(" BETWEEN ", literal(column), " AND ", literal(column)));
      } else if (last && random_->Percent(15)) {
        condition.Add(Node::Of(" IN (", Node::List(", ", {literal(column), literal(column)}), ")"));
      } else {
        const char* sign =
            last && random_->Percent(25) ? random_->Pick({" > ", " >= ", " < ", " <= "}) : " = ";
        condition.Add(Node::Of(sign, literal(column)));
      }
    }
    return condition;
  };
  switch (random_->Weighted({45, 15, 10, 30})) {
    case 0:
      return Node::Of("SELECT ", std::move(list), " FROM ", table.name, " WHERE ", by_key())
          .Feature("by key");
    case 1:
      return Node::Of("SELECT count(*) FROM ", table.name,
                      random_->Percent(60) ? Node::Optional(" WHERE ", by_key()) : Node(""))
          .Feature("count of a range");
    case 2: {
      const TableColumn& column = random_->Pick(table.columns);
      const char* function = random_->Pick({"min", "max"});
      const char* open = column.column.exact ? "(" : "(length(";
      const char* close = column.column.exact ? ")" : "))";
      return Node::Of("SELECT ", function, open, column.column.name, close, " FROM ", table.name,
                      random_->Percent(40) ? Node::Optional(" WHERE ", by_key()) : Node(""))
          .Feature("min or max of a column");
    }
    default:
      break;
  }
  if (table.rowid_column < 0) {
    return Node::Of("SELECT ", std::move(list), " FROM ", table.name).Feature("whole table");
  }
  // The rowid is unique: with it the order is total.
  const std::string key = table.columns[static_cast<size_t>(table.rowid_column)].column.name;
  Node order = Node::Of(" ORDER BY ");
  if (random_->Percent(60)) {
    order.Add(OrderTerm(Node(any_column())));
    order.Add(", ");
  }
  order.Add(OrderTerm(Node(key)));
  return Node::Of("SELECT ", std::move(list), " FROM ", table.name,
                  random_->Percent(50) ? Node::Optional(" WHERE ", by_key()) : Node(""),
                  Node::Optional(std::move(order), Limit()).Orders().Feature("ORDER BY key"))
      .Feature("in the order of a key");
}

Node Queries::Again(Node query) {
  // From the end: a node's parts, which go with it, come behind it.
  std::vector<Node*> nodes = query.All();
  for (auto it = nodes.rbegin(); it != nodes.rend(); ++it) {
    Node* const node = *it;
    if (node->Has("literal") && random_->Percent(70)) {
      *node = Node::Expr(LiteralFor(Profile::kAny, random_)).Feature("literal");
    } else if (node->Has("small number") && random_->Percent(70)) {
      *node = Node::Expr(SmallNumber(random_)).Feature("small number");
    }
  }
  return Node::Of(std::move(query)).Feature("again with other literals");
}

}  // namespace kvsql::diff
