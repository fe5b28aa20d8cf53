#include "tests/sql/report.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <string_view>
#include <utility>
#include <vector>

namespace kvsql::slt {
namespace {

constexpr size_t kShownSql = 2000;

void PrintIndented(std::string_view text) {
  if (text.size() > kShownSql) text = text.substr(0, kShownSql);
  while (!text.empty()) {
    const size_t end = text.find('\n');
    std::printf("    %.*s\n", static_cast<int>(std::min(end, text.size())), text.data());
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

}  // namespace

void Report::Count(const FileReport& file, Totals* totals) {
  ++totals->files;
  if (file.failed > 0) ++totals->files_failed;
  totals->passed += file.passed;
  totals->failed += file.failed;
  totals->skipped += file.skipped;
  totals->seconds += file.seconds;
}

void Report::Add(const FileReport& file, const std::string& name, const std::string& group,
                 const std::string& argument, bool quiet) {
  Count(file, &groups_[group]);
  Count(file, &arguments_[argument]);
  Count(file, &total_);
  for (const auto& [what, found] : file.reasons) {
    Why& why = whys_[what];
    why.records += found.records;
    ++why.files;
    if (why.example.empty()) why.example = name + ":" + std::to_string(found.first_line);
  }
  if (file.failed == 0 || quiet) return;
  ClearProgress();
  for (const Failure& failure : file.failures) {
    std::printf("%s:%zu: %s\n", name.c_str(), failure.line, failure.what.c_str());
    PrintIndented(failure.sql);
    PrintIndented(failure.detail);
  }
  if (file.failed > file.failures.size()) {
    std::printf("%s: %" PRIu64 " more failures\n", name.c_str(),
                file.failed - file.failures.size());
  }
  std::fflush(stdout);
}

void Report::Show(const Progress& progress) {
  if (!progress_) return;
  std::string running = progress.running;
  constexpr size_t kNameWidth = 40;
  if (running.size() > kNameWidth) running = running.substr(running.size() - kNameWidth);
  std::fprintf(stderr, "\r\033[K[%zu/%zu] %" PRIu64 " passed, %" PRIu64 " failed  %s",
               progress.files_done, files_, progress.passed, progress.failed, running.c_str());
  std::fflush(stderr);
  progress_shown_ = true;
}

void Report::ClearProgress() {
  if (!progress_shown_) return;
  std::fprintf(stderr, "\r\033[K");
  progress_shown_ = false;
}

void Report::PrintTotals() {
  ClearProgress();
  size_t width = 5;
  for (const auto& [name, totals] : groups_) width = std::max(width, name.size());
  const auto row = [&](const std::string& name, const Totals& totals) {
    std::printf("%-*s %6zu %7zu %9" PRIu64 " %9" PRIu64 " %9" PRIu64 " %8.1f\n",
                static_cast<int>(width), name.c_str(), totals.files, totals.files_failed,
                totals.passed, totals.failed, totals.skipped, totals.seconds);
  };
  std::printf("%-*s %6s %7s %9s %9s %9s %8s\n", static_cast<int>(width), "", "files", "failing",
              "passed", "failed", "skipped", "seconds");
  for (const auto& [name, totals] : groups_) row(name, totals);
  if (arguments_.size() > 1 && arguments_.size() < groups_.size()) {
    std::printf("\n");
    for (const auto& [name, totals] : arguments_) row(name, totals);
  }
  if (groups_.size() > 1) row("total", total_);
}

bool Report::WriteSummary(const std::string& path) const {
  std::vector<std::pair<std::string, Why>> sorted(whys_.begin(), whys_.end());
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return a.second.records != b.second.records ? a.second.records > b.second.records
                                                : a.first < b.first;
  });
  std::FILE* out = path == "-" ? stdout : std::fopen(path.c_str(), "w");
  if (out == nullptr) return false;
  std::fprintf(out, "records  files  why, and an example\n");
  for (const auto& [what, why] : sorted) {
    std::fprintf(out, "%7" PRIu64 " %6zu  %s  [%s]\n", why.records, why.files, what.c_str(),
                 why.example.c_str());
  }
  return out == stdout ? std::fflush(out) == 0 : std::fclose(out) == 0;
}

}  // namespace kvsql::slt
