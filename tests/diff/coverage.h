// Counts what the cases exercise.
#ifndef KVSQL_TESTS_DIFF_COVERAGE_H_
#define KVSQL_TESTS_DIFF_COVERAGE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/diff/case.h"
#include "tests/diff/compare.h"

namespace kvsql::diff {

class Coverage {
 public:
  // `worked`: which statements SQLite did; `comparison`: what became of them on the engine under test.
  void Add(const Case& made, const std::vector<bool>& worked, const Comparison& comparison);

  void Print() const;
  uint64_t not_supported() const { return not_supported_; }
  // What was exercised less than `minimum` times, of all that should be (features.h). With `compared` it
  // counts only where the engines were compared.
  std::vector<std::string> Below(uint64_t minimum, bool compared) const;
  // What cases exercise though features.h does not have it.
  std::vector<std::string> Unknown() const;

 private:
  struct Count {
    uint64_t exercised = 0;
    uint64_t compared = 0;
  };
  std::map<std::string, Count> counts_;
  std::map<std::string, uint64_t> unsupported_;  // by what the engine said, without the place
  uint64_t statements_ = 0;
  uint64_t worked_ = 0;
  uint64_t compared_ = 0;
  uint64_t refused_ = 0;
  uint64_t not_supported_ = 0;
};

}  // namespace kvsql::diff

#endif  // KVSQL_TESTS_DIFF_COVERAGE_H_
