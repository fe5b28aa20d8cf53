#include "tests/diff/schema_maker.h"

#include <algorithm>
#include <utility>

#include "tests/diff/values.h"

namespace kvsql::diff {
namespace {

struct Type {
  const char* name;
  Affinity affinity;
};

constexpr Type kTypes[] = {
    {"INTEGER", Affinity::kInteger},
    {"INT", Affinity::kInteger},
    {"BIGINT", Affinity::kInteger},
    {"REAL", Affinity::kReal},
    {"DOUBLE PRECISION", Affinity::kReal},
    {"TEXT", Affinity::kText},
    {"VARCHAR(20)", Affinity::kText},
    {"NUMERIC", Affinity::kNumeric},
    {"DECIMAL(10,5)", Affinity::kNumeric},
    {"BOOLEAN", Affinity::kNumeric},
    {"BLOB", Affinity::kBlob},
    {"", Affinity::kBlob},
};
constexpr Type kStrictTypes[] = {
    {"INTEGER", Affinity::kInteger}, {"INT", Affinity::kInteger}, {"REAL", Affinity::kReal},
    {"TEXT", Affinity::kText},       {"BLOB", Affinity::kBlob},   {"ANY", Affinity::kBlob},
};

}  // namespace

TableColumn SchemaMaker::NewColumn(bool strict, size_t place) {
  TableColumn column;
  const Type type = strict ? kStrictTypes[random_->Below(std::size(kStrictTypes))]
                           : kTypes[random_->Below(std::size(kTypes))];
  column.type = type.name;
  column.column.name = std::string(1, static_cast<char>('a' + place));
  column.column.affinity = type.affinity;
  switch (type.affinity) {
    case Affinity::kText:
      column.column.profile = random_->Percent(80) ? Profile::kText : Profile::kSmall;
      break;
    case Affinity::kBlob:
      column.column.profile = random_->Pick({Profile::kAny, Profile::kBlob, Profile::kSmall});
      if (strict && column.type == "BLOB") column.column.profile = Profile::kBlob;
      break;
    default:
      column.column.profile = random_->Percent(70) ? Profile::kSmall : Profile::kWild;
      if (!strict && random_->Percent(8)) column.column.profile = Profile::kAny;
  }
  const bool collates = type.affinity == Affinity::kText || type.affinity == Affinity::kBlob;
  if (collates && random_->Percent(25))
    column.collation = random_->Pick({"NOCASE", "RTRIM", "BINARY"});
  column.column.exact = type.affinity != Affinity::kBlob &&
                        (column.collation.empty() || column.collation == "BINARY");
  return column;
}

std::string SchemaMaker::ValueFor(const Table& table, size_t place) {
  const TableColumn& column = table.columns[place];
  // Rowids far below the largest: behind that one SQLite chooses at random.
  if (static_cast<int>(place) == table.rowid_column)
    return std::to_string(random_->Between(-5, 60));
  if (column.unique && column.column.profile == Profile::kSmall && random_->Percent(70)) {
    return std::to_string(random_->Between(-100, 100));
  }
  if (column.unique && column.column.profile == Profile::kText && random_->Percent(60)) {
    return "'k" + std::to_string(random_->Between(0, 99)) + "'";
  }
  if (table.strict && random_->Percent(85)) return StrictValueFor(table, place);
  std::string literal = LiteralFor(column.column.profile, random_);
  if (column.not_null && literal == "NULL" && random_->Percent(90)) {
    literal = column.column.profile == Profile::kText ? "'n'" : "0";
  }
  return literal;
}

std::string SchemaMaker::StrictValueFor(const Table& table, size_t place) {
  const TableColumn& column = table.columns[place];
  if (!column.not_null && random_->Percent(10)) return "NULL";
  switch (column.column.affinity) {
    case Affinity::kInteger:
      return std::to_string(random_->Between(-6, 30));
    case Affinity::kReal:
      return SmallNumber(random_);
    case Affinity::kText:
      return TextLiteral(random_);
    default:
      return BlobLiteral(random_);
  }
}

Node SchemaMaker::Check(const Table& table) {
  const TableColumn& column = random_->Pick(table.columns);
  const std::string& name = column.column.name;
  switch (random_->Below(4)) {
    case 0:
      return Node::Of(" CHECK (length(", name, ") < 6)").Feature("CHECK");
    case 1:
      return Node::Of(" CHECK (", name, " <> 7)").Feature("CHECK");
    case 2:
      return Node::Of(" CHECK (typeof(", name, ") <> 'blob' OR ", name, " IS NOT NULL)")
          .Feature("CHECK");
    default:
      return Node::Of(" CHECK (", name, " IS NULL OR ", name, " NOT IN (-6, 'b', x'61'))")
          .Feature("CHECK");
  }
}

Node SchemaMaker::ColumnConstraints(Table* table, size_t place) {
  TableColumn& column = table->columns[place];
  Node constraints;
  if (random_->Percent(20)) {
    column.not_null = true;
    const char* conflict =
        random_->Pick({"", "", "", " ON CONFLICT IGNORE", " ON CONFLICT REPLACE"});
    constraints.Add(Node::Optional(" NOT NULL", Node::Optional(conflict)).Feature("NOT NULL"));
  }
  if (random_->Percent(12)) {
    column.unique = true;
    table->keys.push_back({place});
    const char* conflict =
        random_->Pick({"", "", "", " ON CONFLICT IGNORE", " ON CONFLICT REPLACE"});
    constraints.Add(Node::Optional(" UNIQUE", Node::Optional(conflict)).Feature("UNIQUE"));
  }
  if (random_->Percent(20)) {
    column.has_default = true;
    std::string value = LiteralFor(column.column.profile, random_);
    const char* kind = "DEFAULT";
    if (random_->Percent(30)) {
      kind = "DEFAULT expression";
      value =
          random_->Pick({"(1 + 2)", "('a' || 'b')", "(abs(-4))", "(NULL)", "(x'61')", "(-(5))"});
    }
    constraints.Add(Node::Optional(" DEFAULT ", value).Feature(kind));
  }
  if (!column.collation.empty()) {
    constraints.Add(Node::Of(" COLLATE ", column.collation).Feature("COLLATE of a column"));
  }
  if (random_->Percent(6)) constraints.Add(Node::Optional(Check(*table)));
  return constraints;
}

Node SchemaMaker::TableConstraints(Table* table) {
  Node constraints;
  if (table->columns.size() >= 2 && random_->Percent(12)) {
    const size_t a = random_->Below(table->columns.size());
    const size_t b = (a + 1) % table->columns.size();
    table->keys.push_back({a, b});
    constraints.Add(Node::Optional(", UNIQUE (", table->columns[a].column.name, ", ",
                                   table->columns[b].column.name, ")")
                        .Feature("UNIQUE of several columns"));
  }
  if (random_->Percent(8)) constraints.Add(Node::Optional(",", Check(*table)));
  return constraints;
}

Node SchemaMaker::CreateTable() {
  Table table;
  table.name = schema_->NewName("t");
  table.strict = random_->Percent(12);
  const size_t count = 2 + random_->Below(4);
  for (size_t i = 0; i < count; ++i) table.columns.push_back(NewColumn(table.strict, i));

  // The primary key: the rowid, one column, several, none.
  const size_t key = random_->Weighted({40, 15, 15, 30});
  TableColumn& first = table.columns[0];
  Node first_key, table_key;
  if (key == 0) {
    first.type = "INTEGER";
    first.collation.clear();
    first.column.affinity = Affinity::kInteger;
    first.column.profile = Profile::kSmall;
    first.column.exact = true;
    first.unique = first.in_key = true;
    table.rowid_column = 0;
    table.keys.push_back({0});
    if (random_->Percent(15)) {
      first_key = Node::Of(" PRIMARY KEY AUTOINCREMENT").Feature("AUTOINCREMENT");
    } else {
      first_key = Node::Of(" PRIMARY KEY").Feature("INTEGER PRIMARY KEY");
    }
  } else if (key == 1) {
    first.unique = first.in_key = true;
    table.keys.push_back({0});
    // DESC keeps INTEGER PRIMARY KEY from being the rowid.
    const bool is_rowid = first.type == "INTEGER";
    first_key = Node::Of(is_rowid ? " PRIMARY KEY DESC" : " PRIMARY KEY")
                    .Feature("PRIMARY KEY of one column");
    table.without_rowid = random_->Percent(40);
  } else if (key == 2) {
    table.columns[0].in_key = table.columns[1].in_key = true;
    table.keys.push_back({0, 1});
    const char* direction = random_->Pick({"", "", " DESC"});
    table_key = Node::Of(", PRIMARY KEY (", table.columns[0].column.name, direction, ", ",
                         table.columns[1].column.name, ")")
                    .Feature("PRIMARY KEY of several columns");
    table.without_rowid = random_->Percent(50);
  }

  std::vector<Node> columns;
  for (size_t i = 0; i < count; ++i) {
    TableColumn& column = table.columns[i];
    Node definition = Node::Of(column.column.name);
    if (!column.type.empty()) definition.Add(" " + column.type);
    if (i == 0) definition.Add(std::move(first_key));
    const bool bare = i == 0 && key == 0;
    if (!bare) definition.Add(ColumnConstraints(&table, i));
    columns.push_back(std::move(definition));
  }
  Node constraints = TableConstraints(&table);
  std::vector<Node> options;
  if (table.without_rowid) options.push_back(Node::Of("WITHOUT ROWID").Feature("WITHOUT ROWID"));
  if (table.strict) options.push_back(Node::Of("STRICT").Feature("STRICT"));
  table.temporary = random_->Percent(7);
  Node node = Node::Of("CREATE ", table.temporary ? Node::Of("TEMP ").Feature("TEMP") : Node(""),
                       "TABLE ", random_->Percent(10) ? "IF NOT EXISTS " : "", table.name, "(",
                       Node::List(", ", std::move(columns)), std::move(table_key),
                       std::move(constraints), ")");
  if (!options.empty()) node.Add(Node::Of(" ", Node::List(", ", std::move(options))));
  schema_->tables.push_back(std::move(table));
  return Node::Of(std::move(node)).Feature("CREATE TABLE");
}

Node SchemaMaker::CreateTableAs() {
  const std::string name = schema_->NewName("t");
  std::vector<Profile> profiles;
  for (size_t i = 0; i < 2 + random_->Below(2); ++i) {
    profiles.push_back(random_->Pick({Profile::kSmall, Profile::kText}));
  }
  Node query = queries_->OrderedSelect(profiles);
  // Only SELECT * reads it (the case compares all tables), so the model does not know it.
  return Node::Of("CREATE TABLE ", name, " AS ", std::move(query)).Feature("CREATE TABLE AS");
}

Node SchemaMaker::CreateIndex() {
  Table& table = schema_->tables[random_->Below(schema_->tables.size())];
  const std::string name = schema_->NewName("i");
  std::vector<size_t> places;
  std::vector<Node> columns;
  bool collated = false;
  for (size_t i = 0; i < random_->Weighted({0, 55, 30, 15}); ++i) {
    const size_t place = random_->Below(table.columns.size());
    if (std::find(places.begin(), places.end(), place) != places.end()) continue;
    places.push_back(place);
    Node column = Node::Of(table.columns[place].column.name);
    if (random_->Percent(12)) {
      collated = true;
      column.Add(Node::Optional(" COLLATE ", random_->Pick({"NOCASE", "BINARY", "RTRIM"}))
                     .Feature("COLLATE of an index"));
    }
    if (random_->Percent(25)) column.Add(Node::Optional(" DESC").Feature("DESC index"));
    columns.push_back(std::move(column));
  }
  if (places.empty()) {
    places.push_back(0);
    columns.emplace_back(table.columns[0].column.name);
  }
  if (places.size() > 1)
    columns[0] = Node::Of(std::move(columns[0])).Feature("index of several columns");
  Node where;
  const bool unique = random_->Percent(10);
  if (random_->Percent(15)) {
    const size_t place = random_->Below(table.columns.size());
    const std::string test = random_->Percent(50) ? " IS NOT NULL" : " > 0";
    where =
        Node::Optional(" WHERE ", table.columns[place].column.name, test).Feature("partial index");
    places.push_back(place);
  } else if (collated) {
    places.push_back(places[0]);
  }
  // A key of one place means that `column = value` finds one row at most: not so for a partial index or
  // another collation, which have two therefore.
  if (unique) {
    table.keys.push_back(places);
    if (places.size() == 1) table.columns[places[0]].unique = true;
  }
  schema_->indexes.push_back(name);
  return Node::Of("CREATE ", unique ? Node::Of("UNIQUE ").Feature("UNIQUE index") : Node(""),
                  "INDEX ", random_->Percent(8) ? table.schema() : "", name, " ON ", table.name,
                  "(", Node::List(", ", std::move(columns)), ")", std::move(where))
      .Feature("CREATE INDEX");
}

Node SchemaMaker::CreateView() {
  Relation relation;
  Node query = queries_->Derived(1, &relation);
  relation.name = schema_->NewName("v");
  const bool on_temporary = std::any_of(schema_->tables.begin(), schema_->tables.end(),
                                        [](const Table& table) { return table.temporary; });
  // A view of the database does not see temporary tables.
  const bool temporary = random_->Percent(on_temporary ? 80 : 8);
  relation.schema = temporary ? "temp." : "main.";
  Node node = Node::Of("CREATE ", temporary ? Node::Of("TEMP ").Feature("TEMP") : Node(""), "VIEW ",
                       relation.name, " AS ", std::move(query))
                  .Feature("CREATE VIEW");
  schema_->views.push_back(std::move(relation));
  return node;
}

Node SchemaMaker::Fill(Table* table, size_t rows) {
  std::vector<Node> lines;
  for (size_t i = 0; i < rows; ++i) {
    Node line = "(";
    for (size_t j = 0; j < table->columns.size(); ++j) {
      std::string value = table->strict ? StrictValueFor(*table, j) : ValueFor(*table, j);
      if (static_cast<int>(j) == table->rowid_column && random_->Percent(60)) {
        value = std::to_string(static_cast<size_t>(10) * table->rows + i + 1);
      }
      line.Add((j > 0 ? ", " : "") + value);
    }
    line.Add(")");
    lines.push_back(std::move(line));
  }
  table->rows += rows;
  return Node::Of("INSERT OR IGNORE INTO ", table->name, " VALUES ",
                  Node::List(", ", std::move(lines)))
      .Feature("INSERT OR IGNORE");
}

}  // namespace kvsql::diff
