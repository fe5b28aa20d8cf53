// What a reader pays for a snapshot, alone and beside others.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <memory>

#include "pager/pager.h"

namespace kvsql::pager {
namespace {

std::shared_ptr<Pager> OpenInMemory() {
  PagerOptions options;
  options.background = false;
  StatusOr<std::shared_ptr<Pager>> pager = Pager::Open(options);
  if (!pager.ok()) std::abort();
  return *std::move(pager);
}

void BM_BeginAndEnd(benchmark::State& state) {
  static const std::shared_ptr<Pager> pager = OpenInMemory();
  Snapshot snapshot(pager);
  for (auto _ : state) {
    benchmark::DoNotOptimize(snapshot.Begin());
    snapshot.End();
  }
}
BENCHMARK(BM_BeginAndEnd)->Threads(1)->Threads(2);

void BM_EmptyWriteTransaction(benchmark::State& state) {
  const std::shared_ptr<Pager> pager = OpenInMemory();
  for (auto _ : state) benchmark::DoNotOptimize(pager->BeginWrite().ok());
}
BENCHMARK(BM_EmptyWriteTransaction);

}  // namespace
}  // namespace kvsql::pager
