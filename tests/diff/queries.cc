// SELECT of all shapes but compounds (compounds.cc).
#include "tests/diff/queries.h"

#include <utility>

#include "tests/diff/values.h"

namespace kvsql::diff {
namespace {

constexpr int kMaxSubqueryDepth = 2;

}  // namespace

Queries::Queries(Schema* schema, Random* random)
    : schema_(schema), random_(random), expressions_(random) {
  expressions_.set_subqueries([this](const Scope& outer, Expressions::SubqueryUse use,
                                     size_t columns) { return Subquery(outer, use, columns); });
}

Node Queries::Statement() {
  ctes_.clear();
  subquery_depth_ = 0;
  if (random_->Percent(15)) return With(Node());
  switch (random_->Weighted({40, 8, 20, 8, 4, 15, 3})) {
    case 0:
      return Plain(2);
    case 1:
      return Star();
    case 2:
      return Grouped(2);
    case 3:
      return WholeAggregate(2);
    case 4:
      return MinMaxBare();
    case 5:
      return Compound();
    default:
      return Values();
  }
}

Node Queries::With(Node query) {
  std::vector<Node> definitions;
  const size_t count = 1 + random_->Below(2);
  for (size_t i = 0; i < count; ++i) {
    Relation relation;
    Node body = Derived(1, &relation);
    relation.name = NewAlias("c");
    Node columns;
    if (random_->Percent(40)) {
      std::vector<Node> names;
      for (Column& column : relation.columns) {
        column.name = NewAlias("k");
        names.emplace_back(column.name);
      }
      columns = Node::Of("(", Node::List(", ", std::move(names)), ")");
    }
    const char* hint = random_->Pick({"", "", " MATERIALIZED", " NOT MATERIALIZED"});
    definitions.push_back(Node::Of(relation.name, std::move(columns), " AS",
                                   Node::Optional(*hint != '\0' ? hint : ""), " (", std::move(body),
                                   ")"));
    ctes_.push_back(relation);
  }
  query = random_->Percent(70) ? Plain(1) : Grouped(1);
  return Node::Of("WITH ", Node::List(", ", std::move(definitions)), " ", std::move(query))
      .Feature("WITH");
}

Node Queries::Where(const Scope& scope, size_t percent, int depth) {
  if (!random_->Percent(percent)) return Node("");
  return Node::Optional(" WHERE ", expressions_.Boolean(scope, depth)).Feature("WHERE");
}

Queries::Output Queries::OutputOf(const Scope& scope, int depth, bool exact) {
  Output output;
  output.alias = NewAlias("r");
  output.column.name = output.alias;
  if (exact) {
    const auto column = expressions_.FindColumn(
        scope, [](const Column& c) { return c.exact; }, false);
    if (column && random_->Percent(60)) {
      output.expression = Node::Expr(column->name).Feature("column");
      output.column = column->column;
      output.column.name = output.alias;
    } else {
      output.expression = expressions_.Exact(scope, depth);
      output.column.exact = true;
    }
    return output;
  }
  if (random_->Percent(40)) {
    const auto column = expressions_.FindColumn(
        scope, [](const Column&) { return true; }, false);
    if (column) {
      output.expression = Node::Expr(column->name).Feature("column");
      output.column = column->column;
      output.column.name = output.alias;
      return output;
    }
  }
  if (random_->Percent(25)) {
    output.expression = expressions_.Small(scope, depth);
    output.column.profile = Profile::kSmall;
  } else {
    output.expression = expressions_.Any(scope, depth);
  }
  return output;
}

Node Queries::OutputList(const std::vector<Output>& outputs) {
  std::vector<Node> items;
  for (const Output& output : outputs) {
    items.push_back(Node::Of(output.expression, " AS ", output.alias));
  }
  return Node::List(", ", std::move(items));
}

Node Queries::OrderTerm(Node expression) {
  Node term = Node::Of(std::move(expression));
  if (random_->Percent(45)) {
    const char* direction = random_->Pick({" ASC", " DESC", " DESC"});
    term.Add(Node::Optional(direction).Feature(std::string("ORDER BY") + direction));
  }
  if (random_->Percent(20)) {
    const char* nulls = random_->Pick({" NULLS FIRST", " NULLS LAST"});
    term.Add(Node::Optional(nulls).Feature(std::string("ORDER BY") + nulls));
  }
  return term;
}

Node Queries::TotalOrder(const std::vector<Output>& outputs, std::vector<Node> terms) {
  std::vector<Node> order;
  for (Node& term : terms) order.push_back(OrderTerm(std::move(term)));
  for (const Output& output : outputs) {
    order.push_back(OrderTerm(Node(output.alias + " COLLATE BINARY")));
    if (!output.column.exact) order.push_back(OrderTerm(Node("typeof(" + output.alias + ")")));
  }
  // Not a List: no term can be left out.
  Node all = Node::Of(" ORDER BY ");
  for (size_t i = 0; i < order.size(); ++i) {
    if (i > 0) all.Add(", ");
    all.Add(std::move(order[i]));
  }
  return all;
}

Node Queries::Limit() {
  if (random_->Percent(40)) return Node("");
  const std::string count = std::to_string(random_->Between(0, 12));
  if (random_->Percent(60)) return Node::Optional(" LIMIT ", count).Feature("LIMIT");
  const std::string offset = std::to_string(random_->Between(0, 8));
  if (random_->Percent(30)) {
    return Node::Optional(" LIMIT ", offset, ", ", count).Feature("LIMIT with comma");
  }
  return Node::Optional(" LIMIT ", random_->Percent(20) ? "-1" : count, " OFFSET ", offset)
      .Feature("OFFSET");
}

Node Queries::Plain(int depth) {
  Scope scope;
  Node from = random_->Percent(95)
                  ? From(&scope, random_->Weighted({0, 45, 35, 15, 5}), false, depth)
                  : Node();
  const bool distinct = random_->Percent(20);
  const bool aliased = random_->Percent(80);
  std::vector<Output> outputs;
  const size_t count = 1 + random_->Below(4);
  for (size_t i = 0; i < count; ++i) outputs.push_back(OutputOf(scope, depth, distinct));

  const bool ordered = random_->Percent(45);
  std::vector<Node> items;
  for (const Output& output : outputs) items.push_back(output.expression);
  Node list = aliased || ordered ? OutputList(outputs) : Node::List(", ", std::move(items));
  Node query = Node::Of("SELECT ",
                        distinct ? Node::Of("DISTINCT ").Feature("DISTINCT")
                                 : Node(random_->Percent(3) ? "ALL " : ""),
                        std::move(list), std::move(from), Where(scope, 65, depth));
  if (ordered) {
    std::vector<Node> terms;
    if (!distinct && random_->Percent(50)) {
      terms.push_back(Node::Of(expressions_.Any(scope, 1)).Feature("ORDER BY expression"));
    }
    if (random_->Percent(20)) {
      terms.push_back(
          Node::Of(std::to_string(1 + random_->Below(count))).Feature("ORDER BY ordinal"));
    }
    if (random_->Percent(15)) {
      terms.push_back(
          Node::Of(random_->Pick(outputs).alias + " COLLATE " + random_->Pick({"NOCASE", "RTRIM"}))
              .Feature("ORDER BY COLLATE"));
    }
    query.Add(Node::Optional(TotalOrder(outputs, std::move(terms)), Limit())
                  .Orders()
                  .Feature("ORDER BY"));
  }
  return query;
}

Node Queries::Star() {
  Scope scope;
  Node from = From(&scope, 1 + random_->Below(2), false, 1);
  Node list = "*";
  if (random_->Percent(30)) list = Node::Of(scope.sources[0].alias, ".*");
  return Node::Of(Node::Of("SELECT ", std::move(list)).Feature("SELECT *"), std::move(from),
                  Where(scope, 60, 2));
}

Node Queries::Grouped(int depth) {
  Scope scope;
  Node from = From(&scope, random_->Weighted({0, 60, 30, 10}), false, depth);
  Node where = Where(scope, 40, depth);
  std::vector<Node> keys;
  std::vector<Output> outputs;
  Node sample_key;
  const size_t key_count = 1 + random_->Below(2);
  for (size_t i = 0; i < key_count; ++i) {
    const bool exact = random_->Percent(75);
    Output output = OutputOf(scope, random_->Percent(60) ? 0 : 1, exact);
    // Of equal keys that are not the same, either may represent its group.
    if (exact && random_->Percent(80)) outputs.push_back(output);
    if (exact) sample_key = output.expression;
    keys.push_back(output.expression);
  }
  const size_t aggregates = 1 + random_->Below(3);
  for (size_t i = 0; i < aggregates; ++i) {
    Output output;
    output.alias = NewAlias("r");
    output.column.name = output.alias;
    output.expression = expressions_.Aggregate(scope, random_->Percent(60) ? 0 : 1);
    outputs.push_back(std::move(output));
  }
  Node having;
  if (random_->Percent(30)) {
    const std::string sign = random_->Pick({"=", "<", ">", ">=", "<>"});
    having = Node::Optional(" HAVING (", expressions_.Aggregate(scope, 0), " " + sign + " ",
                            random_->Percent(80) ? Node(SmallNumber(random_))
                                                 : expressions_.Aggregate(scope, 0),
                            ")")
                 .Feature("HAVING");
  }
  Node query =
      Node::Of("SELECT ", OutputList(outputs), std::move(from), std::move(where),
               Node::Of(" GROUP BY ", Node::List(", ", std::move(keys))).Feature("GROUP BY"),
               std::move(having));
  if (random_->Percent(40)) {
    query.Add(Node::Optional(TotalOrder(outputs, {}), Limit()).Orders().Feature("ORDER BY"));
  }
  return query;
}

Node Queries::WholeAggregate(int depth) {
  Scope scope;
  Node from = From(&scope, random_->Weighted({0, 70, 25, 5}), false, depth);
  std::vector<Node> items;
  for (size_t i = 0; i < 1 + random_->Below(3); ++i)
    items.push_back(expressions_.Aggregate(scope, depth - 1));
  return Node::Of("SELECT ", Node::List(", ", std::move(items)), std::move(from),
                  Where(scope, 50, depth))
      .Feature("aggregate of all rows");
}

// Bare columns beside one min() or max() come from its row: defined if the argument is unique.
Node Queries::MinMaxBare() {
  std::vector<const Table*> usable;
  for (const Table& table : schema_->tables) {
    if (table.rowid_column >= 0) usable.push_back(&table);
  }
  if (usable.empty()) return WholeAggregate(1);
  const Table& table = *random_->Pick(usable);
  const std::string key = table.columns[static_cast<size_t>(table.rowid_column)].column.name;
  std::vector<Node> items;
  items.push_back(Node::Of(random_->Pick({"min(", "max("}), key, ")"));
  for (const TableColumn& column : table.columns) {
    if (random_->Percent(50)) items.emplace_back(column.column.name);
  }
  Node query = Node::Of("SELECT ", Node::List(", ", std::move(items)), " FROM ", table.name)
                   .Feature("bare columns");
  if (random_->Percent(60)) {
    const TableColumn& group = random_->Pick(table.columns);
    query.Add(Node::Optional(Node::Of(" GROUP BY ", group.column.name).Feature("GROUP BY")));
  }
  return query;
}

Node Queries::Subquery(const Scope& outer, Expressions::SubqueryUse use, size_t columns) {
  Scope scope;
  scope.outer = &outer;
  const bool deep = ++subquery_depth_ >= kMaxSubqueryDepth;
  expressions_.set_subqueries_allowed(!deep);
  Node from = From(&scope, random_->Percent(85) ? 1 : 2, true, 0);
  Node query;
  if (use == Expressions::SubqueryUse::kScalar && random_->Percent(60)) {
    query =
        Node::Of("SELECT ", expressions_.Aggregate(scope, 0), std::move(from), Where(scope, 80, 1));
  } else if (use == Expressions::SubqueryUse::kScalar) {
    const Output output = OutputOf(scope, 0, true);
    query = Node::Of("SELECT ", output.expression, " AS ", output.alias, std::move(from),
                     Where(scope, 70, 1), TotalOrder({output}, {}), " LIMIT 1");
  } else {
    std::vector<Node> items;
    for (size_t i = 0; i < columns; ++i) items.push_back(OutputOf(scope, 0, false).expression);
    Node list;
    for (size_t i = 0; i < items.size(); ++i) list.Add(Node::Of(i > 0 ? ", " : "", items[i]));
    query = Node::Of("SELECT ", std::move(list), std::move(from), Where(scope, 80, 1));
  }
  --subquery_depth_;
  expressions_.set_subqueries_allowed(true);
  return query;
}

Node Queries::OrderedSelect(const std::vector<Profile>& profiles) {
  Scope scope;
  ctes_.clear();
  Node from = From(&scope, random_->Percent(80) ? 1 : 2, true, 0);
  std::vector<Output> outputs;
  for (const Profile profile : profiles) {
    Output output;
    output.alias = NewAlias("r");
    output.column.name = output.alias;
    const auto column = expressions_.FindColumn(
        scope, [&](const Column& c) { return c.profile == profile; }, false);
    output.expression = column && random_->Percent(75) ? Node::Expr(column->name)
                        : profile == Profile::kSmall   ? expressions_.Small(scope, 1)
                        : random_->Percent(50)         ? Node::Expr(LiteralFor(profile, random_))
                                                       : expressions_.Any(scope, 1);
    outputs.push_back(std::move(output));
  }
  Node list;
  for (size_t i = 0; i < outputs.size(); ++i) {
    list.Add(Node::Of(i > 0 ? ", " : "", outputs[i].expression, " AS ", outputs[i].alias));
  }
  return Node::Of("SELECT ", std::move(list), std::move(from), Where(scope, 60, 1),
                  TotalOrder(outputs, {}), Limit());
}

Node Queries::TableCondition(const Table& table) {
  Scope scope;
  scope.sources.push_back({table.name, table.AsRelation().columns});
  ctes_.clear();
  changed_table_ = table.name;
  expressions_.set_subqueries_allowed(schema_->tables.size() > 1);
  Node condition =
      random_->Percent(60) ? expressions_.Search(scope) : expressions_.Boolean(scope, 1);
  expressions_.set_subqueries_allowed(true);
  changed_table_.clear();
  return condition;
}

}  // namespace kvsql::diff
