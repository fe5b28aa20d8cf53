#include "planner/plan_options.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "kv/value.h"

namespace kvsql::planner {
namespace {

constexpr std::string_view kNames[kRuleCount] = {"fold",     "closure",     "flatten",
                                                 "pushdown", "decorrelate", "or_probes",
                                                 "prefix",   "min_max",     "share"};

}  // namespace

std::string_view RuleName(Rule rule) { return kNames[static_cast<uint32_t>(rule)]; }

Status PlanOptions::SetRules(std::string_view value) {
  if (kv::EqualsIgnoreCase(value, "on") || value == "1") {
    rules_off = 0;
    return absl::OkStatus();
  }
  if (kv::EqualsIgnoreCase(value, "off") || value == "0") {
    rules_off = (uint32_t{1} << kRuleCount) - 1;
    return absl::OkStatus();
  }
  uint32_t off = rules_off;
  while (!value.empty()) {
    const size_t end = std::min(value.find_first_of(" ,"), value.size());
    std::string_view word = value.substr(0, end);
    value.remove_prefix(std::min(end + 1, value.size()));
    if (word.empty()) continue;
    const bool on = word[0] != '-';
    if (word[0] == '-' || word[0] == '+') word.remove_prefix(1);
    uint32_t rule = 0;
    while (rule < kRuleCount && !kv::EqualsIgnoreCase(word, kNames[rule])) ++rule;
    if (rule == kRuleCount) {
      return absl::InvalidArgumentError(absl::StrCat("no such planner rule: ", std::string(word)));
    }
    off = on ? off & ~(uint32_t{1} << rule) : off | uint32_t{1} << rule;
  }
  rules_off = off;
  return absl::OkStatus();
}

Status PlanOptions::SetTier(std::string_view value) {
  if (!kv::EqualsIgnoreCase(value, "auto") && !kv::EqualsIgnoreCase(value, "batch")) {
    return absl::InvalidArgumentError(
        absl::StrCat("no such tier: ", std::string(value), " (auto, batch)"));
  }
  batch_only = kv::EqualsIgnoreCase(value, "batch");
  return absl::OkStatus();
}

}  // namespace kvsql::planner
