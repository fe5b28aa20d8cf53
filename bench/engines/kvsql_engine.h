// kvsql through its public headers, with the options it opens with by default.
//
// Thread safety: see engine.h.
#ifndef KVSQL_BENCH_ENGINES_KVSQL_ENGINE_H_
#define KVSQL_BENCH_ENGINES_KVSQL_ENGINE_H_

#include <kvsql/database.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/engines/engine.h"

namespace kvsql::bench {

class KvsqlEngine : public Engine {
 public:
  EngineId id() const override { return EngineId::kKvsql; }
  bool has_sql() const override { return true; }
  void Open(const std::string& path, Durability durability) override;
  void Close() override;
  std::unique_ptr<Session> NewSession() override;
  std::unique_ptr<SqlRunner> NewRunner() override;
  double LoadRows(std::span<const Probe> probes) override;
  double LoadKeys(std::span<const Probe> probes, bool ascending) override;
  int64_t Settle() override;
  void Checkpoint() override;
  uint64_t OpenReadRowClose(const std::string& path, uint32_t id) override;

 private:
  std::optional<Database> database_;
};

std::vector<std::pair<std::string, std::string>> KvsqlConditions();

}  // namespace kvsql::bench

#endif  // KVSQL_BENCH_ENGINES_KVSQL_ENGINE_H_
