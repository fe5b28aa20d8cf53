// The commit log as a file: making, opening, growing and removing it (S14-S16), and the two functions that
// tie a record to its generation.
//
// Thread safety: functions without state; the caller holds the database's lock, so that no other process
// works on the same path.
#ifndef KVSQL_PAGER_LOG_FILE_H_
#define KVSQL_PAGER_LOG_FILE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "base/status.h"
#include "pager/file.h"
#include "pager/log_types.h"

namespace kvsql::pager {

// Makes a log of `size` bytes; see CommitLog::Create. The name is durable at return.
StatusOr<std::unique_ptr<File>> CreateLogFile(FileSystem* fs, const std::string& path,
                                              const LogIdentity& identity, uint64_t size);

struct OpenedLogFile {
  std::unique_ptr<File> file;
  uint32_t usable_blocks = 0;  // 0: may be replayed, but no disk space for writing
};

// Opens for replay and further use; see CommitLog::Open.
StatusOr<OpenedLogFile> OpenLogFile(FileSystem* fs, const std::string& path,
                                    const LogIdentity& identity);

// Unlinks the log; see CommitLog::Remove. Not durable by itself: nothing depends on it.
Status RemoveLogFile(FileSystem* fs, const std::string& path);

// Extends the file by zeros that have blocks of their own, without syncing.
Status ExtendWithZeros(File* file, uint64_t from, uint64_t to);

// Whether the file starts as a log of this database and log id. DATA_LOSS says what is wrong.
Status CheckLogHeader(File* file, const std::string& path, const LogIdentity& identity);
// Whether the file starts as any kvsql log; false too if it is too short.
StatusOr<bool> IsLogFile(File* file);

// Seed of the records' checksums.
uint64_t LogSeed(const LogIdentity& identity);
// Checksum of the record at `record`, whose length field must fit the memory behind it.
uint64_t LogRecordChecksum(const uint8_t* record, uint64_t seed);

}  // namespace kvsql::pager

#endif  // KVSQL_PAGER_LOG_FILE_H_
