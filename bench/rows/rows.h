// The measurements, grouped by what they are about. Each fills the rows that --only leaves in.
#ifndef KVSQL_BENCH_ROWS_ROWS_H_
#define KVSQL_BENCH_ROWS_ROWS_H_

#include "bench/lab.h"

namespace kvsql::bench {

void MeasurePointReads(Lab& lab);     // get ... point_text_vs_prepared
void MeasureThreadReads(Lab& lab);    // get_row_2threads, get_2threads
void MeasureQueries(Lab& lab);        // group_by ... index_range
void MeasureSyncedCommits(Lab& lab);  // put_sync, insert_sync, put_sync_8threads, commit_bytes
void MeasureNormalCommits(Lab& lab);  // put_normal
void MeasureLoads(Lab& lab);          // load_rows, load_keys, load_keys_shuffled
void MeasureLatency(Lab& lab);        // get_p99_under_writes
void MeasureSizes(Lab& lab);          // file_size, churn_size
void MeasureOpen(Lab& lab);           // open_first_row
void MeasureChanges(Lab& lab);        // update_10pct, delete_half, insert_indexed
void MeasurePrograms(Lab& lab);       // one_shot, read_dump

// All of them, in the order of the table.
void MeasureAll(Lab& lab);

}  // namespace kvsql::bench

#endif  // KVSQL_BENCH_ROWS_ROWS_H_
