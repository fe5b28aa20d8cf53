// The benchmark's workbench: options, data, scratch databases, and the one loop that runs a row's
// rounds.
//
// Thread safety: the main thread only. Measuring functions may start threads of their own and join
// them.
//
// Invariants:
// 1. Within a round every engine is measured; the order rotates from round to round (and from chunk
//    to chunk), so that none is always first or always after the same other.
// 2. All engines of a round get the same keys in the same order.
#ifndef KVSQL_BENCH_LAB_H_
#define KVSQL_BENCH_LAB_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/dataset.h"
#include "bench/engines/engine.h"
#include "bench/options.h"
#include "bench/report/results.h"
#include "bench/scratch.h"

namespace kvsql::bench {

// One engine in one row.
struct Participant {
  EngineId engine;
  // Does one chunk of the round's work.
  std::function<void(uint32_t round, uint32_t chunk)> step;
  // Called once after the round's last chunk.
  std::function<Sample()> finish;
};

// An engine with an open database that holds data.
struct LoadedEngine {
  std::string path;
  std::unique_ptr<Engine> engine;
};

class Lab {
 public:
  Lab(const Options& options, Scratch& scratch, Results& results);
  ~Lab();

  const Options& options() const { return options_; }
  const Dataset& data() const { return data_; }
  Scratch& scratch() { return scratch_; }

  // False if --only leaves the row out.
  bool Wanted(const char* row) const;

  // The round's keys in the round's shuffled order; valid until the next round is asked for.
  const std::vector<Probe>& ShuffledFor(uint32_t round);

  void RunRounds(const char* row, const std::vector<Participant>& participants,
                 uint32_t chunks = 1);
  // The same with fewer rounds, for figures that do not vary.
  void RunOnce(const char* row, const std::vector<Participant>& participants);

  // Tells that kvsql has no figure in the row, and why.
  void Refused(const char* row, const std::string& why);

  // A new database in the scratch directory with rows and keys (LMDB: keys), loaded in order,
  // closed cleanly and opened again: its data is in its final place.
  LoadedEngine MakeLoaded(EngineId engine, Durability durability);
  // Closes it and removes its files.
  void Discard(LoadedEngine& loaded);

  // The databases of the reading rows, all engines in the order of kAllEngines, made at the first
  // call. Every read of every engine has been compared with the others' then.
  std::vector<LoadedEngine>& ReadEngines();
  // Frees them; a later call of ReadEngines makes new ones.
  void DropReadEngines();

  void Progress(const std::string& line) const;

 private:
  void Run(const char* row, const std::vector<Participant>& participants, uint32_t rounds,
           uint32_t chunks);
  void CrossCheckReads();

  const Options& options_;
  Scratch& scratch_;
  Results& results_;
  const Dataset data_;
  std::vector<Probe> shuffled_;
  uint32_t shuffled_round_ = 0;
  std::vector<LoadedEngine> read_engines_;
};

// A participant whose round is one call.
Participant Single(EngineId engine, std::function<Sample(uint32_t round)> measure);

}  // namespace kvsql::bench

#endif  // KVSQL_BENCH_LAB_H_
