// Opens a Database on another file system than the real one, for tests.
#ifndef KVSQL_API_DATABASE_ACCESS_H_
#define KVSQL_API_DATABASE_ACCESS_H_

#include <kvsql/database.h>

#include <string>

#include "api/database_impl.h"
#include "base/status.h"

namespace kvsql::internal {

struct DatabaseAccess {
  static StatusOr<Database> Open(const std::string& path, const Options& options,
                                 const OpenExtras& extras);
};

}  // namespace kvsql::internal

#endif  // KVSQL_API_DATABASE_ACCESS_H_
