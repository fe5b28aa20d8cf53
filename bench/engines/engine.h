// What the benchmark asks of an engine. The loops over many keys run inside the engines' own code,
// so a virtual call is paid once per loop; where one call reads or writes one row, every engine
// pays it.
//
// Thread safety: Engine from one thread, while no Session is in use. Each Session by one thread at
// a time; several Sessions of an Engine may be used in parallel.
//
// Every method ends the program (Fatal) on an error or a missing row: see bench/fatal.h.
#ifndef KVSQL_BENCH_ENGINES_ENGINE_H_
#define KVSQL_BENCH_ENGINES_ENGINE_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bench/dataset.h"
#include "bench/engines/engine_id.h"

namespace kvsql::bench {

enum class ReadOp {
  kGet,               // value by key, each in a transaction (snapshot) of its own
  kGetSnapshot,       // value by key, all in one transaction
  kGetRow,            // row of t by primary key: the engine's fastest door, each on its own
  kPointPrepared,     // prepared SELECT by primary key, autocommit
  kPointPreparedTxn,  // the same inside one transaction
  kPointText,         // SELECT as new text with its own literal each time, autocommit
};

enum class WriteOp {
  kPut,     // key -> ValueOf(id, version)
  kInsert,  // a new row of t
  kUpdate,  // score of a row of t
};

// When a commit is on disk.
enum class Durability {
  kFull,    // at its return
  kNormal,  // later, in order; LMDB has no such level and runs without syncs (used for sizes only)
};

// How the result of a read is summed up: kFast touches the copied bytes just enough that no engine
// can skip the copy, kExact covers every byte, to compare engines.
enum class Digest { kFast, kExact };

// Where a connection, a thread's transaction or the like lives.
class Session {
 public:
  virtual ~Session() = default;

  // Reads every probe and copies its value (or every column of its row) out. The sum does not
  // depend on the order.
  virtual uint64_t Read(ReadOp op, std::span<const Probe> probes, Digest digest) = 0;

  // One transaction that changes one row.
  virtual void Commit(WriteOp op, const Probe& probe, uint32_t version) = 0;
};

class SqlRunner;  // sql_runner.h

class Engine {
 public:
  virtual ~Engine() = default;

  virtual EngineId id() const = 0;
  virtual bool has_sql() const = 0;

  // Opens or creates `path`. Creating makes the empty table and keyspace.
  virtual void Open(const std::string& path, Durability durability) = 0;
  // The clean close after which all data is in its final place. Sessions must be gone.
  virtual void Close() = 0;

  virtual std::unique_ptr<Session> NewSession() = 0;
  // Null where has_sql() is false.
  virtual std::unique_ptr<SqlRunner> NewRunner() = 0;

  // Fills the empty table or keyspace in one transaction, one call per row, in the order given.
  // Answers the seconds from its begin to the return of its durable commit. `ascending`: the keys
  // are in key order, and the engine may use what it has for that.
  virtual double LoadRows(std::span<const Probe> probes) = 0;
  virtual double LoadKeys(std::span<const Probe> probes, bool ascending) = 0;

  // Waits until nothing of earlier commits runs in the background. Answers for how many nanoseconds
  // it did run since the call.
  virtual int64_t Settle() = 0;
  // Moves everything committed to its final place.
  virtual void Checkpoint() = 0;

  // For engines whose writers poll for their turn: sessions made from now on wait in the way that
  // suits many writers best, rather than in the engine's own.
  virtual void SuitManyWriters(bool) {}

  // On a closed engine: opens `path`, reads the row `id`, closes; answers the row's exact digest.
  virtual uint64_t OpenReadRowClose(const std::string& path, uint32_t id) = 0;
};

std::unique_ptr<Engine> MakeEngine(EngineId id);

// (name, value) pairs for the report: the engine's version, its settings, the sync calls of its
// commits.
std::vector<std::pair<std::string, std::string>> EngineConditions(EngineId id);

}  // namespace kvsql::bench

#endif  // KVSQL_BENCH_ENGINES_ENGINE_H_
