// Bytes that this process has caused to be written to storage.
#ifndef KVSQL_BENCH_PROCESS_IO_H_
#define KVSQL_BENCH_PROCESS_IO_H_

#include <cstdint>

namespace kvsql::bench {

// write_bytes of /proc/self/io: pages of files made dirty in the page cache, and direct writes, of
// all threads. Fatal where the file cannot be read.
uint64_t ProcessWriteBytes();

}  // namespace kvsql::bench

#endif  // KVSQL_BENCH_PROCESS_IO_H_
