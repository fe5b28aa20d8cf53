#include "planner/function_catalog.h"

#include <algorithm>

#include "kv/value.h"

namespace kvsql::planner {
namespace {

constexpr FunctionInfo kFunctions[] = {
#define KVSQL_SCALAR(id, name, min_args, max_args, flags) \
  {FunctionId::k##id, name, min_args, max_args, (flags)},
#define KVSQL_AGGREGATE(id, name, min_args, max_args, flags) \
  {FunctionId::k##id, name, min_args, max_args, (flags) | kAggregate},
#include "planner/functions.def"
#undef KVSQL_SCALAR
#undef KVSQL_AGGREGATE
};

constexpr bool ByName(const FunctionInfo& a, const FunctionInfo& b) { return a.name < b.name; }
static_assert(std::is_sorted(std::begin(kFunctions), std::end(kFunctions), ByName));

constexpr size_t kLongestName = std::max_element(std::begin(kFunctions), std::end(kFunctions),
                                                 [](const FunctionInfo& a, const FunctionInfo& b) {
                                                   return a.name.size() < b.name.size();
                                                 })
                                    ->name.size();

}  // namespace

const FunctionInfo* FindFunction(std::string_view name, int args, bool* name_known) {
  *name_known = false;
  if (name.size() > kLongestName) return nullptr;
  char lower[kLongestName];
  for (size_t i = 0; i < name.size(); ++i) lower[i] = kv::FoldAscii(name[i]);
  const std::string_view folded(lower, name.size());
  const FunctionInfo* info = std::lower_bound(
      std::begin(kFunctions), std::end(kFunctions), folded,
      [](const FunctionInfo& entry, std::string_view wanted) { return entry.name < wanted; });
  for (; info != std::end(kFunctions) && info->name == folded; ++info) {
    *name_known = true;
    if (args >= info->min_args && (info->max_args < 0 || args <= info->max_args)) return info;
  }
  return nullptr;
}

const FunctionInfo& InfoOf(FunctionId id) { return kFunctions[static_cast<size_t>(id)]; }

}  // namespace kvsql::planner
