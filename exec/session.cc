#include "exec/session.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "exec/statement.h"
#include "planner/prepare.h"

namespace kvsql::exec {
namespace {

// Longer texts are only known by their normalised form: hashing the rest of a script for each of its
// statements would cost the square of its length.
constexpr size_t kLongestExactKey = 4096;

Status NoSuchSavepoint(std::string_view name) {
  return absl::NotFoundError(absl::StrCat("no such savepoint: ", std::string(name)));
}

}  // namespace

void StatementRecycler::operator()(Statement* statement) const {
  if (statement != nullptr) statement->session_->Recycle(statement);
}

Session::Session(std::shared_ptr<kv::Store> store, StatementCache* cache)
    : store_(std::move(store)),
      cache_(cache),
      own_read_(store_),
      busy_timeout_(store_->options().busy_timeout),
      query_memory_(store_->options().query_memory),
      durability_(store_->options().durability) {}

Session::Session(std::shared_ptr<kv::Store> store, StatementCache* cache, kv::WriteTxn* txn)
    : Session(std::move(store), cache) {
  borrowed_ = true;
  state_ = State::kWriting;
  write_ = txn;
}

Session::Session(std::shared_ptr<kv::Store> store, StatementCache* cache,
                 const kv::ReadTxn* snapshot)
    : Session(std::move(store), cache) {
  borrowed_ = true;
  state_ = State::kReading;
  read_ = snapshot;
}

Session::~Session() {
  pool_.Clear();
  if (!borrowed_ && in_transaction()) EndTransaction();
}

void Session::Detach() {
  DetachRows();
  write_ = nullptr;
  read_ = nullptr;
  state_ = State::kDetached;
  ++serial_;
}

// ------------------------------------------------------------------------------------ statements

StatementPtr Session::TakePooled(const StatementKey& key) { return StatementPtr(pool_.Take(key)); }

void Session::Recycle(Statement* statement) {
  statement->Reset();
  if (!statement->poolable_ || statement->plan_->options != plan_options_) {
    delete statement;
    return;
  }
  statement->ClearBindings();
  pool_.Give(statement);
}

StatusOr<kv::StatementReader> Session::BeginPlanning(kv::ReadTxn** snapshot, TempRead* temp) {
  if (state_ == State::kDetached) {
    return absl::FailedPreconditionError("the transaction of this statement has ended");
  }
  if (has_temp()) KV_RETURN_IF_ERROR(BeginTempRead(temp));
  const auto with_temp = [&](kv::StatementReader reader) {
    if (has_temp()) reader.set_temp(&*temp->reader);
    return reader;
  };
  // A transaction that has read nothing yet does not choose its snapshot by preparing.
  if (state_ == State::kAutocommit || state_ == State::kBegun) {
    kv::ReadTxn* taken = TakeSnapshot();
    if (!taken->Begin()) return FailBegin(taken);
    *snapshot = taken;
    return with_temp(*taken);
  }
  return with_temp(write_ != nullptr ? kv::Reader(*write_) : kv::Reader(*read_));
}

StatusOr<StatementPtr> Session::Prepare(std::string_view sql, size_t* consumed) {
  StatementKey key;
  const bool short_text = sql.size() <= kLongestExactKey;
  if (short_text) {
    key = StatementKey::Of(sql, false);
    if (StatementPtr statement = TakePooled(key); statement != nullptr) {
      *consumed = statement->consumed_;
      return statement;
    }
  }
  const bool lifted = normaliser_.Run(sql);
  if (lifted) {
    key = StatementKey::Of(normaliser_.text(), true);
    if (StatementPtr statement = TakePooled(key); statement != nullptr) {
      statement->SetLifted(normaliser_, sql);
      *consumed = normaliser_.statement_end();
      return statement;
    }
  }
  const bool cachable = lifted || short_text;
  StatementCache::Found found;
  // Names may mean something else to a session that has temporary tables.
  const bool cached = cachable && plan_options_.IsDefault() && !has_temp();
  if (cached) found = cache_->Find(key);
  if (found.plan == nullptr) {
    kv::ReadTxn* snapshot = nullptr;
    TempRead temp;
    KV_ASSIGN_OR_RETURN(const kv::StatementReader reader, BeginPlanning(&snapshot, &temp));
    const std::span<const parser::LiftedRange> ranges =
        lifted ? normaliser_.ranges() : std::span<const parser::LiftedRange>();
    StatusOr<std::shared_ptr<const planner::Plan>> plan =
        planner::Prepare(sql, ranges, reader, plan_options_, &found.consumed);
    const bool shared = write_ == nullptr || !write_->has_private_schema();
    EndRead(snapshot);
    TempDatabase::EndRead(&temp);
    KV_RETURN_IF_ERROR(plan.status());
    found.plan = *std::move(plan);
    if (found.plan == nullptr) {
      *consumed = found.consumed;
      return StatementPtr();
    }
    if (cached && (shared || !found.plan->uses_schema)) {
      cache_->Put(key, found.plan, found.consumed);
    }
  }
  StatementPtr statement(new Statement(this, std::move(found.plan)));
  *consumed = lifted ? normaliser_.statement_end() : found.consumed;
  if (cachable) statement->SetKey(key, found.consumed);
  if (lifted) statement->SetLifted(normaliser_, sql);
  return statement;
}

void Session::set_plan_options(const planner::PlanOptions& options) {
  pool_.Clear();
  plan_options_ = options;
}

// ------------------------------------------------------------------------------------ reading

kv::ReadTxn* Session::NewSnapshot() {
  snapshots_.push_back(std::make_unique<kv::ReadTxn>(store_));
  parked_.reserve(snapshots_.size());
  return snapshots_.back().get();
}

Status Session::FailBegin(kv::ReadTxn* snapshot) {
  parked_.push_back(snapshot);
  return snapshot->BeginError();
}

Status Session::EnsureRead() {
  switch (state_) {
    case State::kAutocommit:
      return absl::FailedPreconditionError("no transaction is active");
    case State::kDetached:
      return absl::FailedPreconditionError("the transaction of this statement has ended");
    case State::kBegun:
      if (!own_read_.Begin()) return own_read_.BeginError();
      read_ = &own_read_;
      state_ = State::kReading;
      ++serial_;
      return absl::OkStatus();
    case State::kReading:
    case State::kWriting:
      return absl::OkStatus();
  }
  return absl::OkStatus();
}

StatusOr<kv::Reader> Session::BeginReadInTransaction() {
  KV_RETURN_IF_ERROR(EnsureRead());
  return write_ != nullptr ? kv::Reader(*write_) : kv::Reader(*read_);
}

void Session::RemoveShowing(Statement* statement) {
  showing_.erase(std::find(showing_.begin(), showing_.end(), statement));
}

void Session::DetachRowsSlow() {
  const std::vector<Statement*> showing = std::exchange(showing_, {});
  for (Statement* statement : showing) statement->Detach();
}

// ------------------------------------------------------------------------------------ writing

StatusOr<kv::WriteTxn*> Session::EnsureWrite() {
  switch (state_) {
    case State::kAutocommit:
      return absl::FailedPreconditionError("no transaction is active");
    case State::kDetached:
      return absl::FailedPreconditionError("the transaction of this statement has ended");
    case State::kWriting:
      return write_;
    case State::kReading:
      if (borrowed_) {
        return absl::FailedPreconditionError("attempt to write a readonly database: a snapshot");
      }
      break;
    case State::kBegun:
      break;
  }
  KV_ASSIGN_OR_RETURN(std::unique_ptr<kv::WriteTxn> txn, store_->BeginWrite(busy_timeout_));
  if (state_ == State::kReading) {
    // Nobody else commits while this transaction has the writer's place: the newest state is the one
    // it starts from.
    kv::ReadTxn* const newest = TakeSnapshot();
    if (!newest->Begin()) return FailBegin(newest);
    const bool same = newest->txid() == own_read_.txid();
    EndRead(newest);
    if (!same) {
      return absl::AbortedError(
          "database is locked: another transaction has committed since this one read; roll back "
          "and "
          "try again");
    }
  }
  for (const std::string& name : savepoints_) KV_RETURN_IF_ERROR(txn->SetSavepoint(name));
  DetachRows();
  if (state_ == State::kReading) own_read_.End();
  read_ = nullptr;
  own_write_ = std::move(txn);
  write_ = own_write_.get();
  state_ = State::kWriting;
  ++serial_;
  return write_;
}

StatusOr<kv::WriteTxn*> Session::BeginStatement() {
  if (query_only_) {
    return absl::FailedPreconditionError("attempt to write a readonly database: query_only is on");
  }
  if (state_ != State::kAutocommit) {
    KV_ASSIGN_OR_RETURN(kv::WriteTxn * txn, EnsureWrite());
    KV_RETURN_IF_ERROR(txn->CheckUsable());
    DetachRows();
    return txn;
  }
  KV_ASSIGN_OR_RETURN(statement_write_, store_->BeginWrite(busy_timeout_));
  return statement_write_.get();
}

StatusOr<kv::WriteTxn*> Session::BeginTempStatement() {
  if (query_only_) {
    return absl::FailedPreconditionError("attempt to write a readonly database: query_only is on");
  }
  if (borrowed_) {
    return absl::FailedPreconditionError(
        "a transaction or snapshot of the API has no temporary tables: they are a connection's");
  }
  if (temp_ == nullptr) {
    KV_ASSIGN_OR_RETURN(temp_, TempDatabase::Open(store_->options()));
  }
  if (state_ == State::kAutocommit) return temp_->BeginStatement();
  KV_ASSIGN_OR_RETURN(kv::WriteTxn * txn, temp_->EnsureWrite(savepoints_));
  KV_RETURN_IF_ERROR(txn->CheckUsable());
  DetachRows();
  return txn;
}

Status Session::EndStatement(Status status) {
  if (temp_ != nullptr && temp_->in_statement()) return temp_->EndStatement(std::move(status));
  if (statement_write_ == nullptr) return status;
  const std::unique_ptr<kv::WriteTxn> txn = std::move(statement_write_);
  if (!status.ok()) {
    txn->Rollback();
    return status;
  }
  return txn->Commit(durability_);
}

// ------------------------------------------------------------------------------------ transactions

Status Session::CheckOwnsTransactions(std::string_view verb) const {
  if (state_ == State::kDetached) {
    return absl::FailedPreconditionError("the transaction of this statement has ended");
  }
  if (borrowed_) {
    return absl::FailedPreconditionError(
        absl::StrCat("cannot ", std::string(verb), " inside a transaction or snapshot of the API"));
  }
  return absl::OkStatus();
}

Status Session::Begin(BeginMode mode) {
  KV_RETURN_IF_ERROR(CheckOwnsTransactions("begin"));
  if (in_transaction()) {
    return absl::FailedPreconditionError("cannot start a transaction within a transaction");
  }
  state_ = State::kBegun;
  begun_by_savepoint_ = false;
  ++serial_;
  if (mode == BeginMode::kDeferred) return absl::OkStatus();
  const Status status = EnsureWrite().status();
  if (!status.ok()) EndTransaction();
  return status;
}

// Ends what there is without committing it.
void Session::EndTransaction() {
  DetachRows();
  if (own_write_ != nullptr && own_write_->active()) own_write_->Rollback();
  own_write_.reset();
  own_read_.End();
  if (temp_ != nullptr) temp_->Rollback();
  write_ = nullptr;
  read_ = nullptr;
  savepoints_.clear();
  begun_by_savepoint_ = false;
  state_ = State::kAutocommit;
  ++serial_;
}

Status Session::Commit() {
  KV_RETURN_IF_ERROR(CheckOwnsTransactions("commit"));
  if (!in_transaction()) {
    return absl::FailedPreconditionError("cannot commit - no transaction is active");
  }
  if (own_write_ != nullptr) {
    KV_RETURN_IF_ERROR(own_write_->CheckUsable());
    DetachRows();
    Status status = own_write_->Commit(durability_);
    // Temporary tables follow what became of the database.
    if (status.ok() && temp_ != nullptr) status = temp_->Commit();
    EndTransaction();
    return status;
  }
  DetachRows();
  Status status = temp_ != nullptr ? temp_->Commit() : absl::OkStatus();
  EndTransaction();
  return status;
}

Status Session::Rollback() {
  KV_RETURN_IF_ERROR(CheckOwnsTransactions("roll back"));
  if (!in_transaction()) {
    return absl::FailedPreconditionError("cannot rollback - no transaction is active");
  }
  EndTransaction();
  return absl::OkStatus();
}

Status Session::SetSavepoint(std::string_view name) {
  if (state_ == State::kDetached) return CheckOwnsTransactions("savepoint");
  if (!in_transaction()) {
    state_ = State::kBegun;
    begun_by_savepoint_ = true;
    ++serial_;
  }
  if (write_ != nullptr) {
    DetachRows();
    KV_RETURN_IF_ERROR(write_->SetSavepoint(name));
  }
  if (temp_ != nullptr) {
    DetachRows();
    KV_RETURN_IF_ERROR(temp_->SetSavepoint(name));
  }
  savepoints_.emplace_back(name);
  return absl::OkStatus();
}

Status Session::RollbackTo(std::string_view name) {
  const auto found = std::find_if(savepoints_.rbegin(), savepoints_.rend(),
                                  [&](const auto& s) { return kv::EqualsIgnoreCase(s, name); });
  if (found == savepoints_.rend()) return NoSuchSavepoint(name);
  if (write_ != nullptr) {
    DetachRows();
    KV_RETURN_IF_ERROR(write_->RollbackTo(name));
  }
  if (temp_ != nullptr) {
    DetachRows();
    KV_RETURN_IF_ERROR(temp_->RollbackTo(name));
  }
  savepoints_.erase(found.base(), savepoints_.end());
  return absl::OkStatus();
}

Status Session::Release(std::string_view name) {
  const auto found = std::find_if(savepoints_.rbegin(), savepoints_.rend(),
                                  [&](const auto& s) { return kv::EqualsIgnoreCase(s, name); });
  if (found == savepoints_.rend()) return NoSuchSavepoint(name);
  const auto index = static_cast<size_t>(savepoints_.rend() - found) - 1;
  if (index == 0 && begun_by_savepoint_) return Commit();
  if (write_ != nullptr) KV_RETURN_IF_ERROR(write_->Release(name));
  if (temp_ != nullptr) KV_RETURN_IF_ERROR(temp_->Release(name));
  savepoints_.resize(index);
  return absl::OkStatus();
}

}  // namespace kvsql::exec
