// --suite agent-memory: an agent's memory, recalled by id and as the latest ten of an agent, on kvsql by
// key and by SQL, SQLite with two schemas, and LMDB.
#ifndef KVSQL_BENCH_AGENT_MEMORY_SUITE_H_
#define KVSQL_BENCH_AGENT_MEMORY_SUITE_H_

#include <optional>

#include "bench/options.h"
#include "bench/scratch.h"

namespace kvsql::bench::agent_memory {

// If the program was started as a child of the suite: does the task, prints the result, and answers the
// exit code.
std::optional<int> RunIfWorker(int argc, char** argv);

// Runs the suite, and writes agent-memory.md, agent-memory.json, agent-memory.svg and
// agent-memory-figures.svg to the current directory.
void RunSuite(const Options& options, Scratch& scratch);

}  // namespace kvsql::bench::agent_memory

#endif  // KVSQL_BENCH_AGENT_MEMORY_SUITE_H_
