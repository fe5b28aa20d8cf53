// Sorted runs of rows in a temporary file, and their merge.
//
// Thread safety: none.
//
// Invariants:
//   1. Rows whose keys are equal come in the order of their runs, and within a run as they were added.
#ifndef KVSQL_EXEC_BATCH_SORTED_RUNS_H_
#define KVSQL_EXEC_BATCH_SORTED_RUNS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "exec/batch/spill.h"
#include "exec/batch/vector.h"

namespace kvsql::exec {

class SortedRuns {
 public:
  // `memory`: about what reading runs at the same time may take.
  SortedRuns(SpillFile* file, size_t columns, size_t memory);

  // Writing: runs one after the other, rows of each in order.
  Status StartRun();
  Status Add(std::string_view key, std::string_view row);
  Status FinishRun();

  // Then reading: the first `wanted` rows of all.
  Status Start(uint64_t wanted);
  Status Next(Batch* batch);

 private:
  struct Head {
    std::unique_ptr<SpillStream> stream;
    std::string record;  // length of key u32, key, row
    std::string_view key() const;
    std::string_view row() const;
  };

  StatusOr<bool> Advance(Head* head);
  // Opens the runs [first, last) for merging.
  Status Open(size_t first, size_t last);
  // The head with the smallest key; none: the end.
  Head* Smallest();
  Status Pop(Head* head);

  SpillFile& file_;
  const size_t fan_in_;
  std::vector<std::unique_ptr<SpillStream>> runs_;
  std::vector<std::unique_ptr<Head>> heads_;  // in the order of runs
  std::vector<Head*> heap_;
  SpilledRows rows_;
  uint64_t left_ = 0;
  std::string record_;
};

}  // namespace kvsql::exec

#endif  // KVSQL_EXEC_BATCH_SORTED_RUNS_H_
