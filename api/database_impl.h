// What all handles of one Database share.
//
// Thread safety: any thread.
//
// Invariants:
//  1. Every handle owns a share of the DatabaseImpl, so the store outlives them all.
//  2. After a close that answered OK, or failed in its last checkpoint, closed() is true for ever.
#ifndef KVSQL_API_DATABASE_IMPL_H_
#define KVSQL_API_DATABASE_IMPL_H_

#include <kvsql/options.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "api/convert.h"
#include "base/status.h"
#include "exec/statement_cache.h"
#include "kv/store.h"
#include "kv/write_txn.h"

namespace kvsql::internal {

// What the public Options leave out.
struct OpenExtras {
  pager::FileSystem* file_system = nullptr;  // null: the real one
};

class DatabaseImpl {
 public:
  static StatusOr<std::shared_ptr<DatabaseImpl>> Open(const std::string& path,
                                                      const Options& options,
                                                      const OpenExtras& extras = {});

  const std::shared_ptr<kv::Store>& store() const { return store_; }
  // What tells databases apart, also where a file was opened twice.
  const pager::Pager* identity() const { return identity_; }
  const Options& options() const { return options_; }
  const std::string& path() const { return path_; }

  // The plans of SQL texts, for all connections.
  exec::StatementCache* statement_cache() { return &statement_cache_; }

  bool closed() const { return closed_.load(std::memory_order_acquire); }
  Status Close();

  // Begins kv's write transaction, waiting as long as the options say.
  StatusOr<std::unique_ptr<kv::WriteTxn>> BeginWrite();
  kv::Durability durability() const { return ToKv(options_.durability); }

  // Counts the write transactions that users hold; close() refuses while there are some.
  void NoteTransaction(int change) {
    open_transactions_.fetch_add(change, std::memory_order_acq_rel);
  }

 private:
  DatabaseImpl(std::string path, const Options& options, std::shared_ptr<kv::Store> store);

  const std::string path_;
  const Options options_;
  const std::shared_ptr<kv::Store> store_;
  const pager::Pager* const identity_;
  exec::StatementCache statement_cache_;
  std::mutex close_mutex_;
  std::atomic<bool> closed_{false};
  // Apart from closed_, which every read looks at.
  alignas(64) std::atomic<int> open_transactions_{0};
};

// INVALID_ARGUMENT unless `name` can be a keyspace's.
Status CheckKeyspaceName(std::string_view name);

}  // namespace kvsql::internal

#endif  // KVSQL_API_DATABASE_IMPL_H_
