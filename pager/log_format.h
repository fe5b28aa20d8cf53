// The bytes of a commit log, FILE-log (S14-S17).
//
//   block 0                 blocks 1 .. n-1: the ring
//   +-----------------+     +----------------+----------------+--- ... ---+
//   | LogFileHeader,  |     | record, record,| record behind  |           |
//   | rest zero       |     | record ...     | a sync   |pad  |           |
//   +-----------------+     +----------------+----------------+--- ... ---+
//
// A record starts at a multiple of 8 and may run through consecutive blocks, but never over the end of
// the file. What follows a record is, in the order in which a reader looks for it:
//   1. right behind it, at the next multiple of 8;
//   2. at the start of the next block: whatever was written after a sync starts on a fresh block, so that
//      a durable record is never written again;
//   3. at the start of block 1: the ring went round.
//
//   0          8          16         24         32         40         48       52      56
//   +----------+----------+----------+----------+----------+----------+--------+-------+---------
//   | checksum | previous | sequence | txid     | flush    | durable  | length | flags | payload
//   +----------+----------+----------+----------+----------+----------+--------+-------+---------
//
// The checksum covers all the rest and is seeded with the salt of the log's generation. A record counts
// only if its checksum holds, its sequence is the one expected, and `previous` is the checksum of the
// record before it. Leftovers of earlier rounds fail by sequence and chain, those of earlier generations
// by the salt; hence the ring is never cleared and blocks need no zero fill to be safe.
//
// `durable` is the sequence up to which the log was known to be durable when this record's flush began.
// A record that counts in all but its predecessors, and whose `durable` reaches beyond the end of what
// can be replayed, proves that a durable record was lost (S17).
#ifndef KVSQL_PAGER_LOG_FORMAT_H_
#define KVSQL_PAGER_LOG_FORMAT_H_

#include <cstddef>
#include <cstdint>

namespace kvsql::pager {

inline constexpr uint32_t kLogBlockSize = 4096;
inline constexpr uint32_t kLogFirstBlock = 1;
inline constexpr uint32_t kLogRecordAlignment = 8;
inline constexpr char kLogMagic[9] = "kvsqllog";  // 8 bytes in the file
inline constexpr uint32_t kLogFormatVersion = 1;

struct LogFileHeader {
  uint8_t magic[8];
  uint32_t format_version;
  uint32_t block_size;
  uint8_t database_id[16];
  uint64_t log_id;
  uint64_t checksum;  // of the 40 bytes before it, seed 0
};
static_assert(sizeof(LogFileHeader) == 48);
static_assert(offsetof(LogFileHeader, database_id) == 16);
static_assert(offsetof(LogFileHeader, log_id) == 32);
static_assert(offsetof(LogFileHeader, checksum) == 40);

struct LogRecordHeader {
  uint64_t checksum;
  uint64_t previous;
  uint64_t sequence;
  uint64_t txid;
  uint64_t flush;
  uint64_t durable;
  uint32_t length;  // of the payload
  uint32_t flags;
};
static_assert(sizeof(LogRecordHeader) == 56);
static_assert(offsetof(LogRecordHeader, sequence) == 16);
static_assert(offsetof(LogRecordHeader, durable) == 40);
static_assert(offsetof(LogRecordHeader, flags) == 52);

// Flags. The flush that wrote the record ended in a sync.
inline constexpr uint32_t kLogRecordFull = 1;
inline constexpr uint32_t kLogKnownFlags = kLogRecordFull;

// Bytes from the start of one record to the earliest place where the next may stand.
constexpr uint64_t LogRecordSize(uint64_t payload) {
  return (sizeof(LogRecordHeader) + payload + kLogRecordAlignment - 1) &
         ~uint64_t{kLogRecordAlignment - 1};
}
constexpr uint64_t LogBlocksFor(uint64_t bytes) {
  return (bytes + kLogBlockSize - 1) / kLogBlockSize;
}
constexpr uint64_t LogBlockCeil(uint64_t offset) { return LogBlocksFor(offset) * kLogBlockSize; }

}  // namespace kvsql::pager

#endif  // KVSQL_PAGER_LOG_FORMAT_H_
