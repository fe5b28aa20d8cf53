// From errno to the status codes that pager/file.h promises.
#ifndef KVSQL_PAGER_POSIX_ERROR_H_
#define KVSQL_PAGER_POSIX_ERROR_H_

#include <string_view>

#include "base/status.h"

namespace kvsql::pager {

// "<call> <what>: <text of errno>", with the code that pager/file.h gives to `error`.
Status PosixError(int error, std::string_view call, std::string_view what);

}  // namespace kvsql::pager

#endif  // KVSQL_PAGER_POSIX_ERROR_H_
