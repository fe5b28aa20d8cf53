// The list of engines: their making and what the report says of each.
#include <lmdb.h>
#include <sqlite3.h>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "bench/engines/engine.h"
#include "bench/engines/kvsql_engine.h"
#include "bench/engines/lmdb_engine.h"
#include "bench/engines/sqlite_engine.h"

namespace kvsql::bench {

std::unique_ptr<Engine> MakeEngine(EngineId id) {
  switch (id) {
    case EngineId::kKvsql:
      return std::make_unique<KvsqlEngine>();
    case EngineId::kSqlite:
      return std::make_unique<SqliteEngine>(/*mmap=*/false);
    case EngineId::kSqliteMmap:
      return std::make_unique<SqliteEngine>(/*mmap=*/true);
    case EngineId::kLmdb:
      return std::make_unique<LmdbEngine>();
  }
  KV_CHECK(false);
  return nullptr;
}

std::vector<std::pair<std::string, std::string>> EngineConditions(EngineId id) {
  switch (id) {
    case EngineId::kKvsql:
      return KvsqlConditions();
    case EngineId::kSqlite:
    case EngineId::kSqliteMmap:
      return {
          {"sqlite", sqlite3_libversion()},
          {"sqlite settings",
           "journal_mode=WAL, synchronous=FULL (put_normal: NORMAL), cache_size=-8192, mmap_size=0 "
           "or 16 GiB, page size 4096, wal_autocheckpoint 1000; statements prepared once; a "
           "connection per thread, NOMUTEX, busy_timeout (put_sync_8threads_tuned: a busy handler "
           "that sleeps 1.6 ms); keys in a WITHOUT ROWID table"},
          {"sqlite sync calls",
           "commit: fdatasync of the WAL; checkpoint: fdatasync of the WAL and of the file"},
      };
    case EngineId::kLmdb: {
      int major = 0, minor = 0, patch = 0;
      mdb_version(&major, &minor, &patch);
      return {
          {"lmdb", absl::StrCat(major, ".", minor, ".", patch)},
          {"lmdb settings",
           "NOSUBDIR, NOTLS, synced; read transactions reset and renewed; load_keys: the better of "
           "with and "
           "without APPEND; get_snapshot: one transaction; churn_size: NOSYNC"},
          {"lmdb sync calls",
           "commit: fdatasync of the file, then an O_DSYNC write of the meta page"},
      };
    }
  }
  KV_CHECK(false);
  return {};
}

}  // namespace kvsql::bench
