// Filling an empty database in one transaction, synced at its end.
#include <algorithm>
#include <memory>
#include <vector>

#include "bench/rows/rows.h"

namespace kvsql::bench {
namespace {

enum class What { kRows, kKeysInOrder, kKeysShuffled };

// Seconds of one load into a new database, which is removed again.
double LoadOnce(Lab& lab, EngineId id, What what, uint32_t round, bool use_order) {
  LoadedEngine fresh{lab.scratch().NewDatabase(KeyOf(id)), MakeEngine(id)};
  fresh.engine->Open(fresh.path, Durability::kFull);
  double seconds = 0;
  switch (what) {
    case What::kRows:
      seconds = fresh.engine->LoadRows(lab.data().in_order());
      break;
    case What::kKeysInOrder:
      seconds = fresh.engine->LoadKeys(lab.data().in_order(), use_order);
      break;
    case What::kKeysShuffled:
      seconds = fresh.engine->LoadKeys(lab.ShuffledFor(round), false);
      break;
  }
  lab.Discard(fresh);
  return seconds;
}

void MeasureRow(Lab& lab, const char* row, What what) {
  if (!lab.Wanted(row)) return;
  std::vector<Participant> participants;
  for (EngineId id : {EngineId::kKvsql, EngineId::kSqlite, EngineId::kLmdb}) {
    if (id == EngineId::kLmdb && what == What::kRows) continue;
    participants.push_back(Single(id, [&lab, id, what](uint32_t round) {
      double seconds = LoadOnce(lab, id, what, round, /*use_order=*/true);
      if (id == EngineId::kLmdb && what == What::kKeysInOrder) {
        // With and without APPEND, and LMDB gets the better.
        seconds = std::min(seconds, LoadOnce(lab, id, what, round, /*use_order=*/false));
      }
      return Sample{.figure = seconds * 1e3};
    }));
  }
  lab.RunRounds(row, std::move(participants));
}

}  // namespace

void MeasureLoads(Lab& lab) {
  MeasureRow(lab, "load_rows", What::kRows);
  MeasureRow(lab, "load_keys", What::kKeysInOrder);
  MeasureRow(lab, "load_keys_shuffled", What::kKeysShuffled);
}

}  // namespace kvsql::bench
