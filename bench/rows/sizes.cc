// How large the files are, all of a database's files counted, after a clean close.
#include <memory>
#include <vector>

#include "bench/rows/rows.h"

namespace kvsql::bench {
namespace {

constexpr double kMiB = 1024.0 * 1024.0;
constexpr uint32_t kPageBytes = 4096;
constexpr uint32_t kCommitsPerLeaf = 20;
constexpr uint32_t kChurnOrder = 2'000'000;  // seeds of their own

uint64_t LoadedBytes(Lab& lab, EngineId id) {
  LoadedEngine loaded = lab.MakeLoaded(id, Durability::kFull);
  loaded.engine->Close();
  const uint64_t bytes = Scratch::DatabaseBytes(loaded.path);
  lab.Discard(loaded);
  return bytes;
}

// Random overwrites, turn about a key's value and (where there are rows) a row's score, as many as
// 20 for each leaf of the loaded file; sizes of values stay, so the data is as large as before.
// They run at level normal: 20 commits per leaf, each synced, would take longer than all other rows
// together, and which pages a commit touches does not depend on when it is synced.
double ChurnedOverLoaded(Lab& lab, EngineId id) {
  LoadedEngine loaded = lab.MakeLoaded(id, Durability::kNormal);
  loaded.engine->Close();
  const uint64_t before = Scratch::DatabaseBytes(loaded.path);
  loaded.engine->Open(loaded.path, Durability::kNormal);
  const auto commits = static_cast<uint32_t>(before / kPageBytes * kCommitsPerLeaf);
  {
    const std::unique_ptr<Session> session = loaded.engine->NewSession();
    std::vector<Probe> order;
    for (uint32_t i = 0; i < commits; ++i) {
      const size_t at = i % lab.data().rows();
      if (at == 0) order = lab.data().Shuffled(kChurnOrder + i / lab.data().rows());
      const WriteOp op = loaded.engine->has_sql() && i % 2 == 1 ? WriteOp::kUpdate : WriteOp::kPut;
      session->Commit(op, order[at], 1 + i);
    }
  }
  loaded.engine->Close();
  const uint64_t after = Scratch::DatabaseBytes(loaded.path);
  lab.Discard(loaded);
  return static_cast<double>(after) / static_cast<double>(before);
}

}  // namespace

void MeasureSizes(Lab& lab) {
  if (lab.Wanted("file_size")) {
    std::vector<Participant> participants;
    for (EngineId id : {EngineId::kKvsql, EngineId::kSqlite}) {
      participants.push_back(Single(id, [&lab, id](uint32_t) {
        return Sample{.figure = static_cast<double>(LoadedBytes(lab, id)) / kMiB};
      }));
    }
    lab.RunOnce("file_size", std::move(participants));
  }
  if (lab.Wanted("churn_size")) {
    std::vector<Participant> participants;
    for (EngineId id : {EngineId::kKvsql, EngineId::kSqlite, EngineId::kLmdb}) {
      participants.push_back(Single(
          id, [&lab, id](uint32_t) { return Sample{.figure = ChurnedOverLoaded(lab, id)}; }));
    }
    lab.RunOnce("churn_size", std::move(participants));
  }
}

}  // namespace kvsql::bench
