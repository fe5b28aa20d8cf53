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
#include "kv/statement_reader.h"
#include "parser/ast_statement.h"

namespace kvsql::planner {

class TableBuilder {
 public:
  TableBuilder(std::string_view sql, const parser::CreateTableStatement& statement,
               const kv::StatementReader& reader)
      : sql_(sql), statement_(statement), reader_(reader) {}

  StatusOr<kv::TableDef> Build();

 private:
  struct KeyColumns {
    std::vector<kv::IndexColumn> columns;
    const parser::Constraint* constraint = nullptr;
    bool is_primary = false;
    kv::OnConflict conflict = kv::OnConflict::kDefault;
  };

  Status AddColumn(const parser::ColumnDefinition& definition);
  Status AddColumnConstraint(const parser::Constraint& constraint, uint32_t column);
  Status CheckForeignKey(const parser::Constraint& constraint) const;
  Status AddTableConstraint(const parser::Constraint& constraint);
  Status SetDefault(const parser::Constraint& constraint, kv::ColumnDef* column);
  Status SetType(const parser::ColumnDefinition& definition, kv::ColumnDef* column);
  Status SetPrimaryKey(KeyColumns key);
  Status AddCheck(const parser::Constraint& constraint);
  Status FinishKeys();
  Status CheckAutoincrement(const KeyColumns& key) const;
  bool IsIntegerKey(const KeyColumns& key) const;
  StatusOr<std::vector<KeyColumns>> MergeKeys();
  void AddKeyIndex(const KeyColumns& key, size_t number);

  const std::string_view sql_;
  const parser::CreateTableStatement& statement_;
  const kv::StatementReader reader_;
  kv::TableDef table_;
  std::vector<KeyColumns> keys_;  // UNIQUE and PRIMARY KEY, in the order of the text
  std::vector<const parser::Expr*> checks_;
  bool has_primary_key_ = false;
};

kv::OnConflict OnConflictOf(parser::ConflictAction action);

// What stands between the first parenthesis and the last one, without blanks around it.
std::string_view InParentheses(std::string_view text);

// The columns of a key: names with collation and direction. `expressions`: of an index, which may have
// expressions; their texts, per column, stay empty as a whole if there is none. Null: of a constraint.
StatusOr<std::vector<kv::IndexColumn>> BindKeyColumns(std::string_view sql,
                                                      const kv::TableDef& table,
                                                      std::span<const parser::OrderingTerm> terms,
                                                      const kv::StatementReader& reader,
                                                      std::vector<std::string>* expressions);

}  // namespace kvsql::planner

#endif  // KVSQL_PLANNER_TABLE_BUILDER_H_
