#include "tests/crash/history.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "base/hash.h"

namespace kvsql::testing {

uint64_t FingerprintOf(std::string_view value) { return Hash64(value.data(), value.size(), 7); }

namespace {

uint64_t CounterFingerprint(uint64_t counter) {
  char bytes[8];
  memcpy(bytes, &counter, sizeof bytes);
  return FingerprintOf(std::string_view(bytes, sizeof bytes));
}

std::string Difference(const Contents& expected, const Contents& found) {
  std::string text;
  int shown = 0;
  const auto add = [&](const char* what, uint32_t key) {
    if (++shown <= 6) absl::StrAppend(&text, shown == 1 ? " " : ", ", what, " key ", key);
  };
  for (const auto& [key, value] : expected) {
    const auto it = found.find(key);
    if (it == found.end()) {
      add("lacks", key);
    } else if (it->second != value) {
      add("wrong value of", key);
    }
  }
  for (const auto& [key, value] : found) {
    if (!expected.contains(key)) add("should not have", key);
  }
  if (shown > 6) absl::StrAppend(&text, " and ", shown - 6, " more");
  return text;
}

}  // namespace

History::History() : states_{std::make_shared<const Contents>()} {}

History::History(const History& parent, uint64_t found, uint64_t durable) {
  std::lock_guard lock(parent.mutex_);
  states_.assign(parent.states_.begin(), parent.states_.begin() + found + 1);
  bounds_ = {std::min(durable, found), found, found};
}

Bounds History::bounds() const {
  std::lock_guard lock(mutex_);
  return bounds_;
}

uint64_t History::newest() const {
  std::lock_guard lock(mutex_);
  return states_.size() - 1;
}

std::shared_ptr<const Contents> History::state(uint64_t index) const {
  std::lock_guard lock(mutex_);
  return states_.at(index);
}

void History::Calling(uint64_t index, Contents contents) {
  contents[kCounterKey] = CounterFingerprint(index);
  auto state = std::make_shared<const Contents>(std::move(contents));
  std::lock_guard lock(mutex_);
  KV_CHECK(index <= states_.size() && index > bounds_.acknowledged);
  states_.resize(index);
  states_.push_back(std::move(state));
  bounds_.called = index;
}

void History::Acknowledged(uint64_t index, Durability level) {
  std::lock_guard lock(mutex_);
  bounds_.acknowledged = std::max(bounds_.acknowledged, index);
  if (level == Durability::kFull) bounds_.durable = std::max(bounds_.durable, index);
}

void History::Synced(uint64_t index) {
  std::lock_guard lock(mutex_);
  bounds_.durable = std::max(bounds_.durable, index);
}

StatusOr<uint64_t> History::Identify(const Contents& found, uint64_t lowest,
                                     uint64_t highest) const {
  std::lock_guard lock(mutex_);
  highest = std::min<uint64_t>(highest, states_.size() - 1);
  // The counter says which it claims to be.
  const auto counter = found.find(kCounterKey);
  uint64_t index = 0;
  if (counter != found.end()) {
    for (index = states_.size() - 1; index > 0; --index) {
      if (CounterFingerprint(index) == counter->second) break;
    }
    if (index == 0) return DataLoss("the counter is none that was ever committed");
  }
  if (*states_[index] != found) {
    return DataLoss("state ", index, " is damaged:", Difference(*states_[index], found));
  }
  if (index < lowest || index > highest) {
    return DataLoss("state ", index, " was found, allowed are ", lowest, " to ", highest);
  }
  return index;
}

}  // namespace kvsql::testing
