// group_concat.
#include <algorithm>
#include <cstring>
#include <new>
#include <string_view>

#include "exec/functions/aggregate_states.h"
#include "exec/functions/arguments.h"

namespace kvsql::exec {
namespace {

using kv::ValueView;

struct ConcatState {
  char* bytes;  // null before the first value
  uint32_t size;
  uint32_t capacity;
  bool any;
};

void InitConcat(void* state) { new (state) ConcatState{nullptr, 0, 0, false}; }
void DestroyConcat(void* state) { delete[] static_cast<ConcatState*>(state)->bytes; }

Status Append(ConcatState* concat, std::string_view text) {
  if (text.empty()) return absl::OkStatus();
  const size_t needed = concat->size + text.size();
  if (static_cast<int64_t>(needed) > kMaxLength) return TooBigError();
  if (needed > concat->capacity) {
    const auto capacity =
        static_cast<uint32_t>(std::max<size_t>({needed, size_t{2} * concat->capacity, 32}));
    char* const bytes = new char[capacity];
    if (concat->size > 0) std::memcpy(bytes, concat->bytes, concat->size);
    delete[] concat->bytes;
    concat->bytes = bytes;
    concat->capacity = capacity;
  }
  std::memcpy(concat->bytes + concat->size, text.data(), text.size());
  concat->size = static_cast<uint32_t>(needed);
  return absl::OkStatus();
}

std::string_view TextWith(const ValueView& value, kv::NumberText* text) {
  return kv::ApplyAffinity(value, kv::Affinity::kText, text).bytes();
}

// A value's separator comes before it, and not before the first.
Status StepConcat(FunctionContext&, void* state, const ValueView* args, int count) {
  if (args[0].is_null()) return absl::OkStatus();
  auto* concat = static_cast<ConcatState*>(state);
  kv::NumberText text;
  if (concat->any) {
    std::string_view separator = ",";
    if (count == 2) {
      separator = args[1].is_null() ? std::string_view() : TextWith(args[1], &text);
    }
    KV_RETURN_IF_ERROR(Append(concat, separator));
  }
  concat->any = true;
  return Append(concat, TextWith(args[0], &text));
}

StatusOr<ValueView> ResultOfConcat(FunctionContext&, void* state) {
  const auto* concat = static_cast<const ConcatState*>(state);
  if (!concat->any) return ValueView();
  if (concat->size == 0) return ValueView::Text("");
  return ValueView::Text({concat->bytes, concat->size});
}

}  // namespace

const AggregateFunction kGroupConcatAggregate = {
    .state_size = sizeof(ConcatState),
    .init = InitConcat,
    .step = StepConcat,
    .result = ResultOfConcat,
    .destroy = DestroyConcat,
    .step_integers = nullptr,
    .step_reals = nullptr,
    .step_count = nullptr,
    .step_group_integers = nullptr,
    .step_group_reals = nullptr,
    .step_group_count = nullptr,
};

}  // namespace kvsql::exec
