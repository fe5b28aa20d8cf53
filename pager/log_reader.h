// Reading a commit log: replay after a crash (S16, S17, S35).
//
// Thread safety: none; a reader belongs to one thread. The log must not be written meanwhile.
#ifndef KVSQL_PAGER_LOG_READER_H_
#define KVSQL_PAGER_LOG_READER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/status.h"
#include "pager/file.h"
#include "pager/log_types.h"
#include "pager/types.h"

namespace kvsql::pager {

struct LogRecord {
  TxId txid = 0;
  uint64_t sequence = 0;
  uint64_t flush = 0;
  bool full = false;
  Bytes payload;      // valid until the next call of the reader
  LogPosition after;  // behind this record; a checkpoint may name it
};

// Walks the records from a position. Reads from the device, not from the page cache: what is replayed is
// what another power failure would leave.
class LogReader {
 public:
  LogReader(File* file, std::string path, const LogIdentity& identity, const LogPosition& from);
  ~LogReader();
  LogReader(const LogReader&) = delete;
  LogReader& operator=(const LogReader&) = delete;

  // The next record; nothing at the end of the log. DATA_LOSS if the file is unreadable.
  StatusOr<std::optional<LogRecord>> Next();

  // To be called at the end: DATA_LOSS if the ring still holds a record which proves that some record
  // behind the end had been durable.
  Status CheckNothingLost();

  // Behind the last record returned.
  const LogPosition& position() const { return position_; }

 private:
  class Window;

  // The record at `offset`, if it is whole and not older than the end; else nullptr.
  StatusOr<const uint8_t*> Intact(uint64_t offset);
  // The same, if it is the one that comes next.
  StatusOr<std::optional<LogRecord>> SuccessorAt(uint64_t offset);

  File* const file_;
  const std::string path_;
  const LogIdentity identity_;
  LogPosition position_;
  std::unique_ptr<Window> window_;
};

struct ReplayOptions {
  // Take a log that has provably lost durable records as if it ended before them.
  bool accept_lost_records = false;
};

// Checks the header, then gives every record from `from` on to `apply`, in order. Returns the position
// behind the last one. Stops at the first error of `apply`.
StatusOr<LogPosition> ReplayLog(File* file, const std::string& path, const LogIdentity& identity,
                                const LogPosition& from,
                                const std::function<Status(const LogRecord&)>& apply,
                                const ReplayOptions& options = {});

}  // namespace kvsql::pager

#endif  // KVSQL_PAGER_LOG_READER_H_
