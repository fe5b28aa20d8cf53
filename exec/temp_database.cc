#include "exec/temp_database.h"

#include <utility>

namespace kvsql::exec {

StatusOr<std::unique_ptr<TempDatabase>> TempDatabase::Open(const kv::StoreOptions& like) {
  kv::StoreOptions options;
  options.temporary = true;
  options.page_size = like.page_size;
  options.query_memory = like.query_memory;
  options.compression_level = like.compression_level;
  options.make_row_rules = like.make_row_rules;
  options.background = false;
  options.verify_checksums = false;
  KV_ASSIGN_OR_RETURN(std::shared_ptr<kv::Store> store, kv::Store::Open(options));
  return std::unique_ptr<TempDatabase>(new TempDatabase(std::move(store)));
}

Status TempDatabase::BeginRead(TempRead* read) {
  if (kv::WriteTxn* txn = statement_ != nullptr ? statement_.get() : write_.get(); txn != nullptr) {
    read->reader = kv::Reader(*txn);
    return absl::OkStatus();
  }
  if (read->snapshot == nullptr) read->snapshot = std::make_unique<kv::ReadTxn>(store_);
  if (!read->snapshot->Begin()) return read->snapshot->BeginError();
  read->reader = kv::Reader(*read->snapshot);
  return absl::OkStatus();
}

void TempDatabase::EndRead(TempRead* read) {
  read->reader.reset();
  if (read->snapshot != nullptr) read->snapshot->End();
}

StatusOr<kv::WriteTxn*> TempDatabase::BeginStatement() {
  KV_ASSIGN_OR_RETURN(statement_, store_->BeginWrite());
  return statement_.get();
}

Status TempDatabase::EndStatement(Status status) {
  const std::unique_ptr<kv::WriteTxn> txn = std::move(statement_);
  if (status.ok()) return txn->Commit();
  txn->Rollback();
  return status;
}

StatusOr<kv::WriteTxn*> TempDatabase::EnsureWrite(std::span<const std::string> savepoints) {
  if (write_ == nullptr) {
    KV_ASSIGN_OR_RETURN(std::unique_ptr<kv::WriteTxn> txn, store_->BeginWrite());
    for (const std::string& name : savepoints) KV_RETURN_IF_ERROR(txn->SetSavepoint(name));
    write_ = std::move(txn);
  }
  return write_.get();
}

Status TempDatabase::SetSavepoint(std::string_view name) {
  return write_ != nullptr ? write_->SetSavepoint(name) : absl::OkStatus();
}

Status TempDatabase::RollbackTo(std::string_view name) {
  return write_ != nullptr ? write_->RollbackTo(name) : absl::OkStatus();
}

Status TempDatabase::Release(std::string_view name) {
  return write_ != nullptr ? write_->Release(name) : absl::OkStatus();
}

Status TempDatabase::Commit() {
  if (write_ == nullptr) return absl::OkStatus();
  const std::unique_ptr<kv::WriteTxn> txn = std::move(write_);
  return txn->Commit();
}

void TempDatabase::Rollback() {
  if (write_ == nullptr) return;
  if (write_->active()) write_->Rollback();
  write_.reset();
}

}  // namespace kvsql::exec
