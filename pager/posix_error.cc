#include "pager/posix_error.h"

#include <cerrno>
#include <string>
#include <system_error>

namespace kvsql::pager {

Status PosixError(int error, std::string_view call, std::string_view what) {
  std::string message(call);
  message.append(" ").append(what).append(": ").append(std::generic_category().message(error));
  switch (error) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
    case ENOMEM:
    case EMFILE:
    case ENFILE:
      return absl::ResourceExhaustedError(message);
    case ENOENT:
    case ENOTDIR:
      return absl::NotFoundError(message);
    case EEXIST:
      return absl::AlreadyExistsError(message);
    case EACCES:
    case EPERM:
    case EROFS:
      return absl::PermissionDeniedError(message);
    default:
      return absl::InternalError(message);
  }
}

}  // namespace kvsql::pager
