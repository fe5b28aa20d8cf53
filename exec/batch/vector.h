// Columns of a batch: up to kBatchRows values, tagged with what they all are.
//
// Thread safety: none; vectors belong to one execution.
//
// Invariants:
//   1. kInteger and kReal vectors have no NULL; anything else is kValues, one ValueView a row.
//   2. A constant vector has one value, at place 0, which stands for every row.
//   3. Texts and blobs are views; a vector is stable if their bytes live until the execution ends, else they live
//      until the operator that made the vector is asked for its next batch.
#ifndef KVSQL_EXEC_BATCH_VECTOR_H_
#define KVSQL_EXEC_BATCH_VECTOR_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "kv/value.h"

namespace kvsql::exec {

inline constexpr uint32_t kBatchRows = 1024;

enum class VectorTag : uint8_t { kInteger, kReal, kValues };

class Vector {
 public:
  VectorTag tag = VectorTag::kValues;
  bool constant = false;
  bool stable = false;

  // Room for kBatchRows values of a kind; what was there is gone.
  int64_t* MakeIntegers() {
    Make(VectorTag::kInteger);
    return reinterpret_cast<int64_t*>(data_.get());
  }
  double* MakeReals() {
    Make(VectorTag::kReal);
    return reinterpret_cast<double*>(data_.get());
  }
  kv::ValueView* MakeValues() {
    Make(VectorTag::kValues);
    return reinterpret_cast<kv::ValueView*>(data_.get());
  }
  void MakeConstant(const kv::ValueView& value) {
    if (value.type == kv::ValueType::kInteger) {
      MakeIntegers()[0] = value.integer;
    } else if (value.type == kv::ValueType::kReal) {
      MakeReals()[0] = value.real;
    } else {
      MakeValues()[0] = value;
    }
    constant = true;
  }

  const int64_t* integers() const { return reinterpret_cast<const int64_t*>(data_.get()); }
  const double* reals() const { return reinterpret_cast<const double*>(data_.get()); }
  const kv::ValueView* values() const {
    return reinterpret_cast<const kv::ValueView*>(data_.get());
  }

  kv::ValueView At(uint32_t row) const {
    if (constant) row = 0;
    switch (tag) {
      case VectorTag::kInteger:
        return kv::ValueView::Integer(integers()[row]);
      case VectorTag::kReal:
        return kv::ValueView::Real(reals()[row]);
      default:
        return values()[row];
    }
  }
  bool IsNull(uint32_t row) const {
    return tag == VectorTag::kValues && values()[constant ? 0 : row].is_null();
  }

 private:
  void Make(VectorTag the_tag) {
    tag = the_tag;
    constant = false;
    stable = false;
    if (data_ == nullptr) {
      data_.reset(new (std::align_val_t(64)) std::byte[kBatchRows * sizeof(kv::ValueView)]);
    }
  }

  struct Free {
    void operator()(std::byte* bytes) const { ::operator delete[](bytes, std::align_val_t(64)); }
  };
  std::unique_ptr<std::byte[], Free> data_;
};

// Which rows of a batch are meant: the first `count`, or those at `rows`, which rise.
struct Selection {
  const uint16_t* rows = nullptr;
  uint32_t count = 0;

  uint32_t operator[](uint32_t i) const { return rows == nullptr ? i : rows[i]; }
};

struct Batch {
  Selection selection;                 // none: the end
  std::vector<const Vector*> columns;  // one per output of the operator

  bool empty() const { return selection.count == 0; }
};

// Calls f(row) for each selected row.
template <typename F>
void ForEachRow(const Selection& selection, const F& f) {
  if (selection.rows == nullptr) {
    for (uint32_t i = 0; i < selection.count; ++i) f(i);
  } else {
    for (uint32_t i = 0; i < selection.count; ++i) f(uint32_t{selection.rows[i]});
  }
}

}  // namespace kvsql::exec

#endif  // KVSQL_EXEC_BATCH_VECTOR_H_
