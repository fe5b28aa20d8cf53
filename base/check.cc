#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace kvsql {

void CheckFailed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: kvsql invariant broken: %s\n", file, line, condition);
  std::abort();
}

}  // namespace kvsql
