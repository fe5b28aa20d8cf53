// Random choices that are the same on every machine for the same seed.
#ifndef KVSQL_TESTS_DIFF_RANDOM_H_
#define KVSQL_TESTS_DIFF_RANDOM_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace kvsql::diff {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    state_ += 0x9e3779b97f4a7c15;  // splitmix64
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  // From 0 to n - 1; n > 0.
  size_t Below(size_t n) { return static_cast<size_t>(Next() % n); }
  // From low to high, both included.
  int64_t Between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(Below(static_cast<size_t>(high - low) + 1));
  }
  bool Percent(size_t chance) { return Below(100) < chance; }

  template <typename T>
  const T& Pick(const std::vector<T>& from) {
    return from[Below(from.size())];
  }
  template <typename T>
  T Pick(std::initializer_list<T> from) {
    return from.begin()[Below(from.size())];
  }
  // An index, as likely as its weight says.
  size_t Weighted(std::initializer_list<size_t> weights) {
    size_t sum = 0;
    for (const size_t weight : weights) sum += weight;
    size_t at = Below(sum);
    size_t index = 0;
    for (const size_t weight : weights) {
      if (at < weight) break;
      at -= weight;
      ++index;
    }
    return index;
  }

 private:
  uint64_t state_;
};

}  // namespace kvsql::diff

#endif  // KVSQL_TESTS_DIFF_RANDOM_H_
