// Opening a large file, reading one row by its key, closing: what a short-lived program pays. The
// file is in the operating system's cache.
#include <memory>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "bench/clock.h"
#include "bench/engines/sqlite_engine.h"
#include "bench/fatal.h"
#include "bench/rows/rows.h"

namespace kvsql::bench {
namespace {

// Ids spread over the file, the same for each engine.
uint32_t IdOf(uint32_t round, uint32_t n, uint32_t rows) {
  return static_cast<uint32_t>((uint64_t{round} * 1'000 + n + 1) * 2'654'435'761u % rows);
}

void MeasureRow(Lab& lab, const char* row, std::vector<LoadedEngine>& engines) {
  const uint32_t rows = lab.options().open_rows;
  const uint32_t opens = lab.options().opens_per_round;
  std::vector<std::optional<uint64_t>> expected(lab.options().rounds);
  std::vector<Participant> participants;
  for (LoadedEngine& loaded : engines) {
    loaded.engine->OpenReadRowClose(loaded.path, 0);
    participants.push_back(
        Single(loaded.engine->id(), [&expected, &loaded, row, rows, opens](uint32_t round) {
          uint64_t digest = 0;
          const Stopwatch watch;
          for (uint32_t n = 0; n < opens; ++n) {
            digest += loaded.engine->OpenReadRowClose(loaded.path, IdOf(round, n, rows));
          }
          const double micros = static_cast<double>(watch.nanos()) / 1e3;
          if (!expected[round]) expected[round] = digest;
          if (digest != *expected[round]) {
            Fatal(absl::StrCat(row, ": the engines answered different rows"));
          }
          return Sample{.figure = micros / opens};
        }));
  }
  lab.RunRounds(row, std::move(participants));
}

}  // namespace

void MeasureOpen(Lab& lab) {
  const bool wal = lab.Wanted("open_first_row");
  const bool journal = lab.Wanted("open_first_row_journal");
  if (!wal && !journal) return;
  lab.Progress(absl::StrCat("loading files of ", lab.options().open_rows, " rows to open"));
  const Dataset data(lab.options().open_rows);
  std::vector<LoadedEngine> engines;
  for (EngineId id : {EngineId::kKvsql, EngineId::kSqlite}) {
    LoadedEngine& loaded =
        engines.emplace_back(LoadedEngine{lab.scratch().NewDatabase(KeyOf(id)), MakeEngine(id)});
    loaded.engine->Open(loaded.path, Durability::kFull);
    loaded.engine->LoadRows(data.in_order());
    loaded.engine->Close();
  }
  if (wal) MeasureRow(lab, "open_first_row", engines);
  if (journal) {
    // In WAL mode SQLite makes and removes two more files each time. A program that cares for its
    // start would use the rollback journal, so that comparison is shown as well.
    UseRollbackJournal(engines.back().path);
    MeasureRow(lab, "open_first_row_journal", engines);
  }
  for (LoadedEngine& loaded : engines) Scratch::RemoveDatabase(loaded.path);
}

}  // namespace kvsql::bench
