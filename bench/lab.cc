#include "bench/lab.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "bench/fatal.h"
#include "bench/interrupt.h"

namespace kvsql::bench {
namespace {

constexpr uint32_t kFirstSeed = 20'261'130;

}  // namespace

Participant Single(EngineId engine, std::function<Sample(uint32_t round)> measure) {
  auto sample = std::make_shared<Sample>();
  return {engine,
          [measure = std::move(measure), sample](uint32_t round, uint32_t) {
            *sample = measure(round);
          },
          [sample] { return *sample; }};
}

Lab::Lab(const Options& options, Scratch& scratch, Results& results)
    : options_(options), scratch_(scratch), results_(results), data_(options.rows) {
  NoteInterrupts();
}

Lab::~Lab() { DropReadEngines(); }

bool Lab::Wanted(const char* row) const {
  return options_.only.empty() ||
         std::find(options_.only.begin(), options_.only.end(), row) != options_.only.end();
}

const std::vector<Probe>& Lab::ShuffledFor(uint32_t round) {
  if (shuffled_.empty() || shuffled_round_ != round) {
    shuffled_ = data_.Shuffled(kFirstSeed + round);
    shuffled_round_ = round;
  }
  return shuffled_;
}

void Lab::RunRounds(const char* row, const std::vector<Participant>& participants,
                    uint32_t chunks) {
  Run(row, participants, options_.rounds, chunks);
}

void Lab::RunOnce(const char* row, const std::vector<Participant>& participants) {
  Run(row, participants, 1, 1);
}

void Lab::Run(const char* row, const std::vector<Participant>& participants, uint32_t rounds,
              uint32_t chunks) {
  const RowInfo* info = FindRow(Suite::kStandard, row);
  KV_CHECK(info != nullptr);
  RowResult& result = results_.RowOf(*info);
  for (uint32_t round = 0; round < rounds; ++round) {
    for (uint32_t chunk = 0; chunk < chunks; ++chunk) {
      for (size_t i = 0; i < participants.size(); ++i) {
        LeaveIfInterrupted();
        participants[(i + round + chunk) % participants.size()].step(round, chunk);
      }
    }
    std::string line = absl::StrCat(row, " ", round + 1, "/", rounds, ":");
    for (const Participant& participant : participants) {
      const Sample sample = participant.finish();
      result.Add(participant.engine, sample);
      absl::StrAppend(&line, "  ", LabelOf(participant.engine), " ", FigureText(sample.figure));
      if (sample.mean) absl::StrAppend(&line, " (mean ", FigureText(*sample.mean), ")");
    }
    Progress(absl::StrCat(line, " ", info->unit));
  }
}

void Lab::Refused(const char* row, const std::string& why) {
  const RowInfo* info = FindRow(Suite::kStandard, row);
  KV_CHECK(info != nullptr);
  results_.RowOf(*info).Refuse(why);
  Progress(absl::StrCat(row, " was refused: ", why));
}

LoadedEngine Lab::MakeLoaded(EngineId id, Durability durability) {
  LoadedEngine loaded{scratch_.NewDatabase(KeyOf(id)), MakeEngine(id)};
  Engine& engine = *loaded.engine;
  engine.Open(loaded.path, durability);
  if (engine.has_sql()) engine.LoadRows(data_.in_order());
  engine.LoadKeys(data_.in_order(), /*ascending=*/true);
  engine.Close();
  engine.Open(loaded.path, durability);
  LeaveIfInterrupted();
  return loaded;
}

void Lab::Discard(LoadedEngine& loaded) {
  loaded.engine->Close();
  Scratch::RemoveDatabase(loaded.path);
}

std::vector<LoadedEngine>& Lab::ReadEngines() {
  if (read_engines_.empty()) {
    Progress("loading the databases of the reading rows");
    for (EngineId id : kAllEngines) read_engines_.push_back(MakeLoaded(id, Durability::kFull));
    CrossCheckReads();
  }
  return read_engines_;
}

void Lab::DropReadEngines() {
  for (LoadedEngine& loaded : read_engines_) Discard(loaded);
  read_engines_.clear();
}

void Lab::CrossCheckReads() {
  Progress("comparing every engine's results");
  constexpr ReadOp kKeyReads[] = {ReadOp::kGet, ReadOp::kGetSnapshot};
  constexpr ReadOp kRowReads[] = {ReadOp::kGetRow, ReadOp::kPointPrepared,
                                  ReadOp::kPointPreparedTxn, ReadOp::kPointText};
  std::optional<uint64_t> keys;
  std::optional<uint64_t> rows;
  const auto check = [](const Engine& engine, std::optional<uint64_t>& expected, uint64_t found,
                        const char* what) {
    if (!expected) expected = found;
    if (found != *expected) {
      Fatal(absl::StrCat(LabelOf(engine.id()), " answers other ", what, " than ",
                         LabelOf(kAllEngines[0])));
    }
  };
  for (LoadedEngine& loaded : read_engines_) {
    Engine& engine = *loaded.engine;
    const std::unique_ptr<Session> session = engine.NewSession();
    const std::vector<Probe>& probes = ShuffledFor(0);
    for (ReadOp op : kKeyReads) {
      check(engine, keys, session->Read(op, probes, Digest::kExact), "values");
    }
    if (!engine.has_sql()) continue;
    for (ReadOp op : kRowReads) {
      check(engine, rows, session->Read(op, probes, Digest::kExact), "rows");
    }
  }
}

void Lab::Progress(const std::string& line) const {
  std::fprintf(stderr, "%s\n", line.c_str());
  std::fflush(stderr);
}

}  // namespace kvsql::bench
