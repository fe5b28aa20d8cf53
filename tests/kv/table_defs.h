// Table definitions for tests.
#ifndef KVSQL_TESTS_KV_TABLE_DEFS_H_
#define KVSQL_TESTS_KV_TABLE_DEFS_H_

#include <string>
#include <utility>
#include <vector>

#include "kv/schema.h"

namespace kvsql::kv {

// A table with rowids of these columns (name, declared type).
inline TableDef MakeTable(const std::string& name,
                          const std::vector<std::pair<std::string, std::string>>& columns) {
  TableDef def;
  def.name = name;
  for (const auto& [column, type] : columns) {
    ColumnDef& each = def.columns.emplace_back();
    each.name = column;
    each.declared_type = type;
    each.affinity = AffinityOfType(type);
  }
  def.Derive();
  return def;
}

inline void AddIndex(TableDef* def, const std::string& name, std::vector<IndexColumn> columns,
                     bool unique, IndexOrigin origin) {
  IndexDef index;
  index.name = name;
  index.columns = std::move(columns);
  index.unique = unique;
  index.origin = origin;
  def->indexes.push_back(std::move(index));
  def->Derive();
}

}  // namespace kvsql::kv

#endif  // KVSQL_TESTS_KV_TABLE_DEFS_H_
