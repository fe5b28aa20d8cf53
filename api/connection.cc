#include <kvsql/connection.h>

#include <utility>

#include "api/connection_rep.h"
#include "api/errors.h"
#include "api/statement_access.h"
#include "base/status.h"

namespace kvsql {

using internal::ConnectionRep;
using internal::StatementAccess;

namespace internal {

ConnectionRep::ConnectionRep(std::shared_ptr<DatabaseImpl> the_database)
    : WriteTarget(Kind::kConnection, std::move(the_database)),
      sql_(database->store(), database->statement_cache()) {
  sql_.set_busy_timeout(database->options().busy_timeout);
  session = &sql_;
}

ConnectionRep::ConnectionRep(std::shared_ptr<DatabaseImpl> the_database,
                             std::shared_ptr<const SnapshotSource> snapshot)
    : WriteTarget(Kind::kConnection, std::move(the_database)),
      snapshot_(std::move(snapshot)),
      sql_(database->store(), database->statement_cache(), snapshot_->read) {
  session = &sql_;
}

void ConnectionRep::EndTransaction() {
  if (snapshot_ != nullptr || !sql_.in_transaction()) return;
  // It cannot fail while a transaction is under way.
  static_cast<void>(sql_.Rollback());
}

}  // namespace internal

namespace {

Status MovedFrom() { return internal::MovedFromError("Connection"); }

}  // namespace

Connection::Connection(ConnectionRep* rep) : rep_(rep), source_(rep), target_(rep) {}

Connection::Connection(Connection&& other) noexcept
    : rep_(std::exchange(other.rep_, nullptr)),
      source_(std::exchange(other.source_, nullptr)),
      target_(std::exchange(other.target_, nullptr)) {}

Connection& Connection::operator=(Connection&& other) noexcept {
  if (this != &other) {
    const Connection ended(std::move(*this));
    rep_ = std::exchange(other.rep_, nullptr);
    source_ = std::exchange(other.source_, nullptr);
    target_ = std::exchange(other.target_, nullptr);
  }
  return *this;
}

Connection::~Connection() {
  if (rep_ == nullptr) return;
  rep_->EndTransaction();
  rep_->Unref();
}

Status Connection::execute(std::string_view sql, std::span<const ValueView> parameters) {
  if (rep_ == nullptr) return MovedFrom();
  return StatementAccess::Execute(rep_, sql, parameters);
}

StatusOr<Statement> Connection::prepare(std::string_view sql) {
  if (rep_ == nullptr) return MovedFrom();
  return StatementAccess::Prepare(rep_, sql);
}

StatusOr<std::optional<Statement>> Connection::prepare_next(std::string_view* sql) {
  if (rep_ == nullptr) return MovedFrom();
  return StatementAccess::PrepareNext(rep_, sql);
}

StatusOr<Statement> Connection::query(std::string_view sql, std::span<const ValueView> parameters) {
  if (rep_ == nullptr) return MovedFrom();
  StatusOr<Statement> statement = StatementAccess::Prepare(rep_, sql);
  if (statement.ok()) KV_RETURN_IF_ERROR(statement->bind_all(parameters));
  return statement;
}

bool Connection::in_transaction() const {
  return rep_ != nullptr && rep_->transactional() && rep_->sql().in_transaction();
}

int64_t Connection::changes() const { return rep_ == nullptr ? 0 : rep_->sql().changes(); }

int64_t Connection::total_changes() const {
  return rep_ == nullptr ? 0 : rep_->sql().total_changes();
}

int64_t Connection::last_insert_rowid() const {
  return rep_ == nullptr ? 0 : rep_->sql().last_insert_rowid();
}

}  // namespace kvsql
