// agent-memory-figures.svg: for each of the main rows one horizontal bar per engine, each row on a linear
// axis of its own; shorter is better everywhere.
#include <algorithm>
#include <array>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "bench/agent_memory/details.h"

namespace kvsql::bench::agent_memory {
namespace {

constexpr const char* kRows[] = {"recall_key",      "recall_sql",        "latest10_key",
                                 "latest10_sql",    "update_full",       "update_normal",
                                 "bulk_load",       "file_bulk",         "file_normal",
                                 "file_compressed", "recall_compressed", "peak_rss"};
constexpr std::array<const char*, kEngineCount> kColors = {"#2a8c5a", "#1f6fb2", "#7db3dd",
                                                           "#d9822b"};
constexpr double kLabelWidth = 330;
constexpr double kChartWidth = 420;
constexpr double kBarHeight = 12;
constexpr double kGap = 14;
constexpr double kTop = 60;

void Text(std::string& svg, double x, double y, const char* anchor, const std::string& text,
          int size) {
  absl::StrAppendFormat(
      &svg, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" font-size=\"%d\">%s</text>\n", x, y,
      anchor, size, text);
}

// Draws the row's bars from `y` on and answers where the next row begins.
double DrawRow(std::string& svg, const RowResult& row, double y) {
  double longest = 0;
  size_t bars = 0;
  for (const EngineId engine : kAllEngines) {
    if (const auto figure = row.Figure(engine)) {
      longest = std::max(longest, *figure);
      ++bars;
    }
  }
  if (bars == 0) return y;
  Text(svg, kLabelWidth - 8, y + static_cast<double>(bars) * kBarHeight / 2 + 4, "end",
       row.info().title, 11);
  for (const EngineId engine : kAllEngines) {
    const auto figure = row.Figure(engine);
    if (!figure) continue;
    const double width = longest > 0 ? *figure / longest * kChartWidth : 0;
    absl::StrAppendFormat(
        &svg, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n",
        kLabelWidth, y, std::max(1.0, width), kBarHeight - 2, kColors[IndexOf(engine)]);
    Text(svg, kLabelWidth + width + 4, y + kBarHeight - 3, "start",
         absl::StrCat(FigureText(*figure), " ", row.info().unit), 9);
    y += kBarHeight;
  }
  return y + kGap;
}

}  // namespace

std::string FiguresSvg(const Results& results) {
  std::string rows;
  double y = kTop;
  for (const char* id : kRows) {
    for (const RowResult& row : results.rows) {
      if (std::string_view(row.info().id) == id) y = DrawRow(rows, row, y);
    }
  }
  std::string svg = absl::StrFormat(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" "
      "font-family=\"sans-serif\" fill=\"#222\">\n"
      "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
      kLabelWidth + kChartWidth + 80, y);
  Text(svg, 12, 22, "start", "An agent's memory: shorter is better in every row", 14);
  double legend = 12;
  for (const EngineId engine : kAllEngines) {
    absl::StrAppendFormat(&svg,
                          "<rect x=\"%.0f\" y=\"32\" width=\"10\" height=\"10\" fill=\"%s\"/>\n",
                          legend, kColors[IndexOf(engine)]);
    Text(svg, legend + 14, 41, "start", LabelOf(engine), 11);
    legend += 110;
  }
  return absl::StrCat(svg, rows, "</svg>\n");
}

}  // namespace kvsql::bench::agent_memory
