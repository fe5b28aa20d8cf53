// The engines of the agent-memory suite, each with the way it stores memories.
#ifndef KVSQL_BENCH_AGENT_MEMORY_STORES_H_
#define KVSQL_BENCH_AGENT_MEMORY_STORES_H_

#include <memory>
#include <span>
#include <string_view>

#include "bench/agent_memory/schemas.h"
#include "bench/agent_memory/store.h"
#include "bench/engines/engine_id.h"

namespace kvsql::bench::agent_memory {

struct Variant {
  const char* name;    // in agent-memory.json
  const char* label;   // for people
  const char* family;  // variants of one family read the same file
  EngineId engine;     // the column of the table it belongs to
  std::unique_ptr<Store> (*make)();
};

std::span<const Variant> Variants();
const Variant& VariantOf(std::string_view name);

std::unique_ptr<Store> NewKvsqlKeyStore(bool compressed);
// Values by id in one keyspace, and in a second one the ids by agent and age.
std::unique_ptr<Store> NewKvsqlIndexedStore();
std::unique_ptr<Store> NewKvsqlSqlStore(const Schema& schema, bool compressed);
std::unique_ptr<Store> NewSqliteStore(const Schema& schema, bool mmap);
std::unique_ptr<Store> NewLmdbStore();

}  // namespace kvsql::bench::agent_memory

#endif  // KVSQL_BENCH_AGENT_MEMORY_STORES_H_
