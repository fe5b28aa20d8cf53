// The statement cache of one connection: SQL text to an Execution that is ready to run.
//
// Texts without liftable literals are found by themselves, the others by their normalised form (see
// parser/normaliser.h); the values that were lifted are put into the Execution. A hit parses, plans and allocates
// nothing.
//
// Thread safety: none; belongs to its connection's thread. Leases must come back before the cache dies.
//
// Invariants:
//   1. An Execution is lent to one user at a time; a second Prepare of the same text makes another.
//   2. The bytes held by entries that nobody uses stay below the limit.
//   3. Statements that fail to parse or plan are not cached.
#ifndef KVSQL_API_STATEMENT_CACHE_H_
#define KVSQL_API_STATEMENT_CACHE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "exec/execution.h"
#include "exec/session.h"
#include "parser/normaliser.h"

namespace kvsql {

class StatementCache {
 public:
  struct Entry;

  // A statement on loan. Give it back with Return; `execution` is null for text without a statement.
  struct Lease {
    std::unique_ptr<exec::Execution> execution;
    Entry* entry = nullptr;
    size_t consumed = 0;  // bytes of the text that the first statement took, semicolon included
  };

  explicit StatementCache(exec::Session* session, size_t byte_limit = 4u << 20);
  ~StatementCache();
  StatementCache(const StatementCache&) = delete;
  StatementCache& operator=(const StatementCache&) = delete;

  // The first statement of `sql`. Parameters are unbound. Errors are those of parser::Parse and
  // planner::Prepare.
  StatusOr<Lease> Get(std::string_view sql);
  void Return(Lease lease);

  struct Counters {
    uint64_t exact_hits = 0;
    uint64_t normalised_hits = 0;
    uint64_t misses = 0;
  };
  const Counters& counters() const { return counters_; }
  size_t bytes() const { return bytes_; }
  size_t entries() const { return count_; }
  // Forgets what nobody uses.
  void Clear();

 private:
  Entry* Find(uint64_t hash, std::string_view key, bool lifted);
  Lease Lend(Entry* entry);
  StatusOr<Lease> Make(std::string_view sql, uint64_t hash, std::string_view key, bool lifted);
  void Insert(Entry* entry);
  void Remove(Entry* entry);
  void Touch(Entry* entry);
  void Shrink();
  void Grow();

  exec::Session* session_;
  const size_t byte_limit_;
  parser::Normaliser normaliser_;
  std::vector<Entry*> buckets_;  // chained
  Entry* newest_ = nullptr;
  Entry* oldest_ = nullptr;
  size_t count_ = 0;
  size_t bytes_ = 0;
  Counters counters_;
};

}  // namespace kvsql

#endif  // KVSQL_API_STATEMENT_CACHE_H_
