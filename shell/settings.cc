#include "shell/settings.h"

#include <array>
#include <utility>

namespace kvsql::shell {
namespace {

constexpr std::array<std::pair<std::string_view, Mode>, 10> kModes = {{
    {"list", Mode::kList},
    {"csv", Mode::kCsv},
    {"json", Mode::kJson},
    {"line", Mode::kLine},
    {"column", Mode::kColumn},
    {"table", Mode::kTable},
    {"box", Mode::kBox},
    {"markdown", Mode::kMarkdown},
    {"quote", Mode::kQuote},
    {"insert", Mode::kInsert},
}};

}  // namespace

std::string_view ModeName(Mode mode) {
  for (const auto& [name, value] : kModes) {
    if (value == mode) return name;
  }
  return "list";
}

bool IsTabular(Mode mode) {
  return mode == Mode::kColumn || mode == Mode::kTable || mode == Mode::kBox ||
         mode == Mode::kMarkdown;
}

bool ChooseMode(std::string_view name, Settings* settings) {
  if (name.empty()) return false;
  if (name == "tabs" || name == "ascii") {
    settings->mode = Mode::kList;
    settings->column_separator = name == "tabs" ? "\t" : "\x1f";
    if (name == "ascii") settings->row_separator = "\x1e";
    return true;
  }
  if (name == "lines" || name == "columns") name.remove_suffix(1);
  for (const auto& [known, mode] : kModes) {
    if (!known.starts_with(name)) continue;
    settings->mode = mode;
    switch (mode) {
      case Mode::kList:
        settings->column_separator = "|";
        settings->row_separator = "\n";
        break;
      case Mode::kCsv:
        settings->column_separator = ",";
        settings->row_separator = "\r\n";
        break;
      case Mode::kQuote:
        settings->column_separator = ",";
        settings->row_separator = "\n";
        break;
      case Mode::kLine:
        settings->row_separator = "\n";
        break;
      case Mode::kColumn:
        if (!settings->headers_chosen) settings->headers = true;
        settings->row_separator = "\n";
        break;
      default:
        break;
    }
    if (IsTabular(mode)) {
      settings->wrap = 60;
      settings->word_wrap = false;
    }
    return true;
  }
  return false;
}

bool ChooseModeByOption(std::string_view name, Settings* settings) {
  for (const auto& [known, mode] : kModes) {
    if (known != name || mode == Mode::kInsert) continue;
    settings->mode = mode;
    if (mode == Mode::kCsv || mode == Mode::kQuote) settings->column_separator = ",";
    return true;
  }
  if (name == "tabs" || name == "ascii") return ChooseMode(name, settings);
  return false;
}

}  // namespace kvsql::shell
