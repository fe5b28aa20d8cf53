// What evaluates the SQL expressions of a table when its rows are written: CHECKs, which rows a partial
// index has, indexed expressions, defaults. kv asks; exec answers (StoreOptions::make_row_rules), so that
// every way of writing a row, SQL or the key door, keeps the same rules.
//
// Thread safety: none; a RowRules belongs to one transaction.
//
// Invariants:
//  1. Values passed and returned are views; what is returned lives until the next call of the same function.
//  2. The rows' values are given as stored: after affinity, the rowid in its column where there is one.
#ifndef KVSQL_KV_ROW_RULES_H_
#define KVSQL_KV_ROW_RULES_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "base/status.h"
#include "kv/reader.h"
#include "kv/schema.h"
#include "kv/value.h"

namespace kvsql::kv {

class RowRules {
 public:
  virtual ~RowRules() = default;

  // The first CHECK that is false for the row (NULL passes); null: none.
  virtual StatusOr<const CheckDef*> FailedCheck(std::span<const ValueView> values,
                                                int64_t rowid) = 0;
  // Whether the row is in the partial index table.indexes[index].
  virtual StatusOr<bool> InIndex(size_t index, std::span<const ValueView> values,
                                 int64_t rowid) = 0;
  // Replaces those values of `tuple` (one per column of the index) that are expressions.
  virtual Status IndexExpressions(size_t index, std::span<const ValueView> values, int64_t rowid,
                                  std::span<ValueView> tuple) = 0;
  // The default of a column whose default is an expression.
  virtual StatusOr<ValueView> Default(uint32_t column) = 0;
};

// The definition must outlive the rules.
StatusOr<std::unique_ptr<RowRules>> MakeRules(const Store& store, const TableDef& table,
                                              Reader reader);

}  // namespace kvsql::kv

#endif  // KVSQL_KV_ROW_RULES_H_
