// bench.md.
#include <string>

#include "absl/strings/str_cat.h"
#include "bench/report/report.h"

namespace kvsql::bench {
namespace {

// Text of a table cell: a bar in it would end the cell.
std::string Escape(const std::string& text) {
  std::string escaped;
  for (char c : text) {
    if (c == '|') escaped += '\\';
    escaped += c == '\n' ? ' ' : c;
  }
  return escaped;
}

}  // namespace

std::string Markdown(const Results& results, const MarkdownHead& head) {
  std::string text =
      absl::StrCat("# ", head.title, "\n\n", head.intro, "\n\n![How many times better kvsql is](",
                   head.svg, ")\n\n## Conditions\n\n| | |\n|---|---|\n");
  for (const auto& [name, value] : results.conditions) {
    absl::StrAppend(&text, "| ", Escape(name), " | ", Escape(value), " |\n");
  }
  text +=
      "\n## Results\n\n"
      "A figure is the median of the rounds. A ratio says how many times better kvsql is, whatever "
      "the "
      "unit: the median of the ratios within each round. Where calls are timed one by one, their "
      "mean "
      "in microseconds stands in parentheses.\n\n"
      "| row | | unit | kvsql | SQLite | SQLite mmap | LMDB | to SQLite | to SQLite mmap | to LMDB "
      "| bars |\n"
      "|---|---|---|---:|---:|---:|---:|---:|---:|---:|---|\n";
  for (const RowResult& row : results.rows) {
    const RowCells cells = CellsOf(row);
    absl::StrAppend(&text, "| `", cells.id, "` | ", Escape(cells.title), " | ", cells.unit, " |");
    for (const std::string& cell : cells.engines) absl::StrAppend(&text, " ", cell, " |");
    for (const std::string& cell : cells.ratios) absl::StrAppend(&text, " ", cell, " |");
    std::string bars;
    for (const RowCells::Bar& bar : cells.bars) {
      if (!bars.empty()) bars += "; ";
      const bool missed = bar.verdict == Verdict::kMissed;
      absl::StrAppend(&bars, bar.text, ": ", bar.reached, bar.reached.empty() ? "" : ", ",
                      missed ? "**missed**" : VerdictText(bar.verdict));
    }
    absl::StrAppend(&text, " ", bars, " |\n");
  }
  for (const RowResult& row : results.rows) {
    if (row.refused().empty()) continue;
    absl::StrAppend(&text, "\n`", row.info().id, "` was refused: ", Escape(row.refused()), "\n");
  }
  return text;
}

}  // namespace kvsql::bench
