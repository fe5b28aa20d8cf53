#include "tests/diff/case.h"

#include "tests/diff/changes.h"
#include "tests/diff/model.h"
#include "tests/diff/queries.h"
#include "tests/diff/random.h"
#include "tests/diff/schema_maker.h"

namespace kvsql::diff {
namespace {

Node ReadAll(const Table& table) {
  if (table.without_rowid) return Node::Of("SELECT * FROM ", table.name).Feature("SELECT *");
  return Node::Of("SELECT rowid, * FROM ", table.name).Feature("rowid");
}

Node Drop(Schema* schema, Random* random) {
  if (!schema->views.empty()) {
    return Node::Of("DROP VIEW ", random->Percent(30) ? "IF EXISTS " : "",
                    schema->views.back().name)
        .Feature("DROP VIEW");
  }
  return Node::Of("DROP TABLE ", random->Percent(30) ? "IF EXISTS " : "",
                  schema->tables.back().name)
      .Feature("DROP TABLE");
}

Node Inspect(const Schema& schema, Random* random) {
  const std::string& table = schema.tables[random->Below(schema.tables.size())].name;
  switch (random->Below(5)) {
    case 0:
      return Node::Of("PRAGMA table_info(", table, ")").Feature("PRAGMA table_info");
    case 1:
      return Node::Of("PRAGMA index_list(", table, ")").Feature("PRAGMA index_list");
    case 2:
      return schema.indexes.empty()
                 ? Node("PRAGMA user_version")
                 : Node::Of("PRAGMA index_info(", random->Pick(schema.indexes), ")")
                       .Feature("PRAGMA index_info");
    case 3:
      return Node::Of("PRAGMA user_version").Feature("PRAGMA user_version");
    default:
      if (random->Percent(30)) return "SELECT type, name, tbl_name FROM sqlite_temp_schema";
      return Node::Of("SELECT type, name, tbl_name FROM sqlite_schema").Feature("sqlite_schema");
  }
}

}  // namespace

std::string Case::Text() const {
  std::string text;
  for (const Node& statement : statements) text += statement.Text() + ";\n";
  return text;
}

Case MakeCase(uint64_t seed) {
  Random random(seed);
  Schema schema;
  Queries queries(&schema, &random);
  SchemaMaker maker(&schema, &queries, &random);
  Changes changes(&schema, &queries, &maker, &random);
  Case made;
  const auto add = [&](Node statement) { made.statements.push_back(std::move(statement)); };

  const size_t tables = 1 + random.Below(3);
  for (size_t i = 0; i < tables; ++i) add(maker.CreateTable());
  const bool indexes_first = random.Percent(50);
  const size_t indexes = random.Below(4);
  const auto make_indexes = [&] {
    for (size_t i = 0; i < indexes; ++i) add(maker.CreateIndex());
  };
  if (indexes_first) make_indexes();
  for (Table& table : schema.tables) {
    if (random.Percent(8)) continue;  // stays empty
    const size_t rows = random.Percent(90) ? 1 + random.Below(12) : 20 + random.Below(40);
    add(maker.Fill(&table, rows));
  }
  if (!indexes_first) make_indexes();
  if (random.Percent(35)) add(maker.CreateView());
  if (random.Percent(6)) add(maker.CreateTableAs());
  if (random.Percent(6)) add(Node::Of("ANALYZE").Feature("ANALYZE"));

  const bool transactions = random.Percent(30);
  const size_t steps = 6 + random.Below(10);
  for (size_t i = 0; i < steps; ++i) {
    switch (random.Weighted({68, 22, transactions ? 25u : 0u, 3, 1, 1})) {
      case 0: {
        const bool direct = random.Percent(25);
        add(direct ? queries.Direct() : queries.Statement());
        if (random.Percent(12)) add(queries.Again(made.statements.back()));
        break;
      }
      case 1:
        add(changes.Change());
        if (random.Percent(20)) add(Node::Of("SELECT changes()").Feature("function changes"));
        break;
      case 2:
        add(changes.TransactionControl());
        break;
      case 3:
        add(Inspect(schema, &random));
        break;
      case 4:
        add(Node::Of("REINDEX").Feature("REINDEX"));
        break;
      default:
        if (schema.indexes.empty()) break;
        add(Node::Of("DROP INDEX ", schema.indexes.back()).Feature("DROP INDEX"));
        schema.indexes.pop_back();
    }
  }
  for (const Table& table : schema.tables) add(ReadAll(table));
  if (transactions) add(Node::Of(random.Pick({"COMMIT", "ROLLBACK"})));
  add(Node::Of("PRAGMA integrity_check").Feature("PRAGMA integrity_check"));
  if (random.Percent(10)) {
    add(Drop(&schema, &random));
    add(Node::Of("SELECT type, name, tbl_name FROM sqlite_schema").Feature("sqlite_schema"));
  }
  return made;
}

}  // namespace kvsql::diff
