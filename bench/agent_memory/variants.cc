#include <iterator>
#include <vector>

#include "absl/strings/str_cat.h"
#include "bench/agent_memory/stores.h"
#include "bench/fatal.h"

namespace kvsql::bench::agent_memory {
namespace {

constexpr EngineId kKvsql = EngineId::kKvsql;
constexpr EngineId kSqlite = EngineId::kSqlite;
constexpr EngineId kMmap = EngineId::kSqliteMmap;
constexpr EngineId kLmdb = EngineId::kLmdb;

const Variant kVariants[] = {
    {"kvsql_key", "kvsql, keys", "kvsql_key", kKvsql, [] { return NewKvsqlKeyStore(false); }},
    {"kvsql_sql", "kvsql, SQL", "kvsql_sql", kKvsql,
     [] { return NewKvsqlSqlStore(kClusteredSchema, false); }},
    {"kvsql_key_zstd", "kvsql, keys, compressed", "kvsql_key_zstd", kKvsql,
     [] { return NewKvsqlKeyStore(true); }},
    {"kvsql_sql_zstd", "kvsql, SQL, compressed", "kvsql_sql_zstd", kKvsql,
     [] { return NewKvsqlSqlStore(kClusteredSchema, true); }},
    {"kvsql_indexed", "kvsql, keys, two keyspaces", "kvsql_indexed", kKvsql,
     [] { return NewKvsqlIndexedStore(); }},
    {"kvsql_sql_rowid", "kvsql, SQL, rowid and index", "kvsql_sql_rowid", kKvsql,
     [] { return NewKvsqlSqlStore(kRowidSchema, false); }},
    {"sqlite_rowid", "SQLite, rowid and index", "sqlite_rowid", kSqlite,
     [] { return NewSqliteStore(kRowidSchema, false); }},
    {"sqlite_clustered", "SQLite, clustered", "sqlite_clustered", kSqlite,
     [] { return NewSqliteStore(kClusteredSchema, false); }},
    {"sqlite_mmap_rowid", "SQLite mmap, rowid and index", "sqlite_rowid", kMmap,
     [] { return NewSqliteStore(kRowidSchema, true); }},
    {"sqlite_mmap_clustered", "SQLite mmap, clustered", "sqlite_clustered", kMmap,
     [] { return NewSqliteStore(kClusteredSchema, true); }},
    {"lmdb", "LMDB", "lmdb", kLmdb, [] { return NewLmdbStore(); }},
};

}  // namespace

std::span<const Variant> Variants() { return kVariants; }

const Variant& VariantOf(std::string_view name) {
  for (const Variant& variant : kVariants) {
    if (variant.name == name) return variant;
  }
  Fatal(absl::StrCat("there is no variant '", std::string(name), "'"));
}

}  // namespace kvsql::bench::agent_memory
