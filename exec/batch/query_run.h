// One query at work: what a Statement steps through.
//
// Thread safety: none.
//
// Invariants:
//   1. Start may be called again at any time: it begins anew.
//   2. A row's values live until the next Step, Start or Drain.
//   3. Between Step and Drain row() is the current one of at_hand_ + 1 rows that stand one after the other in views_.
#ifndef KVSQL_EXEC_BATCH_QUERY_RUN_H_
#define KVSQL_EXEC_BATCH_QUERY_RUN_H_

#include <cstdint>
#include <deque>
#include <vector>

#include "base/status.h"
#include "exec/batch/operator.h"
#include "exec/batch/query_context.h"
#include "kv/statement_reader.h"
#include "kv/value.h"

namespace kvsql::exec {

class QueryRun {
 public:
  // The plan must outlive the run.
  explicit QueryRun(const planner::QueryPlan& plan) : plan_(plan), context_(plan) {}

  QueryContext& context() { return context_; }

  Status Start(const kv::StatementReader& reader);
  // True: at the next row.
  StatusOr<bool> Step();
  // The same, if the next row is at hand; false says nothing.
  bool StepAtHand() {
    if (at_hand_ == 0) return false;
    --at_hand_;
    ++at_;
    row_ += positions_.size();
    return true;
  }
  // The row's values, one per result.
  const kv::ValueView* row() const { return row_; }

  // Instead of Step and Row: the next rows as vectors, one per result; none: the end.
  StatusOr<Selection> NextBatch(std::vector<const Vector*>* columns);

  // Reads all rows that are left into memory, so that the transaction may change: Step goes on with them.
  void Drain();

 private:
  // Rows of a batch that are made ready together.
  static constexpr uint32_t kRowsAtHand = 64;

  void ShowRows();

  const planner::QueryPlan& plan_;
  QueryContext context_;
  OperatorPtr root_;
  std::vector<uint32_t> positions_;
  Batch batch_;
  uint32_t at_ = 0;  // the current row's place in the selection
  uint32_t at_hand_ = 0;
  const kv::ValueView* row_ = nullptr;
  std::vector<kv::ValueView> views_;
  bool drained_ = false;
  Status drain_status_;
  std::deque<std::vector<kv::Value>> rows_;  // the current one first
};

}  // namespace kvsql::exec

#endif  // KVSQL_EXEC_BATCH_QUERY_RUN_H_
