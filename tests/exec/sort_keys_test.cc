#include "exec/batch/sort_keys.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <string>
#include <vector>

#include "kv/value.h"

namespace kvsql::exec {
namespace {

using kv::ValueType;
using kv::ValueView;

enum class Kind { kIntegers, kReals, kTexts, kMixed, kIntegersThenMixed, kTextsThenMixed };

ValueView Make(Kind kind, std::mt19937_64& random, std::deque<std::string>* texts) {
  const auto text = [&] {
    const std::string common = random() % 3 == 0 ? "common prefix of many " : "c";
    return ValueView::Text(texts->emplace_back(random() % 10 == 0
                                                   ? std::string("a\0b", random() % 4)
                                                   : common + std::to_string(random() % 300)));
  };
  switch (kind) {
    case Kind::kIntegers:
      return ValueView::Integer(static_cast<int64_t>(random()) >> (random() % 64));
    case Kind::kReals:
      return ValueView::Real(static_cast<double>(static_cast<int64_t>(random() % 2000) - 1000) / 4);
    case Kind::kTexts:
      return text();
    default:
      switch (random() % 4) {
        case 0:
          return ValueView();
        case 1:
          return text();
        case 2:
          return ValueView::Real(static_cast<double>(random() % 100) / 2);
        default:
          return ValueView::Integer(static_cast<int64_t>(random() % 100) - 50);
      }
  }
}

// As SQLite orders two values of a key.
int Order(const planner::SortKey& key, const ValueView& a, const ValueView& b) {
  if (a.is_null() || b.is_null()) {
    if (a.is_null() && b.is_null()) return 0;
    return a.is_null() == key.nulls_first ? -1 : 1;
  }
  const int order = kv::CompareValues(a, b, key.collation);
  return key.descending ? -order : order;
}

void Fill(const std::vector<ValueView>& values, size_t first, uint32_t count, Vector* vector) {
  const auto all = [&](ValueType type) {
    return std::all_of(values.begin() + static_cast<ptrdiff_t>(first),
                       values.begin() + static_cast<ptrdiff_t>(first + count),
                       [&](const ValueView& v) { return v.type == type; });
  };
  if (all(ValueType::kInteger)) {
    int64_t* to = vector->MakeIntegers();
    for (uint32_t i = 0; i < count; ++i) to[i] = values[first + i].integer;
  } else if (all(ValueType::kReal)) {
    double* to = vector->MakeReals();
    for (uint32_t i = 0; i < count; ++i) to[i] = values[first + i].real;
  } else {
    ValueView* to = vector->MakeValues();
    for (uint32_t i = 0; i < count; ++i) to[i] = values[first + i];
  }
}

// Sorts `rows` rows, all or the first `wanted` with cuts on the way, and compares with std::stable_sort.
void Check(Kind kind, const std::vector<planner::SortKey>& plan, size_t rows, size_t wanted,
           bool stable, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::deque<std::string> texts;
  std::vector<std::vector<ValueView>> columns(plan.size());
  for (size_t row = 0; row < rows; ++row) {
    Kind now = kind;
    const bool late = row > rows / 2;
    if (kind == Kind::kIntegersThenMixed) now = late ? Kind::kMixed : Kind::kIntegers;
    if (kind == Kind::kTextsThenMixed) now = late ? Kind::kMixed : Kind::kTexts;
    for (auto& column : columns) column.push_back(Make(now, random, &texts));
  }
  std::vector<uint32_t> expected(rows);
  for (uint32_t i = 0; i < rows; ++i) expected[i] = i;
  std::stable_sort(expected.begin(), expected.end(), [&](uint32_t a, uint32_t b) {
    for (size_t i = 0; i < plan.size(); ++i) {
      const int order = Order(plan[i], columns[i][a], columns[i][b]);
      if (order != 0) return order < 0;
    }
    return false;
  });

  SortKeys keys(plan);
  std::vector<uint32_t> numbers;  // of kept rows, by their number in the keys
  std::vector<Vector> vectors(plan.size());
  std::vector<const Vector*> inputs(plan.size());
  uint16_t kept[kBatchRows];
  for (size_t first = 0; first < rows; first += kBatchRows / 4) {
    const auto count = static_cast<uint32_t>(std::min<size_t>(rows - first, kBatchRows / 4));
    for (size_t i = 0; i < plan.size(); ++i) {
      Fill(columns[i], first, count, &vectors[i]);
      vectors[i].stable = stable;
      inputs[i] = &vectors[i];
    }
    const uint32_t added =
        keys.Append(inputs.data(), {nullptr, count}, static_cast<uint32_t>(numbers.size()), kept);
    for (uint32_t i = 0; i < added; ++i) {
      numbers.push_back(static_cast<uint32_t>(first) + kept[i]);
    }
    if (keys.size() / 2 < wanted) continue;
    keys.Cut(wanted);
    std::vector<uint32_t> stay;
    for (size_t i = 0; i < keys.size(); ++i) {
      stay.push_back(numbers[keys.row(i)]);
      keys.SetRow(i, static_cast<uint32_t>(i));
    }
    ASSERT_TRUE(std::is_sorted(stay.begin(), stay.end()));
    numbers = stay;
  }
  keys.Sort(std::min(wanted, keys.size()));
  ASSERT_EQ(keys.size(), std::min(wanted, rows));
  for (size_t i = 0; i < keys.size(); ++i) {
    ASSERT_EQ(numbers[keys.row(i)], expected[i])
        << "place " << i << ", kind " << static_cast<int>(kind) << ", wanted " << wanted;
  }
}

TEST(SortKeysTest, SortsAsComparisonsDo) {
  uint64_t seed = 1;
  for (const Kind kind : {Kind::kIntegers, Kind::kReals, Kind::kTexts, Kind::kMixed,
                          Kind::kIntegersThenMixed, Kind::kTextsThenMixed}) {
    for (const bool descending : {false, true}) {
      for (const kv::Collation collation : {kv::Collation::kBinary, kv::Collation::kNocase}) {
        for (const size_t keys : {1, 2}) {
          std::vector<planner::SortKey> plan(keys);
          for (planner::SortKey& key : plan) {
            key.descending = descending;
            key.nulls_first = !descending;
            key.collation = collation;
          }
          for (const size_t rows : {size_t{1}, size_t{100}, size_t{3'000}}) {
            for (const size_t wanted : {size_t{1}, size_t{10}, size_t{700}, SIZE_MAX / 2}) {
              // Views that stay where they are, and such that are copied.
              Check(kind, plan, rows, wanted, seed % 2 == 0, seed);
              ++seed;
              if (HasFatalFailure()) return;
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace kvsql::exec
