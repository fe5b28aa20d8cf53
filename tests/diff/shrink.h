// Makes a failing case as small as it can be.
#ifndef KVSQL_TESTS_DIFF_SHRINK_H_
#define KVSQL_TESTS_DIFF_SHRINK_H_

#include <cstddef>
#include <functional>

#include "tests/diff/case.h"

namespace kvsql::diff {

// Takes away statements, optional clauses, list items and parts of expressions while `fails` answers true;
// calls it `budget` times at most. The case itself must fail.
Case Shrink(Case failing, const std::function<bool(const Case&)>& fails, size_t budget);

}  // namespace kvsql::diff

#endif  // KVSQL_TESTS_DIFF_SHRINK_H_
