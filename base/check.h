// Assertions about kvsql's own logic. Never use them on bytes that come from a file or a user: those get
// a Status.
#ifndef KVSQL_BASE_CHECK_H_
#define KVSQL_BASE_CHECK_H_

namespace kvsql {
// Prints the broken condition and aborts.
[[noreturn]] void CheckFailed(const char* condition, const char* file, int line);
}  // namespace kvsql

// Always on; for cheap conditions whose failure would lose data.
#define KV_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::kvsql::CheckFailed(#condition, __FILE__, __LINE__))

// On in testing builds only.
#ifdef KVSQL_TESTING
#define KV_DCHECK(condition) KV_CHECK(condition)
#else
#define KV_DCHECK(condition) static_cast<void>(0)
#endif

#endif  // KVSQL_BASE_CHECK_H_
