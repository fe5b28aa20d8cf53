#include "kv/range_scan.h"

#include <algorithm>
#include <cmath>

namespace kvsql::kv {
namespace {

// The first rowid not below (or, exclusive, above) a number; false if there is none.
bool FirstFrom(const KeyBound& bound, int64_t* out) {
  switch (bound.value.type) {
    case ValueType::kInteger:
      if (!bound.inclusive && bound.value.integer == INT64_MAX) return false;
      *out = bound.value.integer + (bound.inclusive ? 0 : 1);
      return true;
    case ValueType::kReal: {
      const double up = std::ceil(bound.value.real);
      if (up >= 9223372036854775808.0) return false;
      if (up < -9223372036854775808.0) {
        *out = INT64_MIN;
        return true;
      }
      *out = static_cast<int64_t>(up);
      if (up == bound.value.real && !bound.inclusive) {
        if (*out == INT64_MAX) return false;
        ++*out;
      }
      return true;
    }
    default:
      return false;  // texts and blobs are above all numbers; NULL is above nothing
  }
}

bool LastTo(const KeyBound& bound, int64_t* out) {
  switch (bound.value.type) {
    case ValueType::kNull:
      return false;
    case ValueType::kInteger:
      if (!bound.inclusive && bound.value.integer == INT64_MIN) return false;
      *out = bound.value.integer - (bound.inclusive ? 0 : 1);
      return true;
    case ValueType::kReal: {
      const double down = std::floor(bound.value.real);
      if (down < -9223372036854775808.0) return false;
      if (down >= 9223372036854775808.0) {
        *out = INT64_MAX;
        return true;
      }
      *out = static_cast<int64_t>(down);
      if (down == bound.value.real && !bound.inclusive) {
        if (*out == INT64_MIN) return false;
        --*out;
      }
      return true;
    }
    default:
      *out = INT64_MAX;
      return true;
  }
}

}  // namespace

IntRange MakeIntRange(const std::optional<KeyBound>& low, const std::optional<KeyBound>& high) {
  IntRange range;
  if (low.has_value() && !FirstFrom(*low, &range.low)) range.empty = true;
  if (high.has_value() && !LastTo(*high, &range.high)) range.empty = true;
  range.empty |= range.low > range.high;
  return range;
}

KeyRange MakeKeyRange(const std::vector<KeyPart>& parts, size_t limit,
                      const std::vector<ValueView>& equal, const std::optional<KeyBound>& low,
                      const std::optional<KeyBound>& high) {
  KeyRange range;
  for (const ValueView& value : equal) range.empty |= value.is_null();
  if ((low.has_value() && low->value.is_null()) || (high.has_value() && high->value.is_null())) {
    range.empty = true;
  }
  if (range.empty) return range;
  std::string prefix;
  range.truncated = AppendTuple(equal, parts, &prefix, limit).truncated;
  range.low = prefix;
  range.high = prefix;
  AppendTupleEnd(&range.high);
  if (range.truncated || (!low.has_value() && !high.has_value())) {
    if (equal.empty()) range.high.clear();
    return range;
  }
  const KeyPart part = parts[equal.size()];
  // The place before all keys with this value in the column, or behind them.
  const auto place = [&](const ValueView& value, bool behind) {
    std::string key = prefix;
    AppendKeyElement(value, part, &key);
    if (key.size() > limit) {
      // Keys were cut there: take in all that begin alike.
      key.resize(limit);
      range.truncated = true;
    }
    if (behind) AppendTupleEnd(&key);
    return key;
  };
  std::optional<KeyBound> first = part.descending ? high : low;
  std::optional<KeyBound> last = part.descending ? low : high;
  if (first.has_value()) {
    range.low = place(first->value, !first->inclusive);
    if (range.truncated) range.low = place(first->value, false);
  } else if (!part.descending) {
    range.low = place(ValueView::Null(), true);
  }
  if (last.has_value()) {
    range.high = place(last->value, last->inclusive);
    if (range.truncated) range.high = place(last->value, true);
  } else if (part.descending) {
    range.high = place(ValueView::Null(), false);
  }
  return range;
}

Status RangeScan::StartInts(const Reader& reader, TreeId tree, const IntRange& range,
                            bool descending) {
  valid_ = false;
  if (range.empty) return absl::OkStatus();
  KV_ASSIGN_OR_RETURN(const btree::TreeView view, reader.View(tree));
  view_ = view;
  is_int_ = true;
  cursor_.Reset(view);
  ints_ = range;
  descending_ = descending;
  if (descending) {
    valid_ = cursor_.SeekLE(range.high) && cursor_.int_key() >= range.low;
  } else {
    valid_ = cursor_.SeekGE(range.low) && cursor_.int_key() <= range.high;
  }
  return cursor_.status();
}

Status RangeScan::StartKeys(const Reader& reader, TreeId tree, const KeyRange& range,
                            bool descending) {
  valid_ = false;
  if (range.empty) return absl::OkStatus();
  KV_ASSIGN_OR_RETURN(const btree::TreeView view, reader.View(tree));
  view_ = view;
  is_int_ = false;
  cursor_.Reset(view);
  descending_ = descending;
  if (descending) {
    end_ = range.low;
    has_end_ = true;
    if (range.high.empty()) {
      valid_ = cursor_.SeekLast();
    } else {
      valid_ = cursor_.SeekLE(std::string_view(range.high));
      if (valid_ && cursor_.key() == range.high) valid_ = cursor_.Prev();
    }
    valid_ = valid_ && cursor_.key() >= std::string_view(end_);
  } else {
    end_ = range.high;
    has_end_ = !range.high.empty();
    valid_ = cursor_.SeekGE(std::string_view(range.low)) &&
             (!has_end_ || cursor_.key() < std::string_view(end_));
  }
  return cursor_.status();
}

bool RangeScan::InRange() {
  if (!cursor_.Valid()) return false;
  if (is_int_) {
    return descending_ ? cursor_.int_key() >= ints_.low : cursor_.int_key() <= ints_.high;
  }
  if (descending_) return cursor_.key() >= std::string_view(end_);
  return !has_end_ || cursor_.key() < std::string_view(end_);
}

// Entries of the tree before the current one.
StatusOr<uint64_t> RangeScan::RankHere() {
  if (is_int_) return btree::Rank(view_, cursor_.int_key());
  // A copy, for the cursor's buffer may be in use while searching.
  return btree::Rank(view_, std::string(cursor_.key()));
}

StatusOr<uint64_t> RangeScan::Left() {
  if (!valid_ || !InRange()) {
    KV_RETURN_IF_ERROR(cursor_.status());
    return uint64_t{0};
  }
  KV_ASSIGN_OR_RETURN(const uint64_t here, RankHere());
  if (descending_) {
    uint64_t first = 0;
    if (is_int_) {
      KV_ASSIGN_OR_RETURN(first, btree::Rank(view_, ints_.low));
    } else {
      KV_ASSIGN_OR_RETURN(first, btree::Rank(view_, std::string_view(end_)));
    }
    return here + 1 - std::min(first, here + 1);
  }
  uint64_t behind = view_.root.count;
  if (is_int_) {
    if (ints_.high != INT64_MAX) {
      KV_ASSIGN_OR_RETURN(behind, btree::Rank(view_, ints_.high + 1));
    }
  } else if (has_end_) {
    KV_ASSIGN_OR_RETURN(behind, btree::Rank(view_, std::string_view(end_)));
  }
  return behind - std::min(here, behind);
}

Status RangeScan::Skip(uint64_t n) {
  if (n == 0 || !valid_) return absl::OkStatus();
  KV_ASSIGN_OR_RETURN(const uint64_t here, RankHere());
  if (descending_ ? n > here : n >= view_.root.count - here) {
    valid_ = false;
    return absl::OkStatus();
  }
  valid_ = cursor_.SeekToRank(descending_ ? here - n : here + n) && InRange();
  return cursor_.status();
}

StatusOr<uint32_t> RangeScan::NextInts(uint32_t max, int64_t* keys, btree::ValueRef* cells) {
  uint32_t n = 0;
  while (valid_ && n < max) {
    if (!descending_) {
      const uint32_t taken =
          cursor_.TakeInts(max - n, ints_.high, keys == nullptr ? nullptr : keys + n, cells + n);
      n += taken;
      valid_ = taken != 0 && cursor_.Valid();
      continue;
    }
    if (keys != nullptr) keys[n] = cursor_.int_key();
    cells[n] = cursor_.value();
    ++n;
    valid_ = cursor_.Prev() && cursor_.int_key() >= ints_.low;
  }
  KV_RETURN_IF_ERROR(cursor_.status());
  return n;
}

StatusOr<uint32_t> RangeScan::NextKeys(uint32_t max, std::string* storage, uint32_t* ends,
                                       btree::ValueRef* cells) {
  storage->clear();
  uint32_t n = 0;
  while (valid_ && n < max) {
    if (!descending_) {
      const uint32_t taken =
          cursor_.TakeKeys(max - n, has_end_ ? std::string_view(end_) : std::string_view(), storage,
                           ends + n, cells + n);
      n += taken;
      valid_ = taken != 0 && cursor_.Valid();
      continue;
    }
    storage->append(cursor_.key());
    ends[n] = static_cast<uint32_t>(storage->size());
    cells[n] = cursor_.value();
    ++n;
    valid_ = cursor_.Prev() && cursor_.key() >= std::string_view(end_);
  }
  KV_RETURN_IF_ERROR(cursor_.status());
  return n;
}

}  // namespace kvsql::kv
