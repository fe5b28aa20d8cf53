#include "tests/diff/features.h"

namespace kvsql::diff {

const std::vector<std::string>& AllFeatures() {
  static const std::vector<std::string> kFeatures = {};
  return kFeatures;
}

}  // namespace kvsql::diff
