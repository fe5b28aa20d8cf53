// Running the queries inside expressions, and remembering what they gave.
//
// Thread safety: none; belongs to one execution.
//
// Invariants:
//   1. A result is kept as long as the outer cells it depends on hold the same values, within one execution.
#ifndef KVSQL_EXEC_BATCH_SUBQUERY_H_
#define KVSQL_EXEC_BATCH_SUBQUERY_H_

#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/status.h"
#include "exec/batch/operator.h"
#include "exec/batch/query_context.h"
#include "exec/functions/text_arena.h"
#include "planner/query/query_plan.h"

namespace kvsql::exec {

class SubqueryRunner {
 public:
  SubqueryRunner(QueryContext* context, const planner::Subquery& plan)
      : context_(*context), plan_(plan), charge_(context) {}

  // The first row; NULLs if there is none. Views live until the next run.
  StatusOr<const std::vector<kv::ValueView>*> FirstRow();
  StatusOr<bool> HasRow();
  // The first column of all rows.
  StatusOr<const std::vector<kv::ValueView>*> AllValues();
  // row IN (the rows), where extras[i] says how column i is compared: 1, 0 or NULL.
  StatusOr<kv::ValueView> Contains(const std::vector<kv::ValueView>& row,
                                   const std::vector<uint8_t>& extras);

 private:
  enum class Kept : uint8_t { kNothing, kFirst, kExists, kAll };

  // Whether what is kept answers the question; else gets the operators ready.
  StatusOr<bool> Fresh(Kept wanted);
  Status RunAll(const std::vector<uint8_t>* extras);
  Status ReadRow(const Batch& batch, uint32_t row, std::vector<kv::ValueView>* out);

  QueryContext& context_;
  const planner::Subquery& plan_;
  MemoryCharge charge_;
  OperatorPtr root_;
  std::vector<uint32_t> positions_;  // of the results in the root's outputs
  Kept kept_ = Kept::kNothing;
  uint64_t run_ = 0;
  std::string key_;  // of the cells
  std::string new_key_;
  bool busy_ = false;

  TextArena arena_;
  std::vector<kv::ValueView> first_;
  bool exists_ = false;
  std::vector<kv::ValueView> values_;    // all rows, one after the other
  std::unordered_set<std::string> set_;  // canonical keys of rows without NULL
  bool any_null_ = false;
  std::string element_;
};

// A value as a comparison with this `extra` sees it, as a canonical key.
void AppendComparisonKey(const kv::ValueView& value, uint8_t extra, std::string* key);

}  // namespace kvsql::exec

#endif  // KVSQL_EXEC_BATCH_SUBQUERY_H_
