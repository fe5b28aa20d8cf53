#include "planner/scope.h"

#include "kv/value.h"
#include "parser/parser.h"
#include "planner/names.h"

namespace kvsql::planner {

bool IsRowidName(std::string_view name) {
  return kv::EqualsIgnoreCase(name, "rowid") || kv::EqualsIgnoreCase(name, "oid") ||
         kv::EqualsIgnoreCase(name, "_rowid_");
}

std::optional<uint32_t> ResolveColumn(const kv::TableDef& table, std::string_view name) {
  if (const std::optional<uint32_t> column = table.FindColumn(name); column.has_value()) {
    return column;
  }
  if (table.has_rowid() && IsRowidName(name)) {
    return table.rowid_alias.has_value() ? *table.rowid_alias : kv::kRowidColumn;
  }
  return std::nullopt;
}

std::optional<uint32_t> Scope::Resolve(const parser::ColumnExpr& name) const {
  if (table == nullptr) return std::nullopt;
  if (!name.table.empty() && !kv::EqualsIgnoreCase(name.table.text, table_name())) {
    return std::nullopt;
  }
  if (!Includes(SchemaOf(name.schema), table->temporary)) return std::nullopt;
  return ResolveColumn(*table, name.column.text);
}

Status NoSuchTable(std::string_view sql, const parser::QualifiedName& name) {
  std::string full;
  if (!name.schema.empty()) full.append(name.schema.text).push_back('.');
  full.append(name.object.text);
  const Status located =
      parser::ErrorAt(sql, name.schema.empty() ? name.object.range.begin : name.schema.range.begin,
                      "no such table: " + full);
  return absl::NotFoundError(located.message());
}

Status NoSuchColumn(std::string_view sql, const parser::ColumnExpr& name) {
  std::string full;
  if (!name.schema.empty()) full.append(name.schema.text).push_back('.');
  if (!name.table.empty()) full.append(name.table.text).push_back('.');
  full.append(name.column.text);
  return parser::ErrorAt(sql, name.range.begin, "no such column: " + full);
}

}  // namespace kvsql::planner
