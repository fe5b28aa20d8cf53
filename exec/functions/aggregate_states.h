// The tables of functions that run the aggregates, one for each kind; AggregateOf chooses among them.
#ifndef KVSQL_EXEC_FUNCTIONS_AGGREGATE_STATES_H_
#define KVSQL_EXEC_FUNCTIONS_AGGREGATE_STATES_H_

#include "exec/functions/aggregate.h"

namespace kvsql::exec {

// Calls f(state, row) for each selected row (`sel` null: 0 to n - 1) with the state at blocks[row] + offset.
template <typename State, typename F>
void ForEachGroup(char* const* blocks, uint32_t offset, const uint16_t* sel, int n, const F& f) {
  for (int i = 0; i < n; ++i) {
    const int row = sel == nullptr ? i : sel[i];
    f(reinterpret_cast<State*>(blocks[row] + offset), row);
  }
}

extern const AggregateFunction kAvgAggregate;
extern const AggregateFunction kCountAggregate;
extern const AggregateFunction kGroupConcatAggregate;
extern const AggregateFunction kMaxAggregate;
extern const AggregateFunction kMinAggregate;
extern const AggregateFunction kSumAggregate;
extern const AggregateFunction kTotalAggregate;

}  // namespace kvsql::exec

#endif  // KVSQL_EXEC_FUNCTIONS_AGGREGATE_STATES_H_
