// CREATE TABLE to kv::TableDef, by SQLite's rules: what becomes the rowid, which constraints make indexes.
//
// Thread safety: none; lives while one plan is made.
#ifndef KVSQL_PLANNER_TABLE_BUILDER_H_
#define KVSQL_PLANNER_TABLE_BUILDER_H_

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "kv/schema.h"
#include "parser/ast_statement.h"

namespace kvsql::planner {

class TableBuilder {
 public:
  TableBuilder(std::string_view sql, const parser::CreateTableStatement& statement)
      : sql_(sql), statement_(statement) {}

  StatusOr<kv::TableDef> Build();

 private:
  struct KeyColumns {
    std::vector<kv::IndexColumn> columns;
    const parser::Constraint* constraint = nullptr;
    bool is_primary = false;
  };

  Status AddColumn(const parser::ColumnDefinition& definition);
  Status AddColumnConstraint(const parser::Constraint& constraint, uint32_t column);
  Status AddTableConstraint(const parser::Constraint& constraint);
  Status SetDefault(const parser::Constraint& constraint, kv::ColumnDef* column);
  Status SetType(const parser::ColumnDefinition& definition, kv::ColumnDef* column);
  Status SetPrimaryKey(KeyColumns key);
  Status CheckConflict(const parser::Constraint& constraint) const;
  Status FinishKeys();
  void AddKeyIndex(const KeyColumns& key, int number);

  const std::string_view sql_;
  const parser::CreateTableStatement& statement_;
  kv::TableDef table_;
  std::vector<KeyColumns> keys_;  // UNIQUE and PRIMARY KEY, in the order of the text
  bool has_primary_key_ = false;
};

// The columns of a key: names with collation and direction.
StatusOr<std::vector<kv::IndexColumn>> BindKeyColumns(std::string_view sql,
                                                      const kv::TableDef& table,
                                                      std::span<const parser::OrderingTerm> terms,
                                                      bool is_index);

}  // namespace kvsql::planner

#endif  // KVSQL_PLANNER_TABLE_BUILDER_H_
