#include "exec/batch/sort_keys.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "base/bytes.h"
#include "kv/key_codec.h"

namespace kvsql::exec {

using kv::ValueType;
using kv::ValueView;
using planner::SortKey;

namespace {

constexpr uint64_t kSign = uint64_t{1} << 63;

// Numbers whose order is that of the values.
uint64_t OrderOf(int64_t value) { return static_cast<uint64_t>(value) ^ kSign; }
uint64_t OrderOf(double value) {
  const auto bits = std::bit_cast<uint64_t>(value == 0 ? 0.0 : value);
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}
int64_t IntegerOf(uint64_t order) { return static_cast<int64_t>(order ^ kSign); }
double RealOf(uint64_t order) {
  return std::bit_cast<double>((order & kSign) != 0 ? order & ~kSign : ~order);
}

}  // namespace

void SortKeys::Clear() {
  form_ = Form::kNone;
  skip_ = 0;
  keys_.clear();
  arena_.Reset();
  bytes_ = 0;
  has_bound_ = false;
}

SortKeys::Form SortKeys::FormOf(const Vector& vector, const Selection& selection) const {
  if (plan_.size() != 1) return Form::kCanonical;
  if (vector.tag == VectorTag::kInteger) return Form::kIntegers;
  if (vector.tag == VectorTag::kReal) return Form::kReals;
  if (plan_[0].collation != kv::Collation::kBinary) return Form::kCanonical;
  const ValueView* values = vector.values();
  const uint32_t step = vector.constant ? 0 : 1;
  bool texts = true;
  ForEachRow(selection,
             [&](uint32_t row) { texts &= values[row * step].type == ValueType::kText; });
  return texts ? Form::kTexts : Form::kCanonical;
}

uint64_t SortKeys::PrefixOf(const char* bytes, uint32_t size) const {
  uint64_t prefix = 0;
  if (size >= skip_ + 8) {
    prefix = LoadBe<uint64_t>(bytes + skip_);
  } else if (size > skip_) {
    uint8_t padded[8] = {};
    std::memcpy(padded, bytes + skip_, size - skip_);
    prefix = LoadBe<uint64_t>(padded);
  }
  return reversed() ? ~prefix : prefix;
}

bool SortKeys::Less(const Key& a, const Key& b) const {
  if (a.prefix != b.prefix) return a.prefix < b.prefix;
  const uint32_t seen = skip_ + 8;
  const uint32_t common = std::min(a.size, b.size);
  int order = common > seen ? std::memcmp(a.bytes + seen, b.bytes + seen, common - seen) : 0;
  if (order == 0 && a.size != b.size) order = a.size < b.size ? -1 : 1;
  if (order == 0) return a.row < b.row;
  return (order < 0) != reversed();
}

const char* SortKeys::Keep(const char* bytes, size_t size) {
  char* to = arena_.Allocate(size);
  if (size != 0) std::memcpy(to, bytes, size);
  bytes_ += size;
  return to;
}

void SortKeys::Encode(const SortKey& key, const ValueView& value) {
  // NULLs first or last, whatever the direction.
  if (value.is_null()) {
    encoded_.push_back(key.nulls_first ? '\x01' : '\x03');
    return;
  }
  encoded_.push_back('\x02');
  kv::AppendKeyElement(value, {key.collation, key.descending, false}, &encoded_);
}

ValueView SortKeys::ValueOf(const Key& key) const {
  const uint64_t order = reversed() ? ~key.prefix : key.prefix;
  switch (form_) {
    case Form::kIntegers:
      return ValueView::Integer(IntegerOf(order));
    case Form::kReals:
      return ValueView::Real(RealOf(order));
    default:
      return ValueView::Text({key.bytes, key.size});
  }
}

std::string_view SortKeys::CanonicalKey(size_t i) {
  const Key& key = keys_[i];
  if (form_ == Form::kCanonical) return {key.bytes, key.size};
  encoded_.clear();
  Encode(plan_[0], ValueOf(key));
  return encoded_;
}

// Numbers or texts are no longer alone: all keys take the form that any value can have.
void SortKeys::ToCanonical() {
  const auto convert = [&](Key* key) {
    const ValueView value = ValueOf(*key);
    encoded_.clear();
    Encode(plan_[0], value);
    key->size = static_cast<uint32_t>(encoded_.size());
  };
  std::vector<const char*> moved(keys_.size());
  for (size_t i = 0; i < keys_.size(); ++i) {
    convert(&keys_[i]);
    moved[i] = Keep(encoded_.data(), encoded_.size());
  }
  if (has_bound_) {
    convert(&bound_);
    bound_bytes_ = encoded_;
    bound_.bytes = bound_bytes_.data();
  }
  form_ = Form::kCanonical;
  for (size_t i = 0; i < keys_.size(); ++i) {
    keys_[i].bytes = moved[i];
    keys_[i].prefix = PrefixOf(keys_[i].bytes, keys_[i].size);
  }
  if (has_bound_) bound_.prefix = PrefixOf(bound_.bytes, bound_.size);
}

// key_of(row, &key) fills in a key, whose bytes need not stay, and tells whether they do.
template <typename F>
uint32_t SortKeys::Add(const Selection& selection, uint32_t first_row, uint16_t* kept,
                       const F& key_of) {
  uint32_t count = 0;
  ForEachRow(selection, [&](uint32_t row) {
    Key key;
    const bool stays = key_of(row, &key);
    key.row = first_row + count;
    if (has_bound_ && !Less(key, bound_)) return;
    if (!stays) key.bytes = Keep(key.bytes, key.size);
    keys_.push_back(key);
    kept[count++] = static_cast<uint16_t>(row);
  });
  return count;
}

uint32_t SortKeys::Append(const Vector* const* vectors, const Selection& selection,
                          uint32_t first_row, uint16_t* kept) {
  const Vector& first = *vectors[0];
  const Form form = form_ == Form::kCanonical ? form_ : FormOf(first, selection);
  if (form_ == Form::kNone) form_ = form;
  if (form != form_) ToCanonical();
  const uint32_t step = first.constant ? 0 : 1;
  const bool reverse = reversed();
  switch (form_) {
    case Form::kIntegers:
      return Add(selection, first_row, kept, [&](uint32_t row, Key* key) {
        const uint64_t order = OrderOf(first.integers()[row * step]);
        key->prefix = reverse ? ~order : order;
        return true;
      });
    case Form::kReals:
      return Add(selection, first_row, kept, [&](uint32_t row, Key* key) {
        const uint64_t order = OrderOf(first.reals()[row * step]);
        key->prefix = reverse ? ~order : order;
        return true;
      });
    case Form::kTexts:
      return Add(selection, first_row, kept, [&](uint32_t row, Key* key) {
        const ValueView& value = first.values()[row * step];
        key->bytes = value.data;
        key->size = value.size;
        key->prefix = PrefixOf(value.data, value.size);
        return first.stable;
      });
    default:
      return Add(selection, first_row, kept, [&](uint32_t row, Key* key) {
        encoded_.clear();
        for (size_t i = 0; i < plan_.size(); ++i) Encode(plan_[i], vectors[i]->At(row));
        key->bytes = encoded_.data();
        key->size = static_cast<uint32_t>(encoded_.size());
        key->prefix = PrefixOf(key->bytes, key->size);
        return false;
      });
  }
}

void SortKeys::Cut(size_t wanted) {
  const auto less = [this](const Key& a, const Key& b) { return Less(a, b); };
  const auto last = keys_.begin() + static_cast<ptrdiff_t>(wanted) - 1;
  std::nth_element(keys_.begin(), last, keys_.end(), less);
  bound_ = *last;
  bound_.row = 0;  // of rows that sort like it, none that comes later is wanted
  if (bound_.bytes != nullptr) {
    bound_bytes_.assign(bound_.bytes, bound_.size);
    bound_.bytes = bound_bytes_.data();
  }
  has_bound_ = true;
  keys_.resize(wanted);
  std::sort(keys_.begin(), keys_.end(), [](const Key& a, const Key& b) { return a.row < b.row; });
  if (bytes_ == 0) return;
  // The bytes of those that stay, moved to the front of the arena.
  std::string kept;
  for (const Key& key : keys_) kept.append(key.bytes, key.size);
  arena_.Reset();
  bytes_ = 0;
  const char* bytes = Keep(kept.data(), kept.size());
  for (Key& key : keys_) {
    key.bytes = bytes;
    bytes += key.size;
  }
}

bool SortKeys::GetBound(TopBound* bound) const {
  if (!has_bound_ || form_ == Form::kCanonical) return false;
  bound->descending = plan_[0].descending;
  bound->value = ValueOf(bound_);
  return true;
}

// Texts that begin alike would all have the same prefix: it is taken from behind what they share.
void SortKeys::SkipCommonPrefix() {
  if (keys_.size() < 2 || keys_[0].bytes == nullptr) return;
  const Key& first = keys_[0];
  uint32_t common = first.size;
  for (const Key& key : keys_) {
    common = std::min(common, key.size);
    // Mostly equal up to there already.
    if (std::memcmp(key.bytes, first.bytes, common) == 0) continue;
    uint32_t i = 0;
    while (key.bytes[i] == first.bytes[i]) ++i;
    common = i;
  }
  if (common == 0) return;
  skip_ = common;
  for (Key& key : keys_) key.prefix = PrefixOf(key.bytes, key.size);
}

// By the prefixes, a byte at a time from the last one; bytes that are the same in all of them are left out.
void SortKeys::RadixSort() {
  const auto count = static_cast<uint32_t>(keys_.size());
  std::vector<Item> items(count);
  std::vector<Item> other(count);
  uint64_t ones = 0;
  uint64_t zeros = 0;
  for (uint32_t i = 0; i < count; ++i) {
    items[i] = {keys_[i].prefix, i};
    ones |= keys_[i].prefix;
    zeros |= ~keys_[i].prefix;
  }
  const uint64_t varying = ones & zeros;
  for (uint32_t shift = 0; shift < 64; shift += 8) {
    if ((varying >> shift & 0xff) == 0) continue;
    std::array<uint32_t, 256> starts{};
    for (const Item& item : items) ++starts[item.prefix >> shift & 0xff];
    uint32_t start = 0;
    for (uint32_t& each : starts) start += std::exchange(each, start);
    for (const Item& item : items) other[starts[item.prefix >> shift & 0xff]++] = item;
    items.swap(other);
  }
  std::vector<Key> sorted(count);
  for (uint32_t i = 0; i < count; ++i) sorted[i] = keys_[items[i].place];
  keys_.swap(sorted);
  if (form_ == Form::kIntegers || form_ == Form::kReals) return;
  // Those with the same prefix are told apart by what follows it.
  const auto less = [this](const Key& a, const Key& b) { return Less(a, b); };
  for (uint32_t begin = 0; begin < count;) {
    uint32_t end = begin + 1;
    while (end < count && keys_[end].prefix == keys_[begin].prefix) ++end;
    if (end - begin > 1) std::sort(keys_.begin() + begin, keys_.begin() + end, less);
    begin = end;
  }
}

void SortKeys::Sort(size_t wanted) {
  constexpr size_t kFewKeys = 512;
  has_bound_ = false;
  const auto less = [this](const Key& a, const Key& b) { return Less(a, b); };
  if (wanted < keys_.size() / 8) {
    std::partial_sort(keys_.begin(), keys_.begin() + static_cast<ptrdiff_t>(wanted), keys_.end(),
                      less);
  } else {
    SkipCommonPrefix();
    if (keys_.size() <= kFewKeys) {
      std::sort(keys_.begin(), keys_.end(), less);
    } else {
      RadixSort();
    }
  }
  if (wanted < keys_.size()) keys_.resize(wanted);
}

}  // namespace kvsql::exec
