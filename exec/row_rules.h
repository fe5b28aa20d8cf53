// What kv asks when rows of a table with expressions are written (kv/row_rules.h), answered by the batch tier's
// expressions.
#ifndef KVSQL_EXEC_ROW_RULES_H_
#define KVSQL_EXEC_ROW_RULES_H_

#include <memory>

#include "base/status.h"
#include "kv/row_rules.h"

namespace kvsql::exec {

// For kv::StoreOptions::make_row_rules.
StatusOr<std::unique_ptr<kv::RowRules>> MakeRowRules(const kv::TableDef& table,
                                                     const kv::Reader& reader);

}  // namespace kvsql::exec

#endif  // KVSQL_EXEC_ROW_RULES_H_
