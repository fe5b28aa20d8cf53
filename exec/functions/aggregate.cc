#include "exec/functions/aggregate.h"

#include "exec/functions/aggregate_states.h"

namespace kvsql::exec {

const AggregateFunction& AggregateOf(planner::FunctionId id) {
  switch (id) {
    case planner::FunctionId::kAvg:
      return kAvgAggregate;
    case planner::FunctionId::kCount:
      return kCountAggregate;
    case planner::FunctionId::kGroupConcat:
      return kGroupConcatAggregate;
    case planner::FunctionId::kMaxAggregate:
      return kMaxAggregate;
    case planner::FunctionId::kMinAggregate:
      return kMinAggregate;
    case planner::FunctionId::kSum:
      return kSumAggregate;
    default:
      return kTotalAggregate;
  }
}

}  // namespace kvsql::exec
