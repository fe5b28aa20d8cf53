#include "tests/diff/changes.h"

#include <utility>

#include "tests/diff/values.h"

namespace kvsql::diff {

Table* Changes::PickTable() { return &schema_->tables[random_->Below(schema_->tables.size())]; }

Node Changes::Change() {
  Table* table = PickTable();
  switch (random_->Weighted({35, 15, 30, 20})) {
    case 0:
      return Insert(table);
    case 1:
      // In a transaction SQLite 3.40 keeps the rows before one whose type a STRICT table refuses. So many
      // rows only go there if all of them fit.
      return table->strict ? Insert(table) : InsertSelect(*table);
    case 2:
      return Update(*table);
    default:
      return Delete(*table);
  }
}

Node Changes::Conflict(const char* statement, bool order_matters) {
  if (random_->Percent(50)) return "";
  std::string mode =
      random_->Pick({"REPLACE", "REPLACE", "IGNORE", "IGNORE", "ABORT", "FAIL", "ROLLBACK"});
  if (order_matters && mode == "FAIL") mode = "ABORT";
  return Node::Optional("OR ", mode, " ").Feature(std::string(statement) + " OR " + mode);
}

Node Changes::Insert(Table* table) {
  if (random_->Percent(4)) {
    return Node::Of("INSERT INTO ", table->name, " DEFAULT VALUES")
        .Feature("INSERT DEFAULT VALUES");
  }
  Node verb = random_->Percent(8) ? Node::Of("REPLACE ").Feature("REPLACE")
                                  : Node::Of("INSERT ", Conflict("INSERT", false));
  // A conflict clause does not speak of the types of a STRICT table in SQLite; in kvsql it does (known.h).
  const bool strict = table->strict && verb.Text() != "INSERT ";
  std::vector<size_t> places;
  for (size_t i = 0; i < table->columns.size(); ++i) {
    if (random_->Percent(80)) places.push_back(i);
  }
  const bool all = places.empty() || random_->Percent(60);
  if (all) {
    places.clear();
    for (size_t i = 0; i < table->columns.size(); ++i) places.push_back(i);
  }
  Node names;
  if (!all) {
    std::vector<Node> list;
    for (const size_t place : places) list.emplace_back(table->columns[place].column.name);
    names = Node::Of("(", Node::List(", ", std::move(list)), ")").Feature("INSERT with columns");
  }
  std::vector<Node> rows;
  const size_t count = table->strict || random_->Percent(60) ? 1 : 1 + random_->Below(4);
  for (size_t i = 0; i < count; ++i) {
    Node row = "(";
    for (size_t j = 0; j < places.size(); ++j) {
      if (j > 0) row.Add(", ");
      const bool rowid = static_cast<int>(places[j]) == table->rowid_column;
      if (rowid && random_->Percent(20)) {
        row.Add("NULL");
      } else if (!rowid && strict) {
        row.Add(Node::Expr(maker_->StrictValueFor(*table, places[j])));
      } else if (!rowid && random_->Percent(10)) {
        const bool small = table->columns[places[j]].column.profile == Profile::kSmall;
        row.Add(small ? queries_->expressions().Small(Scope(), 1)
                      : queries_->expressions().Any(Scope(), 1));
      } else {
        row.Add(Node::Expr(maker_->ValueFor(*table, places[j])));
      }
    }
    row.Add(")");
    rows.push_back(std::move(row));
  }
  if (count > 1) rows[0] = Node::Of(std::move(rows[0])).Feature("INSERT of several rows");
  table->rows += count;
  return Node::Of(std::move(verb), "INTO ", SchemaName(*table), table->name, std::move(names),
                  " VALUES ", Node::List(", ", std::move(rows)))
      .Feature("INSERT");
}

// At times the name says where the table is.
const char* Changes::SchemaName(const Table& table) {
  return random_->Percent(8) ? table.schema() : "";
}

Node Changes::InsertSelect(const Table& table) {
  std::vector<Profile> profiles;
  for (const TableColumn& column : table.columns) profiles.push_back(column.column.profile);
  return Node::Of("INSERT ", Conflict("INSERT", false), "INTO ", SchemaName(table), table.name, " ",
                  queries_->OrderedSelect(profiles))
      .Feature("INSERT SELECT");
}

Node Changes::Update(const Table& table) {
  // Columns of a key are changed in one row only: in what order several rows meet the others is not defined.
  std::vector<bool> in_key(table.columns.size(), false);
  for (const auto& key : table.keys) {
    for (const size_t place : key) in_key[place] = true;
  }
  const std::vector<size_t>* one_row = nullptr;
  for (const auto& key : table.keys) {
    if (key.size() == 1 && random_->Percent(60)) one_row = &key;
  }
  std::vector<size_t> places;
  for (size_t i = 0; i < table.columns.size(); ++i) {
    if ((one_row != nullptr || !in_key[i]) && random_->Percent(45)) places.push_back(i);
  }
  if (places.empty()) {
    for (size_t i = 0; i < table.columns.size() && places.empty(); ++i) {
      if (one_row != nullptr || !in_key[i]) places.push_back(i);
    }
    if (places.empty()) return Delete(table);
  }
  Node conflict = Conflict("UPDATE", one_row == nullptr);
  const bool strict = table.strict && (one_row == nullptr || !conflict.Text().empty());
  Scope scope;
  scope.sources.push_back({table.name, table.AsRelation().columns});
  queries_->expressions().set_subqueries_allowed(false);
  std::vector<Node> sets;
  for (const size_t place : places) {
    const TableColumn& column = table.columns[place];
    // Sums of the column stay exact.
    const bool small = column.column.profile == Profile::kSmall;
    const bool rowid = static_cast<int>(place) == table.rowid_column;
    Node value = strict                          ? Node::Expr(maker_->StrictValueFor(table, place))
                 : rowid || random_->Percent(45) ? Node::Expr(maker_->ValueFor(table, place))
                 : small                         ? queries_->expressions().Small(scope, 1)
                                                 : queries_->expressions().Any(scope, 1);
    sets.push_back(Node::Of(column.column.name, " = ", std::move(value)));
  }
  queries_->expressions().set_subqueries_allowed(true);
  Node where;
  if (one_row != nullptr) {
    const size_t place = (*one_row)[0];
    where = Node::Of(" WHERE ", table.columns[place].column.name, " = ",
                     Node::Expr(maker_->ValueFor(table, place)));
    if (random_->Percent(20)) where.Add(Node::Optional(" AND ", queries_->TableCondition(table)));
  } else if (random_->Percent(85)) {
    where = Node::Optional(" WHERE ", queries_->TableCondition(table));
  }
  return Node::Of("UPDATE ", std::move(conflict), SchemaName(table), table.name, " SET ",
                  Node::List(", ", std::move(sets)), std::move(where))
      .Feature("UPDATE");
}

Node Changes::Delete(const Table& table) {
  Node where;
  if (random_->Percent(96)) where = Node::Optional(" WHERE ", queries_->TableCondition(table));
  return Node::Of("DELETE FROM ", SchemaName(table), table.name, std::move(where))
      .Feature("DELETE");
}

Node Changes::TransactionControl() {
  if (random_->Percent(4)) {
    const char* wrong =
        random_->Pick({"COMMIT", "ROLLBACK", "BEGIN", "RELEASE p", "ROLLBACK TO q"});
    return Node::Of(wrong);
  }
  const std::string name = random_->Pick({"p", "q", "P"});
  if (!inside_) {
    inside_ = true;
    savepoints_.clear();
    if (random_->Percent(25)) {
      savepoints_.push_back(name);
      return Node::Of("SAVEPOINT ", name).Feature("SAVEPOINT");
    }
    const std::string mode = random_->Pick({"", "", " DEFERRED", " IMMEDIATE", " EXCLUSIVE"});
    return Node::Of("BEGIN", mode).Feature("BEGIN" + mode);
  }
  const size_t choice = random_->Weighted({15, 15, 30, 25, 15});
  if (choice >= 3 && !savepoints_.empty()) {
    const size_t place = random_->Below(savepoints_.size());
    const std::string known = savepoints_[place];
    savepoints_.resize(place + (choice == 3 ? 1 : 0));
    return choice == 3 ? Node::Of("ROLLBACK TO ", known).Feature("ROLLBACK TO")
                       : Node::Of("RELEASE ", known).Feature("RELEASE");
  }
  if (choice >= 2) {
    savepoints_.push_back(name);
    return Node::Of("SAVEPOINT ", name).Feature("SAVEPOINT");
  }
  inside_ = false;
  if (choice == 0) return Node::Of(random_->Pick({"COMMIT", "END TRANSACTION"})).Feature("COMMIT");
  return Node::Of("ROLLBACK").Feature("ROLLBACK");
}

}  // namespace kvsql::diff
