// The parent process of the agent-memory suite: makes the files, and starts a child for each task, all
// variants of a scenario in each round, in an order that rotates from round to round.
#ifndef KVSQL_BENCH_AGENT_MEMORY_CAMPAIGN_H_
#define KVSQL_BENCH_AGENT_MEMORY_CAMPAIGN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "bench/agent_memory/task.h"
#include "bench/options.h"
#include "bench/scratch.h"

namespace kvsql::bench::agent_memory {

// What one child did.
struct Measurement {
  Task task;
  TaskResult result;
  // Of all the store's files after its clean close.
  uint64_t logical_bytes = 0;
  uint64_t allocated_bytes = 0;
};

// In the order in which they were done. Progress goes to standard error. `worker` is the command that
// does a task when the task's JSON is appended to it. Fatal if a child fails.
std::vector<Measurement> RunCampaign(const Options& options, Scratch& scratch,
                                     const std::vector<std::string>& worker);

}  // namespace kvsql::bench::agent_memory

#endif  // KVSQL_BENCH_AGENT_MEMORY_CAMPAIGN_H_
