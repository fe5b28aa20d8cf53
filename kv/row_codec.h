// Rows as they stand in the cells of a table's tree.
//
//    +-----------------------+----------------+-------------+-----------+-----------+
//    | count * 4 + width     | type nibbles   | fixed parts | text ends | text bytes|
//    | varint                | two per byte   | little-end. |           |           |
//    +-----------------------+----------------+-------------+-----------+-----------+
//
// Column 2i is the low nibble of byte i. The nibble gives the size of the column's fixed part
// (NULL, 0 and 1 have none). A text or blob has no fixed part; its bytes stand in the last section,
// and the section before has, for each text or blob but the last, where its bytes end, in 1, 2 or 4
// bytes (width 0, 1, 2). The last one ends with the row, whose size the cell knows.
//
// A table's rows leave out the column that is the rowid. Columns whose value the tree key gives
// back whole are written as kFromKey; large ones as a reference into the table's overflow tree.
// Columns missing at the end were added to the table later: they have their default.
//
// Thread safety: plain values; free functions without state.
//
// Invariants:
//  1. RowView::Parse accepts only bytes in which every column lies inside the row; after that, no
//     access reads outside of it.
//  2. The offset of a column costs one table lookup per two columns before it, whatever their
//     types.
#ifndef KVSQL_KV_ROW_CODEC_H_
#define KVSQL_KV_ROW_CODEC_H_

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "kv/value.h"

namespace kvsql::kv {

// The nibble of a column.
enum class ColumnCode : uint8_t {
  kNull = 0,
  kZero = 1,
  kOne = 2,
  kInt8 = 3,
  kInt16 = 4,
  kInt24 = 5,
  kInt32 = 6,
  kInt48 = 7,
  kInt64 = 8,
  kFloat32 = 9,  // a real that a float holds exactly
  kReal = 10,
  kText = 11,
  kBlob = 12,
  kLargeText = 13,  // fixed part: key in the overflow tree (6 bytes)
  kLargeBlob = 14,
  kFromKey = 15,  // the tree key has it
};

// What the encoder is told of a column: its value, or where the value is.
struct RowField {
  enum class Place : uint8_t { kHere, kOverflow, kInKey };
  ValueView value;  // kOverflow: its type says text or blob
  Place place = Place::kHere;
  uint64_t overflow_key = 0;  // kOverflow; below 2^48
};

// Appends the row of `fields` to *out.
void EncodeRow(std::span<const RowField> fields, std::string* out);
// The same for values that all stand in the row.
void EncodeRow(std::span<const ValueView> values, std::string* out);

// Bytes to be written over others in a row.
struct RowPatch {
  uint32_t offset = 0;  // in the row
  uint8_t size = 0;
  uint64_t bits = 0;  // little-endian
};
// How a column of `row` gets another number, if that takes the same place as the one before; else false.
bool PatchNumber(std::string_view row, uint32_t column, const ValueView& value, RowPatch* out);

// Most columns of a row.
inline constexpr uint32_t kMaxColumns = 4'000;

namespace row_internal {
// Per pair of nibbles: bytes of fixed parts (bits 0-15), texts and blobs (bits 16-30), and whether
// a column is not in the row itself (bit 31). Sums of the first two fit for kMaxColumns columns.
extern const std::array<uint32_t, 256> kPairSums;
ValueView DecodeFixed(ColumnCode code, const uint8_t* at);
}  // namespace row_internal

class RowView {
 public:
  RowView() = default;

  // Views `bytes` as a row, or returns false if they are none.
  bool Parse(std::string_view bytes);

  // Columns that the row has.
  uint32_t count() const { return count_; }

  ColumnCode code(uint32_t column) const {
    const uint8_t pair = nibbles_[column / 2];
    return static_cast<ColumnCode>((column & 1) != 0 ? pair >> 4 : pair & 15);
  }

  // The value of a column below count(); NULL for those that are not in the row itself.
  ValueView column(uint32_t column) const {
    const uint32_t sums = SumsBefore(column);
    return At(code(column), sums & 0xffff, sums >> 16 & 0x7fff);
  }

  // The overflow key of a column whose code is kLargeText or kLargeBlob.
  uint64_t overflow_key(uint32_t column) const;

  // Where the fixed part of a column stands.
  const uint8_t* FixedPart(uint32_t column) const { return fixed_ + (SumsBefore(column) & 0xffff); }

  // Whether some column is large or in the key.
  bool has_elsewhere() const { return has_elsewhere_; }

  // Decodes the first out.size() columns, or count() if that is less, in one pass; returns how
  // many.
  uint32_t Decode(std::span<ValueView> out) const;

 private:
  // kPairSums of the columns before one, added up.
  uint32_t SumsBefore(uint32_t column) const {
    uint32_t sums = 0;
    for (uint32_t pair = 0; pair < column / 2; ++pair)
      sums += row_internal::kPairSums[nibbles_[pair]];
    if ((column & 1) != 0) sums += row_internal::kPairSums[nibbles_[column / 2] & 15];
    return sums;
  }
  ValueView At(ColumnCode code, uint32_t fixed_offset, uint32_t text_index) const {
    if (code == ColumnCode::kText || code == ColumnCode::kBlob) return TextAt(code, text_index);
    return row_internal::DecodeFixed(code, fixed_ + fixed_offset);
  }
  ValueView TextAt(ColumnCode code, uint32_t index) const {
    const uint32_t begin = index == 0 ? 0 : EndOf(index - 1);
    const uint32_t end = index + 1 == text_count_ ? text_size_ : EndOf(index);
    const std::string_view bytes = AsView(text_ + begin, end - begin);
    return code == ColumnCode::kText ? ValueView::Text(bytes) : ValueView::Blob(bytes);
  }
  uint32_t EndOf(uint32_t index) const {
    switch (width_) {
      case 0:
        return ends_[index];
      case 1:
        return LoadLe<uint16_t>(ends_ + 2 * index);
      default:
        return LoadLe<uint32_t>(ends_ + 4 * index);
    }
  }

  const uint8_t* nibbles_ = nullptr;
  const uint8_t* fixed_ = nullptr;
  const uint8_t* ends_ = nullptr;
  const uint8_t* text_ = nullptr;
  uint32_t count_ = 0;
  uint32_t text_count_ = 0;
  uint32_t text_size_ = 0;
  uint8_t width_ = 0;
  bool has_elsewhere_ = false;
};

}  // namespace kvsql::kv

#endif  // KVSQL_KV_ROW_CODEC_H_
