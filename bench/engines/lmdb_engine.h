// LMDB on the key rows: its main database, a map that never has to grow, read transactions that are
// reset and renewed rather than begun anew.
//
// Thread safety: see engine.h.
#ifndef KVSQL_BENCH_ENGINES_LMDB_ENGINE_H_
#define KVSQL_BENCH_ENGINES_LMDB_ENGINE_H_

#include <lmdb.h>

#include <memory>
#include <string>

#include "bench/engines/engine.h"

namespace kvsql::bench {

class LmdbEngine : public Engine {
 public:
  ~LmdbEngine() override { Close(); }

  EngineId id() const override { return EngineId::kLmdb; }
  bool has_sql() const override { return false; }
  void Open(const std::string& path, Durability durability) override;
  void Close() override;
  std::unique_ptr<Session> NewSession() override;
  std::unique_ptr<SqlRunner> NewRunner() override;
  double LoadRows(std::span<const Probe> probes) override;
  double LoadKeys(std::span<const Probe> probes, bool ascending) override;
  int64_t Settle() override { return 0; }
  void Checkpoint() override;
  uint64_t OpenReadRowClose(const std::string& path, uint32_t id) override;

 private:
  MDB_env* env_ = nullptr;
  MDB_dbi dbi_ = 0;
};

}  // namespace kvsql::bench

#endif  // KVSQL_BENCH_ENGINES_LMDB_ENGINE_H_
