// Taking kvsql's answers where only a good one is of use.
#ifndef KVSQL_BENCH_ENGINES_KVSQL_CHECK_H_
#define KVSQL_BENCH_ENGINES_KVSQL_CHECK_H_

#include <kvsql/status.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "bench/fatal.h"

namespace kvsql::bench {

[[noreturn, gnu::cold]] inline void FailKvsql(const Status& status, const char* what) {
  Fatal(absl::StrCat("kvsql: ", what, ": ", status.ToString()));
}

inline void Expect(const Status& status, const char* what) {
  if (!status.ok()) [[unlikely]]
    FailKvsql(status, what);
}

template <class T>
T Take(StatusOr<T> result, const char* what) {
  if (!result.ok()) [[unlikely]]
    FailKvsql(result.status(), what);
  return *std::move(result);
}

}  // namespace kvsql::bench

#endif  // KVSQL_BENCH_ENGINES_KVSQL_CHECK_H_
