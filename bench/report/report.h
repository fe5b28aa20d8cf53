// The forms in which the results are told. All show every row that was measured, won or lost.
#ifndef KVSQL_BENCH_REPORT_REPORT_H_
#define KVSQL_BENCH_REPORT_REPORT_H_

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "bench/report/results.h"

namespace kvsql::bench {

// "name: value" lines.
std::string ConditionsText(const Results& results);

// The table for a terminal, with the bars and whether they are met, and a summary line.
std::string TableText(const Results& results);

// bench.md: conditions and table.
struct MarkdownHead {
  std::string title;
  std::string intro;  // paragraphs
  std::string svg;    // the file's name
};
std::string Markdown(const Results& results, const MarkdownHead& head);

// bench.json: {"conditions": {name: value, ...}, "rows": [{"id", "unit", "better": "lower" or
// "higher", one number per engine, "ratio_sqlite", "ratio_sqlite_mmap", "ratio_lmdb": how many
// times better kvsql is; for commits "p99" and "mean" (objects with a number per engine) and
// "ratio_mean_..."; "bars": [{"bar": text, "kind", "against", "statistic", "limit", "reached",
// "met"}]}, ...]}. A row that kvsql refused has "refused": why. An engine to which a row does not apply is left out of it.
std::string Json(const Results& results);
// The same as an object, and the text of one, for a suite that has more to tell.
nlohmann::ordered_json JsonObject(const Results& results);
std::string JsonText(const nlohmann::ordered_json& object);

// bench.svg: how many times better kvsql is in each row, on a logarithmic axis, with the bars
// marked.
std::string Svg(const Results& results);

// The cells of one row, as text, shared by the forms above.
struct RowCells {
  std::string id;
  std::string title;
  std::string unit;
  std::vector<std::string> engines;  // by IndexOf; "" where the row does not apply
  std::vector<std::string> ratios;   // kvsql against SQLite, SQLite mmap, LMDB
  struct Bar {
    std::string text;
    std::string reached;
    Verdict verdict;
  };
  std::vector<Bar> bars;
};
RowCells CellsOf(const RowResult& row);

const char* VerdictText(Verdict verdict);

}  // namespace kvsql::bench

#endif  // KVSQL_BENCH_REPORT_REPORT_H_
