#include "absl/strings/str_cat.h"
#include "tests/crash/workloads.h"

namespace kvsql::testing {

Run::Run(SubjectFactory make, SimOptions sim, uint64_t seed)
    : make_(std::move(make)), random_(seed) {
  sim.seed = random_();
  fs_ = std::make_unique<SimFileSystem>(DiskState(), sim);
  history_ = std::make_shared<History>();
  recorder_ = std::make_unique<Recorder>(fs_.get(), history_, /*limit=*/80, random_());
  options_.file_system = fs_.get();
  // Small pages and logs come to their limits soon.
  options_.log_limit = random_() % 4 == 0 ? 8 << 20 : 256 << 10;
  if (random_() % 8 == 0) options_.page_size = 16384;
  // Mostly in one thread, where a run can be repeated.
  options_.background = random_() % 6 == 0;
}

Run::~Run() {
  recorder_.reset();
  runner_.reset();
  fs_->InjectFault({fs_->calls() + 1, SimFault::Kind::kIoError, /*sticky=*/true});
  subject_.reset();
}

bool Run::Expect(const char* doing, const Status& status) {
  if (status.ok()) return true;
  std::lock_guard lock(errors_mutex_);
  errors_.push_back(absl::StrCat(doing, ": ", status.ToString()));
  return false;
}

bool Run::Open() {
  runner_.reset();
  subject_ = make_();
  runner_ = std::make_unique<TxnRunner>(subject_.get(), history_);
  return Expect("open", subject_->Open(options_));
}

bool Run::Close() {
  const uint64_t newest = history_->bounds().acknowledged;
  if (!Expect("close", subject_->Close())) return false;
  history_->Synced(newest);
  return true;
}

bool Run::Commit(const TxnShape& shape, Durability level) {
  return Expect("commit", runner_->Run(shape, level, &random_));
}

bool Run::Commits(int count, const TxnShape& shape, Durability level) {
  for (int i = 0; i < count; ++i) {
    if (!Commit(shape, level)) return false;
  }
  return true;
}

bool Run::RollBack(const TxnShape& shape) {
  const Status status = runner_->Run(shape, Durability::kFull, &random_, /*roll_back=*/true);
  return absl::IsAborted(status) || Expect("transaction to roll back", status);
}

bool Run::DeleteRange(uint32_t lo, uint32_t hi) {
  return Expect("delete range", runner_->RunDelete(lo, hi, Durability::kFull));
}

bool Run::Checkpoint() {
  const uint64_t newest = history_->bounds().acknowledged;
  if (!Expect("checkpoint", subject_->Checkpoint())) return false;
  history_->Synced(newest);
  return true;
}

bool Run::Sync() {
  const uint64_t newest = history_->bounds().acknowledged;
  if (!Expect("sync", subject_->Sync())) return false;
  history_->Synced(newest);
  return true;
}

bool Run::Truncate() {
  const uint64_t newest = history_->bounds().acknowledged;
  if (!Expect("truncate", subject_->Truncate())) return false;
  history_->Synced(newest);
  return true;
}

}  // namespace kvsql::testing
