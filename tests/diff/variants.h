// The ways in which each case is run on kvsql: the one place that knows kvsql's switches.
#ifndef KVSQL_TESTS_DIFF_VARIANTS_H_
#define KVSQL_TESTS_DIFF_VARIANTS_H_

#include <string>
#include <vector>

namespace kvsql::diff {

struct Variant {
  std::string name;
  // Sent to each new database before the case. If kvsql does not support one, the variant is left out.
  std::vector<std::string> pragmas;
};

inline std::vector<Variant> Variants() {
  return {
      {"plain", {}},
      // Every planner rule off.
      {"rules off", {"PRAGMA kvsql_rules = off"}},
      // Nothing by the direct tier.
      {"batch tier", {"PRAGMA kvsql_tier = batch"}},
  };
}

}  // namespace kvsql::diff

#endif  // KVSQL_TESTS_DIFF_VARIANTS_H_
