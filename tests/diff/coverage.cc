#include "tests/diff/coverage.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <utility>

#include "tests/diff/features.h"

namespace kvsql::diff {

void Coverage::Add(const Case& made, const std::vector<bool>& worked,
                   const Comparison& comparison) {
  for (size_t i = 0; i < made.statements.size(); ++i) {
    const Verdict verdict = comparison.verdicts[i];
    ++statements_;
    worked_ += worked[i] ? 1 : 0;
    compared_ += verdict == Verdict::kCompared ? 1 : 0;
    refused_ += verdict == Verdict::kFailed ? 1 : 0;
    not_supported_ += verdict == Verdict::kUnsupported ? 1 : 0;
    made.statements[i].EachFeature([&](const std::string& feature) {
      Count& count = counts_[feature];
      count.exercised += worked[i] ? 1 : 0;
      count.compared += verdict == Verdict::kCompared ? 1 : 0;
    });
  }
  for (const std::string& message : comparison.unsupported) {
    ++unsupported_[message.substr(0, message.find(" at line "))];
  }
}

void Coverage::Print() const {
  std::printf("%" PRIu64 " statements; %" PRIu64 " work on SQLite; %" PRIu64 " compared, %" PRIu64
              " refused by both, %" PRIu64 " not supported yet\n",
              statements_, worked_, compared_, refused_, not_supported_);
  std::printf("\n%-36s %10s %10s\n", "exercised", "on SQLite", "compared");
  for (const auto& [feature, count] : counts_) {
    std::printf("%-36s %10" PRIu64 " %10" PRIu64 "\n", feature.c_str(), count.exercised,
                count.compared);
  }
  if (unsupported_.empty()) return;
  std::vector<std::pair<uint64_t, std::string>> sorted;
  for (const auto& [message, count] : unsupported_) sorted.emplace_back(count, message);
  std::sort(sorted.rbegin(), sorted.rend());
  std::printf("\n%10s  statements by what is missing\n", "");
  for (const auto& [count, message] : sorted) {
    std::printf("%10" PRIu64 "  %s\n", count, message.c_str());
  }
}

std::vector<std::string> Coverage::Below(uint64_t minimum, bool compared) const {
  std::vector<std::string> below;
  for (const std::string& feature : AllFeatures()) {
    const auto found = counts_.find(feature);
    const Count count = found == counts_.end() ? Count() : found->second;
    if ((compared ? count.compared : count.exercised) < minimum) below.push_back(feature);
  }
  return below;
}

std::vector<std::string> Coverage::Unknown() const {
  const std::vector<std::string>& known = AllFeatures();
  std::vector<std::string> unknown;
  for (const auto& [feature, count] : counts_) {
    if (std::find(known.begin(), known.end(), feature) == known.end()) unknown.push_back(feature);
  }
  return unknown;
}

}  // namespace kvsql::diff
