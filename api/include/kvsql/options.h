// Everything that can be chosen when a database is opened. The defaults are meant to be kept.
#ifndef KVSQL_OPTIONS_H_
#define KVSQL_OPTIONS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace kvsql {

// What a commit promises when it returns. Either way a crash keeps a prefix of the commits: never a part
// of one, never a later one without an earlier one.
enum class Durability : uint8_t {
  kFull,    // it survives a power failure
  kNormal,  // it survives the death of the process; a power failure may lose the commits of the last
            // second or so
};

// How values are written. In Options: those that are stored outside their tree page (over a quarter of a page).
// In KeyspaceOptions: all of a keyspace.
enum class Compression : uint8_t {
  kNone,
  kZstd,  // where it saves space
};

struct Options {
  // Opens for reading only, also a file that the process may not write. Writes answer
  // FAILED_PRECONDITION. The database must exist.
  bool read_only = false;
  // Makes the database if there is none; otherwise Open answers NOT_FOUND. An existing empty file is made
  // a database.
  bool create_if_missing = true;

  // Of every commit that does not choose for itself.
  Durability durability = Durability::kFull;

  // Bytes per page: a power of two from 4,096 to 65,536. Used at creation only; a database keeps its own.
  uint32_t page_size = 4096;
  Compression compression = Compression::kZstd;

  // How long to wait for another write transaction, and at Open for another process that has the file
  // open; afterwards UNAVAILABLE.
  std::chrono::milliseconds busy_timeout{5000};

  // Bytes of address space to reserve for mapping the file; 0 lets kvsql choose. Halved until the system
  // grants it. A file that outgrows it is mapped a second time.
  uint64_t map_size = 0;
  // Bytes the commit log (FILE-log) may take; at least 64 KiB.
  uint64_t log_limit = uint64_t{8} << 20;
  // Bytes of changed pages that one write transaction keeps in memory before it writes them out early.
  uint64_t transaction_memory = uint64_t{64} << 20;
  // Bytes that one query takes for sorting, grouping and joining before it puts rows aside in a temporary file (in
  // the database's directory; TMPDIR or /tmp for one in memory). What cannot be put aside answers
  // RESOURCE_EXHAUSTED beyond that.
  uint64_t query_memory = uint64_t{256} << 20;
  // Bytes that cached SQL statements may take, over all connections.
  size_t statement_cache_bytes = size_t{8} << 20;

  // Checkpoints, log syncs of Durability::kNormal and log growth run in threads that start when they are
  // first needed. With false the committing thread does this work itself.
  bool background_threads = true;
  // Verifies the checksum of each page the first time it is read. The structure of a page is verified
  // whatever this says.
  bool verify_checksums = true;
  // Opens a database whose commit log is missing or not its own, and thereby loses the commits that stood
  // in it, instead of answering DATA_LOSS.
  bool accept_missing_log = false;
};

struct KeyspaceOptions {
  // Makes the keyspace if there is none, in a commit of its own. Otherwise, and in a database that is
  // read-only, answers NOT_FOUND.
  bool create_if_missing = true;

  // Of a keyspace that is made; one that exists keeps its own. With kZstd each value is compressed by itself,
  // where that saves space, against a dictionary that is trained on the keyspace's values once they come to
  // some 256 KiB, and again by VACUUM. Reads decompress into memory of the caller's; get_view and cursors have
  // a copy of their own.
  Compression compression = Compression::kNone;
};

}  // namespace kvsql

#endif  // KVSQL_OPTIONS_H_
