#include "kv/row_codec.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "base/check.h"

namespace kvsql::kv {
namespace {

constexpr uint8_t kFixedBytes[16] = {0, 0, 0, 1, 2, 3, 4, 6, 8, 4, 8, 0, 0, 6, 6, 0};

constexpr bool IsText(ColumnCode code) {
  return code == ColumnCode::kText || code == ColumnCode::kBlob;
}

constexpr uint32_t SumOf(uint8_t nibble) {
  return kFixedBytes[nibble] + (IsText(static_cast<ColumnCode>(nibble)) ? 0x10000u : 0);
}

constexpr uint32_t PairSum(uint32_t pair) {
  const auto low = static_cast<uint8_t>(pair & 15);
  const auto high = static_cast<uint8_t>(pair >> 4);
  const auto large = static_cast<uint8_t>(ColumnCode::kLargeText);
  return (SumOf(low) + SumOf(high)) | (low >= large || high >= large ? 0x80000000u : 0);
}

ColumnCode CodeOfInteger(int64_t value) {
  if (value == 0) return ColumnCode::kZero;
  if (value == 1) return ColumnCode::kOne;
  const uint64_t magnitude = static_cast<uint64_t>(value < 0 ? ~value : value);
  if (magnitude < (uint64_t{1} << 7)) return ColumnCode::kInt8;
  if (magnitude < (uint64_t{1} << 15)) return ColumnCode::kInt16;
  if (magnitude < (uint64_t{1} << 23)) return ColumnCode::kInt24;
  if (magnitude < (uint64_t{1} << 31)) return ColumnCode::kInt32;
  if (magnitude < (uint64_t{1} << 47)) return ColumnCode::kInt48;
  return ColumnCode::kInt64;
}

bool FitsFloat(double value) {
  const auto narrow = static_cast<float>(value);
  return static_cast<double>(narrow) == value;
}

ColumnCode CodeOf(const RowField& field) {
  if (field.place == RowField::Place::kInKey) return ColumnCode::kFromKey;
  const bool large = field.place == RowField::Place::kOverflow;
  switch (field.value.type) {
    case ValueType::kNull:
      return ColumnCode::kNull;
    case ValueType::kInteger:
      return CodeOfInteger(field.value.integer);
    case ValueType::kReal:
      return FitsFloat(field.value.real) ? ColumnCode::kFloat32 : ColumnCode::kReal;
    case ValueType::kText:
      return large ? ColumnCode::kLargeText : ColumnCode::kText;
    case ValueType::kBlob:
      return large ? ColumnCode::kLargeBlob : ColumnCode::kBlob;
  }
  return ColumnCode::kNull;
}

RowField AsField(const ValueView& value) { return RowField{value, RowField::Place::kHere, 0}; }
const RowField& AsField(const RowField& field) { return field; }

template <typename Field>
void Encode(std::span<const Field> fields, std::string* out) {
  KV_CHECK(fields.size() <= kMaxColumns);
  uint64_t text_size = 0;
  uint64_t last_text = 0;
  uint32_t texts = 0;
  for (const Field& each : fields) {
    const RowField& field = AsField(each);
    if (IsText(CodeOf(field))) {
      last_text = field.value.size;
      text_size += last_text;
      ++texts;
    }
  }
  const uint64_t largest_end = text_size - last_text;
  const uint8_t width = largest_end < 0x100 ? 0 : (largest_end < 0x10000 ? 1 : 2);
  uint8_t header[kMaxVarint64Bytes];
  const size_t header_size =
      static_cast<size_t>(PutVarint64(header, fields.size() * 4 + width) - header);
  const size_t start = out->size();
  const size_t nibbles = (fields.size() + 1) / 2;
  // Room for the widest fixed parts; cut to size below.
  out->resize(start + header_size + nibbles + 8 * fields.size() + (size_t{4} * texts) + text_size);
  auto* base = reinterpret_cast<uint8_t*>(out->data()) + start;
  std::memcpy(base, header, header_size);
  uint8_t* const nibble = base + header_size;
  std::memset(nibble, 0, nibbles);
  uint8_t* at = nibble + nibbles;
  for (size_t i = 0; i < fields.size(); ++i) {
    const RowField& field = AsField(fields[i]);
    const ColumnCode code = CodeOf(field);
    nibble[i / 2] |= static_cast<uint8_t>(static_cast<unsigned>(code) << ((i & 1) != 0 ? 4 : 0));
    const uint8_t size = kFixedBytes[static_cast<size_t>(code)];
    if (size == 0) continue;
    uint64_t bits = static_cast<uint64_t>(field.value.integer);
    if (code == ColumnCode::kFloat32) {
      const auto narrow = static_cast<float>(field.value.real);
      bits = std::bit_cast<uint32_t>(narrow);
    } else if (code == ColumnCode::kLargeText || code == ColumnCode::kLargeBlob) {
      bits = field.overflow_key;
    } else if (code == ColumnCode::kReal) {
      bits = std::bit_cast<uint64_t>(field.value.real);
    }
    // All eight bytes, for which there is room; what is too much, the next part covers.
    StoreLe(at, bits);
    at += size;
  }
  uint64_t end = 0;
  uint32_t seen = 0;
  for (const Field& each : fields) {
    const RowField& field = AsField(each);
    if (!IsText(CodeOf(field))) continue;
    end += field.value.size;
    if (++seen == texts) break;
    StoreLe(at, static_cast<uint32_t>(end));  // as above
    at += size_t{1} << width;
  }
  for (const Field& each : fields) {
    const RowField& field = AsField(each);
    if (!IsText(CodeOf(field)) || field.value.size == 0) continue;
    std::memcpy(at, field.value.data, field.value.size);
    at += field.value.size;
  }
  out->resize(static_cast<size_t>(at - reinterpret_cast<uint8_t*>(out->data())));
}

}  // namespace

namespace row_internal {

namespace {
constexpr std::array<uint32_t, 256> MakePairSums() {
  std::array<uint32_t, 256> sums{};
  for (uint32_t pair = 0; pair < 256; ++pair) {
    sums[pair] = PairSum(pair);
  }
  return sums;
}
}  // namespace

constinit const std::array<uint32_t, 256> kPairSums = MakePairSums();

ValueView DecodeFixed(ColumnCode code, const uint8_t* at) {
  switch (code) {
    case ColumnCode::kZero:
      return ValueView::Integer(0);
    case ColumnCode::kOne:
      return ValueView::Integer(1);
    case ColumnCode::kInt8:
      return ValueView::Integer(static_cast<int8_t>(*at));
    case ColumnCode::kInt16:
      return ValueView::Integer(LoadLe<int16_t>(at));
    case ColumnCode::kInt24:
      return ValueView::Integer(int32_t{static_cast<int8_t>(at[2])} * 65536 + LoadLe<uint16_t>(at));
    case ColumnCode::kInt32:
      return ValueView::Integer(LoadLe<int32_t>(at));
    case ColumnCode::kInt48:
      return ValueView::Integer(int64_t{LoadLe<int16_t>(at + 4)} * (int64_t{1} << 32) +
                                LoadLe<uint32_t>(at));
    case ColumnCode::kInt64:
      return ValueView::Integer(LoadLe<int64_t>(at));
    case ColumnCode::kFloat32:
      return ValueView::Real(static_cast<double>(LoadLe<float>(at)));
    case ColumnCode::kReal:
      return ValueView::Real(LoadLe<double>(at));
    default:
      return ValueView::Null();
  }
}

}  // namespace row_internal

void EncodeRow(std::span<const RowField> fields, std::string* out) { Encode(fields, out); }
void EncodeRow(std::span<const ValueView> values, std::string* out) { Encode(values, out); }

bool RowView::Parse(std::string_view bytes) {
  count_ = 0;
  const uint8_t* begin = AsBytes(bytes);
  const uint8_t* end = begin + bytes.size();
  uint64_t header = 0;
  const uint8_t* at = GetVarint64(begin, end, &header);
  if (at == nullptr || header / 4 > kMaxColumns || header % 4 > 2) return false;
  const auto count = static_cast<uint32_t>(header / 4);
  const uint32_t pairs = (count + 1) / 2;
  auto left = static_cast<size_t>(end - at);
  if (left < pairs) return false;
  // An odd row's last nibble is zero: NULL, which adds nothing.
  if ((count & 1) != 0 && at[pairs - 1] >> 4 != 0) return false;
  uint64_t fixed = 0;
  uint32_t texts = 0;
  uint32_t all = 0;
  for (uint32_t i = 0; i < pairs; ++i) {
    const uint32_t sums = row_internal::kPairSums[at[i]];
    all |= sums;
    fixed += sums & 0xffff;
    texts += sums >> 16 & 0x7fff;
  }
  left -= pairs;
  const uint64_t ends_size = texts == 0 ? 0 : uint64_t{texts - 1} << (header % 4);
  if (left < fixed + ends_size) return false;
  left -= fixed + ends_size;
  if (left > std::numeric_limits<uint32_t>::max()) return false;
  nibbles_ = at;
  fixed_ = at + pairs;
  ends_ = fixed_ + fixed;
  text_ = ends_ + ends_size;
  width_ = static_cast<uint8_t>(header % 4);
  text_size_ = static_cast<uint32_t>(left);
  text_count_ = texts;
  if (texts == 0) {
    if (left != 0) return false;
  } else {
    uint32_t former = 0;
    for (uint32_t i = 0; i + 1 < texts; ++i) {
      const uint32_t each = EndOf(i);
      if (each < former || each > text_size_) return false;
      former = each;
    }
  }
  has_elsewhere_ = (all >> 31) != 0;
  count_ = count;
  return true;
}

uint64_t RowView::overflow_key(uint32_t column) const {
  uint64_t key = 0;
  std::memcpy(&key, FixedPart(column), 6);
  return key;
}

bool PatchNumber(std::string_view row, uint32_t column, const ValueView& value, RowPatch* out) {
  RowView view;
  if (!view.Parse(row) || column >= view.count()) return false;
  const ColumnCode code = view.code(column);
  if (value.type == ValueType::kInteger && code >= ColumnCode::kInt8 &&
      code <= ColumnCode::kInt64 && CodeOfInteger(value.integer) == code) {
    out->bits = static_cast<uint64_t>(value.integer);
  } else if (value.type == ValueType::kReal && code == ColumnCode::kReal &&
             !FitsFloat(value.real)) {
    out->bits = std::bit_cast<uint64_t>(value.real);
  } else {
    return false;
  }
  out->offset = static_cast<uint32_t>(view.FixedPart(column) - AsBytes(row));
  out->size = kFixedBytes[static_cast<size_t>(code)];
  return true;
}

uint32_t RowView::Decode(std::span<ValueView> out) const {
  const auto columns = static_cast<uint32_t>(std::min<size_t>(out.size(), count_));
  const uint8_t* at = fixed_;
  uint32_t text = 0;
  for (uint32_t i = 0; i < columns; ++i) {
    const ColumnCode each = code(i);
    if (IsText(each)) {
      out[i] = TextAt(each, text++);
    } else {
      out[i] = row_internal::DecodeFixed(each, at);
      at += kFixedBytes[static_cast<size_t>(each)];
    }
  }
  return columns;
}

}  // namespace kvsql::kv
