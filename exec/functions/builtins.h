// The scalar functions by their names in planner/functions.def: each must be defined once, in a file of
// this folder.
#ifndef KVSQL_EXEC_FUNCTIONS_BUILTINS_H_
#define KVSQL_EXEC_FUNCTIONS_BUILTINS_H_

#include "exec/functions/function.h"

namespace kvsql::exec::builtin {

#define KVSQL_SCALAR(id, ...) \
  kv::ValueView id(FunctionContext& context, const kv::ValueView* args, int count);
#define KVSQL_AGGREGATE(...)
#include "planner/functions.def"
#undef KVSQL_SCALAR
#undef KVSQL_AGGREGATE

}  // namespace kvsql::exec::builtin

#endif  // KVSQL_EXEC_FUNCTIONS_BUILTINS_H_
