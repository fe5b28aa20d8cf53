// Random INSERT, UPDATE, DELETE and transactions, whose outcome does not depend on the order in which rows are
// visited.
#ifndef KVSQL_TESTS_DIFF_CHANGES_H_
#define KVSQL_TESTS_DIFF_CHANGES_H_

#include <string>
#include <vector>

#include "tests/diff/model.h"
#include "tests/diff/node.h"
#include "tests/diff/queries.h"
#include "tests/diff/random.h"
#include "tests/diff/schema_maker.h"

namespace kvsql::diff {

class Changes {
 public:
  Changes(Schema* schema, Queries* queries, SchemaMaker* maker, Random* random)
      : schema_(schema), queries_(queries), maker_(maker), random_(random) {}

  // One statement that changes a table.
  Node Change();
  // BEGIN, COMMIT, SAVEPOINT and so on; some of them at the wrong time.
  Node TransactionControl();

 private:
  Node Insert(Table* table);
  const char* SchemaName(const Table& table);
  Node InsertSelect(const Table& table);
  Node Update(const Table& table);
  Node Delete(const Table& table);
  // "OR REPLACE " or nothing. `order_matters`: rows come in no defined order, so OR FAIL is left out.
  Node Conflict(const char* statement, bool order_matters);
  Table* PickTable();

  Schema* const schema_;
  Queries* const queries_;
  SchemaMaker* const maker_;
  Random* const random_;
  // What is open, unless a statement has ended it by its failure.
  bool inside_ = false;
  std::vector<std::string> savepoints_;
};

}  // namespace kvsql::diff

#endif  // KVSQL_TESTS_DIFF_CHANGES_H_
