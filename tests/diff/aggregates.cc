// Aggregates. Their arguments use only the query's own sources: one whose columns are all of an outer query
// would belong to that one.
#include <utility>

#include "tests/diff/expressions.h"

namespace kvsql::diff {

Node Expressions::Aggregate(const Scope& scope, int depth) {
  Scope own = scope;
  own.outer = nullptr;
  const bool subqueries = std::exchange(subqueries_allowed_, false);
  const auto aggregate = [&](const std::string& name, const char* distinct, Node argument) {
    return Node::Expr(name, "(", distinct, std::move(argument), ")")
        .Feature("aggregate " + name + (*distinct != '\0' ? " DISTINCT" : ""));
  };
  Node node;
  switch (random_->Below(10)) {
    case 0:
      node = aggregate("count", "", "*");
      break;
    case 1:
      node = aggregate("count", "", Any(own, depth));
      break;
    case 2:
      node = aggregate("count", "DISTINCT ", Any(own, depth));
      break;
    case 3:
      node = aggregate(random_->Pick({"sum", "total", "avg"}), "", Small(own, depth));
      break;
    case 4: {
      // Equal values must be the same: it says which type the sum has.
      const auto column =
          FindColumn(own, [](const Column& c) { return c.summable() && c.exact && !c.is_text(); });
      const char* name = random_->Pick({"sum", "total", "avg"});
      node = aggregate(name, column ? "DISTINCT " : "",
                       column ? Node::Expr(column->name) : Small(own, 1));
      break;
    }
    case 5:
    case 6: {
      const char* name = random_->Pick({"min", "max"});
      const auto column = FindColumn(own, [](const Column& c) { return c.exact; });
      const bool distinct = random_->Percent(15);
      node =
          aggregate(name, distinct ? "DISTINCT " : "",
                    column && random_->Percent(70) ? Node::Expr(column->name) : Exact(own, depth));
      break;
    }
    case 7:
      // Which value comes first is not defined, how long they are together is.
      node = Call(
          "length",
          {Node::Expr("group_concat(", Any(own, depth), ")").Feature("aggregate group_concat")});
      break;
    case 8:
      node = Call("length", {Node::Expr("group_concat(", Any(own, depth), ", ", "'--'", ")")
                                 .Feature("aggregate group_concat")});
      break;
    default: {
      const std::string sign = random_->Pick({"+", "-", "*"});
      node = Node::Expr("(", aggregate("count", "", "*"), " " + sign + " ",
                        aggregate("sum", "", Small(own, depth)), ")")
                 .Feature("operator " + sign);
    }
  }
  // FILTER stands directly behind the aggregate.
  if (random_->Percent(20)) {
    node = Node::Expr("sum(", Small(own, 1), ")",
                      Node::Optional(" FILTER (WHERE ", Boolean(own, 1), ")").Feature("FILTER"))
               .Feature("aggregate sum");
  }
  subqueries_allowed_ = subqueries;
  return node;
}

}  // namespace kvsql::diff
