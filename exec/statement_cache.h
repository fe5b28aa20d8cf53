// Plans by statement text, for all sessions of a database; and above it each session's pool of statements that are
// ready to run.
//
// A text without liftable literals is its own key; of the others the normalised form is (parser/normaliser.h).
// The two kinds never answer for each other.
#ifndef KVSQL_EXEC_STATEMENT_CACHE_H_
#define KVSQL_EXEC_STATEMENT_CACHE_H_

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/hash.h"
#include "planner/plan.h"

namespace kvsql::exec {

class Statement;

struct StatementKey {
  uint64_t hash = 0;
  std::string_view text;
  bool lifted = false;

  static StatementKey Of(std::string_view text, bool lifted) {
    return {Hash64(text.data(), text.size(), lifted ? 1 : 0), text, lifted};
  }
};

// Thread safety: any thread.
//
// Invariants:
//   1. The plans held take at most the byte limit; the least recently used go first.
//   2. Plans that were made under a schema which only one transaction sees are not in here.
class StatementCache {
 public:
  explicit StatementCache(size_t byte_limit = 8u << 20) : byte_limit_(byte_limit) {}
  StatementCache(const StatementCache&) = delete;
  StatementCache& operator=(const StatementCache&) = delete;

  struct Found {
    std::shared_ptr<const planner::Plan> plan;  // null: not here
    size_t consumed = 0;
  };
  Found Find(const StatementKey& key);
  // Replaces what was there. `consumed`: of the text that is the key (meaningless for lifted ones).
  void Put(const StatementKey& key, std::shared_ptr<const planner::Plan> plan, size_t consumed);

  size_t bytes() const;
  size_t size() const;

 private:
  struct Entry {
    std::string text;
    bool lifted = false;
    uint64_t hash = 0;
    std::shared_ptr<const planner::Plan> plan;
    size_t consumed = 0;
    size_t bytes = 0;
  };
  using Entries = std::list<Entry>;  // most recently used first

  Entries::iterator* Lookup(const StatementKey& key);
  void Drop(Entries::iterator entry);

  const size_t byte_limit_;
  mutable std::mutex mutex_;
  Entries entries_;
  std::unordered_multimap<uint64_t, Entries::iterator> by_hash_;
  size_t bytes_ = 0;
};

// Thread safety: none; belongs to its session.
//
// Invariants:
//   1. Holds only statements that nobody uses, at most kSlots and kMaxBytes of them.
//   2. Take and Give allocate nothing.
class StatementPool {
 public:
  StatementPool();
  ~StatementPool();

  // A statement whose key this is, or null.
  Statement* Take(const StatementKey& key);
  // Takes the statement over; deletes it, or another one, if the place is needed.
  void Give(Statement* statement);
  void Clear();

 private:
  static constexpr size_t kSets = 64;
  static constexpr size_t kWays = 4;
  static constexpr size_t kMaxBytes = 2u << 20;

  struct Place {
    Statement* statement = nullptr;
    uint64_t hash = 0;
    uint64_t used = 0;
  };

  void Evict(Place* place);

  std::vector<Place> places_;
  uint64_t clock_ = 0;
  size_t bytes_ = 0;
};

}  // namespace kvsql::exec

#endif  // KVSQL_EXEC_STATEMENT_CACHE_H_
