// What one connection has going on: its transaction, its savepoints, the snapshots its statements read, and its
// pool of statements that are ready to run.
//
//    autocommit      each statement has a snapshot or a write transaction of its own
//    begun           BEGIN: the first read takes a snapshot, the first write begins writing
//    reading         all statements read that snapshot
//    writing         all statements read and write through the write transaction
//
// A session can also live inside a write transaction or a snapshot of the caller; then it neither begins
// nor ends transactions.
//
// Thread safety: one thread at a time, together with its Statements, which must not outlive it.
//
// Invariants:
//   1. At most one write transaction; while there is one, reads go through it.
//   2. Savepoints that are set before writing begins are set in the write transaction when it begins, so
//      the two lists are always alike.
//   3. Rows that Statements show are made independent of the transaction (DetachRows) before it ends or
//      changes anything.
//   4. Temporary tables are changed, committed and rolled back together with the database (temp_database.h). A
//      transaction that changes nothing but them does not write.
//   5. Going from reading to writing never lets a change by others slip in between: if the snapshot is no
//      longer the newest state, the write fails with ABORTED.
#ifndef KVSQL_EXEC_SESSION_H_
#define KVSQL_EXEC_SESSION_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "exec/statement_cache.h"
#include "exec/temp_database.h"
#include "kv/read_txn.h"
#include "kv/reader.h"
#include "kv/statement_reader.h"
#include "kv/store.h"
#include "kv/write_txn.h"
#include "planner/lifted.h"
#include "planner/plan_options.h"

namespace kvsql::exec {

class Session;
class Statement;

// Gives a statement back to its session's pool.
struct StatementRecycler {
  void operator()(Statement* statement) const;
};
using StatementPtr = std::unique_ptr<Statement, StatementRecycler>;

enum class BeginMode : uint8_t { kDeferred, kImmediate, kExclusive };

class Session {
 public:
  // With transactions of its own.
  Session(std::shared_ptr<kv::Store> store, StatementCache* cache);
  // Inside the caller's write transaction or snapshot.
  Session(std::shared_ptr<kv::Store> store, StatementCache* cache, kv::WriteTxn* txn);
  Session(std::shared_ptr<kv::Store> store, StatementCache* cache, const kv::ReadTxn* snapshot);
  // Rolls an open transaction of its own back.
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // The caller's transaction or snapshot ends: from here on every statement answers FAILED_PRECONDITION.
  void Detach();

  const std::shared_ptr<kv::Store>& store() const { return store_; }

  // --- Statements -----------------------------------------------------------------------------------
  // The first statement of `sql`, with no parameter bound; null if there is nothing but blanks and
  // comments. *consumed: its bytes, semicolon included. Text that the session or the cache knows, be it with
  // other literals, is neither parsed nor planned again.
  StatusOr<StatementPtr> Prepare(std::string_view sql, size_t* consumed);

  // --- Transactions, as the SQL statements of the same names ---------------------------------------
  // FAILED_PRECONDITION: "cannot start a transaction within a transaction", "cannot commit - no
  // transaction is active", "cannot rollback - no transaction is active". UNAVAILABLE: busy.
  Status Begin(BeginMode mode = BeginMode::kDeferred);
  Status Commit();
  Status Rollback();
  // SAVEPOINT outside of a transaction begins one, which the RELEASE of that savepoint commits. NOT_FOUND:
  // "no such savepoint: x".
  Status SetSavepoint(std::string_view name);
  Status RollbackTo(std::string_view name);
  Status Release(std::string_view name);

  bool in_transaction() const noexcept { return state_ != State::kAutocommit; }
  // The transaction under way, for the key door; null if it does not write (read) yet.
  kv::WriteTxn* write_txn() noexcept { return write_; }
  const kv::ReadTxn* read_txn() const noexcept {
    return state_ == State::kReading ? read_ : nullptr;
  }
  // Inside a transaction: takes the state to read now, or begins to write. FAILED_PRECONDITION in autocommit.
  Status EnsureRead();
  StatusOr<kv::WriteTxn*> EnsureWrite();
  // Changes whenever a transaction begins, reads or writes for the first time, or ends.
  uint64_t transaction_serial() const noexcept { return serial_; }

  // How long a write waits for the write transactions of others.
  void set_busy_timeout(std::chrono::milliseconds timeout) { busy_timeout_ = timeout; }
  std::chrono::milliseconds busy_timeout() const { return busy_timeout_; }

  // How statements are planned from here on (PRAGMA kvsql_rules, kvsql_tier). Plans made otherwise than by default
  // stay in the session.
  void set_plan_options(const planner::PlanOptions& options);
  const planner::PlanOptions& plan_options() const { return plan_options_; }
  // What one query may take for sorting and hashing, in bytes (PRAGMA kvsql_query_memory).
  void set_query_memory(uint64_t bytes) { query_memory_ = bytes; }
  uint64_t query_memory() const { return query_memory_; }
  // What commits of this session promise.
  void set_durability(kv::Durability durability) { durability_ = durability; }
  kv::Durability durability() const { return durability_; }

  // PRAGMA query_only: statements that write fail.
  void set_query_only(bool query_only) { query_only_ = query_only; }
  bool query_only() const { return query_only_; }

  // --- Results of statements ------------------------------------------------------------------------
  int64_t last_insert_rowid() const { return last_insert_rowid_; }
  int64_t changes() const { return changes_; }              // of the last INSERT, UPDATE or DELETE
  int64_t total_changes() const { return total_changes_; }  // of all

  // Call before changing something in the transaction behind the statements' backs: rows that they show become
  // copies.
  void DetachRows() {
    if (!showing_.empty()) [[unlikely]]
      DetachRowsSlow();
  }

  // --- For Statement --------------------------------------------------------------------------------
  // Where a statement reads: the transaction, or (in autocommit) *snapshot, one of the session's parked
  // ones, begun here. EndRead gives it back.
  StatusOr<kv::Reader> BeginRead(kv::ReadTxn** snapshot) {
    if (state_ == State::kAutocommit) [[likely]] {
      kv::ReadTxn* taken = TakeSnapshot();
      if (!taken->Begin()) [[unlikely]]
        return FailBegin(taken);
      *snapshot = taken;
      return kv::Reader(*taken);
    }
    return BeginReadInTransaction();
  }
  void EndRead(kv::ReadTxn* snapshot) {
    if (snapshot == nullptr) return;
    snapshot->End();
    parked_.push_back(snapshot);
  }

  // A reader for planning: the transaction's, or that of *snapshot, which EndRead gives back.
  StatusOr<kv::StatementReader> BeginPlanning(kv::ReadTxn** snapshot, TempRead* temp);

  // Where a statement writes: the transaction's WriteTxn, or one of its own that EndStatement commits or
  // rolls back.
  StatusOr<kv::WriteTxn*> BeginStatement();
  // `status` is how the statement went; returns it, or the error of the commit.
  Status EndStatement(Status status);

  // Whether the session has, or had, temporary tables: then a statement also reads through BeginTempRead.
  bool has_temp() const { return temp_ != nullptr; }
  Status BeginTempRead(TempRead* read) { return temp_->BeginRead(read); }
  // As BeginStatement, for one that changes temporary tables; they come into being here. FAILED_PRECONDITION inside a
  // transaction or snapshot of the caller, which has none.
  StatusOr<kv::WriteTxn*> BeginTempStatement();

  // Statements that show rows of the transaction.
  void AddShowing(Statement* statement) { showing_.push_back(statement); }
  void RemoveShowing(Statement* statement);

  void NoteInsert(int64_t rowid) { last_insert_rowid_ = rowid; }
  void NoteChanges(int64_t changes) {
    changes_ = changes;
    total_changes_ += changes;
  }

 private:
  friend struct StatementRecycler;
  enum class State : uint8_t { kAutocommit, kBegun, kReading, kWriting, kDetached };

  kv::ReadTxn* TakeSnapshot() {
    if (parked_.empty()) [[unlikely]]
      return NewSnapshot();
    kv::ReadTxn* snapshot = parked_.back();
    parked_.pop_back();
    return snapshot;
  }
  kv::ReadTxn* NewSnapshot();
  Status FailBegin(kv::ReadTxn* snapshot);
  StatusOr<kv::Reader> BeginReadInTransaction();
  void DetachRowsSlow();
  Status CheckOwnsTransactions(std::string_view verb) const;
  void EndTransaction();
  StatementPtr TakePooled(const StatementKey& key);
  void Recycle(Statement* statement);

  const std::shared_ptr<kv::Store> store_;
  StatementCache* const cache_;
  State state_ = State::kAutocommit;
  bool borrowed_ = false;  // the transaction is the caller's
  bool begun_by_savepoint_ = false;
  kv::WriteTxn* write_ = nullptr;      // of the transaction
  const kv::ReadTxn* read_ = nullptr;  // of the transaction
  std::unique_ptr<kv::WriteTxn> own_write_;
  std::unique_ptr<kv::WriteTxn> statement_write_;  // of a statement in autocommit
  kv::ReadTxn own_read_;
  std::vector<std::string> savepoints_;
  std::vector<std::unique_ptr<kv::ReadTxn>> snapshots_;  // all
  std::vector<kv::ReadTxn*> parked_;                     // those that no statement uses
  std::unique_ptr<TempDatabase> temp_;                   // null: nobody has made a temporary table
  std::vector<Statement*> showing_;
  std::chrono::milliseconds busy_timeout_;
  planner::PlanOptions plan_options_;
  uint64_t query_memory_;
  kv::Durability durability_;
  bool query_only_ = false;
  uint64_t serial_ = 0;
  int64_t last_insert_rowid_ = 0;
  int64_t changes_ = 0;
  int64_t total_changes_ = 0;

  parser::Normaliser normaliser_;
  StatementPool pool_;
};

}  // namespace kvsql::exec

#endif  // KVSQL_EXEC_SESSION_H_
