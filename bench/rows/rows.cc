#include "bench/rows/rows.h"

namespace kvsql::bench {

void MeasureAll(Lab& lab) {
  MeasurePointReads(lab);
  MeasureThreadReads(lab);
  lab.DropReadEngines();
  MeasureSyncedCommits(lab);
  MeasureNormalCommits(lab);
  MeasureLoads(lab);
  MeasureLatency(lab);
  MeasureSizes(lab);
  MeasureOpen(lab);
}

}  // namespace kvsql::bench
