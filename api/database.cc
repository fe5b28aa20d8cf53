#include <kvsql/database.h>
#include <kvsql/version.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/batch_writer.h"
#include "api/catalog.h"
#include "api/connection_rep.h"
#include "api/database_access.h"
#include "api/database_impl.h"
#include "api/errors.h"
#include "api/keyspace_rep.h"
#include "api/source.h"
#include "api/table_rep.h"
#include "api/transaction_rep.h"
#include "base/status.h"
#include "kv/store.h"

namespace kvsql {

using internal::ClosedError;
using internal::DatabaseImpl;

namespace {

Status MovedFrom() { return internal::MovedFromError("Database"); }

// A new snapshot of the newest state.
StatusOr<std::shared_ptr<internal::SnapshotSource>> TakeSnapshot(
    const std::shared_ptr<DatabaseImpl>& impl) {
  auto source = std::make_shared<internal::SnapshotSource>(impl);
  if (!source->txn.Begin()) return source->txn.BeginError();
  if (impl->closed()) return ClosedError();
  return source;
}

}  // namespace

std::string_view version() { return KVSQL_VERSION; }

uint64_t Snapshot::transaction_id() const { return source_ == nullptr ? 0 : source_->read->txid(); }

Database::Database(std::shared_ptr<DatabaseImpl> impl) : impl_(std::move(impl)) {}

StatusOr<Database> Database::Open(const std::string& path, const Options& options) {
  return internal::DatabaseAccess::Open(path, options, {});
}

StatusOr<Database> internal::DatabaseAccess::Open(const std::string& path, const Options& options,
                                                  const OpenExtras& extras) {
  KV_ASSIGN_OR_RETURN(std::shared_ptr<DatabaseImpl> impl,
                      DatabaseImpl::Open(path, options, extras));
  return Database(std::move(impl));
}

Status Database::close() {
  if (impl_ == nullptr) return MovedFrom();
  return impl_->Close();
}

// ---- Doors -------------------------------------------------------------------------------------------

StatusOr<Keyspace> Database::keyspace(std::string_view name, const KeyspaceOptions& options) {
  if (impl_ == nullptr) return MovedFrom();
  KV_RETURN_IF_ERROR(internal::CheckKeyspaceName(name));
  auto rep = std::make_unique<internal::KeyspaceRep>(impl_, name);
  Status status = rep->Read({}, [](kv::Reader) { return absl::OkStatus(); });
  if (absl::IsNotFound(status) && options.create_if_missing && !impl_->store()->read_only()) {
    KV_ASSIGN_OR_RETURN(const std::unique_ptr<kv::WriteTxn> txn, impl_->BeginWrite());
    KV_RETURN_IF_ERROR(internal::EnsureKeyspace(*txn, name, options));
    status = txn->changes() != 0 ? txn->Commit(impl_->durability()) : absl::OkStatus();
  }
  KV_RETURN_IF_ERROR(status);
  return Keyspace(std::move(rep));
}

StatusOr<std::vector<std::string>> Database::keyspaces(ReadFrom from) const {
  if (impl_ == nullptr) return MovedFrom();
  if (internal::ReadSource::IsGiven(from)) {
    const internal::ReadSource* const source = internal::ReadSource::Of(from);
    if (source == nullptr) return internal::MovedFromError("snapshot or transaction");
    if (source->database->identity() != impl_->identity()) {
      return internal::OtherDatabaseError("snapshot or transaction");
    }
    if (source->HasState()) {
      KV_ASSIGN_OR_RETURN(const kv::Reader reader, source->Reader());
      return internal::ListKeyspaces(reader);
    }
  }
  KV_ASSIGN_OR_RETURN(const auto source, TakeSnapshot(impl_));
  return internal::ListKeyspaces(source->txn);
}

Status Database::drop_keyspace(std::string_view name) {
  if (impl_ == nullptr) return MovedFrom();
  KV_RETURN_IF_ERROR(internal::CheckKeyspaceName(name));
  KV_ASSIGN_OR_RETURN(const std::unique_ptr<kv::WriteTxn> txn, impl_->BeginWrite());
  KV_RETURN_IF_ERROR(txn->DropKeyspace(name));
  return txn->Commit(impl_->durability());
}

StatusOr<Table> Database::table(std::string_view name) {
  if (impl_ == nullptr) return MovedFrom();
  Table table(new internal::TableRep(impl_, name));
  KV_RETURN_IF_ERROR(table.rep_->Read({}, [](kv::Reader) { return absl::OkStatus(); }));
  return table;
}

StatusOr<Connection> Database::connect() {
  if (impl_ == nullptr) return MovedFrom();
  if (impl_->closed()) return ClosedError();
  return Connection(new internal::ConnectionRep(impl_));
}

StatusOr<Connection> Database::connect(const Snapshot& snapshot) {
  if (impl_ == nullptr) return MovedFrom();
  if (snapshot.source_ == nullptr) return internal::MovedFromError("Snapshot");
  if (snapshot.source_->database->identity() != impl_->identity()) {
    return internal::OtherDatabaseError("snapshot");
  }
  return Connection(new internal::ConnectionRep(
      impl_, static_cast<const internal::SnapshotSource&>(*snapshot.source_).shared_from_this()));
}

// ---- States and transactions -------------------------------------------------------------------------

StatusOr<Snapshot> Database::snapshot() const {
  if (impl_ == nullptr) return MovedFrom();
  KV_ASSIGN_OR_RETURN(auto source, TakeSnapshot(impl_));
  return Snapshot(std::move(source));
}

StatusOr<WriteTransaction> Database::begin() {
  if (impl_ == nullptr) return MovedFrom();
  KV_ASSIGN_OR_RETURN(std::unique_ptr<kv::WriteTxn> txn, impl_->BeginWrite());
  return WriteTransaction(new internal::TransactionRep(impl_, std::move(txn)));
}

Status Database::write(const Batch& batch) {
  if (impl_ == nullptr) return MovedFrom();
  return write(batch, impl_->options().durability);
}

Status Database::write(const Batch& batch, Durability durability) {
  if (impl_ == nullptr) return MovedFrom();
  if (batch.empty()) return impl_->closed() ? ClosedError() : absl::OkStatus();
  KV_ASSIGN_OR_RETURN(const std::unique_ptr<kv::WriteTxn> txn, impl_->BeginWrite());
  KV_RETURN_IF_ERROR(internal::BatchWriter::Write(batch, *txn));
  if (txn->changes() == 0) return absl::OkStatus();
  return txn->Commit(internal::ToKv(durability));
}

Status Database::write(const Batch& batch, WriteTransaction& transaction) {
  if (impl_ == nullptr) return MovedFrom();
  if (transaction.rep_ == nullptr) return internal::MovedFromError("WriteTransaction");
  if (transaction.rep_->database->identity() != impl_->identity()) {
    return internal::OtherDatabaseError("transaction");
  }
  KV_ASSIGN_OR_RETURN(kv::WriteTxn* const txn, transaction.rep_->Writer());
  KV_ASSIGN_OR_RETURN(const kv::WriteTxn::Mark mark, txn->SetMark());
  Status status = internal::BatchWriter::Write(batch, *txn);
  if (status.ok()) {
    txn->ReleaseMark(mark);
  } else {
    txn->RollbackToMark(mark);
  }
  return status;
}

// ---- Care --------------------------------------------------------------------------------------------

Status Database::checkpoint() {
  if (impl_ == nullptr) return MovedFrom();
  if (impl_->closed()) return ClosedError();
  if (impl_->store()->read_only()) {
    return absl::FailedPreconditionError(
        absl::StrCat("checkpoint: ", impl_->path(), " was opened read-only"));
  }
  return impl_->store()->Checkpoint();
}

StatusOr<IntegrityReport> Database::check_integrity() {
  if (impl_ == nullptr) return MovedFrom();
  if (impl_->closed()) return ClosedError();
  IntegrityReport report;
  KV_ASSIGN_OR_RETURN(report.problems, impl_->store()->CheckIntegrity());
  return report;
}

StatusOr<DatabaseStats> Database::stats() const {
  if (impl_ == nullptr) return MovedFrom();
  KV_ASSIGN_OR_RETURN(const auto source, TakeSnapshot(impl_));
  pager::Pager& pager = *impl_->store()->pager();
  const pager::PagerStats figures = pager.stats();
  DatabaseStats stats;
  stats.page_size = pager.page_size();
  stats.file_bytes = figures.file_bytes;
  stats.log_bytes = figures.log_bytes;
  stats.pages = figures.page_count;
  stats.free_pages = figures.free_pages;
  stats.unwritten_pages = figures.unwritten_frames;
  stats.transaction_id = source->txn.txid();
  stats.checkpoints = figures.checkpoints;
  stats.log_flushes = figures.log_flushes;
  stats.direct_commits = figures.direct_commits;
  return stats;
}

const std::string& Database::path() const {
  static const std::string* const kNone = new std::string();
  return impl_ == nullptr ? *kNone : impl_->path();
}

bool Database::read_only() const { return impl_ != nullptr && impl_->store()->read_only(); }

}  // namespace kvsql
