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

// Calls f(i) for each row until it answers false.
template <typename F>
[[gnu::always_inline]] inline bool ForAllCells(const CellRows& rows, const F& f) {
  if (rows.rows == nullptr) {
    for (uint32_t i = 0; i < rows.count; ++i) {
      if (!f(i)) [[unlikely]]
        return false;
    }
  } else {
    for (uint32_t i = 0; i < rows.count; ++i) {
      if (!f(uint32_t{rows.rows[i]})) [[unlikely]]
        return false;
    }
  }
  return true;
}

// What the one-byte header of a row says: of all rows of up to 31 columns. Mostly the same from row to row.
struct Shape {
  uint32_t header = 0x100;  // none yet
  uint32_t count = 0;
  uint32_t pairs = 0;
  uint8_t width = 0;

  // False: it is no such row.
  bool Take(uint8_t new_header, uint32_t stored) {
    header = new_header;
    count = header >> 2;
    pairs = (count + 1) / 2;
    width = new_header & 3;
    if (header < 0x80 && width != 3 && count <= stored) return true;
    header = 0x100;
    return false;
  }
};

// A row with a shape.
struct ShortRow {
  const uint8_t* nibbles;
  const uint8_t* fixed;
  const uint8_t* end;

  // Makes the shape the row's; false: it has none, or is too short for its types.
  [[gnu::always_inline]] bool Open(const btree::ValueRef& cell, uint32_t stored, Shape* shape) {
    if (cell.is_large || cell.size == 0) [[unlikely]]
      return false;
    if (*cell.data != shape->header && !shape->Take(*cell.data, stored)) [[unlikely]]
      return false;
    nibbles = cell.data + 1;
    fixed = nibbles + shape->pairs;
    end = cell.data + cell.size;
    return cell.size > shape->pairs;
  }
  [[gnu::always_inline]] ColumnCode code(uint32_t column) const {
    return static_cast<ColumnCode>(nibbles[column / 2] >> (column % 2 * 4) & 15);
  }
  // Bytes of fixed parts, and texts, before a column: kPairSums added up.
  [[gnu::always_inline]] uint32_t SumsBefore(uint32_t column) const {
    uint32_t sums = 0;
    for (uint32_t pair = 0; pair < column / 2; ++pair) {
      sums += row_internal::kPairSums[nibbles[pair]];
    }
    if ((column & 1) != 0) sums += row_internal::kPairSums[nibbles[column / 2] & 15];
    return sums;
  }
  [[gnu::always_inline]] uint32_t AllSums(const Shape& shape) const {
    uint32_t sums = 0;
    for (uint32_t pair = 0; pair < shape.pairs; ++pair) {
      sums += row_internal::kPairSums[nibbles[pair]];
    }
    return sums;
  }
};

uint32_t EndOf(const uint8_t* ends, uint8_t width, uint32_t text) {
  switch (width) {
    case 0:
      return ends[text];
    case 1:
      return LoadLe<uint16_t>(ends + 2 * text);
    default:
      return LoadLe<uint32_t>(ends + 4 * text);
  }
}

constexpr uint32_t kFixedSum = 0xffff;
constexpr uint32_t TextsOf(uint32_t sums) { return sums >> 16 & 0x7fff; }

[[gnu::always_inline]] inline bool TextOf(const ShortRow& row, const Shape& shape, uint32_t sums,
                                          ColumnCode code, ValueView* out) {
  const uint32_t all = row.AllSums(shape);
  const uint32_t texts = TextsOf(all);
  const uint32_t index = TextsOf(sums);
  const uint64_t ends_bytes = uint64_t{texts - 1} << shape.width;
  if (static_cast<uint64_t>(row.end - row.fixed) < (all & kFixedSum) + ends_bytes) return false;
  const uint8_t* const ends = row.fixed + (all & kFixedSum);
  const uint8_t* const bytes = ends + ends_bytes;
  const auto size = static_cast<uint32_t>(row.end - bytes);
  const uint32_t begin = index == 0 ? 0 : EndOf(ends, shape.width, index - 1);
  const uint32_t end = index + 1 == texts ? size : EndOf(ends, shape.width, index);
  if (begin > end || end > size) return false;
  out->data = reinterpret_cast<const char*>(bytes) + begin;
  out->size = end - begin;
  out->type = code == ColumnCode::kText ? ValueType::kText : ValueType::kBlob;
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

// The loops of DecodeIntegers, for a column in the row's first pair of types and for any.
template <bool kFirstPair>
[[gnu::always_inline]] inline bool IntegersOf(const CellRows& rows, CellColumn column,
                                              int64_t* out) {
  Shape shape;
  const btree::ValueRef* const cells = rows.cells;
  const uint32_t position = kFirstPair ? column.position & 1 : column.position;
  const uint32_t before = (position & 1) != 0 ? 15 : 0;  // the nibbles of the pair that come before
  return ForAllCells(
      rows, [&](uint32_t i) __attribute__((always_inline)) {
        ShortRow row;
        if (!row.Open(cells[i], column.stored, &shape) || position >= shape.count) [[unlikely]]
          return false;
        const IntegerForm& form = kIntegerForms[static_cast<size_t>(row.code(position))];
        const uint32_t sums = kFirstPair ? row_internal::kPairSums[row.nibbles[0] & before]
                                         : row.SumsBefore(position);
        const uint8_t* const end = row.fixed + (sums & kFixedSum) + form.bytes;
        if (form.bad || end > row.end) [[unlikely]]
          return false;
        out[i] = ((LoadLe<int64_t>(end - 8) >> form.shift) & form.mask) + form.bias;
        return true;
      });
}

}  // namespace

bool DecodeIntegers(const CellRows& rows, CellColumn column, int64_t* out) {
  return column.position < 2 ? IntegersOf<true>(rows, column, out)
                             : IntegersOf<false>(rows, column, out);
}

bool DecodeReals(const CellRows& rows, CellColumn column, double* out) {
  Shape shape;
  return ForAllCells(
      rows, [&](uint32_t i) __attribute__((always_inline)) {
        ShortRow row;
        if (!row.Open(rows.cells[i], column.stored, &shape) || column.position >= shape.count)
            [[unlikely]] {
          return false;
        }
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

bool DecodeValues(const CellRows& rows, CellColumn column, const ValueView& missing, ValueView* out,
                  ValueCounts* counts) {
  ValueCounts found;
  Shape shape;
  const bool good = ForAllCells(
      rows, [&](uint32_t i) __attribute__((always_inline)) {
        ShortRow row;
        ValueView value;
        if (!row.Open(rows.cells[i], column.stored, &shape)) [[unlikely]] {
          if (!LongRowValue(rows.cells[i], column, missing, &value)) return false;
        } else if (column.position >= shape.count) [[unlikely]] {
          value = missing;
        } else {
          const ColumnCode code = row.code(column.position);
          const uint32_t sums = row.SumsBefore(column.position);
          if (code == ColumnCode::kText || code == ColumnCode::kBlob) {
            return TextOf(row, shape, sums, code, &out[i]);
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
