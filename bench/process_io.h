// Bytes that this process has caused to be written to storage.
#ifndef KVSQL_BENCH_PROCESS_IO_H_
#define KVSQL_BENCH_PROCESS_IO_H_

#include <cstdint>
#include <string>

namespace kvsql::bench {

// write_bytes of /proc/self/io: pages of files made dirty in the page cache, and direct writes, of
// all threads. Fatal where the file cannot be read.
uint64_t ProcessWriteBytes();

// Makes ProcessWriteBytes count what is written to an existing file in steps of a page. The page
// cache keeps a file that was written or read in long runs in folios of many pages, and the kernel
// counts a whole folio for one changed page: up to 200 KB for LMDB's four pages per commit. So this
// has the file leave the cache and reads it again page by page. The file must be closed and is
// synced.
void CacheInSinglePages(const std::string& path);

}  // namespace kvsql::bench

#endif  // KVSQL_BENCH_PROCESS_IO_H_
