// Random expressions over a scope.
//
// None of them fails when it is evaluated (no integer overflow of abs() or sum()), and none depends on the
// order in which rows are visited: whether and how often an expression is evaluated is the engine's choice.
#ifndef KVSQL_TESTS_DIFF_EXPRESSIONS_H_
#define KVSQL_TESTS_DIFF_EXPRESSIONS_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/diff/model.h"
#include "tests/diff/node.h"
#include "tests/diff/random.h"

namespace kvsql::diff {

class Expressions {
 public:
  explicit Expressions(Random* random) : random_(random) {}

  // Makes a subquery inside of an expression: with one column, or `columns`, whose expressions see
  // `outer`. Set by the generator of queries; without it there are no subqueries.
  enum class SubqueryUse { kScalar, kExists, kIn };
  using MakeSubquery = std::function<Node(const Scope& outer, SubqueryUse use, size_t columns)>;
  void set_subqueries(MakeSubquery make) { make_subquery_ = std::move(make); }
  // None while it is false.
  void set_subqueries_allowed(bool allowed) { subqueries_allowed_ = allowed; }

  // Of any type.
  Node Any(const Scope& scope, int depth);
  Node Number(const Scope& scope, int depth);
  Node Text(const Scope& scope, int depth);
  // Conditions: 0, 1 or NULL, or what counts as such.
  Node Boolean(const Scope& scope, int depth);
  // A number whose sums are exact in every order.
  Node Small(const Scope& scope, int depth);
  // Values that compare equal are the same; compares bytewise and has no affinity.
  Node Exact(const Scope& scope, int depth);
  // An aggregate of rows of the scope's own sources.
  Node Aggregate(const Scope& scope, int depth);

  // `column = literal`, ranges and the like, with values that are likely to be in the column.
  Node Search(const Scope& scope);
  // Something equal in columns of two sources.
  Node JoinCondition(const Scope& scope, size_t left_sources, int depth);

  // A column that satisfies `wanted`, as its name; nothing if there is none. One of the innermost scope,
  // or at times of those around it.
  struct Found {
    std::string name;
    Column column;
  };
  std::optional<Found> FindColumn(const Scope& scope,
                                  const std::function<bool(const Column&)>& wanted,
                                  bool outer_too = true);

 private:
  Node Leaf(const Scope& scope);
  Node NumericFunction(const Scope& scope, int depth);
  Node TextFunction(const Scope& scope, int depth);
  Node Conditional(const Scope& scope, int depth);
  Node Cast(const Scope& scope, int depth);
  Node Comparison(const Scope& scope, int depth);
  Node RowValue(const Scope& scope, int depth);
  Node Membership(const Scope& scope, int depth);
  Node Matching(const Scope& scope, int depth);
  bool MaySubquery() const { return make_subquery_ != nullptr && subqueries_allowed_; }

  Random* const random_;
  MakeSubquery make_subquery_;
  bool subqueries_allowed_ = true;
};

// An expression that is a function call.
Node Call(const std::string& function, std::vector<Node> arguments);

}  // namespace kvsql::diff

#endif  // KVSQL_TESTS_DIFF_EXPRESSIONS_H_
