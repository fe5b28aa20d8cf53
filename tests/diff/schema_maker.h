// Random tables, indexes and views, with data.
#ifndef KVSQL_TESTS_DIFF_SCHEMA_MAKER_H_
#define KVSQL_TESTS_DIFF_SCHEMA_MAKER_H_

#include <string>
#include <vector>

#include "tests/diff/model.h"
#include "tests/diff/node.h"
#include "tests/diff/queries.h"
#include "tests/diff/random.h"

namespace kvsql::diff {

class SchemaMaker {
 public:
  SchemaMaker(Schema* schema, Queries* queries, Random* random)
      : schema_(schema), queries_(queries), random_(random) {}

  // CREATE TABLE; the schema gets the table.
  Node CreateTable();
  // CREATE TABLE ... AS SELECT.
  Node CreateTableAs();
  Node CreateIndex();
  Node CreateView();
  // One INSERT with some rows for the table.
  Node Fill(Table* table, size_t rows);
  // A literal for the column; at times one that a constraint refuses.
  std::string ValueFor(const Table& table, size_t column);
  // One that the column of a STRICT table takes.
  std::string StrictValueFor(const Table& table, size_t column);

 private:
  TableColumn NewColumn(bool strict, size_t place);
  Node ColumnConstraints(Table* table, size_t place);
  Node TableConstraints(Table* table);
  Node Check(const Table& table);

  Schema* const schema_;
  Queries* const queries_;
  Random* const random_;
};

}  // namespace kvsql::diff

#endif  // KVSQL_TESTS_DIFF_SCHEMA_MAKER_H_
