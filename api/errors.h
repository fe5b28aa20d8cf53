// The answers of handles that cannot do what they are asked.
#ifndef KVSQL_API_ERRORS_H_
#define KVSQL_API_ERRORS_H_

#include <string_view>

#include "base/status.h"

namespace kvsql::internal {

inline Status ClosedError() { return absl::FailedPreconditionError("the database is closed"); }
inline Status MovedFromError(const char* what) {
  return absl::FailedPreconditionError(absl::StrCat("this ", what, " was moved from"));
}
inline Status TransactionEndedError() {
  return absl::FailedPreconditionError("the transaction has ended");
}
inline Status OtherDatabaseError(const char* what) {
  return absl::InvalidArgumentError(absl::StrCat("the ", what, " belongs to another database"));
}
inline Status NoSuchError(const char* kind, std::string_view name) {
  return absl::NotFoundError(
      absl::StrCat("no such ", kind, ": ", absl::string_view(name.data(), name.size())));
}

}  // namespace kvsql::internal

#endif  // KVSQL_API_ERRORS_H_
