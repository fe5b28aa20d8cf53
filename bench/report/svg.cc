// bench.svg: for each row two or three horizontal strokes from 1x to the ratio, on a logarithmic
// axis; what is right of 1x is a win. A thin upright stroke marks a bar.
#include <algorithm>
#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "bench/report/report.h"

namespace kvsql::bench {
namespace {

struct Stroke {
  EngineId against;
  const char* color;
};
constexpr Stroke kStrokes[] = {{EngineId::kSqlite, "#1f6fb2"},
                               {EngineId::kSqliteMmap, "#7db3dd"},
                               {EngineId::kLmdb, "#d9822b"}};

constexpr double kLabelWidth = 200;
constexpr double kChartWidth = 560;
constexpr double kRightMargin = 60;
constexpr double kTop = 70;
constexpr double kStrokeHeight = 9;
constexpr double kRowGap = 10;

// Decimal logarithms at the ends of the axis: whole powers of ten around all ratios and bars.
struct Axis {
  double low = -1;
  double high = 1;
  void Cover(double ratio) {
    if (!(ratio > 0) || !std::isfinite(ratio)) return;
    low = std::min(low, std::floor(std::log10(ratio)));
    high = std::max(high, std::ceil(std::log10(ratio)));
  }
  double X(double ratio) const {
    const double at = (std::log10(ratio) - low) / (high - low);
    return kLabelWidth + std::clamp(at, 0.0, 1.0) * kChartWidth;
  }
};

void Text(std::string& svg, double x, double y, const char* anchor, const std::string& text,
          int size = 12) {
  absl::StrAppendFormat(
      &svg, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" font-size=\"%d\">%s</text>\n", x, y,
      anchor, size, text);
}

void Line(std::string& svg, double x1, double y1, double x2, double y2, const char* style) {
  absl::StrAppendFormat(&svg, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", x1,
                        y1, x2, y2, style);
}

// The ratio at which a bar is met, or 0 if the bar is not about a ratio.
double BarRatio(const Bar& bar) {
  switch (bar.kind) {
    case BarKind::kRatioAtLeast:
      return bar.limit;
    case BarKind::kSizeAtMost:
      return 1 / bar.limit;
    case BarKind::kFigureAtMost:
      return 0;
  }
  return 0;
}

// Draws the row's strokes from `y` on and answers where the next row begins.
double DrawRow(std::string& svg, const Axis& axis, const RowResult& row, double y) {
  const double begin = y;
  std::string strokes;
  for (const Stroke& stroke : kStrokes) {
    const auto ratio = row.Ratio(stroke.against);
    if (!ratio || !(*ratio > 0)) continue;
    const double one = axis.X(1);
    const double end = axis.X(*ratio);
    absl::StrAppendFormat(
        &strokes, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n",
        std::min(one, end), y, std::max(1.0, std::abs(end - one)), kStrokeHeight - 1, stroke.color);
    Text(strokes, end + (*ratio < 1 ? -4 : 4), y + kStrokeHeight - 1, *ratio < 1 ? "end" : "start",
         RatioText(*ratio), 9);
    for (const BarResult& bar : Judge(row)) {
      if (bar.bar->against != stroke.against || bar.bar->statistic != Statistic::kFigure) continue;
      const double x = axis.X(BarRatio(*bar.bar));
      Line(strokes, x, y - 2, x, y + kStrokeHeight + 1, "stroke=\"#222\" stroke-width=\"2\"");
    }
    y += kStrokeHeight;
  }
  if (y == begin) return begin;  // nothing to compare in this row
  Text(svg, kLabelWidth - 8, (begin + y) / 2 + 4, "end", row.info().id, 11);
  svg += strokes;
  return y + kRowGap;
}

}  // namespace

std::string Svg(const Results& results) {
  Axis axis;
  for (const RowResult& row : results.rows) {
    for (const Stroke& stroke : kStrokes) {
      if (const auto ratio = row.Ratio(stroke.against)) axis.Cover(*ratio);
    }
  }
  std::string rows;
  double y = kTop;
  for (const RowResult& row : results.rows) y = DrawRow(rows, axis, row, y);

  const double width = kLabelWidth + kChartWidth + kRightMargin;
  std::string svg = absl::StrFormat(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" "
      "font-family=\"sans-serif\" "
      "fill=\"#222\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
      width, y + 10);
  Text(svg, 12, 22, "start", "How many times better kvsql is (logarithmic; right of 1x: a win)",
       14);
  double legend = 12;
  for (const Stroke& stroke : kStrokes) {
    absl::StrAppendFormat(&svg,
                          "<rect x=\"%.0f\" y=\"32\" width=\"10\" height=\"10\" fill=\"%s\"/>\n",
                          legend, stroke.color);
    Text(svg, legend + 14, 41, "start", absl::StrCat("against ", LabelOf(stroke.against)), 11);
    legend += 150;
  }
  Text(svg, legend, 41, "start", "| the bar", 11);
  for (double power = axis.low; power <= axis.high; power += 1) {
    const double ratio = std::pow(10, power);
    Line(svg, axis.X(ratio), kTop - 6, axis.X(ratio), y,
         power == 0 ? "stroke=\"#222\"" : "stroke=\"#ddd\"");
    Text(svg, axis.X(ratio), kTop - 10, "middle", absl::StrFormat("%gx", ratio), 10);
  }
  absl::StrAppend(&svg, rows, "</svg>\n");
  return svg;
}

}  // namespace kvsql::bench
