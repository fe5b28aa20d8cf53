// The tables of functions that run the aggregates, one for each kind; AggregateOf chooses among them.
#ifndef KVSQL_EXEC_FUNCTIONS_AGGREGATE_STATES_H_
#define KVSQL_EXEC_FUNCTIONS_AGGREGATE_STATES_H_

#include "exec/functions/aggregate.h"

namespace kvsql::exec {

extern const AggregateFunction kAvgAggregate;
extern const AggregateFunction kCountAggregate;
extern const AggregateFunction kGroupConcatAggregate;
extern const AggregateFunction kMaxAggregate;
extern const AggregateFunction kMinAggregate;
extern const AggregateFunction kSumAggregate;
extern const AggregateFunction kTotalAggregate;

}  // namespace kvsql::exec

#endif  // KVSQL_EXEC_FUNCTIONS_AGGREGATE_STATES_H_
