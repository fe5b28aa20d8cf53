// Printing what made a table, as SQLite's shell does.
#ifndef KVSQL_SHELL_SCHEMA_TEXT_H_
#define KVSQL_SHELL_SCHEMA_TEXT_H_

#include <string_view>

#include "shell/output.h"

namespace kvsql::shell {

// A table with a quoted name is made IF NOT EXISTS.
inline void WriteSchemaText(std::string_view sql, std::string_view end, Output* output) {
  constexpr std::string_view kCreate = "CREATE TABLE ";
  if (sql.starts_with(kCreate) && sql.size() > kCreate.size() &&
      (sql[kCreate.size()] == '"' || sql[kCreate.size()] == '\'')) {
    output->Write("CREATE TABLE IF NOT EXISTS ");
    sql.remove_prefix(kCreate.size());
  }
  output->Write(sql);
  output->Write(end);
}

}  // namespace kvsql::shell

#endif  // KVSQL_SHELL_SCHEMA_TEXT_H_
