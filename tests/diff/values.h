// Literals: the values that columns are filled with and compared with.
#ifndef KVSQL_TESTS_DIFF_VALUES_H_
#define KVSQL_TESTS_DIFF_VALUES_H_

#include <string>

#include "tests/diff/model.h"
#include "tests/diff/random.h"

namespace kvsql::diff {

// An SQL literal for a column filled like that; NULL at times.
std::string LiteralFor(Profile profile, Random* random);
// Without NULL.
std::string SmallNumber(Random* random);
std::string WildNumber(Random* random);
std::string TextLiteral(Random* random);
std::string BlobLiteral(Random* random);
// For LIKE and GLOB.
std::string LikePattern(Random* random);
std::string GlobPattern(Random* random);

}  // namespace kvsql::diff

#endif  // KVSQL_TESTS_DIFF_VALUES_H_
