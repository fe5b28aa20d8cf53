// Opening a large file, reading one row by its key, closing: what a short-lived program pays. The file is in the
// operating system's cache.
#include <memory>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "bench/clock.h"
#include "bench/fatal.h"
#include "bench/rows/rows.h"

namespace kvsql::bench {
namespace {

// Ids spread over the file, the same for each engine.
uint32_t IdOf(uint32_t round, uint32_t n, uint32_t rows) {
  return static_cast<uint32_t>((uint64_t{round} * 1'000 + n + 1) * 2'654'435'761u % rows);
}

}  // namespace

void MeasureOpen(Lab& lab) {
  if (!lab.Wanted("open_first_row")) return;
  const uint32_t rows = lab.options().open_rows;
  const uint32_t opens = lab.options().opens_per_round;
  lab.Progress(absl::StrCat("loading files of ", rows, " rows to open"));
  const Dataset data(rows);
  std::vector<LoadedEngine> engines;
  for (EngineId id : {EngineId::kKvsql, EngineId::kSqlite}) {
    LoadedEngine& loaded =
        engines.emplace_back(LoadedEngine{lab.scratch().NewDatabase(KeyOf(id)), MakeEngine(id)});
    loaded.engine->Open(loaded.path, Durability::kFull);
    loaded.engine->LoadRows(data.in_order());
    loaded.engine->Close();
    loaded.engine->OpenReadRowClose(loaded.path, 0);
  }
  std::vector<std::optional<uint64_t>> expected(lab.options().rounds);
  std::vector<Participant> participants;
  for (LoadedEngine& loaded : engines) {
    participants.push_back(
        Single(loaded.engine->id(), [&expected, &loaded, rows, opens](uint32_t round) {
          uint64_t digest = 0;
          const Stopwatch watch;
          for (uint32_t n = 0; n < opens; ++n) {
            digest += loaded.engine->OpenReadRowClose(loaded.path, IdOf(round, n, rows));
          }
          const double micros = static_cast<double>(watch.nanos()) / 1e3;
          if (!expected[round]) expected[round] = digest;
          if (digest != *expected[round]) {
            Fatal("open_first_row: the engines answered different rows");
          }
          return Sample{.figure = micros / opens};
        }));
  }
  lab.RunRounds("open_first_row", std::move(participants));
  for (LoadedEngine& loaded : engines) Scratch::RemoveDatabase(loaded.path);
}

}  // namespace kvsql::bench
