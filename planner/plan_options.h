// Switches of the planner, for tests and for finding out what a rule is worth. They change how a statement is
// run, never what it answers.
//
// PRAGMA kvsql_rules                 one row per rule: its name, 1 if it is on
// PRAGMA kvsql_rules = on | off      all rules
// PRAGMA kvsql_rules = '-name +name' these rules off, those on
// PRAGMA kvsql_tier = auto | batch   batch: nothing by the direct tier
//
// Thread safety: a value.
#ifndef KVSQL_PLANNER_PLAN_OPTIONS_H_
#define KVSQL_PLANNER_PLAN_OPTIONS_H_

#include <cstdint>
#include <string_view>

#include "base/status.h"

namespace kvsql::planner {

// Each has a file planner/query/rule_*.cc.
enum class Rule : uint8_t {
  kFold,         // what constants decide is decided
  kClosure,      // a = b AND b = 5 gives a = 5
  kFlatten,      // simple queries in FROM become part of the query around them
  kPushdown,     // conditions go into queries in FROM
  kDecorrelate,  // EXISTS, IN and scalar subqueries become joins
  kOrProbes,     // OR of indexed conditions becomes several probes
  kPrefix,       // LIKE 'abc%' becomes a range
  kMinMax,       // MIN and MAX are the first entry of an index
  kShare,        // a common table that is used several times is computed once
};
inline constexpr uint32_t kRuleCount = 9;

std::string_view RuleName(Rule rule);

struct PlanOptions {
  uint32_t rules_off = 0;  // a bit per Rule
  bool batch_only = false;

  bool Has(Rule rule) const { return (rules_off >> static_cast<uint32_t>(rule) & 1) == 0; }
  bool IsDefault() const { return rules_off == 0 && !batch_only; }
  bool operator==(const PlanOptions&) const = default;

  // The value of PRAGMA kvsql_rules and kvsql_tier. INVALID_ARGUMENT: no such rule or tier.
  Status SetRules(std::string_view value);
  Status SetTier(std::string_view value);
};

}  // namespace kvsql::planner

#endif  // KVSQL_PLANNER_PLAN_OPTIONS_H_
