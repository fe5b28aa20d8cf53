// The SQL of the stores that have it: two schemas, the same text for kvsql and SQLite.
//
// rowid      the table by creation sequence, a secondary index (agent, id DESC)
// clustered  one tree by (agent, ts DESC): an agent's memories lie side by side
//
// Parameters: ?1 sequence (agent for the latest ten), ?2 agent (the limit), ?3 value.
#ifndef KVSQL_BENCH_AGENT_MEMORY_SCHEMAS_H_
#define KVSQL_BENCH_AGENT_MEMORY_SCHEMAS_H_

#include "bench/agent_memory/store.h"

namespace kvsql::bench::agent_memory {

struct Schema {
  const char* create;
  const char* options;  // what follows the closing bracket
  const char* index;    // "" if there is none; made after the rows of a bulk load
  const char* insert;
  const char* update;
  const char* recall;
  bool recall_takes_agent;
  const char* latest;
  const char* all;  // sequence, agent, value
  Order order;
};

inline constexpr Schema kRowidSchema = {
    .create =
        "CREATE TABLE memories(id INTEGER PRIMARY KEY, agent INTEGER NOT NULL, value BLOB NOT "
        "NULL)",
    .options = "",
    .index = "CREATE INDEX memories_recent ON memories(agent, id DESC)",
    .insert = "INSERT INTO memories(id, agent, value) VALUES(?1, ?2, ?3)",
    .update = "UPDATE memories SET value = ?3 WHERE id = ?1 AND agent = ?2",
    .recall = "SELECT value FROM memories WHERE id = ?1",
    .recall_takes_agent = false,
    .latest = "SELECT value FROM memories WHERE agent = ?1 ORDER BY id DESC LIMIT ?2",
    .all = "SELECT id, agent, value FROM memories ORDER BY id",
    .order = Order::kBySequence,
};

inline constexpr Schema kClusteredSchema = {
    .create =
        "CREATE TABLE memories(agent INTEGER NOT NULL, ts INTEGER NOT NULL, value BLOB NOT NULL, "
        "PRIMARY KEY(agent, ts DESC))",
    .options = "WITHOUT ROWID",
    .index = "",
    .insert = "INSERT INTO memories(ts, agent, value) VALUES(?1, ?2, ?3)",
    .update = "UPDATE memories SET value = ?3 WHERE ts = ?1 AND agent = ?2",
    .recall = "SELECT value FROM memories WHERE ts = ?1 AND agent = ?2",
    .recall_takes_agent = true,
    .latest = "SELECT value FROM memories WHERE agent = ?1 ORDER BY ts DESC LIMIT ?2",
    .all = "SELECT ts, agent, value FROM memories ORDER BY agent, ts DESC",
    .order = Order::kByAgentNewestFirst,
};

}  // namespace kvsql::bench::agent_memory

#endif  // KVSQL_BENCH_AGENT_MEMORY_SCHEMAS_H_
