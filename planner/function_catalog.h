// Which functions SQL has, by name and number of arguments. What runs them stands in exec/functions.
//
// Thread safety: constants.
#ifndef KVSQL_PLANNER_FUNCTION_CATALOG_H_
#define KVSQL_PLANNER_FUNCTION_CATALOG_H_

#include <cstdint>
#include <string_view>

namespace kvsql::planner {

enum class FunctionId : uint16_t {
#define KVSQL_SCALAR(id, ...) k##id,
#define KVSQL_AGGREGATE(id, ...) k##id,
#include "planner/functions.def"
#undef KVSQL_SCALAR
#undef KVSQL_AGGREGATE
};

enum FunctionFlags : uint8_t {
  kDeterministic = 1,  // equal arguments give equal answers: it may be folded and indexed
  kAggregate = 2,
  kUsesCollation = 4,  // it compares texts by the collation of its first argument that has one
  kSpecial = 8,        // arguments are evaluated lazily, or it stands for its argument: the planner
                       // makes a CASE of it
  kKeyword = 16,       // called by a word of the grammar, without parentheses
};

struct FunctionInfo {
  FunctionId id;
  std::string_view name;  // lower case
  int8_t min_args;
  int8_t max_args;  // -1: any number
  uint8_t flags;    // FunctionFlags
};

// The function `name`, in any case, that takes `args` arguments; count(*) has none. Null if there is
// none: then *name_known tells "wrong number of arguments to function f()" from "no such function:
// f".
const FunctionInfo* FindFunction(std::string_view name, int args, bool* name_known);

const FunctionInfo& InfoOf(FunctionId id);

constexpr uint16_t kFunctionCount = 0
#define KVSQL_SCALAR(...) +1
#define KVSQL_AGGREGATE(...) +1
#include "planner/functions.def"
#undef KVSQL_SCALAR
#undef KVSQL_AGGREGATE
    ;

}  // namespace kvsql::planner

#endif  // KVSQL_PLANNER_FUNCTION_CATALOG_H_
