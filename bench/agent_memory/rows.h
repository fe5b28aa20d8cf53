// From what the children measured to the table's rows.
#ifndef KVSQL_BENCH_AGENT_MEMORY_ROWS_H_
#define KVSQL_BENCH_AGENT_MEMORY_ROWS_H_

#include <vector>

#include "bench/agent_memory/campaign.h"
#include "bench/report/results.h"

namespace kvsql::bench::agent_memory {

// Fills every row of the suite. SQLite's columns have the schema that is better in the row, so that kvsql
// is judged against the best of both. A row that was not measured is refused, with the reason.
void FillRows(const std::vector<Measurement>& measurements, Results& results);

}  // namespace kvsql::bench::agent_memory

#endif  // KVSQL_BENCH_AGENT_MEMORY_ROWS_H_
