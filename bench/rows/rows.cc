#include "bench/rows/rows.h"

namespace kvsql::bench {

void MeasureAll(Lab& lab) {
  MeasurePointReads(lab);
  MeasureThreadReads(lab);
  MeasureQueries(lab);
  lab.DropReadEngines();
  MeasureSyncedCommits(lab);
  MeasureNormalCommits(lab);
  MeasureLoads(lab);
  MeasureLatency(lab);
  MeasureSizes(lab);
  MeasureOpen(lab);
  MeasureChanges(lab);
  MeasurePrograms(lab);
}

}  // namespace kvsql::bench
