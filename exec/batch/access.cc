#include "exec/batch/access.h"

#include <algorithm>
#include <utility>

#include "exec/batch/subquery.h"
#include "exec/scalar_ops.h"
#include "kv/row_lookup.h"
#include "kv/table_ops.h"

namespace kvsql::exec {

using kv::ValueType;
using kv::ValueView;
using planner::AccessPath;
using planner::NodeKind;

// The table's or index's key column `i`; null for a rowid.
const kv::IndexColumn* Access::KeyColumn(uint32_t i) const {
  if (path_.kind == AccessPath::Kind::kIndex) return &path_.index->columns[i];
  return table_.has_rowid() ? nullptr : &table_.primary_key[i];
}

// What comparing with the column makes of a value.
ValueView Access::Convert(const ValueView& value, uint32_t key_column) {
  const kv::IndexColumn* column = KeyColumn(key_column);
  kv::Affinity affinity = kv::Affinity::kNumeric;
  if (column != nullptr && column->column == kv::kExpressionColumn) return value;
  if (key_column < path_.as_is.size() && path_.as_is[key_column] != 0) return value;
  if (column != nullptr && column->column != kv::kRowidColumn) {
    affinity = table_.columns[column->column].affinity;
    if (affinity == kv::Affinity::kInteger || affinity == kv::Affinity::kReal) {
      affinity = kv::Affinity::kNumeric;
    }
  }
  return WithAffinity(value, affinity, &evaluation_.arena);
}

Status Access::Make() {
  static const std::vector<planner::SlotId> kNoSlots;
  const ExpressionMaker maker(&context_, kNoSlots);
  KV_ASSIGN_OR_RETURN(equal_exprs_, maker.MakeAll(path_.equal));
  if (path_.low != nullptr) {
    KV_ASSIGN_OR_RETURN(low_, maker.Make(*path_.low));
  }
  if (path_.high != nullptr) {
    KV_ASSIGN_OR_RETURN(high_, maker.Make(*path_.high));
  }
  if (path_.in_list != nullptr && path_.in_list->Is(NodeKind::kIn)) {
    for (size_t i = 1; i < path_.in_list->args.size(); ++i) {
      KV_ASSIGN_OR_RETURN(ExpressionPtr item, maker.Make(*path_.in_list->args[i]));
      items_.push_back(std::move(item));
    }
  }
  return absl::OkStatus();
}

StatusOr<ValueView> Access::KeyValue(Expression& expression, uint32_t key_column) {
  evaluation_.batch = &no_row_;
  const ValueView value = expression.Evaluate(evaluation_, {nullptr, 1}).At(0);
  KV_RETURN_IF_ERROR(evaluation_.status());
  return Convert(value, key_column);
}

Status Access::CollectProbes() {
  const planner::ExprNode& in = *path_.in_list;
  const auto column = static_cast<uint32_t>(path_.equal.size());
  probes_.clear();
  if (in.Is(NodeKind::kInLifted)) {
    const parser::LiftedSlot& slot = context_.lifted->slots[in.index];
    for (uint32_t i = 0; i < slot.count; ++i) {
      probes_.push_back(Convert(context_.lifted->values[slot.first + i], column));
    }
  } else if (in.Is(NodeKind::kIn)) {
    for (const ExpressionPtr& item : items_) {
      KV_ASSIGN_OR_RETURN(const ValueView value, KeyValue(*item, column));
      probes_.push_back(value);
    }
  } else {
    KV_ASSIGN_OR_RETURN(const std::vector<ValueView>* values,
                        context_.SubqueryFor(in.index).AllValues());
    for (const ValueView& value : *values) probes_.push_back(Convert(value, column));
  }
  const kv::IndexColumn* key = KeyColumn(column);
  const kv::Collation collation = key != nullptr ? key->collation : kv::Collation::kBinary;
  const bool backwards = (key != nullptr && key->descending) != path_.descending;
  probes_.erase(std::remove_if(probes_.begin(), probes_.end(),
                               [](const ValueView& v) { return v.is_null(); }),
                probes_.end());
  std::sort(probes_.begin(), probes_.end(), [&](const ValueView& a, const ValueView& b) {
    const int order = kv::CompareValues(a, b, collation);
    return backwards ? order > 0 : order < 0;
  });
  probes_.erase(std::unique(probes_.begin(), probes_.end(),
                            [&](const ValueView& a, const ValueView& b) {
                              return kv::CompareValues(a, b, collation) == 0;
                            }),
                probes_.end());
  return absl::OkStatus();
}

Status Access::Open() {
  evaluation_.arena.Reset();
  evaluation_.functions.status = absl::OkStatus();
  equal_.clear();
  for (const ExpressionPtr& expression : equal_exprs_) {
    KV_ASSIGN_OR_RETURN(const ValueView value,
                        KeyValue(*expression, static_cast<uint32_t>(equal_.size())));
    equal_.push_back(value);
  }
  probing_ = path_.in_list != nullptr;
  next_probe_ = 0;
  if (!probing_) return StartProbe();
  KV_RETURN_IF_ERROR(CollectProbes());
  started_ = false;
  return absl::OkStatus();
}

Status Access::StartProbe() {
  started_ = true;
  std::vector<ValueView> equal = equal_;
  if (probing_) equal.push_back(probes_[next_probe_++]);
  const auto column = static_cast<uint32_t>(equal.size());
  std::optional<kv::KeyBound> low;
  std::optional<kv::KeyBound> high;
  if (path_.low != nullptr) {
    KV_ASSIGN_OR_RETURN(const ValueView value, KeyValue(*low_, column));
    low = {value, path_.low_inclusive};
  }
  if (path_.high != nullptr) {
    KV_ASSIGN_OR_RETURN(const ValueView value, KeyValue(*high_, column));
    high = {value, path_.high_inclusive};
  }
  range_truncated_ = false;
  if (int_keys()) {
    if (!equal.empty()) low = high = kv::KeyBound{equal[0], true};
    return scan_.StartInts(reader(), table_.tree, kv::MakeIntRange(low, high), path_.descending);
  }
  const bool is_index = path_.kind == AccessPath::Kind::kIndex;
  const kv::KeyRange range = kv::MakeKeyRange(is_index ? path_.index->parts : table_.key_parts,
                                              table_.max_tuple_bytes(), equal, low, high);
  range_truncated_ = range.truncated;
  return scan_.StartKeys(reader(), is_index ? path_.index->tree : table_.tree, range,
                         path_.descending);
}

StatusOr<uint32_t> Access::Next(uint32_t max, Entries* entries) {
  truncated_ = false;
  for (;;) {
    if (!started_) {
      if (next_probe_ >= probes_.size()) return 0;
      KV_RETURN_IF_ERROR(StartProbe());
    }
    uint32_t count = 0;
    if (int_keys()) {
      KV_ASSIGN_OR_RETURN(count, scan_.NextInts(max, entries->rowids, entries->cells));
    } else if (path_.kind == AccessPath::Kind::kTable) {
      KV_ASSIGN_OR_RETURN(count,
                          scan_.NextKeys(max, &entries->keys, entries->key_ends, entries->cells));
    } else {
      KV_ASSIGN_OR_RETURN(count, scan_.NextKeys(max, &entries->index_keys, entries->index_key_ends,
                                                entries->index_cells));
    }
    entries->count = count;
    if (count == 0) {
      if (!probing_) return 0;
      started_ = false;
      continue;
    }
    truncated_ = range_truncated_;
    if (path_.kind == AccessPath::Kind::kIndex && !path_.covering) {
      KV_RETURN_IF_ERROR(FetchRows(entries));
    }
    return count;
  }
}

StatusOr<std::optional<uint64_t>> Access::CountRows() {
  if (probing_ || range_truncated_) return std::optional<uint64_t>();
  KV_ASSIGN_OR_RETURN(const uint64_t count, scan_.Left());
  return std::optional<uint64_t>(count);
}

StatusOr<uint64_t> Access::SkipRows(uint64_t n) {
  if (probing_ || range_truncated_) return uint64_t{0};
  KV_ASSIGN_OR_RETURN(const uint64_t left, scan_.Left());
  const uint64_t skipped = std::min(n, left);
  KV_RETURN_IF_ERROR(scan_.Skip(skipped));
  return skipped;
}

// The cells of the rows that index entries lead to, fetched in the order of the table.
Status Access::FetchRows(Entries* entries) {
  return table_.has_rowid() ? FetchByRowid(entries) : FetchByKey(entries);
}

Status Access::DamagedEntry() const {
  return DataLoss("index ", path_.index->name, ": a damaged entry");
}

Status Access::EntryWithoutRow() const {
  return DataLoss("index ", path_.index->name, " of table ", table_.name,
                  ": an entry leads to no row");
}

Status Access::FetchByRowid(Entries* entries) {
  const uint32_t count = entries->count;
  bool rising = true;
  for (uint32_t i = 0; i < count; ++i) {
    bool truncated = false;
    if (!kv::ReadEntryRowid(table_, *path_.index, entries->index_key(i),
                            entries->index_cells[i].view(), &entries->rowids[i], &truncated)) {
      return DamagedEntry();
    }
    truncated_ |= truncated;
    rising &= i == 0 || entries->rowids[i - 1] <= entries->rowids[i];
  }
  order_.resize(count);
  for (uint32_t i = 0; i < count; ++i) order_[i] = i;
  if (!rising) SortByRowid(entries->rowids, count);
  KV_ASSIGN_OR_RETURN(const btree::TreeView tree, reader().View(table_.tree));
  uint32_t failed = 0;
  switch (btree::FindRising(tree, entries->rowids, order_.data(), count, entries->cells, &failed)) {
    case btree::FindResult::kFound:
      return absl::OkStatus();
    case btree::FindResult::kNotFound:
      return EntryWithoutRow();
    case btree::FindResult::kError:
      break;
  }
  KV_RETURN_IF_ERROR(btree::FindError(tree, entries->rowids[failed]));
  return EntryWithoutRow();
}

// Puts the places 0 to count - 1 into order_ by their rowids.
void Access::SortByRowid(const int64_t* rowids, uint32_t count) {
  constexpr int kPlaceBits = 10;
  static_assert(kBatchRows <= 1 << kPlaceBits);
  const auto [low, high] = std::minmax_element(rowids, rowids + count);
  const uint64_t range = static_cast<uint64_t>(*high) - static_cast<uint64_t>(*low);
  if (range >> (64 - kPlaceBits) != 0) {
    std::sort(order_.begin(), order_.end(),
              [&](uint32_t a, uint32_t b) { return rowids[a] < rowids[b]; });
    return;
  }
  // Rowid and place in one number, sorted by a byte at a time, or at once where they are few.
  items_by_rowid_.resize(size_t{2} * count);
  uint64_t* items = items_by_rowid_.data();
  uint64_t* other = items + count;
  for (uint32_t i = 0; i < count; ++i) {
    const uint64_t distance = static_cast<uint64_t>(rowids[i]) - static_cast<uint64_t>(*low);
    items[i] = distance << kPlaceBits | i;
  }
  if (count < 128) {
    std::sort(items, items + count);
  } else {
    for (int shift = kPlaceBits; shift < 64 && range >> (shift - kPlaceBits) != 0; shift += 8) {
      uint32_t starts[256] = {};
      for (uint32_t i = 0; i < count; ++i) ++starts[items[i] >> shift & 0xff];
      uint32_t start = 0;
      for (uint32_t& each : starts) start += std::exchange(each, start);
      for (uint32_t i = 0; i < count; ++i) other[starts[items[i] >> shift & 0xff]++] = items[i];
      std::swap(items, other);
    }
  }
  for (uint32_t i = 0; i < count; ++i) {
    order_[i] = static_cast<uint32_t>(items[i] & ((1 << kPlaceBits) - 1));
  }
}

Status Access::FetchByKey(Entries* entries) {
  entries->keys.clear();
  for (uint32_t i = 0; i < entries->count; ++i) {
    if (!kv::DecodeIndexEntry(table_, *path_.index, entries->index_key(i),
                              entries->index_cells[i].view(), &decoded_)) {
      return DamagedEntry();
    }
    truncated_ |= decoded_.truncated;
    entries->keys.append(decoded_.row.key);
    entries->key_ends[i] = static_cast<uint32_t>(entries->keys.size());
  }
  const kv::Reader& from = reader();
  for (uint32_t i = 0; i < entries->count; ++i) {
    switch (from.Find(table_.tree, entries->key(i), &entries->cells[i])) {
      case btree::FindResult::kFound:
        break;
      case btree::FindResult::kNotFound:
        return EntryWithoutRow();
      case btree::FindResult::kError:
        return from.FindError(table_.tree, entries->key(i));
    }
  }
  return absl::OkStatus();
}

Status Access::FetchRow(const kv::RowKey& key, kv::Row* row) {
  StatusOr<bool> found = table_.has_rowid() ? kv::GetByRowid(reader(), table_, key.rowid, row)
                                            : kv::GetByRowKey(reader(), table_, key, row);
  KV_RETURN_IF_ERROR(found.status());
  return *found ? absl::OkStatus() : EntryWithoutRow();
}

}  // namespace kvsql::exec
