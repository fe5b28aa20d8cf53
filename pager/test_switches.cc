#include "pager/test_switches.h"

#ifdef KVSQL_TESTING
#include <atomic>
#include <cstddef>

namespace kvsql::pager {
namespace {

std::atomic<bool> broken_rules[static_cast<size_t>(Rule::kCount)];

}  // namespace

bool IsBroken(Rule rule) {
  return broken_rules[static_cast<size_t>(rule)].load(std::memory_order_relaxed);
}

void Break(Rule rule, bool broken) {
  broken_rules[static_cast<size_t>(rule)].store(broken, std::memory_order_relaxed);
}

}  // namespace kvsql::pager
#endif
