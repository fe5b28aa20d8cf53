// Commits that survive a crash of the process at once and one of the machine a little later.
#include <memory>
#include <vector>

#include "bench/rows/commit_series.h"
#include "bench/rows/rows.h"

namespace kvsql::bench {

void MeasureNormalCommits(Lab& lab) {
  if (!lab.Wanted("put_normal")) return;
  constexpr uint32_t kChunks = 10;
  const uint32_t per_chunk = lab.options().normal_commits_per_round / kChunks;
  std::vector<LoadedEngine> engines;
  for (EngineId id : {EngineId::kKvsql, EngineId::kSqlite}) {
    engines.push_back(lab.MakeLoaded(id, Durability::kNormal));
  }
  std::vector<std::unique_ptr<CommitSeries>> series;
  std::vector<Participant> participants;
  for (LoadedEngine& loaded : engines) {
    series.push_back(std::make_unique<CommitSeries>(lab, *loaded.engine));
    CommitSeries* own = series.back().get();
    own->WarmUp(WriteOp::kPut, lab.options().warm_up_commits);
    participants.push_back(
        {loaded.engine->id(),
         [own, per_chunk](uint32_t, uint32_t) { own->Run(WriteOp::kPut, per_chunk); },
         [own] {
           Sample sample = own->TakeSample();
           sample.figure = *sample.mean;  // what a commit costs here comes in lumps
           return sample;
         }});
  }
  lab.RunRounds("put_normal", std::move(participants), kChunks);
  series.clear();
  CompareKeys(lab, engines);
  for (LoadedEngine& loaded : engines) lab.Discard(loaded);
}

}  // namespace kvsql::bench
