// What the operators and expressions of one execution share.
//
// Thread safety: none; belongs to one execution.
#ifndef KVSQL_EXEC_BATCH_QUERY_CONTEXT_H_
#define KVSQL_EXEC_BATCH_QUERY_CONTEXT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/status.h"
#include "exec/functions/function.h"
#include "kv/reader.h"
#include "kv/value.h"
#include "planner/lifted.h"
#include "planner/query/query_plan.h"

namespace kvsql::exec {

class SubqueryRunner;

struct QueryContext {
  explicit QueryContext(const planner::QueryPlan& the_plan);
  ~QueryContext();

  const planner::QueryPlan& plan;
  const kv::ValueView* parameters = nullptr;
  const planner::LiftedValues* lifted = nullptr;
  size_t matrix_offset = 0;
  std::optional<kv::Reader> reader;
  std::vector<kv::ValueView> cells;  // outer cells
  int64_t changes = 0;
  int64_t total_changes = 0;
  int64_t last_insert_rowid = 0;

  // What sorts and hash tables hold, and may hold, in bytes.
  size_t memory_used = 0;
  size_t memory_budget = size_t{256} << 20;
  Status Charge(size_t bytes) {
    memory_used += bytes;
    if (memory_used <= memory_budget) [[likely]]
      return absl::OkStatus();
    return OverBudget();
  }

  std::vector<std::unique_ptr<SubqueryRunner>> subqueries;  // by number, made when first needed
  uint64_t run = 0;  // number of this execution: what was kept from others is stale

  SubqueryRunner& SubqueryFor(uint32_t index);

 private:
  Status OverBudget() const;
};

// What one operator holds in memory, as charged to its query. An execution begins with nothing.
class MemoryUse {
 public:
  explicit MemoryUse(QueryContext* context) : context_(*context) {}
  void Release() {
    if (run_ == context_.run) context_.memory_used -= bytes_;
    bytes_ = 0;
    run_ = context_.run;
  }
  // Tells how much is held now; it never shrinks before Release.
  Status Hold(size_t bytes) {
    if (bytes <= bytes_) return absl::OkStatus();
    const size_t more = bytes - bytes_;
    bytes_ = bytes;
    return context_.Charge(more);
  }

 private:
  QueryContext& context_;
  uint64_t run_ = 0;
  size_t bytes_ = 0;
};

}  // namespace kvsql::exec

#endif  // KVSQL_EXEC_BATCH_QUERY_CONTEXT_H_
