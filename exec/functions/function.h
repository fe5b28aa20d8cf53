// Calling a scalar function of SQL on one row's arguments.
//
// Thread safety: functions without state; a FunctionContext belongs to one thread.
//
// Invariants:
//   1. A result's bytes lie in context.arena, are bytes of an argument, or are constants.
//   2. A function that fails sets context.status, if that was OK, and returns NULL.
//   3. The number of arguments is one that the catalog allows.
#ifndef KVSQL_EXEC_FUNCTIONS_FUNCTION_H_
#define KVSQL_EXEC_FUNCTIONS_FUNCTION_H_

#include <cstdint>

#include "base/status.h"
#include "exec/functions/text_arena.h"
#include "kv/value.h"
#include "planner/function_catalog.h"

namespace kvsql::exec {

// The longest text or blob that a function makes, in bytes.
constexpr int64_t kMaxLength = 1'000'000'000;

struct FunctionContext {
  TextArena* arena = nullptr;
  kv::Collation collation = kv::Collation::kBinary;  // of functions with kUsesCollation
  int64_t changes = 0;
  int64_t total_changes = 0;
  int64_t last_insert_rowid = 0;
  // min and max as aggregates, after a step: the columns outside of aggregates are this row's.
  bool took_row = false;
  Status status;  // the first error
};

using ScalarFunction = kv::ValueView (*)(FunctionContext& context, const kv::ValueView* args,
                                         int count);

// Null for an aggregate. Functions with kSpecial are here too, with all arguments evaluated.
ScalarFunction ScalarOf(planner::FunctionId id);

}  // namespace kvsql::exec

#endif  // KVSQL_EXEC_FUNCTIONS_FUNCTION_H_
