// count, sum, total and avg.
#include <cstdlib>
#include <limits>

#include "exec/functions/aggregate_states.h"
#include "exec/functions/arguments.h"

namespace kvsql::exec {
namespace {

using kv::ValueType;
using kv::ValueView;

// ---- count

void InitCount(void* state) { *static_cast<int64_t*>(state) = 0; }

Status StepCount(FunctionContext&, void* state, const ValueView* args, int count) {
  if (count == 0 || !args[0].is_null()) ++*static_cast<int64_t*>(state);
  return absl::OkStatus();
}

StatusOr<ValueView> ResultOfCount(FunctionContext&, void* state) {
  return ValueView::Integer(*static_cast<int64_t*>(state));
}

void CountRows(void* state, int64_t n) { *static_cast<int64_t*>(state) += n; }
void CountIntegers(void* state, const int64_t*, const uint16_t*, int n) { CountRows(state, n); }
void CountReals(void* state, const double*, const uint16_t*, int n) { CountRows(state, n); }

void CountGroups(char* const* blocks, uint32_t offset, const uint16_t* sel, int n) {
  ForEachGroup<int64_t>(blocks, offset, sel, n, [](int64_t* count, int) { ++*count; });
}
void CountGroupIntegers(char* const* blocks, uint32_t offset, const int64_t*, const uint16_t* sel,
                        int n) {
  CountGroups(blocks, offset, sel, n);
}
void CountGroupReals(char* const* blocks, uint32_t offset, const double*, const uint16_t* sel,
                     int n) {
  CountGroups(blocks, offset, sel, n);
}

// ---- sum, total, avg

// Two sums run side by side, as in SQLite: an exact one of integers, until a real comes or it overflows;
// and one of reals, each added to the one before it, which is what counts then.
//
// Invariant: while `exact`, the sum of reals has been a whole number of at most 2^53 at every step, is
// therefore equal to `integers`, and `reals` is not kept.
struct SumState {
  int64_t count;
  int64_t integers;
  double reals;
  bool exact;
  bool approximate;  // a real came, or an overflow
  bool overflow;     // an overflow came before any real
};

constexpr int64_t kExactLimit = int64_t{1} << 53;

void InitSum(void* state) { *static_cast<SumState*>(state) = {0, 0, 0, true, false, false}; }

double RealSum(const SumState& sum) {
  return sum.exact ? static_cast<double>(sum.integers) : sum.reals;
}

void LeaveExact(SumState* sum) {
  sum->reals = RealSum(*sum);
  sum->exact = false;
}

void AddInteger(SumState* sum, int64_t value) {
  if (!sum->exact) sum->reals += static_cast<double>(value);
  if (sum->approximate) return;
  int64_t total = 0;
  const bool overflow = __builtin_add_overflow(sum->integers, value, &total);
  if (sum->exact && (overflow || total > kExactLimit || total < -kExactLimit ||
                     value > kExactLimit || value < -kExactLimit)) [[unlikely]] {
    LeaveExact(sum);
    sum->reals += static_cast<double>(value);
  }
  if (overflow) [[unlikely]] {
    sum->approximate = sum->overflow = true;
  } else {
    sum->integers = total;
  }
}

void AddReal(SumState* sum, double value) {
  if (sum->exact) LeaveExact(sum);
  sum->approximate = true;
  sum->reals += value;
}

Status StepSum(FunctionContext&, void* state, const ValueView* args, int) {
  auto* sum = static_cast<SumState*>(state);
  ValueView value = args[0];
  if (value.is_null()) return absl::OkStatus();
  ++sum->count;
  if (value.type == ValueType::kText) value = NumberIfNumeric(value);
  if (value.type == ValueType::kInteger) {
    AddInteger(sum, value.integer);
  } else {
    AddReal(sum, RealOf(value));
  }
  return absl::OkStatus();
}

template <bool kSelected>
void SumIntegers(SumState* sum, const int64_t* values, const uint16_t* sel, int n) {
  const auto at = [&](int i) { return values[kSelected ? sel[i] : i]; };
  if (sum->exact) {
    // If no step can leave the exact range, the order does not matter.
    constexpr int kBits = 41;
    constexpr int kMost = 2048;
    uint64_t total = 0;
    uint64_t magnitudes = 0;
    for (int i = 0; i < n; ++i) {
      const int64_t value = at(i);
      total += static_cast<uint64_t>(value);
      magnitudes |= static_cast<uint64_t>(value ^ (value >> 63));
    }
    if (n <= kMost && magnitudes >> kBits == 0 && std::abs(sum->integers) <= kExactLimit / 2) {
      sum->integers += static_cast<int64_t>(total);
      return;
    }
  }
  for (int i = 0; i < n; ++i) AddInteger(sum, at(i));
}

void StepSumIntegers(void* state, const int64_t* values, const uint16_t* sel, int n) {
  auto* sum = static_cast<SumState*>(state);
  sum->count += n;
  if (sel == nullptr) {
    SumIntegers<false>(sum, values, sel, n);
  } else {
    SumIntegers<true>(sum, values, sel, n);
  }
}

void StepSumReals(void* state, const double* values, const uint16_t* sel, int n) {
  auto* sum = static_cast<SumState*>(state);
  if (n == 0) return;
  if (sum->exact) LeaveExact(sum);
  sum->approximate = true;
  sum->count += n;
  double total = sum->reals;
  if (sel == nullptr) {
    for (int i = 0; i < n; ++i) total += values[i];
  } else {
    for (int i = 0; i < n; ++i) total += values[sel[i]];
  }
  sum->reals = total;
}

void SumGroupIntegers(char* const* blocks, uint32_t offset, const int64_t* values,
                      const uint16_t* sel, int n) {
  ForEachGroup<SumState>(blocks, offset, sel, n, [values](SumState* sum, int row) {
    ++sum->count;
    AddInteger(sum, values[row]);
  });
}

void SumGroupReals(char* const* blocks, uint32_t offset, const double* values, const uint16_t* sel,
                   int n) {
  ForEachGroup<SumState>(blocks, offset, sel, n, [values](SumState* sum, int row) {
    ++sum->count;
    AddReal(sum, values[row]);
  });
}

StatusOr<ValueView> ResultOfSum(FunctionContext&, void* state) {
  const auto* sum = static_cast<const SumState*>(state);
  if (sum->count == 0) return ValueView();
  if (sum->overflow) return absl::InvalidArgumentError("integer overflow");
  if (sum->approximate) return ValueView::Real(sum->reals);
  return ValueView::Integer(sum->integers);
}

StatusOr<ValueView> ResultOfTotal(FunctionContext&, void* state) {
  return ValueView::Real(RealSum(*static_cast<const SumState*>(state)));
}

StatusOr<ValueView> ResultOfAvg(FunctionContext&, void* state) {
  const auto* sum = static_cast<const SumState*>(state);
  if (sum->count == 0) return ValueView();
  return ValueView::Real(RealSum(*sum) / static_cast<double>(sum->count));
}

}  // namespace

const AggregateFunction kCountAggregate = {
    .state_size = sizeof(int64_t),
    .init = InitCount,
    .step = StepCount,
    .result = ResultOfCount,
    .destroy = nullptr,
    .step_integers = CountIntegers,
    .step_reals = CountReals,
    .step_count = CountRows,
    .step_group_integers = CountGroupIntegers,
    .step_group_reals = CountGroupReals,
    .step_group_count = CountGroups,
};

#define KVSQL_SUM(result_function)                                                               \
  {                                                                                              \
    .state_size = sizeof(SumState), .init = InitSum, .step = StepSum, .result = result_function, \
    .destroy = nullptr, .step_integers = StepSumIntegers, .step_reals = StepSumReals,            \
    .step_count = nullptr, .step_group_integers = SumGroupIntegers,                              \
    .step_group_reals = SumGroupReals, .step_group_count = nullptr,                              \
  }
const AggregateFunction kSumAggregate = KVSQL_SUM(ResultOfSum);
const AggregateFunction kTotalAggregate = KVSQL_SUM(ResultOfTotal);
const AggregateFunction kAvgAggregate = KVSQL_SUM(ResultOfAvg);
#undef KVSQL_SUM

}  // namespace kvsql::exec
