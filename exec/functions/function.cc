#include "exec/functions/function.h"

#include "exec/functions/builtins.h"

namespace kvsql::exec {

ScalarFunction ScalarOf(planner::FunctionId id) {
  static constexpr ScalarFunction kFunctions[] = {
#define KVSQL_SCALAR(name, ...) builtin::name,
#define KVSQL_AGGREGATE(...) nullptr,
#include "planner/functions.def"
#undef KVSQL_SCALAR
#undef KVSQL_AGGREGATE
  };
  return kFunctions[static_cast<size_t>(id)];
}

}  // namespace kvsql::exec
