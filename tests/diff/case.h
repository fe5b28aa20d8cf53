// A case: a script of statements, made from a seed.
#ifndef KVSQL_TESTS_DIFF_CASE_H_
#define KVSQL_TESTS_DIFF_CASE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tests/diff/node.h"

namespace kvsql::diff {

struct Case {
  std::vector<Node> statements;

  // Plain SQL, a statement on each line.
  std::string Text() const;
};

Case MakeCase(uint64_t seed);

}  // namespace kvsql::diff

#endif  // KVSQL_TESTS_DIFF_CASE_H_
