#include <kvsql/connection.h>
#include <kvsql/transaction.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/catalog.h"
#include "api/errors.h"
#include "api/keyspace_rep.h"
#include "api/statement_access.h"
#include "api/table_rep.h"
#include "api/transaction_rep.h"
#include "base/status.h"

namespace kvsql {

using internal::TransactionRep;

namespace internal {

std::unique_ptr<kv::WriteTxn> TransactionRep::End() {
  if (write == nullptr) return nullptr;
  write = nullptr;
  database->NoteTransaction(-1);
  if (sql_ != nullptr) sql_->Detach();
  return std::move(txn_);
}

exec::Session& TransactionRep::sql() {
  if (sql_ == nullptr) {
    sql_ = std::make_unique<exec::Session>(database->store(), database->statement_cache(), write);
    session = sql_.get();
  }
  return *sql_;
}

}  // namespace internal

namespace {

// The active transaction behind the handle.
StatusOr<kv::WriteTxn*> Active(TransactionRep* rep) {
  if (rep == nullptr) return internal::MovedFromError("WriteTransaction");
  if (rep->write == nullptr) return internal::TransactionEndedError();
  return rep->write;
}

}  // namespace

WriteTransaction::WriteTransaction(TransactionRep* rep) : rep_(rep), source_(rep), target_(rep) {}

WriteTransaction::WriteTransaction(WriteTransaction&& other) noexcept
    : rep_(std::exchange(other.rep_, nullptr)),
      source_(std::exchange(other.source_, nullptr)),
      target_(std::exchange(other.target_, nullptr)) {}

WriteTransaction& WriteTransaction::operator=(WriteTransaction&& other) noexcept {
  if (this != &other) {
    const WriteTransaction ended(std::move(*this));
    rep_ = std::exchange(other.rep_, nullptr);
    source_ = std::exchange(other.source_, nullptr);
    target_ = std::exchange(other.target_, nullptr);
  }
  return *this;
}

WriteTransaction::~WriteTransaction() {
  if (rep_ == nullptr) return;
  rep_->End();
  rep_->Unref();
}

bool WriteTransaction::active() const { return rep_ != nullptr && rep_->write != nullptr; }

Status WriteTransaction::commit() {
  if (rep_ == nullptr) return internal::MovedFromError("WriteTransaction");
  return commit(rep_->database->options().durability);
}

Status WriteTransaction::commit(Durability durability) {
  KV_RETURN_IF_ERROR(Active(rep_).status());
  const std::unique_ptr<kv::WriteTxn> txn = rep_->End();
  return txn->Commit(internal::ToKv(durability));
}

Status WriteTransaction::rollback() {
  KV_RETURN_IF_ERROR(Active(rep_).status());
  rep_->End()->Rollback();
  return absl::OkStatus();
}

// Savepoints are set by the session, for they are those of SQL too.

Status WriteTransaction::savepoint(std::string_view name) {
  KV_RETURN_IF_ERROR(Active(rep_).status());
  return rep_->sql().SetSavepoint(name);
}

Status WriteTransaction::rollback_to(std::string_view name) {
  KV_RETURN_IF_ERROR(Active(rep_).status());
  return rep_->sql().RollbackTo(name);
}

Status WriteTransaction::release(std::string_view name) {
  KV_RETURN_IF_ERROR(Active(rep_).status());
  return rep_->sql().Release(name);
}

StatusOr<Keyspace> WriteTransaction::keyspace(std::string_view name,
                                              const KeyspaceOptions& options) {
  KV_RETURN_IF_ERROR(Active(rep_).status());
  KV_RETURN_IF_ERROR(internal::CheckKeyspaceName(name));
  KV_ASSIGN_OR_RETURN(kv::WriteTxn* const txn, rep_->Writer());
  if (options.create_if_missing) KV_RETURN_IF_ERROR(internal::EnsureKeyspace(*txn, name, options));
  auto rep = std::make_unique<internal::KeyspaceRep>(rep_->database, name);
  KV_RETURN_IF_ERROR(rep->EnsureBound(*txn));
  return Keyspace(std::move(rep));
}

StatusOr<Table> WriteTransaction::table(std::string_view name) {
  KV_ASSIGN_OR_RETURN(kv::WriteTxn* const txn, Active(rep_));
  Table table(new internal::TableRep(rep_->database, name));
  KV_RETURN_IF_ERROR(table.rep_->EnsureBound(*txn));
  return table;
}

Status WriteTransaction::drop_keyspace(std::string_view name) {
  KV_RETURN_IF_ERROR(Active(rep_).status());
  KV_RETURN_IF_ERROR(internal::CheckKeyspaceName(name));
  KV_ASSIGN_OR_RETURN(kv::WriteTxn* const txn, rep_->Writer());
  return txn->DropKeyspace(name);
}

StatusOr<std::vector<std::string>> WriteTransaction::keyspaces() const {
  KV_ASSIGN_OR_RETURN(kv::WriteTxn* const txn, Active(rep_));
  return internal::ListKeyspaces(*txn);
}

Status WriteTransaction::execute(std::string_view sql, std::span<const ValueView> parameters) {
  KV_RETURN_IF_ERROR(Active(rep_).status());
  rep_->sql();
  return internal::StatementAccess::Execute(rep_, sql, parameters);
}

StatusOr<Statement> WriteTransaction::prepare(std::string_view sql) {
  KV_RETURN_IF_ERROR(Active(rep_).status());
  rep_->sql();
  return internal::StatementAccess::Prepare(rep_, sql);
}

int64_t WriteTransaction::changes() const {
  const exec::Session* const sql = rep_ == nullptr ? nullptr : rep_->sql_if_used();
  return sql == nullptr ? 0 : sql->changes();
}

int64_t WriteTransaction::last_insert_rowid() const {
  const exec::Session* const sql = rep_ == nullptr ? nullptr : rep_->sql_if_used();
  return sql == nullptr ? 0 : sql->last_insert_rowid();
}

}  // namespace kvsql
