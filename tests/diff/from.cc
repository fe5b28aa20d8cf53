// FROM: tables, views, CTEs and subqueries, and their joins.
#include <algorithm>
#include <utility>

#include "tests/diff/queries.h"
#include "tests/diff/values.h"

namespace kvsql::diff {
namespace {

constexpr size_t kMaxJoinRows = 1500;
constexpr size_t kMaxDerivedRows = 200;
constexpr size_t kMaxSubqueryRows = 80;  // for each row of the query around it

bool Shares(const Source& left, const std::string& name) {
  return std::any_of(left.columns.begin(), left.columns.end(),
                     [&](const Column& column) { return column.name == name; });
}

}  // namespace

Node Queries::SourceOf(Scope* scope, bool plain, int depth, size_t max_rows, size_t* rows) {
  const std::string alias = NewAlias("s");
  if (!plain && random_->Percent(2)) {
    std::vector<Node> lines;
    for (size_t i = 0; i < 1 + random_->Below(3); ++i) {
      lines.push_back(
          Node::Of("(", LiteralFor(Profile::kAny, random_), ", ", SmallNumber(random_), ")"));
    }
    Column any, small;
    any.name = "column1";
    small.name = "column2";
    small.profile = Profile::kSmall;
    *rows = lines.size();
    scope->sources.push_back({alias, {any, small}});
    return Node::Of("(VALUES ", Node::List(", ", std::move(lines)), ") AS ", alias)
        .Feature("VALUES in FROM");
  }
  if (!plain && depth > 0 && random_->Percent(15)) {
    Relation relation;
    Node query = Derived(depth - 1, &relation);
    if (relation.rows <= max_rows) {
      *rows = relation.rows;
      scope->sources.push_back({alias, relation.columns});
      return Node::Of("(", std::move(query), ") AS ", alias).Feature("subquery in FROM");
    }
  }
  std::vector<Relation> relations;
  for (const Table& table : schema_->tables) {
    if (table.name != changed_table_) relations.push_back(table.AsRelation());
  }
  const size_t tables = relations.size();
  if (changed_table_.empty()) {
    relations.insert(relations.end(), schema_->views.begin(), schema_->views.end());
  }
  const size_t views = relations.size();
  relations.insert(relations.end(), ctes_.begin(), ctes_.end());
  size_t at = random_->Below(relations.size());
  if (!ctes_.empty() && random_->Percent(50)) at = views + random_->Below(ctes_.size());
  // The smallest instead of one that makes the join too large.
  if (relations[at].rows > max_rows) {
    at = static_cast<size_t>(
        std::min_element(relations.begin(), relations.end(),
                         [](const Relation& a, const Relation& b) { return a.rows < b.rows; }) -
        relations.begin());
  }
  *rows = relations[at].rows;
  scope->sources.push_back({alias, relations[at].columns});
  const char* schema = random_->Percent(8) ? relations[at].schema : "";
  return Node::Of(schema, relations[at].name, random_->Percent(50) ? " AS " : " ", alias)
      .Feature(at < tables  ? "table"
               : at < views ? "view"
                            : "CTE");
}

Node Queries::JoinOf(Scope* scope, bool plain, int depth, size_t max_rows, size_t* rows) {
  const size_t before = scope->sources.size();
  const Source left = scope->sources.back();
  Node source = SourceOf(scope, plain, depth, max_rows, rows);
  const Source& right = scope->sources.back();

  std::vector<std::string> shared;
  for (const Column& column : right.columns) {
    if (Shares(left, column.name)) shared.push_back(column.name);
  }
  std::string kind = random_->Pick({"JOIN", "INNER JOIN", "LEFT JOIN", "LEFT JOIN",
                                    "LEFT OUTER JOIN", "RIGHT JOIN", "FULL JOIN"});
  // SQLite 3.40 gets some of these wrong inside of compounds, views and subqueries.
  // And behind an inner join whose ON is never true: it then forgets the rows that only the right side has.
  if ((plain || before > 1) && (kind == "RIGHT JOIN" || kind == "FULL JOIN")) kind = "LEFT JOIN";
  const std::string label = kind == "INNER JOIN"        ? "JOIN"
                            : kind == "LEFT OUTER JOIN" ? "LEFT JOIN"
                                                        : kind;
  // Of two tables only: with more, what a merged column is made of is a long story.
  if (before == 1 && !shared.empty() && random_->Percent(30)) {
    const bool natural = random_->Percent(40);
    if (!natural) shared.resize(1 + random_->Below(shared.size()));
    for (const Column& column : left.columns) {
      if (std::find(shared.begin(), shared.end(), column.name) == shared.end()) continue;
      Column merged = column;
      merged.exact = false;
      scope->merged.push_back(merged);
    }
    if (natural) {
      return Node::Of(" NATURAL ", kind, " ", std::move(source)).Feature("NATURAL " + label);
    }
    std::vector<Node> names(shared.begin(), shared.end());
    return Node::Of(" ", kind, " ", std::move(source), " USING (",
                    Node::List(", ", std::move(names)), ")")
        .Feature(label + " USING");
  }
  switch (random_->Weighted({10, 10, 80})) {
    case 0:
      return Node::Of(", ", std::move(source)).Feature("comma join");
    case 1:
      return Node::Of(" CROSS JOIN ", std::move(source)).Feature("CROSS JOIN");
    default: {
      Scope visible = *scope;
      visible.merged.clear();
      Node condition = expressions_.JoinCondition(visible, before, depth > 0 ? 1 : 0);
      return Node::Of(" ", kind, " ", std::move(source), " ON ", std::move(condition))
          .Feature(label);
    }
  }
}

Node Queries::From(Scope* scope, size_t relations, bool plain, int depth) {
  const size_t limit = scope->outer != nullptr ? kMaxSubqueryRows
                       : plain                 ? kMaxDerivedRows
                                               : kMaxJoinRows;
  size_t rows = 0;
  Node from = Node::Of(" FROM ", SourceOf(scope, plain, depth, limit, &rows));
  scope->rows = std::max<size_t>(rows, 1);
  for (size_t i = 1; i < relations && 5 * scope->rows < limit; ++i) {
    from.Add(Node::Optional(JoinOf(scope, plain, depth, limit / scope->rows, &rows)));
    scope->rows *= std::max<size_t>(rows, 1);
  }
  return from;
}

}  // namespace kvsql::diff
