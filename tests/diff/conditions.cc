// Conditions: comparisons, IN, LIKE, and what joins and searches ask for.
#include <utility>

#include "tests/diff/expressions.h"
#include "tests/diff/values.h"

namespace kvsql::diff {

Node Expressions::Boolean(const Scope& scope, int depth) {
  if (depth <= 0) return random_->Percent(60) ? Search(scope) : Comparison(scope, 0);
  switch (random_->Weighted({20, 18, 12, 10, 6, 8, 8, 5, 4, 4})) {
    case 0: {
      const std::string word = random_->Pick({"AND", "OR"});
      return Node::Expr("(", Boolean(scope, depth - 1), " " + word + " ", Boolean(scope, depth - 1),
                        ")")
          .Feature("operator " + word);
    }
    case 1:
      return Comparison(scope, depth);
    case 2:
      return Search(scope);
    case 3:
      return Membership(scope, depth);
    case 4:
      return Node::Expr("(NOT ", Boolean(scope, depth - 1), ")").Feature("unary NOT");
    case 5:
      return Matching(scope, depth);
    case 6: {
      const bool negated = random_->Percent(30);
      return Node::Expr("(", Any(scope, depth - 1), negated ? " NOT BETWEEN " : " BETWEEN ",
                        Any(scope, depth - 1), " AND ", Any(scope, depth - 1), ")")
          .Feature(negated ? "operator NOT BETWEEN" : "operator BETWEEN");
    }
    case 7: {
      const std::string test =
          random_->Pick({"ISNULL", "NOTNULL", "IS NULL", "IS NOT NULL", "IS TRUE", "IS FALSE",
                         "IS NOT TRUE", "IS NOT FALSE"});
      return Node::Expr("(", Any(scope, depth - 1), " " + test + ")").Feature("operator " + test);
    }
    case 8:
      return RowValue(scope, depth);
    default:
      if (MaySubquery()) {
        const bool negated = random_->Percent(40);
        return Node::Expr(negated ? "(NOT EXISTS (" : "(EXISTS (",
                          make_subquery_(scope, SubqueryUse::kExists, 1), "))")
            .Feature(negated ? "NOT EXISTS" : "EXISTS");
      }
      return Search(scope);
  }
}

Node Expressions::Comparison(const Scope& scope, int depth) {
  const std::string sign = random_->Pick({"=", "==", "<>", "!=", "<", "<=", ">", ">=", "IS",
                                          "IS NOT", "IS DISTINCT FROM", "IS NOT DISTINCT FROM"});
  return Node::Expr("(", Any(scope, depth - 1), " " + sign + " ", Any(scope, depth - 1), ")")
      .Feature("operator " + sign);
}

Node Expressions::RowValue(const Scope& scope, int depth) {
  const std::string sign = random_->Pick({"=", "<>", "<", "<=", ">", ">=", "IS", "IS NOT"});
  return Node::Expr("((", Any(scope, depth - 1), ", ", Any(scope, depth - 1), ") " + sign + " (",
                    Any(scope, depth - 1), ", ", Any(scope, depth - 1), "))")
      .Feature("row values");
}

Node Expressions::Membership(const Scope& scope, int depth) {
  const bool negated = random_->Percent(30);
  const char* in = negated ? " NOT IN " : " IN ";
  const std::string feature = negated ? "operator NOT IN" : "operator IN";
  if (MaySubquery() && random_->Percent(35)) {
    if (random_->Percent(25)) {
      return Node::Expr("((", Any(scope, depth - 1), ", ", Any(scope, depth - 1), ")", in, "(",
                        make_subquery_(scope, SubqueryUse::kIn, 2), "))")
          .Feature("row values IN subquery");
    }
    return Node::Expr("(", Any(scope, depth - 1), in, "(",
                      make_subquery_(scope, SubqueryUse::kIn, 1), "))")
        .Feature(feature + " subquery");
  }
  if (random_->Percent(8)) {
    std::vector<Node> rows;
    for (size_t i = 0; i < 1 + random_->Below(3); ++i) {
      rows.push_back(Node::Of("(", LiteralFor(Profile::kAny, random_), ", ",
                              LiteralFor(Profile::kSmall, random_), ")"));
    }
    return Node::Expr("((", Any(scope, depth - 1), ", ", Any(scope, depth - 1), ")", in, "(VALUES ",
                      Node::List(", ", std::move(rows)), "))")
        .Feature("row values IN VALUES");
  }
  std::vector<Node> items;
  const size_t count = random_->Percent(8) ? 0 : 1 + random_->Below(5);
  Profile profile = Profile::kAny;
  Node left = Any(scope, depth - 1);
  if (const auto column = FindColumn(scope, [](const Column&) { return true; });
      column && random_->Percent(60)) {
    left = Node::Expr(column->name).Feature("column");
    profile = column->column.profile;
  }
  for (size_t i = 0; i < count; ++i) {
    items.push_back(random_->Percent(85)
                        ? Node::Expr(LiteralFor(profile, random_)).Feature("literal")
                        : Any(scope, depth - 1));
  }
  return Node::Expr("(", std::move(left), in, "(", Node::List(", ", std::move(items)), "))")
      .Feature(feature + " list");
}

Node Expressions::Matching(const Scope& scope, int depth) {
  const bool negated = random_->Percent(25);
  if (random_->Percent(8)) return Call("like", {LikePattern(random_), Any(scope, depth - 1)});
  if (random_->Percent(8)) return Call("glob", {GlobPattern(random_), Any(scope, depth - 1)});
  if (random_->Percent(30)) {
    return Node::Expr("(", Any(scope, depth - 1), negated ? " NOT GLOB " : " GLOB ",
                      GlobPattern(random_), ")")
        .Feature(negated ? "operator NOT GLOB" : "operator GLOB");
  }
  if (random_->Percent(15)) {
    return Node::Expr("(", Any(scope, depth - 1), " LIKE ", LikePattern(random_), " ESCAPE '\\')")
        .Feature("LIKE ESCAPE");
  }
  Node pattern = random_->Percent(85) ? Node(LikePattern(random_)) : Text(scope, 0);
  return Node::Expr("(", Any(scope, depth - 1), negated ? " NOT LIKE " : " LIKE ",
                    std::move(pattern), ")")
      .Feature(negated ? "operator NOT LIKE" : "operator LIKE");
}

Node Expressions::Search(const Scope& scope) {
  const auto column = FindColumn(scope, [](const Column&) { return true; });
  if (!column) return Comparison(scope, 0);
  const auto literal = [&] {
    return Node::Expr(LiteralFor(column->column.profile, random_)).Feature("literal");
  };
  const Node name = Node::Expr(column->name).Feature("column");
  switch (random_->Weighted({35, 30, 10, 10, 15})) {
    case 0:
      return Node::Expr("(", name, " = ", literal(), ")").Feature("operator =");
    case 1: {
      const std::string sign = random_->Pick({"<", "<=", ">", ">="});
      return Node::Expr("(", name, " " + sign + " ", literal(), ")").Feature("operator " + sign);
    }
    case 2:
      return Node::Expr("(", name, " BETWEEN ", literal(), " AND ", literal(), ")")
          .Feature("operator BETWEEN");
    case 3:
      return Node::Expr("(", name, " IS ", literal(), ")").Feature("operator IS");
    default:
      return Node::Expr("(", name, " IN (", Node::List(", ", {literal(), literal(), literal()}),
                        "))")
          .Feature("operator IN list");
  }
}

Node Expressions::JoinCondition(const Scope& scope, size_t left_sources, int depth) {
  Scope left, right;
  left.sources.assign(scope.sources.begin(),
                      scope.sources.begin() + static_cast<ptrdiff_t>(left_sources));
  right.sources.assign(scope.sources.begin() + static_cast<ptrdiff_t>(left_sources),
                       scope.sources.end());
  const auto a = FindColumn(left, [](const Column&) { return true; });
  const auto b = FindColumn(right, [&](const Column& column) {
    return !a || column.profile == a->column.profile || random_->Percent(20);
  });
  Node condition = Boolean(scope, depth);
  if (a && b && random_->Percent(85)) {
    const std::string sign = random_->Percent(85) ? "=" : random_->Pick({"<", ">=", "IS", "<>"});
    Node equal =
        Node::Expr("(", a->name, " " + sign + " ", b->name, ")").Feature("operator " + sign);
    if (random_->Percent(70)) return equal;
    condition = Node::Expr("(", std::move(equal), " AND ", std::move(condition), ")")
                    .Feature("operator AND");
  }
  return condition;
}

}  // namespace kvsql::diff
