// What SQL text costs: lifting its literals (each time), parsing it (when the statement cache
// misses).
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <string_view>

#include "parser/normaliser.h"
#include "parser/parser.h"

namespace kvsql::parser {
namespace {

constexpr std::string_view kTexts[] = {
    "SELECT id, name, score FROM t WHERE id = 12345",
    "INSERT INTO t(id, name, score) VALUES (1, 'name-1', 919)",
    "SELECT a.id, count(*) FROM t AS a JOIN u AS b ON a.id = b.id WHERE b.score > 10 "
    "GROUP BY a.id HAVING count(*) > 2 ORDER BY 2 DESC LIMIT 10",
};

void BM_Normalise(benchmark::State& state) {
  const std::string_view sql = kTexts[state.range(0)];
  Normaliser normaliser;
  for (auto _ : state) benchmark::DoNotOptimize(normaliser.Run(sql));
  state.SetLabel(std::string(sql.substr(0, 40)));
}
BENCHMARK(BM_Normalise)->DenseRange(0, 2);

void BM_Parse(benchmark::State& state) {
  const std::string_view sql = kTexts[state.range(0)];
  for (auto _ : state) {
    const StatusOr<ParsedStatement> parsed = Parse(sql);
    if (!parsed.ok()) std::abort();
  }
  state.SetLabel(std::string(sql.substr(0, 40)));
}
BENCHMARK(BM_Parse)->DenseRange(0, 2);

}  // namespace
}  // namespace kvsql::parser
