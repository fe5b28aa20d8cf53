#include "kv/key_codec.h"

#include <bit>
#include <cstring>

#include "base/bytes.h"
#include "base/check.h"

namespace kvsql::kv {
namespace {

constexpr uint8_t kTagNull = 0x05;
constexpr uint8_t kTagHugeNegative = 0x10;
constexpr uint8_t kTagZero = 0x1a;
constexpr uint8_t kTagHugePositive = 0x24;
constexpr uint8_t kTagText = 0x30;
constexpr uint8_t kTagBlob = 0x38;
constexpr size_t kMaxNumberBytes = 1 + 9 + 8;
constexpr double kTwo63 = 9223372036854775808.0;
constexpr double kTwo64 = 18446744073709551616.0;

// What a lost value was.
constexpr uint8_t kLossReal = 1;          // an integral real
constexpr uint8_t kLossNegativeZero = 2;  // -0.0
constexpr uint8_t kLossCase = 3;          // payload: length as varint, bitmap of capital letters
constexpr uint8_t kLossBlanks = 4;        // payload: number of blanks at the end, varint

struct Magnitude {
  bool negative = false;
  bool huge = false;  // 2^64 or more: `real` counts
  double real = 0;    // huge: the magnitude; else its fraction, 0 if there is none
  uint64_t whole = 0;
};

Magnitude MagnitudeOf(const ValueView& value) {
  Magnitude m;
  if (value.type == ValueType::kInteger) {
    m.negative = value.integer < 0;
    m.whole = m.negative ? 0 - static_cast<uint64_t>(value.integer)
                         : static_cast<uint64_t>(value.integer);
    return m;
  }
  m.negative = value.real < 0;
  const double magnitude = m.negative ? -value.real : value.real;
  if (magnitude >= kTwo64) {
    m.huge = true;
    m.real = magnitude;
    return m;
  }
  m.whole = static_cast<uint64_t>(magnitude);
  m.real = magnitude - static_cast<double>(m.whole);
  return m;
}

// Writes the element at `to` and returns its size.
size_t EncodeNumber(const Magnitude& m, uint8_t* to) {
  size_t size = 1;
  if (m.huge) {
    to[0] = m.negative ? kTagHugeNegative : kTagHugePositive;
    StoreBe<uint64_t>(to + 1, std::bit_cast<uint64_t>(m.real));
    size = 9;
  } else if (m.whole == 0 && m.real == 0) {
    to[0] = kTagZero;
    return 1;
  } else {
    const bool fraction = m.real != 0;
    const uint64_t low = m.whole << 1 | (fraction ? 1 : 0);
    const bool ninth = (m.whole >> 63) != 0;
    const size_t bytes = ninth ? 9 : static_cast<size_t>(71 - std::countl_zero(low | 1)) / 8;
    to[0] = static_cast<uint8_t>(m.negative ? kTagZero - bytes : kTagZero + bytes);
    if (ninth) {
      to[1] = 1;
      StoreBe<uint64_t>(to + 2, low);
    } else {
      StoreBe<uint64_t>(to + 1, low << (8 * (8 - bytes)));
    }
    size = 1 + bytes;
    if (fraction) {
      StoreBe<uint64_t>(to + size, std::bit_cast<uint64_t>(m.real));
      size += 8;
    }
  }
  if (m.negative) {
    for (size_t i = 1; i < size; ++i) to[i] = static_cast<uint8_t>(~to[i]);
  }
  return size;
}

void Invert(std::string* out, size_t from) {
  for (size_t i = from; i < out->size(); ++i) (*out)[i] = static_cast<char>(~(*out)[i]);
}

void AppendEscaped(std::string_view bytes, bool fold, std::string* out) {
  if (!fold) {
    // Copies from one 00 to the next.
    while (!bytes.empty()) {
      const void* zero = std::memchr(bytes.data(), 0, bytes.size());
      if (zero == nullptr) {
        out->append(bytes);
        return;
      }
      const size_t before = static_cast<size_t>(static_cast<const char*>(zero) - bytes.data());
      out->append(bytes.substr(0, before + 1));
      out->push_back('\xff');
      bytes.remove_prefix(before + 1);
    }
    return;
  }
  for (const char c : bytes) {
    out->push_back(FoldAscii(c));
    if (c == 0) out->push_back('\xff');
  }
}

std::string_view WithoutBlanks(std::string_view text) {
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

bool IsCapital(char c) { return c >= 'A' && c <= 'Z'; }

void AppendVarint(uint64_t value, std::string* out) {
  uint8_t buffer[kMaxVarint64Bytes];
  const uint8_t* end = PutVarint64(buffer, value);
  out->append(reinterpret_cast<const char*>(buffer), static_cast<size_t>(end - buffer));
}

bool ReadVarint(std::string_view* from, uint64_t* value) {
  const uint8_t* begin = AsBytes(*from);
  const uint8_t* end = GetVarint64(begin, begin + from->size(), value);
  if (end == nullptr) return false;
  from->remove_prefix(static_cast<size_t>(end - begin));
  return true;
}

// The loss of one value, without the part's number; 0: none.
uint8_t LossOf(const ValueView& value, KeyPart part) {
  if (value.type == ValueType::kReal) {
    if (part.real) return value.real == 0 && std::signbit(value.real) ? kLossNegativeZero : 0;
    if (value.real == 0) return std::signbit(value.real) ? kLossNegativeZero : kLossReal;
    // Integral reals within the integers' range decode as integers.
    int64_t integer = 0;
    if (value.real == -kTwo63 || RealToInteger(value.real, &integer)) return kLossReal;
    return 0;
  }
  if (value.type != ValueType::kText) return 0;
  if (part.collation == Collation::kNocase) {
    for (const char c : value.bytes()) {
      if (IsCapital(c)) return kLossCase;
    }
  } else if (part.collation == Collation::kRtrim) {
    if (value.size > 0 && value.data[value.size - 1] == ' ') return kLossBlanks;
  }
  return 0;
}

bool DecodeNumber(uint8_t tag, bool descending, KeyPart part, std::string_view* rest,
                  ValueView* value) {
  const bool negative = tag < kTagZero;
  const bool huge = tag == kTagHugeNegative || tag == kTagHugePositive;
  const size_t bytes = huge ? 8 : static_cast<size_t>(negative ? kTagZero - tag : tag - kTagZero);
  const uint8_t flip = (negative != descending) ? 0xff : 0;
  if (rest->size() < bytes) return false;
  uint64_t low = 0;
  bool ninth = false;
  for (size_t i = 0; i < bytes; ++i) {
    const auto byte = static_cast<uint8_t>(static_cast<uint8_t>((*rest)[i]) ^ flip);
    if (bytes == 9 && i == 0) {
      if (byte != 1) return false;
      ninth = true;
    } else {
      low = low << 8 | byte;
    }
  }
  rest->remove_prefix(bytes);
  if (huge) {
    const double magnitude = std::bit_cast<double>(low);
    if (!(magnitude >= kTwo64)) return false;
    *value = ValueView::Real(negative ? -magnitude : magnitude);
    return true;
  }
  const uint64_t whole = low >> 1 | (ninth ? uint64_t{1} << 63 : 0);
  if ((low & 1) != 0) {
    if (rest->size() < 8) return false;
    uint64_t bits = LoadBe<uint64_t>(rest->data());
    if (flip != 0) bits = ~bits;
    rest->remove_prefix(8);
    const double fraction = std::bit_cast<double>(bits);
    if (!(fraction > 0 && fraction < 1)) return false;
    const double magnitude = static_cast<double>(whole) + fraction;
    *value = ValueView::Real(negative ? -magnitude : magnitude);
    return true;
  }
  const uint64_t limit = uint64_t{1} << 63;
  if (!part.real && (negative ? whole <= limit : whole < limit)) {
    *value = ValueView::Integer(static_cast<int64_t>(negative ? 0 - whole : whole));
  } else {
    const auto magnitude = static_cast<double>(whole);
    *value = ValueView::Real(negative ? -magnitude : magnitude);
  }
  return true;
}

// Reads escaped bytes up to the terminator; appends them to *storage unless that is null.
bool DecodeBytes(bool descending, std::string_view* rest, std::string* storage) {
  const auto zero = static_cast<char>(descending ? 0xff : 0);
  const auto escape = static_cast<char>(descending ? 0 : 0xff);
  size_t i = 0;
  for (;;) {
    const size_t found = rest->find(zero, i);
    if (found == std::string_view::npos) return false;
    if (storage != nullptr) {
      if (!descending) {
        storage->append(rest->substr(i, found - i));
      } else {
        const size_t from = storage->size();
        storage->append(rest->substr(i, found - i));
        Invert(storage, from);
      }
    }
    if (found + 1 < rest->size() && (*rest)[found + 1] == escape) {
      if (storage != nullptr) storage->push_back(0);
      i = found + 2;
      continue;
    }
    size_t end = found + 1;
    if (descending) {
      if (end >= rest->size() || static_cast<uint8_t>((*rest)[end]) != 0xfe) return false;
      ++end;
    }
    rest->remove_prefix(end);
    return true;
  }
}

}  // namespace

void AppendKeyElement(const ValueView& value, KeyPart part, std::string* out) {
  const size_t start = out->size();
  switch (value.type) {
    case ValueType::kNull:
      out->push_back(static_cast<char>(kTagNull));
      break;
    case ValueType::kInteger:
    case ValueType::kReal: {
      uint8_t buffer[kMaxNumberBytes];
      const size_t size = EncodeNumber(MagnitudeOf(value), buffer);
      out->append(reinterpret_cast<const char*>(buffer), size);
      break;
    }
    case ValueType::kText:
    case ValueType::kBlob: {
      const bool text = value.type == ValueType::kText;
      std::string_view bytes = value.bytes();
      if (text && part.collation == Collation::kRtrim) bytes = WithoutBlanks(bytes);
      out->push_back(static_cast<char>(text ? kTagText : kTagBlob));
      AppendEscaped(bytes, text && part.collation == Collation::kNocase, out);
      out->push_back(0);
      if (part.descending) out->push_back(1);
      break;
    }
  }
  if (part.descending) Invert(out, start);
}

void AppendKeyInteger(int64_t value, std::string* out) {
  AppendKeyElement(ValueView::Integer(value), KeyPart{}, out);
}

TupleShape AppendTuple(std::span<const ValueView> values, std::span<const KeyPart> parts,
                       std::string* out, size_t limit) {
  KV_DCHECK(values.size() <= parts.size());
  TupleShape shape;
  const size_t start = out->size();
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i].is_null()) shape.has_null = true;
    if (!shape.truncated) {
      AppendKeyElement(values[i], parts[i], out);
      shape.truncated = out->size() - start > limit;
    }
  }
  if (shape.truncated) out->resize(start + limit);
  return shape;
}

bool KeyReader::Next(KeyPart part, ValueView* value, std::string* storage) {
  if (rest_.empty()) return false;
  auto tag = static_cast<uint8_t>(rest_.front());
  if (part.descending) tag = static_cast<uint8_t>(~tag);
  rest_.remove_prefix(1);
  if (tag == kTagNull) {
    *value = ValueView::Null();
    return true;
  }
  if (tag >= kTagHugeNegative && tag <= kTagHugePositive) {
    return DecodeNumber(tag, part.descending, part, &rest_, value);
  }
  if (tag != kTagText && tag != kTagBlob) return false;
  const size_t start = storage == nullptr ? 0 : storage->size();
  if (!DecodeBytes(part.descending, &rest_, storage)) return false;
  const std::string_view bytes =
      storage == nullptr ? std::string_view() : std::string_view(*storage).substr(start);
  *value = tag == kTagText ? ValueView::Text(bytes) : ValueView::Blob(bytes);
  return true;
}

bool KeyReader::Skip(KeyPart part, bool* is_null) {
  *is_null = false;
  if (rest_.empty()) return false;
  const uint8_t flip = part.descending ? 0xff : 0;
  const auto tag = static_cast<uint8_t>(static_cast<uint8_t>(rest_.front()) ^ flip);
  if (tag > kTagHugeNegative && tag < kTagHugePositive) {
    const bool negative = tag < kTagZero;
    size_t size = 1 + static_cast<size_t>(negative ? kTagZero - tag : tag - kTagZero);
    if (rest_.size() < size) return false;
    // The last byte tells whether a fraction follows.
    const uint8_t last = static_cast<uint8_t>(rest_[size - 1]) ^ (negative ? 0xff : 0) ^ flip;
    if (size > 1 && (last & 1) != 0) size += 8;
    if (rest_.size() < size) return false;
    rest_.remove_prefix(size);
    return true;
  }
  ValueView value;
  if (!Next(part, &value, nullptr)) return false;
  *is_null = value.is_null();
  return true;
}

bool KeyLoses(const ValueView& value, KeyPart part) { return LossOf(value, part) != 0; }

void AppendLoss(std::span<const ValueView> values, std::span<const KeyPart> parts,
                std::string* out) {
  for (size_t i = 0; i < values.size(); ++i) {
    const uint8_t kind = LossOf(values[i], parts[i]);
    if (kind == 0) continue;
    AppendVarint(i, out);
    out->push_back(static_cast<char>(kind));
    const std::string_view bytes = kind >= kLossCase ? values[i].bytes() : std::string_view();
    if (kind == kLossBlanks) {
      AppendVarint(bytes.size() - WithoutBlanks(bytes).size(), out);
    } else if (kind == kLossCase) {
      size_t last = bytes.size();
      while (!IsCapital(bytes[last - 1])) --last;
      const size_t size = (last + 7) / 8;
      AppendVarint(size, out);
      const size_t start = out->size();
      out->resize(start + size, 0);
      for (size_t k = 0; k < last; ++k) {
        if (IsCapital(bytes[k])) (*out)[start + k / 8] |= static_cast<char>(1 << (k % 8));
      }
    }
  }
}

bool DecodeTuple(std::string_view key, std::span<const KeyPart> parts, std::string_view loss,
                 DecodedTuple* out, std::string_view* rest) {
  out->values.resize(parts.size());
  out->storage.clear();
  KeyReader reader(key);
  // Where the next loss belongs.
  uint64_t lost_part = parts.size();
  if (!loss.empty() && (!ReadVarint(&loss, &lost_part) || lost_part >= parts.size())) return false;
  for (size_t i = 0; i < parts.size(); ++i) {
    ValueView& value = out->values[i];
    const size_t start = out->storage.size();
    if (!reader.Next(parts[i], &value, &out->storage)) return false;
    if (i == lost_part) {
      if (loss.empty()) return false;
      const auto kind = static_cast<uint8_t>(loss.front());
      loss.remove_prefix(1);
      uint64_t amount = 0;
      switch (kind) {
        case kLossReal:
        case kLossNegativeZero:
          if (value.type == ValueType::kInteger) {
            value = ValueView::Real(static_cast<double>(value.integer));
          }
          if (value.type != ValueType::kReal) return false;
          if (kind == kLossNegativeZero) value.real = -0.0;
          break;
        case kLossCase: {
          if (value.type != ValueType::kText || !ReadVarint(&loss, &amount) ||
              amount > loss.size() || amount > value.size / 8 + 1) {
            return false;
          }
          for (size_t k = 0; k < value.size && k / 8 < amount; ++k) {
            char& c = out->storage[start + k];
            if ((static_cast<uint8_t>(loss[k / 8]) >> (k % 8) & 1) != 0 && c >= 'a' && c <= 'z') {
              c = static_cast<char>(c - 32);
            }
          }
          loss.remove_prefix(amount);
          break;
        }
        case kLossBlanks:
          if (value.type != ValueType::kText || !ReadVarint(&loss, &amount) ||
              amount > (uint64_t{1} << 30)) {
            return false;
          }
          out->storage.append(amount, ' ');
          value.size = static_cast<uint32_t>(out->storage.size() - start);
          break;
        default:
          return false;
      }
      const uint64_t former = lost_part;
      lost_part = parts.size();
      if (!loss.empty() &&
          (!ReadVarint(&loss, &lost_part) || lost_part <= former || lost_part >= parts.size())) {
        return false;
      }
    }
  }
  // The storage has its final address only now.
  size_t offset = 0;
  for (ValueView& value : out->values) {
    if (value.type != ValueType::kText && value.type != ValueType::kBlob) continue;
    value.data = out->storage.data() + offset;
    offset += value.size;
  }
  *rest = reader.rest();
  return true;
}

}  // namespace kvsql::kv
