// min and max as aggregates.
#include <cstring>
#include <new>

#include "exec/functions/aggregate_states.h"
#include "exec/functions/arguments.h"

namespace kvsql::exec {
namespace {

using kv::ValueType;
using kv::ValueView;

// The best value so far; NULL before the first. A text or blob stands in `bytes`.
struct BestState {
  ValueView value;
  char* bytes;
  uint32_t capacity;
};

void InitBest(void* state) { new (state) BestState{ValueView(), nullptr, 0}; }
void DestroyBest(void* state) { delete[] static_cast<BestState*>(state)->bytes; }

void Take(BestState* best, const ValueView& value) {
  best->value = value;
  if (value.type != ValueType::kText && value.type != ValueType::kBlob) return;
  if (value.size > best->capacity || best->bytes == nullptr) {
    const uint32_t capacity = value.size < 16 ? 16 : value.size;
    char* const bytes = new char[capacity];
    delete[] best->bytes;
    best->bytes = bytes;
    best->capacity = capacity;
  }
  if (value.size > 0) std::memcpy(best->bytes, value.data, value.size);
  best->value.data = best->bytes;
}

// Of equal values the first stays.
template <bool kMax>
bool IsBetter(int order) {
  return kMax ? order > 0 : order < 0;
}

template <bool kMax>
Status StepBest(FunctionContext& context, void* state, const ValueView* args, int) {
  auto* best = static_cast<BestState*>(state);
  const ValueView& value = args[0];
  if (value.is_null()) {
    // Until there is a best value, any row gives the other columns.
    context.took_row = best->value.is_null();
    return absl::OkStatus();
  }
  context.took_row = best->value.is_null() ||
                     IsBetter<kMax>(kv::CompareValues(value, best->value, context.collation));
  if (context.took_row) Take(best, value);
  return absl::OkStatus();
}

template <bool kMax, typename T>
void StepNumbers(void* state, const T* values, const uint16_t* sel, int n) {
  if (n == 0) return;
  T found = values[sel == nullptr ? 0 : sel[0]];
  if (sel == nullptr) {
    for (int i = 1; i < n; ++i) {
      if (kMax ? values[i] > found : values[i] < found) found = values[i];
    }
  } else {
    for (int i = 1; i < n; ++i) {
      const T value = values[sel[i]];
      if (kMax ? value > found : value < found) found = value;
    }
  }
  auto* best = static_cast<BestState*>(state);
  ValueView value;
  if constexpr (std::is_same_v<T, double>) {
    value = ValueView::Real(found);
  } else {
    value = ValueView::Integer(found);
  }
  if (best->value.is_null() || IsBetter<kMax>(kv::CompareValues(value, best->value))) {
    best->value = value;
  }
}

template <bool kMax, typename T>
void StepGroupNumbers(char* const* blocks, uint32_t offset, const T* values, const uint16_t* sel,
                      int n) {
  ForEachGroup<BestState>(blocks, offset, sel, n, [values](BestState* best, int row) {
    const T value = values[row];
    if constexpr (std::is_same_v<T, double>) {
      if (best->value.type != ValueType::kReal) {
        const ValueView view = ValueView::Real(value);
        if (best->value.is_null() || IsBetter<kMax>(kv::CompareValues(view, best->value))) {
          best->value = view;
        }
      } else if (kMax ? value > best->value.real : value < best->value.real) {
        best->value.real = value;
      }
    } else {
      if (best->value.type != ValueType::kInteger) {
        const ValueView view = ValueView::Integer(value);
        if (best->value.is_null() || IsBetter<kMax>(kv::CompareValues(view, best->value))) {
          best->value = view;
        }
      } else if (kMax ? value > best->value.integer : value < best->value.integer) {
        best->value.integer = value;
      }
    }
  });
}

StatusOr<ValueView> ResultOfBest(FunctionContext&, void* state) {
  return static_cast<const BestState*>(state)->value;
}

template <bool kMax>
constexpr AggregateFunction kBest = {
    .state_size = sizeof(BestState),
    .init = InitBest,
    .step = StepBest<kMax>,
    .result = ResultOfBest,
    .destroy = DestroyBest,
    .step_integers = StepNumbers<kMax, int64_t>,
    .step_reals = StepNumbers<kMax, double>,
    .step_count = nullptr,
    .step_group_integers = StepGroupNumbers<kMax, int64_t>,
    .step_group_reals = StepGroupNumbers<kMax, double>,
    .step_group_count = nullptr,
};

}  // namespace

const AggregateFunction kMinAggregate = kBest<false>;
const AggregateFunction kMaxAggregate = kBest<true>;

}  // namespace kvsql::exec
