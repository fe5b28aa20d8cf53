// The checksum of pages and log records.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

#include "base/hash.h"

namespace kvsql {
namespace {

void BM_Hash64(benchmark::State& state) {
  const std::vector<uint8_t> bytes(static_cast<size_t>(state.range(0)), 0x5a);
  uint64_t seed = 1;
  for (auto _ : state) benchmark::DoNotOptimize(seed = Hash64(bytes.data(), bytes.size(), seed));
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_Hash64)->Arg(24)->Arg(256)->Arg(4096)->Arg(65536);

}  // namespace
}  // namespace kvsql
