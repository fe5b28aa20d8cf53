// Locks between processes, on open file descriptions (S37).
#ifndef KVSQL_PAGER_POSIX_LOCK_H_
#define KVSQL_PAGER_POSIX_LOCK_H_

#include <memory>
#include <string>

#include "base/status.h"
#include "pager/file.h"

namespace kvsql::pager {

// FileSystem::TryLock of the real file system. Any thread may call it.
StatusOr<std::unique_ptr<FileLock>> TryLockPosix(const std::string& path, LockMode mode);

}  // namespace kvsql::pager

#endif  // KVSQL_PAGER_POSIX_LOCK_H_
