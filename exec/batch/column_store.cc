#include "exec/batch/column_store.h"

#include "exec/scalar_ops.h"

namespace kvsql::exec {

using kv::ValueType;
using kv::ValueView;

void ColumnStore::Clear() {
  for (Column& column : columns_) {
    column.tag = VectorTag::kInteger;
    column.integers.clear();
    column.reals.clear();
    column.values.clear();
  }
  rows_ = 0;
  bytes_ = 0;
  arena_.Reset();
}

void ColumnStore::ToValues(Column* column) const {
  if (column->tag == VectorTag::kInteger) {
    column->values.reserve(column->integers.size());
    for (const int64_t v : column->integers) column->values.push_back(ValueView::Integer(v));
    column->integers = {};
  } else {
    column->values.reserve(column->reals.size());
    for (const double v : column->reals) column->values.push_back(ValueView::Real(v));
    column->reals = {};
  }
  column->tag = VectorTag::kValues;
}

void ColumnStore::Append(const std::vector<const Vector*>& columns, const Selection& selection) {
  for (size_t i = 0; i < columns_.size(); ++i) {
    Column& column = columns_[i];
    const Vector& from = *columns[i];
    if (rows_ == 0) column.tag = from.tag;
    if (from.tag == column.tag && column.tag == VectorTag::kInteger) {
      const int64_t* values = from.integers();
      const uint32_t step = from.constant ? 0 : 1;
      column.integers.resize(rows_ + selection.count);
      int64_t* to = column.integers.data() + rows_;
      ForEachRow(selection, [&](uint32_t row) { *to++ = values[row * step]; });
      bytes_ += selection.count * sizeof(int64_t);
      continue;
    }
    if (from.tag == column.tag && column.tag == VectorTag::kReal) {
      const double* values = from.reals();
      const uint32_t step = from.constant ? 0 : 1;
      column.reals.resize(rows_ + selection.count);
      double* to = column.reals.data() + rows_;
      ForEachRow(selection, [&](uint32_t row) { *to++ = values[row * step]; });
      bytes_ += selection.count * sizeof(double);
      continue;
    }
    if (column.tag != VectorTag::kValues) ToValues(&column);
    column.values.resize(rows_ + selection.count);
    ValueView* to = column.values.data() + rows_;
    if (from.stable && from.tag == VectorTag::kValues && !from.constant) {
      const ValueView* values = from.values();
      ForEachRow(selection, [&](uint32_t row) { *to++ = values[row]; });
    } else {
      ForEachRow(selection, [&](uint32_t row) {
        const ValueView value = from.At(row);
        *to++ = from.stable ? value : CopyBytes(value, &arena_);
        if (!from.stable && value.type >= ValueType::kText) bytes_ += value.size;
      });
    }
    bytes_ += selection.count * sizeof(ValueView);
  }
  rows_ += selection.count;
}

ValueView ColumnStore::At(size_t column, uint32_t row) const {
  const Column& from = columns_[column];
  switch (from.tag) {
    case VectorTag::kInteger:
      return ValueView::Integer(from.integers[row]);
    case VectorTag::kReal:
      return ValueView::Real(from.reals[row]);
    default:
      return from.values[row];
  }
}

void ColumnStore::Gather(size_t column, const uint32_t* rows, uint32_t count, bool may_miss,
                         Vector* to) const {
  const Column& from = columns_[column];
  if (!may_miss && from.tag == VectorTag::kInteger) {
    int64_t* out = to->MakeIntegers();
    for (uint32_t i = 0; i < count; ++i) out[i] = from.integers[rows[i]];
  } else if (!may_miss && from.tag == VectorTag::kReal) {
    double* out = to->MakeReals();
    for (uint32_t i = 0; i < count; ++i) out[i] = from.reals[rows[i]];
  } else {
    ValueView* out = to->MakeValues();
    for (uint32_t i = 0; i < count; ++i) {
      out[i] = rows[i] == kNoRow ? ValueView() : At(column, rows[i]);
    }
  }
  to->stable = false;  // Clear ends them
}

}  // namespace kvsql::exec
