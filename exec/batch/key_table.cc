#include "exec/batch/key_table.h"

#include "base/hash.h"
#include "exec/batch/subquery.h"
#include "planner/expression.h"

namespace kvsql::exec {

using kv::ValueType;
using kv::ValueView;

namespace {

uint64_t HashInteger(int64_t key) {
  // The high half of the product, as Fibonacci hashing has it, folded down.
  const uint64_t product = static_cast<uint64_t>(key) * 0x9e3779b97f4a7c15u;
  return product ^ (product >> 32);
}

}  // namespace

void KeyTable::Clear() {
  integers_ = columns_.size() == 1;
  size_ = 0;
  small_.clear();
  slots_.assign(64, 0);
  mask_ = 63;
  int_keys_.clear();
  hashes_.clear();
  ends_.clear();
  bytes_.clear();
}

size_t KeyTable::memory_bytes() const {
  // What is in use: Clear keeps the room for what comes next.
  return (small_.size() + slots_.size()) * 4 + int_keys_.size() * 8 + hashes_.size() * 8 +
         ends_.size() * 8 + bytes_.size();
}

// Puts all numbers into the slots, which are empty.
void KeyTable::FillSlots() {
  for (uint32_t id = 0; id < size_; ++id) {
    if (integers_ && static_cast<uint64_t>(int_keys_[id]) < kSmall) continue;
    const uint64_t hash = integers_ ? HashInteger(int_keys_[id]) : hashes_[id];
    auto at = static_cast<uint32_t>(hash) & mask_;
    while (slots_[at] != 0) at = (at + 1) & mask_;
    slots_[at] = id + 1;
  }
}

void KeyTable::Grow() {
  mask_ = static_cast<uint32_t>(slots_.size() * 2 - 1);
  slots_.assign(slots_.size() * 2, 0);
  FillSlots();
}

uint32_t KeyTable::AddSmall(int64_t key) {
  if (small_.empty()) small_.assign(kSmall, 0);
  int_keys_.push_back(key);
  small_[static_cast<size_t>(key)] = ++size_;
  return size_ - 1;
}

uint32_t KeyTable::HashedInteger(int64_t key, bool add) {
  auto at = static_cast<uint32_t>(HashInteger(key)) & mask_;
  for (;; at = (at + 1) & mask_) {
    const uint32_t slot = slots_[at];
    if (slot == 0) break;
    if (int_keys_[slot - 1] == key) return slot - 1;
  }
  if (!add) return kNone;
  int_keys_.push_back(key);
  slots_[at] = ++size_;
  if (size_ * 2 > slots_.size()) Grow();
  return size_ - 1;
}

uint32_t KeyTable::Bytes(bool add) {
  const uint64_t hash = Hash64(key_.data(), key_.size(), 0);
  auto at = static_cast<uint32_t>(hash) & mask_;
  for (;; at = (at + 1) & mask_) {
    const uint32_t slot = slots_[at];
    if (slot == 0) break;
    const uint32_t id = slot - 1;
    if (hashes_[id] != hash) continue;
    const size_t begin = id == 0 ? 0 : ends_[id - 1];
    if (std::string_view(bytes_).substr(begin, ends_[id] - begin) == key_) return id;
  }
  if (!add) return kNone;
  bytes_.append(key_);
  ends_.push_back(bytes_.size());
  hashes_.push_back(hash);
  slots_[at] = ++size_;
  if (size_ * 2 > slots_.size()) Grow();
  return size_ - 1;
}

bool KeyTable::AsInteger(const ValueView& value, int64_t* out) const {
  kv::NumberText text;
  ValueView converted = value;
  switch (planner::AffinityOfComparison(columns_[0].extra)) {
    case planner::CompareAffinity::kNumeric:
      converted = kv::ApplyAffinity(value, kv::Affinity::kNumeric, &text);
      break;
    case planner::CompareAffinity::kText:
      return false;
    case planner::CompareAffinity::kNone:
      break;
  }
  if (converted.type == ValueType::kInteger) {
    *out = converted.integer;
    return true;
  }
  if (converted.type != ValueType::kReal) return false;
  // The least integer is a real too, though nothing converts to it.
  if (converted.real == -9223372036854775808.0) {
    *out = INT64_MIN;
    return true;
  }
  return kv::RealToInteger(converted.real, out);
}

void KeyTable::ToBytes() {
  integers_ = false;
  const std::vector<int64_t> keys = std::move(int_keys_);
  int_keys_.clear();
  size_ = 0;
  std::fill(slots_.begin(), slots_.end(), 0);
  for (const int64_t key : keys) {
    key_.clear();
    AppendComparisonKey(ValueView::Integer(key), columns_[0].extra, &key_);
    Bytes(true);
  }
}

void KeyTable::Run(const Vector* const* keys, const Selection& selection, uint32_t* ids, bool add) {
  if (integers_) {
    const Vector& column = *keys[0];
    if (column.tag == VectorTag::kInteger &&
        planner::AffinityOfComparison(columns_[0].extra) != planner::CompareAffinity::kText) {
      const int64_t* values = column.integers();
      const uint32_t step = column.constant ? 0 : 1;
      ForEachRow(selection, [&](uint32_t row) { ids[row] = Integer(values[row * step], add); });
      return;
    }
    // Values that are no integers are not in the table; to add one, the table must change its form.
    bool all = true;
    ForEachRow(selection, [&](uint32_t row) {
      int64_t key = 0;
      const ValueView value = column.At(row);
      if (value.is_null() && !columns_[0].null_is_value) {
        ids[row] = kNone;
      } else if (AsInteger(value, &key)) {
        ids[row] = all || !add ? Integer(key, add) : kNone;
      } else {
        ids[row] = kNone;
        all = false;
      }
    });
    if (all || !add) return;
    ToBytes();
  }
  ForEachRow(selection, [&](uint32_t row) {
    key_.clear();
    for (size_t i = 0; i < columns_.size(); ++i) {
      const ValueView value = keys[i]->At(row);
      if (value.is_null() && !columns_[i].null_is_value) {
        ids[row] = kNone;
        return;
      }
      AppendComparisonKey(value, columns_[i].extra, &key_);
    }
    ids[row] = Bytes(add);
  });
}

}  // namespace kvsql::exec
