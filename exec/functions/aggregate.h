// Aggregate functions: what one group remembers, in memory that the executor owns.
//
// Thread safety: a state belongs to one thread.
//
// Invariants:
//   1. A state is state_size bytes at an address that is a multiple of kStateAlignment. It may be
//      moved in memory (memcpy), and needs destroy unless that is null.
//   2. A state keeps no view of a step's arguments.
//   3. result may be called again, and steps may follow it. Its bytes lie in the state, and stay
//      until the next step or destroy.
#ifndef KVSQL_EXEC_FUNCTIONS_AGGREGATE_H_
#define KVSQL_EXEC_FUNCTIONS_AGGREGATE_H_

#include <cstdint>

#include "base/status.h"
#include "exec/functions/function.h"
#include "kv/value.h"
#include "planner/function_catalog.h"

namespace kvsql::exec {

constexpr uint32_t kStateAlignment = 8;

struct AggregateFunction {
  uint32_t state_size;
  void (*init)(void* state);
  // `count` is 0 for count(*) only.
  Status (*step)(FunctionContext& context, void* state, const kv::ValueView* args, int count);
  StatusOr<kv::ValueView> (*result)(FunctionContext& context, void* state);
  void (*destroy)(void* state);  // null: nothing to do

  // The same as `n` steps with one argument that is not NULL: values[sel[0]], values[sel[1]]...; sel
  // null: values[0], values[1]... Null if the function has no such shortcut. They set no took_row.
  void (*step_integers)(void* state, const int64_t* values, const uint16_t* sel, int n);
  void (*step_reals)(void* state, const double* values, const uint16_t* sel, int n);
  // count only: `n` rows that count.
  void (*step_count)(void* state, int64_t n);

  // One step in each of many groups: for every selected row the state at blocks[row] + offset, with the argument
  // values[row], if it has one. Null if the function has no such shortcut. They set no took_row.
  void (*step_group_integers)(char* const* blocks, uint32_t offset, const int64_t* values,
                              const uint16_t* sel, int n);
  void (*step_group_reals)(char* const* blocks, uint32_t offset, const double* values,
                           const uint16_t* sel, int n);
  void (*step_group_count)(char* const* blocks, uint32_t offset, const uint16_t* sel, int n);
};

// `id` is of an aggregate.
const AggregateFunction& AggregateOf(planner::FunctionId id);

}  // namespace kvsql::exec

#endif  // KVSQL_EXEC_FUNCTIONS_AGGREGATE_H_
