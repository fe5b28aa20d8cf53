// What names in an expression may mean: the columns of at most one table.
#ifndef KVSQL_PLANNER_SCOPE_H_
#define KVSQL_PLANNER_SCOPE_H_

#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "kv/schema.h"
#include "parser/ast_statement.h"

namespace kvsql::planner {

struct Scope {
  std::string_view sql;                 // for the positions of errors
  const kv::TableDef* table = nullptr;  // null: there are no columns
  std::string_view alias;               // of the table; empty: none

  // The column a name means: its number, or kv::kRowidColumn. Nullopt: no such column.
  std::optional<uint32_t> Resolve(const parser::ColumnExpr& name) const;
  std::string_view table_name() const {
    return alias.empty() ? std::string_view(table->name) : alias;
  }
};

// The column that `name` means in the table: a column, or the rowid by one of its names.
std::optional<uint32_t> ResolveColumn(const kv::TableDef& table, std::string_view name);

// "rowid", "oid" or "_rowid_", in any case.
bool IsRowidName(std::string_view name);

// NOT_FOUND.
Status NoSuchTable(std::string_view sql, const parser::QualifiedName& name);
Status NoSuchColumn(std::string_view sql, const parser::ColumnExpr& name);

}  // namespace kvsql::planner

#endif  // KVSQL_PLANNER_SCOPE_H_
