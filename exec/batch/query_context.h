// What the operators and expressions of one execution share.
//
// Thread safety: none; belongs to one execution.
#ifndef KVSQL_EXEC_BATCH_QUERY_CONTEXT_H_
#define KVSQL_EXEC_BATCH_QUERY_CONTEXT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "exec/functions/function.h"
#include "kv/statement_reader.h"
#include "kv/value.h"
#include "planner/lifted.h"
#include "planner/query/query_plan.h"

namespace kvsql::exec {

class SharedRows;
class SpillFile;
class SubqueryRunner;

struct QueryContext {
  explicit QueryContext(const planner::QueryPlan& the_plan);
  ~QueryContext();

  const planner::QueryPlan& plan;
  const kv::ValueView* parameters = nullptr;
  const planner::LiftedValues* lifted = nullptr;
  size_t matrix_offset = 0;
  std::optional<kv::StatementReader> reader;
  std::vector<kv::ValueView> cells;  // outer cells
  int64_t changes = 0;
  int64_t total_changes = 0;
  int64_t last_insert_rowid = 0;

  // What sorts and hash tables hold together (MemoryCharge), and may hold, in bytes.
  size_t memory_used = 0;
  size_t memory_budget = size_t{256} << 20;
  // Where operators put rows aside that would take more; made when first needed, in `spill_directory` (empty: TMPDIR).
  StatusOr<SpillFile*> Spill();
  std::string spill_directory;
  std::unique_ptr<SpillFile> spill;

  std::vector<std::unique_ptr<SubqueryRunner>> subqueries;  // by number, made when first needed
  std::vector<std::shared_ptr<SharedRows>> shared;          // by number, made when first needed
  uint64_t run = 0;  // number of this execution: what was kept from others is stale

  SubqueryRunner& SubqueryFor(uint32_t index);
};

// What one operator holds of its query's memory budget.
class MemoryCharge {
 public:
  explicit MemoryCharge(QueryContext* context) : context_(*context) {}
  ~MemoryCharge() { context_.memory_used -= held_; }
  MemoryCharge(const MemoryCharge&) = delete;
  MemoryCharge& operator=(const MemoryCharge&) = delete;

  // Now `bytes` in all. RESOURCE_EXHAUSTED if the query holds more than its budget then.
  Status Set(size_t bytes) {
    context_.memory_used += bytes - held_;
    held_ = bytes;
    if (context_.memory_used <= context_.memory_budget) [[likely]]
      return absl::OkStatus();
    return OverBudget();
  }
  // Whether Set(bytes) would be within the budget.
  bool Fits(size_t bytes) const {
    return context_.memory_used - held_ + bytes <= context_.memory_budget;
  }
  // Set for what an operator needs even if there is no room: buffers of rows put aside.
  void SetAnyway(size_t bytes) {
    context_.memory_used += bytes - held_;
    held_ = bytes;
  }
  void Release() { SetAnyway(0); }
  size_t held() const { return held_; }

 private:
  Status OverBudget() const;

  QueryContext& context_;
  size_t held_ = 0;
};

}  // namespace kvsql::exec

#endif  // KVSQL_EXEC_BATCH_QUERY_CONTEXT_H_
