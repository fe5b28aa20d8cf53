#include "kv/store.h"

#include <utility>

#include "btree/check.h"
#include "kv/compact.h"
#include "kv/replay.h"
#include "kv/training.h"
#include "kv/write_scratch.h"
#include "kv/write_txn.h"

namespace kvsql::kv {
namespace {

// Nodes that Close moves towards the file's beginning: some 64 MiB, a fraction of a second.
constexpr uint64_t kMaxMovesAtClose = 16384;

}  // namespace

StatusOr<std::shared_ptr<Store>> Store::Open(const StoreOptions& options) {
  std::shared_ptr<Store> store(new Store(options));
  pager::PagerOptions pager;
  pager.file_system = options.file_system;
  pager.path = options.path;
  pager.read_only = options.read_only;
  pager.create_if_missing = options.create_if_missing;
  pager.page_size = options.page_size;
  pager.map_size = options.map_size;
  pager.log_limit = options.log_limit;
  pager.dirty_budget = options.dirty_budget;
  pager.busy_timeout = options.busy_timeout;
  pager.background = options.background;
  pager.verify_checksums = options.verify_checksums;
  pager.accept_missing_log = options.accept_missing_log;
  pager.validator = &btree::ValidatePage;
  pager.replay = &ReplayRecord;
  KV_ASSIGN_OR_RETURN(store->pager_, pager::Pager::Open(pager));
  store->first_schema_ = std::make_shared<const Schema>(options.temporary);
  return store;
}

Store::Store(const StoreOptions& options) : options_(options) {}

Store::~Store() { (void)Close(); }

Status Store::Close() {
  if (pager_ == nullptr || closed_) return absl::OkStatus();
  // A failure to give space back is no failure to close; whatever broke will show there.
  (void)CompactTail(pager_.get(), kMaxMovesAtClose);
  Status closed = pager_->Close();
  // Refused while snapshots are open or a transaction runs: then it may be tried again.
  closed_ = closed.ok() || !pager_->health().ok();
  return closed;
}

Status Store::Compact() {
  KV_RETURN_IF_ERROR(RetrainAll(*this));
  KV_RETURN_IF_ERROR(CompactTail(pager_.get(), UINT64_MAX));
  return pager_->in_memory() ? absl::OkStatus() : pager_->Truncate();
}

StatusOr<std::unique_ptr<WriteTxn>> Store::BeginWrite(std::chrono::milliseconds busy_timeout) {
  if (options_.read_only) {
    return absl::FailedPreconditionError("attempt to write a readonly database");
  }
  KV_ASSIGN_OR_RETURN(std::unique_ptr<pager::WriteTransaction> txn,
                      pager_->BeginWrite(busy_timeout));
  return std::unique_ptr<WriteTxn>(new WriteTxn(shared_from_this(), std::move(txn)));
}

StatusOr<std::unique_ptr<WriteTxn>> Store::BeginWrite() {
  return BeginWrite(options_.busy_timeout);
}

bool Store::IsTrainingTurn(TreeId tree, uint64_t rows) {
  const std::lock_guard lock(training_mutex_);
  const auto found = next_training_.find(tree);
  return found == next_training_.end() || rows >= found->second;
}

void Store::PostponeTraining(TreeId tree, uint64_t rows) {
  const std::lock_guard lock(training_mutex_);
  if (rows == 0) {
    next_training_.erase(tree);
  } else {
    next_training_[tree] = rows;
  }
}

std::unique_ptr<WriteScratch> Store::TakeScratch() {
  {
    const std::lock_guard lock(scratch_mutex_);
    if (scratch_ != nullptr) return std::move(scratch_);
  }
  return std::make_unique<WriteScratch>();
}

void Store::ReturnScratch(std::unique_ptr<WriteScratch> scratch) {
  scratch->Reset();
  const std::lock_guard lock(scratch_mutex_);
  if (scratch_ == nullptr) scratch_ = std::move(scratch);
}

}  // namespace kvsql::kv
