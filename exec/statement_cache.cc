#include "exec/statement_cache.h"

#include <algorithm>
#include <utility>

#include "exec/statement.h"

namespace kvsql::exec {

StatementCache::Entries::iterator* StatementCache::Lookup(const StatementKey& key) {
  const auto [first, last] = by_hash_.equal_range(key.hash);
  for (auto at = first; at != last; ++at) {
    const Entry& entry = *at->second;
    if (entry.lifted == key.lifted && entry.text == key.text) return &at->second;
  }
  return nullptr;
}

StatementCache::Found StatementCache::Find(const StatementKey& key) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Entries::iterator* found = Lookup(key);
  if (found == nullptr) return {};
  entries_.splice(entries_.begin(), entries_, *found);
  return {(*found)->plan, (*found)->consumed};
}

void StatementCache::Drop(Entries::iterator entry) {
  const auto [first, last] = by_hash_.equal_range(entry->hash);
  by_hash_.erase(std::find_if(first, last, [&](const auto& at) { return at.second == entry; }));
  bytes_ -= entry->bytes;
  entries_.erase(entry);
}

void StatementCache::Put(const StatementKey& key, std::shared_ptr<const planner::Plan> plan,
                         size_t consumed) {
  const size_t bytes = plan->MemoryBytes() + key.text.size() + 256;
  if (bytes > byte_limit_ / 4) return;  // would drive out too much else
  const std::lock_guard<std::mutex> lock(mutex_);
  if (Entries::iterator* found = Lookup(key); found != nullptr) Drop(*found);
  entries_.push_front(
      {std::string(key.text), key.lifted, key.hash, std::move(plan), consumed, bytes});
  by_hash_.emplace(key.hash, entries_.begin());
  bytes_ += bytes;
  while (bytes_ > byte_limit_) Drop(std::prev(entries_.end()));
}

size_t StatementCache::bytes() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return bytes_;
}

size_t StatementCache::size() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return entries_.size();
}

StatementPool::StatementPool() : places_(kSets * kWays) {}

StatementPool::~StatementPool() { Clear(); }

void StatementPool::Clear() {
  for (Place& place : places_) Evict(&place);
}

void StatementPool::Evict(Place* place) {
  if (place->statement == nullptr) return;
  bytes_ -= place->statement->pool_bytes_;
  delete place->statement;
  place->statement = nullptr;
}

Statement* StatementPool::Take(const StatementKey& key) {
  Place* const set = &places_[key.hash % kSets * kWays];
  for (Place* place = set; place < set + kWays; ++place) {
    if (place->statement == nullptr || place->hash != key.hash) continue;
    Statement* const statement = place->statement;
    if (statement->key_lifted_ != key.lifted || statement->key_text_ != key.text) continue;
    place->statement = nullptr;
    bytes_ -= statement->pool_bytes_;
    return statement;
  }
  return nullptr;
}

void StatementPool::Give(Statement* statement) {
  statement->pool_bytes_ = statement->MemoryBytes();
  if (statement->pool_bytes_ > kMaxBytes / 4) {
    delete statement;
    return;
  }
  Place* const set = &places_[statement->key_hash_ % kSets * kWays];
  Place* chosen = set;
  for (Place* place = set; place < set + kWays; ++place) {
    if (place->statement == nullptr) {
      chosen = place;
      break;
    }
    if (place->used < chosen->used) chosen = place;
  }
  Evict(chosen);
  *chosen = {statement, statement->key_hash_, ++clock_};
  bytes_ += statement->pool_bytes_;
  // Over the budget: the oldest go.
  while (bytes_ > kMaxBytes) {
    Place* oldest = nullptr;
    for (Place& place : places_) {
      if (place.statement == nullptr || &place == chosen) continue;
      if (oldest == nullptr || place.used < oldest->used) oldest = &place;
    }
    if (oldest == nullptr) break;
    Evict(oldest);
  }
}

}  // namespace kvsql::exec
