// Status macros and the constructors of the errors that kvsql answers most.
#ifndef KVSQL_BASE_STATUS_H_
#define KVSQL_BASE_STATUS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

namespace kvsql {

using absl::Status;
using absl::StatusOr;

// The error codes' meanings, everywhere in kvsql:
//   DATA_LOSS           the bytes of a file are wrong; the message names file, page, and expected/found
//   RESOURCE_EXHAUSTED  no disk space, memory budget or identifier left; nothing was changed
//   UNAVAILABLE         another process holds the file
//   FAILED_PRECONDITION the handle is closed, poisoned by an earlier I/O error, or used in a wrong state
//   ABORTED             lost a race that the caller may retry
//   UNKNOWN             a COMMIT failed on I/O: it may or may not be durable; reopen to learn which
template <typename... Args>
Status DataLoss(const Args&... args) {
  return absl::DataLossError(absl::StrCat(args...));
}

#define KV_CONCAT_INNER_(a, b) a##b
#define KV_CONCAT_(a, b) KV_CONCAT_INNER_(a, b)

// Returns from the enclosing function if `expr` (a Status) is not OK.
#define KV_RETURN_IF_ERROR(expr)                                           \
  do {                                                                     \
    if (::absl::Status kv_status_ = (expr); !kv_status_.ok()) [[unlikely]] \
      return kv_status_;                                                   \
  } while (false)

// KV_ASSIGN_OR_RETURN(auto x, StatusOrExpression()): declares or assigns, or returns the error.
#define KV_ASSIGN_OR_RETURN(lhs, expr) \
  KV_ASSIGN_OR_RETURN_IMPL_(KV_CONCAT_(kv_status_or_, __LINE__), lhs, expr)
#define KV_ASSIGN_OR_RETURN_IMPL_(var, lhs, expr) \
  auto var = (expr);                              \
  if (!var.ok()) [[unlikely]]                     \
    return std::move(var).status();               \
  lhs = std::move(var).value()

}  // namespace kvsql

#endif  // KVSQL_BASE_STATUS_H_
