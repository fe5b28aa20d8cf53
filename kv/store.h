// The store under both doors: one database file (or memory) with its catalog.
//
// Thread safety: every method may be called from any thread.
//
// Invariants:
//  1. Stores of the same file in one process share one pager.
//  2. Every state that is published has the Schema of its catalog: the attachment of the pager's
//     state, or, before the first schema change since the file was opened, the Store's first one.
#ifndef KVSQL_KV_STORE_H_
#define KVSQL_KV_STORE_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/status.h"
#include "kv/read_txn.h"
#include "kv/schema.h"
#include "pager/file.h"
#include "pager/pager.h"

namespace kvsql::kv {

using pager::Durability;

class Reader;
class RowRules;
class WriteTxn;
struct WriteScratch;

// Makes what evaluates a table's expressions (row_rules.h). The definition outlives the rules.
using RowRulesMaker = StatusOr<std::unique_ptr<RowRules>> (*)(const TableDef& table,
                                                              const Reader& reader);

struct StoreOptions {
  std::string path;        // empty: in memory
  bool temporary = false;  // its tables are a connection's temporary ones
  bool read_only = false;
  bool create_if_missing = true;
  uint32_t page_size = 4096;                  // of a new file
  Durability durability = Durability::kFull;  // what WriteTxn::Commit() promises
  std::chrono::milliseconds busy_timeout{5000};
  uint64_t map_size = 0;  // 0: as much as is sensible
  uint64_t log_limit = 8u << 20;
  uint64_t dirty_budget = 64u << 20;
  uint64_t query_memory = uint64_t{256} << 20;  // that one query may take for sorting and hashing
  int compression_level = 0;                    // zstd level for large values; 0: as they are
  bool background = true;
  bool verify_checksums = true;
  bool accept_missing_log = false;
  pager::FileSystem* file_system = nullptr;  // null: the real one
  RowRulesMaker make_row_rules = nullptr;    // null: tables with expressions cannot be written
};

class Store : public std::enable_shared_from_this<Store> {
 public:
  // Opens or creates the database, recovering what an unclean end left. Errors are those of
  // pager::Pager::Open.
  static StatusOr<std::shared_ptr<Store>> Open(const StoreOptions& options);
  ~Store();

  // The last checkpoint, and the lock's end; if another Store of this process has the file open,
  // only this one's claim to it. FAILED_PRECONDITION while read transactions are begun, UNAVAILABLE
  // while a write transaction runs. Idempotent; not to be called by two threads at once.
  Status Close();

  // Begins the write transaction when those before it have ended. UNAVAILABLE after the timeout.
  StatusOr<std::unique_ptr<WriteTxn>> BeginWrite(std::chrono::milliseconds busy_timeout);
  StatusOr<std::unique_ptr<WriteTxn>> BeginWrite();  // with the options' timeout

  Status Checkpoint() { return pager_->Checkpoint(); }
  // Makes commits of level normal durable.
  Status Sync() { return pager_->SyncLog(); }
  // Gives free space at the file's end back.
  Status Truncate() { return pager_->Truncate(); }

  // Trains the dictionaries of compressed tables and keyspaces anew, moves what stands behind free space into it,
  // then Truncate. Waits for the running write transaction.
  Status Compact();

  // Reads everything and returns what is wrong, in words, at most `limit` findings; nothing wrong:
  // empty. Waits for the running write transaction, and keeps others waiting.
  StatusOr<std::vector<std::string>> CheckIntegrity(size_t limit = 100);

  const StoreOptions& options() const { return options_; }
  const std::shared_ptr<pager::Pager>& pager() const { return pager_; }
  bool read_only() const { return options_.read_only; }
  // OK, or why nothing can be written any more.
  Status health() const { return pager_->health(); }

  // Whether a dictionary may be trained for a tree with so many entries (training.h), and from how many on
  // again; 0: from any number.
  bool IsTrainingTurn(TreeId tree, uint64_t rows);
  void PostponeTraining(TreeId tree, uint64_t rows);

  // The Schema of states without attachment.
  const std::shared_ptr<const Schema>& first_schema() const { return first_schema_; }

 private:
  friend class WriteTxn;
  explicit Store(const StoreOptions& options);

  // Buffers of the last write transaction, for the next.
  std::unique_ptr<WriteScratch> TakeScratch();
  void ReturnScratch(std::unique_ptr<WriteScratch> scratch);

  StoreOptions options_;
  std::shared_ptr<pager::Pager> pager_;
  bool closed_ = false;
  std::shared_ptr<const Schema> first_schema_;
  std::mutex scratch_mutex_;
  std::unique_ptr<WriteScratch> scratch_;
  std::mutex training_mutex_;
  std::unordered_map<TreeId, uint64_t> next_training_;
};

}  // namespace kvsql::kv

#endif  // KVSQL_KV_STORE_H_
