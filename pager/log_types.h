// What the meta page remembers of the commit log.
#ifndef KVSQL_PAGER_LOG_TYPES_H_
#define KVSQL_PAGER_LOG_TYPES_H_

#include <array>
#include <cstdint>

#include "pager/log_format.h"

namespace kvsql::pager {

// Which log a meta names. `database_id` and `log_id` stand in the log's header too. A generation's salt
// seeds its records' checksums, so that no record of another generation can count.
struct LogIdentity {
  std::array<uint8_t, 16> database_id{};
  uint64_t log_id = 0;
  uint64_t generation = 0;
  uint64_t salt = 0;

  friend bool operator==(const LogIdentity&, const LogIdentity&) = default;
};

// A place between two records: where to look for the next one, and what it must be. The default is the
// start of a generation.
struct LogPosition {
  uint64_t offset = kLogFirstBlock * kLogBlockSize;  // in the file; right behind the last record
  uint64_t next_sequence = 1;
  uint64_t last_checksum = 0;  // of the record before; 0 at the start of a generation
  uint64_t next_flush = 1;

  friend bool operator==(const LogPosition&, const LogPosition&) = default;
};

}  // namespace kvsql::pager

#endif  // KVSQL_PAGER_LOG_TYPES_H_
