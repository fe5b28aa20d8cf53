// One query at work: what a Statement steps through.
//
// Thread safety: none.
//
// Invariants:
//   1. Start may be called again at any time: it begins anew.
//   2. A row's values live until the next Step, Start or Drain.
#ifndef KVSQL_EXEC_BATCH_QUERY_RUN_H_
#define KVSQL_EXEC_BATCH_QUERY_RUN_H_

#include <cstdint>
#include <deque>
#include <vector>

#include "base/status.h"
#include "exec/batch/operator.h"
#include "exec/batch/query_context.h"
#include "kv/reader.h"
#include "kv/value.h"

namespace kvsql::exec {

class QueryRun {
 public:
  // The plan must outlive the run.
  explicit QueryRun(const planner::QueryPlan& plan) : plan_(plan), context_(plan) {}

  QueryContext& context() { return context_; }

  Status Start(const kv::Reader& reader);
  // True: at the next row.
  StatusOr<bool> Step();
  // The row's values into `out`, one per result.
  void Row(kv::ValueView* out) const;

  // Instead of Step and Row: the next rows as vectors, one per result; none: the end.
  StatusOr<Selection> NextBatch(std::vector<const Vector*>* columns);

  // Reads all rows that are left into memory, so that the transaction may change: Step goes on with them.
  void Drain();

 private:
  const planner::QueryPlan& plan_;
  QueryContext context_;
  OperatorPtr root_;
  std::vector<uint32_t> positions_;
  Batch batch_;
  uint32_t at_ = 0;  // the current row's place in the selection
  bool drained_ = false;
  Status drain_status_;
  std::deque<std::vector<kv::Value>> rows_;  // the current one first
};

}  // namespace kvsql::exec

#endif  // KVSQL_EXEC_BATCH_QUERY_RUN_H_
