// What the agent-memory suite asks of an engine.
//
// Every call but BulkLoad is on its own: a read sees the newest committed state, a write is a transaction
// that has been committed, at the level of Open, when the call returns. All results are copied out.
//
// Thread safety: one thread at a time.
//
// Every method ends the program (Fatal) on an error or where something is missing: see bench/fatal.h.
#ifndef KVSQL_BENCH_AGENT_MEMORY_STORE_H_
#define KVSQL_BENCH_AGENT_MEMORY_STORE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/agent_memory/model.h"

namespace kvsql::bench::agent_memory {

// When a commit is on disk.
enum class Sync {
  kOff,     // not by itself: SQLite synchronous=OFF, LMDB NOSYNC
  kNormal,  // later, in order: kvsql normal, SQLite synchronous=NORMAL; LMDB has none and runs NOSYNC
  kFull,    // at its return
};

// The order in which a store's keys lie, and so the order of its bulk load.
enum class Order { kBySequence, kByAgent, kByAgentNewestFirst };

// Memories made before the clock runs.
class Population {
 public:
  Population(const Model& model, uint32_t records, Order order);

  size_t size() const { return ids_.size(); }
  MemoryId id(size_t i) const { return ids_[i]; }
  std::string_view value(size_t i) const {
    return {bytes_.data() + begins_[i], begins_[i + 1] - begins_[i]};
  }

 private:
  std::vector<MemoryId> ids_;
  std::string bytes_;
  std::vector<size_t> begins_ = {0};
};

class Store {
 public:
  virtual ~Store() = default;

  // Opens or creates.
  virtual void Open(const std::string& path, Sync sync) = 0;
  // After a clean close all data is in its final place.
  virtual void Close() = 0;

  virtual Order order() const = 0;
  // A new store gets its memories in one of two ways. Either all in one transaction, the index (where the
  // schema has one) after the rows; durable when it returns. The population is in order().
  virtual void BulkLoad(const Population& population) = 0;
  // Or one by one, with Insert, after this.
  virtual void MakeIndex() {}
  // What the engine's manual advises once after a load; not timed.
  virtual void AfterLoad() {}

  virtual void Insert(MemoryId id, std::string_view value) = 0;
  virtual void Update(MemoryId id, std::string_view value) = 0;
  virtual void Recall(MemoryId id, ValueBuffer* value) = 0;
  // The agent's newest ten, the newest first.
  virtual void Latest(uint32_t agent, LatestBuffer* latest) = 0;

  // A second way to recall by id. False: there is none.
  virtual bool has_recall_row() const { return false; }
  virtual void RecallRow(MemoryId, ValueBuffer*) {}

  // Every memory once, in the store's order.
  using Visitor = std::function<void(MemoryId id, std::string_view value)>;
  virtual void ForEach(const Visitor& visit) = 0;
  // The engine's own check of its file.
  virtual void CheckIntegrity() = 0;
};

}  // namespace kvsql::bench::agent_memory

#endif  // KVSQL_BENCH_AGENT_MEMORY_STORE_H_
