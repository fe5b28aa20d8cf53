// The child process of the agent-memory suite: does one task and checks every answer.
//
// Each timer covers one call of the store. The oracle, which makes the full expected payload again and
// compares it byte by byte, runs outside of the timers; every write is read back; all memories and every
// agent's latest ten are verified before and after, for writes also after closing and opening again.
#ifndef KVSQL_BENCH_AGENT_MEMORY_WORKER_H_
#define KVSQL_BENCH_AGENT_MEMORY_WORKER_H_

#include "bench/agent_memory/task.h"

namespace kvsql::bench::agent_memory {

// Fatal if anything is not as the model says.
TaskResult DoTask(const Task& task);

}  // namespace kvsql::bench::agent_memory

#endif  // KVSQL_BENCH_AGENT_MEMORY_WORKER_H_
