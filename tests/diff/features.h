// All that the cases must exercise.
#ifndef KVSQL_TESTS_DIFF_FEATURES_H_
#define KVSQL_TESTS_DIFF_FEATURES_H_

#include <string>
#include <vector>

namespace kvsql::diff {

const std::vector<std::string>& AllFeatures();

}  // namespace kvsql::diff

#endif  // KVSQL_TESTS_DIFF_FEATURES_H_
