#include "kv/column_decode.h"

#include <array>

#include "base/bytes.h"
#include "kv/row_codec.h"

namespace kvsql::kv {
namespace {

// How the fixed part of a column becomes an integer: (the eight bytes that end with it >> shift & mask) + bias.
struct IntegerForm {
  int64_t mask = 0;
  int64_t bias = 0;
  uint8_t shift = 0;
  uint8_t bytes = 0;
  bool bad = true;
};

constexpr std::array<IntegerForm, 16> MakeIntegerForms() {
  std::array<IntegerForm, 16> forms{};
  forms[static_cast<size_t>(ColumnCode::kZero)] = {0, 0, 0, 0, false};
  forms[static_cast<size_t>(ColumnCode::kOne)] = {0, 1, 0, 0, false};
  constexpr uint8_t kBytes[] = {1, 2, 3, 4, 6, 8};
  for (size_t i = 0; i < std::size(kBytes); ++i) {
    forms[static_cast<size_t>(ColumnCode::kInt8) + i] = {
        -1, 0, static_cast<uint8_t>(64 - 8 * kBytes[i]), kBytes[i], false};
  }
  return forms;
}

constexpr std::array<IntegerForm, 16> kIntegerForms = MakeIntegerForms();

template <typename F>
bool ForAllCells(const CellRows& rows, const F& f) {
  bool good = true;
  if (rows.rows == nullptr) {
    for (uint32_t i = 0; i < rows.count && good; ++i) good = f(i);
  } else {
    for (uint32_t i = 0; i < rows.count && good; ++i) good = f(uint32_t{rows.rows[i]});
  }
  return good;
}

// The start of a row whose header is one byte: all rows of up to 31 columns.
struct ShortRow {
  const uint8_t* nibbles;
  const uint8_t* fixed;
  const uint8_t* end;
  uint32_t count;
  uint32_t pairs;
  uint8_t width;

  // False: it is no such row.
  bool Open(const btree::ValueRef& cell, uint32_t stored) {
    if (cell.is_large || cell.size == 0) [[unlikely]]
      return false;
    const uint8_t header = *cell.data;
    count = header >> 2;
    width = header & 3;
    pairs = (count + 1) / 2;
    nibbles = cell.data + 1;
    fixed = nibbles + pairs;
    end = cell.data + cell.size;
    return header < 0x80 && width != 3 && count <= stored && cell.size > pairs;
  }
  ColumnCode code(uint32_t column) const {
    const uint8_t pair = nibbles[column / 2];
    return static_cast<ColumnCode>((column & 1) != 0 ? pair >> 4 : pair & 15);
  }
  // Bytes of fixed parts, and texts, before a column: kPairSums added up.
  uint32_t SumsBefore(uint32_t column) const {
    uint32_t sums = 0;
    for (uint32_t pair = 0; pair < column / 2; ++pair) {
      sums += row_internal::kPairSums[nibbles[pair]];
    }
    if ((column & 1) != 0) sums += row_internal::kPairSums[nibbles[column / 2] & 15];
    return sums;
  }
  uint32_t AllSums() const {
    uint32_t sums = 0;
    for (uint32_t pair = 0; pair < pairs; ++pair) sums += row_internal::kPairSums[nibbles[pair]];
    return sums;
  }
  uint32_t EndOf(const uint8_t* ends, uint32_t text) const {
    switch (width) {
      case 0:
        return ends[text];
      case 1:
        return LoadLe<uint16_t>(ends + 2 * text);
      default:
        return LoadLe<uint32_t>(ends + 4 * text);
    }
  }
};

constexpr uint32_t kFixedSum = 0xffff;
constexpr uint32_t TextsOf(uint32_t sums) { return sums >> 16 & 0x7fff; }

bool TextOf(const ShortRow& row, uint32_t sums, ColumnCode code, ValueView* out) {
  const uint32_t all = row.AllSums();
  const uint32_t texts = TextsOf(all);
  const uint32_t index = TextsOf(sums);
  const uint64_t ends_bytes = uint64_t{texts - 1} << row.width;
  if (static_cast<uint64_t>(row.end - row.fixed) < (all & kFixedSum) + ends_bytes) return false;
  const uint8_t* const ends = row.fixed + (all & kFixedSum);
  const uint8_t* const bytes = ends + ends_bytes;
  const auto size = static_cast<uint32_t>(row.end - bytes);
  const uint32_t begin = index == 0 ? 0 : row.EndOf(ends, index - 1);
  const uint32_t end = index + 1 == texts ? size : row.EndOf(ends, index);
  if (begin > end || end > size) return false;
  const std::string_view view = AsView(bytes + begin, end - begin);
  *out = code == ColumnCode::kText ? ValueView::Text(view) : ValueView::Blob(view);
  return true;
}

// A value of a row with a longer header.
bool LongRowValue(const btree::ValueRef& cell, CellColumn column, const ValueView& missing,
                  ValueView* out) {
  RowView view;
  if (cell.is_large || !view.Parse(cell.view()) || view.count() > column.stored) return false;
  if (column.position >= view.count()) {
    *out = missing;
    return true;
  }
  if (view.code(column.position) >= ColumnCode::kLargeText) return false;
  *out = view.column(column.position);
  return true;
}

}  // namespace

bool DecodeIntegers(const CellRows& rows, CellColumn column, int64_t* out) {
  return ForAllCells(rows, [&](uint32_t i) {
    ShortRow row;
    if (!row.Open(rows.cells[i], column.stored) || column.position >= row.count) [[unlikely]]
      return false;
    const IntegerForm& form = kIntegerForms[static_cast<size_t>(row.code(column.position))];
    const uint8_t* const end =
        row.fixed + (row.SumsBefore(column.position) & kFixedSum) + form.bytes;
    if (form.bad || end > row.end) [[unlikely]]
      return false;
    out[i] = ((LoadLe<int64_t>(end - 8) >> form.shift) & form.mask) + form.bias;
    return true;
  });
}

bool DecodeReals(const CellRows& rows, CellColumn column, double* out) {
  return ForAllCells(rows, [&](uint32_t i) {
    ShortRow row;
    if (!row.Open(rows.cells[i], column.stored) || column.position >= row.count) [[unlikely]]
      return false;
    const ColumnCode code = row.code(column.position);
    const uint8_t* const at = row.fixed + (row.SumsBefore(column.position) & kFixedSum);
    double value = 0;
    if (code == ColumnCode::kReal) {
      if (row.end - at < 8) return false;
      value = LoadLe<double>(at);
    } else if (code == ColumnCode::kFloat32) {
      if (row.end - at < 4) return false;
      value = static_cast<double>(LoadLe<float>(at));
    } else {
      return false;
    }
    out[i] = value;
    return value == value;  // a NaN is NULL
  });
}

bool DecodeValues(const CellRows& rows, CellColumn column, const ValueView& missing,
                  ValueView* out, ValueCounts* counts) {
  ValueCounts found;
  const bool good = ForAllCells(rows, [&](uint32_t i) {
    ShortRow row;
    ValueView value;
    if (!row.Open(rows.cells[i], column.stored)) [[unlikely]] {
      if (!LongRowValue(rows.cells[i], column, missing, &value)) return false;
    } else if (column.position >= row.count) {
      value = missing;
    } else {
      const ColumnCode code = row.code(column.position);
      const uint32_t sums = row.SumsBefore(column.position);
      if (code == ColumnCode::kText || code == ColumnCode::kBlob) {
        if (!TextOf(row, sums, code, &out[i])) return false;
        return true;
      }
      const uint32_t own = row_internal::kPairSums[static_cast<size_t>(code)];
      if (code >= ColumnCode::kLargeText ||
          static_cast<uint64_t>(row.end - row.fixed) <
              uint64_t{sums & kFixedSum} + (own & kFixedSum)) {
        return false;
      }
      value = row_internal::DecodeFixed(code, row.fixed + (sums & kFixedSum));
    }
    found.integers += value.type == ValueType::kInteger ? 1 : 0;
    found.reals += value.type == ValueType::kReal ? 1 : 0;
    out[i] = value;
    return true;
  });
  *counts = found;
  return good;
}

}  // namespace kvsql::kv
