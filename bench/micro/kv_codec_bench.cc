// Rows and keys as bytes.
#include <benchmark/benchmark.h>

#include <array>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "kv/key_codec.h"
#include "kv/row_codec.h"
#include "kv/value.h"

namespace kvsql::kv {
namespace {

std::array<ValueView, 3> SomeRow() {
  return {ValueView::Text("name-12345"), ValueView::Integer(517), ValueView::Real(0.25)};
}

void BM_EncodeRow(benchmark::State& state) {
  const std::array<ValueView, 3> values = SomeRow();
  std::string row;
  for (auto _ : state) {
    row.clear();
    EncodeRow(values, &row);
    benchmark::DoNotOptimize(row.data());
  }
}
BENCHMARK(BM_EncodeRow);

void BM_ParseAndReadRow(benchmark::State& state) {
  std::string row;
  EncodeRow(SomeRow(), &row);
  for (auto _ : state) {
    RowView view;
    benchmark::DoNotOptimize(view.Parse(row));
    for (uint32_t column = 0; column < view.count(); ++column) {
      benchmark::DoNotOptimize(view.column(column));
    }
  }
}
BENCHMARK(BM_ParseAndReadRow);

// The last column of a wide row, alone: its offset must not cost a walk over values.
void BM_LastOfManyColumns(benchmark::State& state) {
  std::vector<ValueView> values(static_cast<size_t>(state.range(0)), ValueView::Integer(70'000));
  std::string row;
  EncodeRow(values, &row);
  RowView view;
  if (!view.Parse(row)) std::abort();
  for (auto _ : state) benchmark::DoNotOptimize(view.column(view.count() - 1));
}
BENCHMARK(BM_LastOfManyColumns)->Arg(8)->Arg(64);

void BM_AppendTuple(benchmark::State& state) {
  const std::array<ValueView, 3> values = SomeRow();
  const std::array<KeyPart, 3> parts{};
  std::string key;
  for (auto _ : state) {
    key.clear();
    benchmark::DoNotOptimize(AppendTuple(values, parts, &key));
  }
}
BENCHMARK(BM_AppendTuple);

void BM_DecodeTuple(benchmark::State& state) {
  const std::array<KeyPart, 3> parts{};
  std::string key;
  AppendTuple(SomeRow(), parts, &key);
  DecodedTuple tuple;
  std::string_view rest;
  for (auto _ : state) benchmark::DoNotOptimize(DecodeTuple(key, parts, {}, &tuple, &rest));
}
BENCHMARK(BM_DecodeTuple);

}  // namespace
}  // namespace kvsql::kv
