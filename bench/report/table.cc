// The table for a terminal, and the cells it shares with the other forms.
#include <algorithm>
#include <cstdio>
#include <string>

#include "absl/strings/str_cat.h"
#include "bench/report/report.h"

namespace kvsql::bench {
namespace {

constexpr EngineId kOthers[] = {EngineId::kSqlite, EngineId::kSqliteMmap, EngineId::kLmdb};

void Pad(std::string& line, const std::string& cell, size_t width, bool right) {
  const std::string blanks(width > cell.size() ? width - cell.size() : 0, ' ');
  line += right ? blanks + cell : cell + blanks;
  line += "  ";
}

}  // namespace

const char* VerdictText(Verdict verdict) {
  switch (verdict) {
    case Verdict::kMet:
      return "met";
    case Verdict::kMissed:
      return "MISSED";
    case Verdict::kNotMeasured:
      return "not measured";
  }
  return "";
}

RowCells CellsOf(const RowResult& row) {
  RowCells cells{row.info().id, row.info().title, row.info().unit, {}, {}, {}};
  for (EngineId engine : kAllEngines) {
    std::string cell;
    if (const auto figure = row.Figure(engine)) cell = FigureText(*figure);
    if (const auto mean = row.MeanOf(engine)) absl::StrAppend(&cell, " (", FigureText(*mean), ")");
    if (engine == EngineId::kKvsql && cell.empty() && !row.refused().empty()) cell = "refused";
    cells.engines.push_back(std::move(cell));
  }
  for (EngineId engine : kOthers) {
    const auto ratio = row.Ratio(engine);
    cells.ratios.push_back(ratio ? RatioText(*ratio) : "");
  }
  for (const BarResult& bar : Judge(row)) {
    cells.bars.push_back(
        {BarText(*bar.bar), bar.reached ? RatioText(*bar.reached) : "", bar.verdict});
  }
  return cells;
}

std::string ConditionsText(const Results& results) {
  size_t width = 0;
  for (const auto& [name, value] : results.conditions) width = std::max(width, name.size());
  std::string text;
  for (const auto& [name, value] : results.conditions) {
    std::string line;
    Pad(line, name, width, false);
    absl::StrAppend(&text, line, value, "\n");
  }
  return text;
}

std::string TableText(const Results& results) {
  // Columns: id, unit, engines, ratios; a row's bars follow it, each on a line of its own but the
  // first.
  std::vector<std::vector<std::string>> lines;
  lines.push_back({"row", "unit"});
  for (EngineId engine : kAllEngines) lines[0].push_back(LabelOf(engine));
  for (EngineId engine : kOthers) lines[0].push_back(absl::StrCat("x ", LabelOf(engine)));
  lines[0].push_back("bar");
  lines[0].push_back("reached");
  const size_t columns = lines[0].size();
  size_t met = 0;
  size_t missed = 0;
  for (const RowResult& row : results.rows) {
    const RowCells cells = CellsOf(row);
    std::vector<std::string> line = {cells.id, cells.unit};
    line.insert(line.end(), cells.engines.begin(), cells.engines.end());
    line.insert(line.end(), cells.ratios.begin(), cells.ratios.end());
    for (const RowCells::Bar& bar : cells.bars) {
      line.resize(columns - 2);
      line.push_back(bar.text);
      line.push_back(
          absl::StrCat(bar.reached, bar.reached.empty() ? "" : " ", VerdictText(bar.verdict)));
      lines.push_back(std::move(line));
      line.clear();
      met += bar.verdict == Verdict::kMet;
      missed += bar.verdict == Verdict::kMissed;
    }
    if (cells.bars.empty()) {
      line.resize(columns);
      lines.push_back(std::move(line));
    }
  }
  std::vector<size_t> widths(columns);
  for (const auto& line : lines) {
    for (size_t i = 0; i < columns; ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  std::string text;
  for (const auto& line : lines) {
    std::string out;
    for (size_t i = 0; i < columns; ++i) Pad(out, line[i], widths[i], i >= 2 && i < columns - 2);
    out.erase(out.find_last_not_of(' ') + 1);
    absl::StrAppend(&text, out, "\n");
  }
  absl::StrAppend(
      &text,
      "\n'x SQLite' and so on: how many times better kvsql is, the median of the rounds' paired "
      "ratios.\nIn parentheses: the mean in microseconds per call. Bars: ",
      met, " met, ", missed, " missed.\n");
  for (const RowResult& row : results.rows) {
    if (!row.refused().empty()) {
      absl::StrAppend(&text, row.info().id, " was refused: ", row.refused(), "\n");
    }
  }
  return text;
}

}  // namespace kvsql::bench
