// How a database file comes into being (S39).
//
// A new file gets its first content under a temporary name and is then given its real one, without
// replacing anything: whoever finds the file finds it whole, and of several creators one wins. With a
// plain rename each of them would end up holding the lock of a file of its own.
//
// A file that is empty already, such as mkstemp makes, is initialised in place, under the database's lock.
// Power failure in the middle of that leaves an *unborn* file: no longer than the first content, nothing in
// it but zeros and a part of the first meta. It holds nobody's data, so it is initialised again.
//
// Thread safety: functions without state.
#ifndef KVSQL_PAGER_CREATE_FILE_H_
#define KVSQL_PAGER_CREATE_FILE_H_

#include <cstdint>
#include <string>

#include "base/status.h"
#include "pager/file.h"

namespace kvsql::pager {

// Creates the file with `image` as content. True: this call made it, and name and content are durable.
// False: somebody else was faster; theirs stands, and its name is durable.
StatusOr<bool> CreateDatabaseFile(FileSystem* fs, const std::string& path, Bytes image);

// Whether the file is empty or unborn. Anything else is somebody's data.
StatusOr<bool> IsUnborn(File* file);

// Gives an empty or unborn file its first content, durably. The caller holds the lock, and has checked.
Status InitialiseInPlace(FileSystem* fs, File* file, const std::string& path, Bytes image);

}  // namespace kvsql::pager

#endif  // KVSQL_PAGER_CREATE_FILE_H_
