// The engines that are compared.
#ifndef KVSQL_BENCH_ENGINES_ENGINE_ID_H_
#define KVSQL_BENCH_ENGINES_ENGINE_ID_H_

#include <array>
#include <cstddef>

namespace kvsql::bench {

enum class EngineId { kKvsql, kSqlite, kSqliteMmap, kLmdb };

// In the order of the table's columns.
inline constexpr std::array kAllEngines = {EngineId::kKvsql, EngineId::kSqlite,
                                           EngineId::kSqliteMmap, EngineId::kLmdb};
inline constexpr size_t kEngineCount = kAllEngines.size();

inline constexpr size_t IndexOf(EngineId id) { return static_cast<size_t>(id); }

// The engine's name in bench.json.
inline constexpr const char* KeyOf(EngineId id) {
  constexpr std::array kKeys = {"kvsql", "sqlite", "sqlite_mmap", "lmdb"};
  return kKeys[IndexOf(id)];
}

// The engine's name for people.
inline constexpr const char* LabelOf(EngineId id) {
  constexpr std::array kLabels = {"kvsql", "SQLite", "SQLite mmap", "LMDB"};
  return kLabels[IndexOf(id)];
}

}  // namespace kvsql::bench

#endif  // KVSQL_BENCH_ENGINES_ENGINE_ID_H_
