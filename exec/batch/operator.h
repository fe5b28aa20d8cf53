// Operators of the batch tier: each pulls batches from its inputs and gives batches.
//
// Thread safety: none; belongs to one execution.
//
// Invariants:
//   1. Open starts anew, however far the operator was; it is called before the first Next.
//   2. Next gives a batch of at least one row, or an empty one at the end; after that it is not called until the next
//      Open. The batch's vectors live until the operator's next Next or Open.
#ifndef KVSQL_EXEC_BATCH_OPERATOR_H_
#define KVSQL_EXEC_BATCH_OPERATOR_H_

#include <memory>
#include <optional>
#include <vector>

#include "base/status.h"
#include "exec/batch/query_context.h"
#include "exec/batch/vector.h"
#include "planner/query/query_plan.h"

namespace kvsql::exec {

// What a sort that wants its first rows only knows of the others: those are not wanted whose `slot` is a value of the
// same kind that does not sort before `value`.
struct TopBound {
  planner::SlotId slot = planner::kNoSlot;
  bool active = false;
  bool descending = false;
  kv::ValueView value;  // an integer, a real, or a text that compares byte by byte
};

class Operator {
 public:
  explicit Operator(QueryContext* context) : context_(*context) {}
  virtual ~Operator() = default;
  Operator(const Operator&) = delete;
  Operator& operator=(const Operator&) = delete;

  virtual Status Open() = 0;
  virtual Status Next(Batch* batch) = 0;

  // For callers that need no rows, right after Open. How many rows there are, if that can be told without reading
  // them; Next is not called then.
  virtual StatusOr<std::optional<uint64_t>> CountRows() { return std::optional<uint64_t>(); }
  // Leaves out the first rows, at most `n`, as far as that can be done without reading them; how many.
  virtual StatusOr<uint64_t> SkipRows(uint64_t /*n*/) { return uint64_t{0}; }
  // Right after Open (and SkipRows): no more than the first `n` rows will be asked for, so more need not be read at once.
  virtual void ExpectRows(uint64_t /*n*/) {}
  // Before the first Open: rows may be left out by this bound from now on, which changes between one Next and another.
  virtual void UseBound(const TopBound* /*bound*/) {}

 protected:
  QueryContext& context_;
};

using OperatorPtr = std::unique_ptr<Operator>;

// The operator of a plan node, with those of its inputs.
StatusOr<OperatorPtr> MakeOperator(const planner::OperatorPlan& plan, QueryContext* context);

// One kind each; MakeOperator chooses. `inputs` are made.
using Inputs = std::vector<OperatorPtr>;
StatusOr<OperatorPtr> MakeRows(const planner::RowsPlan& plan, QueryContext* context);
StatusOr<OperatorPtr> MakeScan(const planner::ScanPlan& plan, QueryContext* context);
StatusOr<OperatorPtr> MakeShared(const planner::SharedPlan& plan, QueryContext* context);
StatusOr<OperatorPtr> MakeSchemaTable(const planner::SchemaTablePlan& plan, QueryContext* context);
StatusOr<OperatorPtr> MakeFilter(const planner::FilterPlan& plan, QueryContext* context,
                                 OperatorPtr input);
StatusOr<OperatorPtr> MakeProject(const planner::ProjectPlan& plan, QueryContext* context,
                                  OperatorPtr input);
StatusOr<OperatorPtr> MakeLimit(const planner::LimitPlan& plan, QueryContext* context,
                                OperatorPtr input);
StatusOr<OperatorPtr> MakeAggregate(const planner::AggregatePlan& plan, QueryContext* context,
                                    OperatorPtr input);
StatusOr<OperatorPtr> MakeDistinct(const planner::DistinctPlan& plan, QueryContext* context,
                                   OperatorPtr input);
StatusOr<OperatorPtr> MakeSort(const planner::SortPlan& plan, QueryContext* context,
                               OperatorPtr input);
StatusOr<OperatorPtr> MakeJoin(const planner::JoinPlan& plan, QueryContext* context,
                               OperatorPtr left, OperatorPtr right);
StatusOr<OperatorPtr> MakeSetOperation(const planner::SetOperationPlan& plan, QueryContext* context,
                                       OperatorPtr left, OperatorPtr right);

// The value of LIMIT or OFFSET; `absent` if there is none. INVALID_ARGUMENT "datatype mismatch".
StatusOr<int64_t> EvaluateLimit(const planner::ExprNode* node, QueryContext* context,
                                int64_t absent);

}  // namespace kvsql::exec

#endif  // KVSQL_EXEC_BATCH_OPERATOR_H_
