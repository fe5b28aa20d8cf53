#include "kv/write_txn.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "kv/log_record.h"
#include "kv/write_scratch.h"

namespace kvsql::kv {
namespace {

// S20: a transaction with more operations or more changed pages than this goes direct.
constexpr size_t kMaxRecordBytes = 256 * 1024;
constexpr size_t kMaxLoggedPages = 256;

// Memory that buffers keep from one transaction to the next.
constexpr size_t kKeptBytes = 512 * 1024;
constexpr size_t kKeptRules = 16;

std::shared_ptr<const Schema> AsSchema(const std::shared_ptr<const void>& attachment) {
  return std::static_pointer_cast<const Schema>(attachment);
}

// After these errors the tree is as it was before the call (btree/tree_writer.h).
bool IsHarmless(const Status& status) {
  return absl::IsInvalidArgument(status) || absl::IsResourceExhausted(status);
}

void Trim(std::string* bytes) {
  bytes->clear();
  if (bytes->capacity() > kKeptBytes) bytes->shrink_to_fit();
}

}  // namespace

void WriteScratch::Reset() {
  trees.clear();
  former_writers.clear();
  Trim(&record);
  Trim(&bytes);
  if (rules.size() > kKeptRules) rules.clear();
  if (row.row.capacity() > kKeptBytes) row = RowScratch();
  if (conflict.row.capacity() > kKeptBytes) conflict = RowScratch();
}

WriteTxn::WriteTxn(std::shared_ptr<Store> store, std::unique_ptr<pager::WriteTransaction> txn)
    : store_(std::move(store)), txn_(std::move(txn)), scratch_(store_->TakeScratch()) {
  base_schema_ = txn_->base_attachment() != nullptr ? AsSchema(txn_->base_attachment())
                                                    : store_->first_schema();
  schema_ = base_schema_;
  record_dropped_ = store_->pager()->in_memory();  // nothing reads records there
}

WriteTxn::~WriteTxn() { Rollback(); }

// --- Trees ---------------------------------------------------------------------------------------

btree::TreeWriter* WriteTxn::OpenWriter(TreeId tree) const {
  std::vector<WriteScratch::OpenTree>& trees = scratch_->trees;
  if (last_tree_ < trees.size() && trees[last_tree_].tree == tree) {
    return trees[last_tree_].writer.get();
  }
  for (size_t i = 0; i < trees.size(); ++i) {
    if (trees[i].tree == tree) {
      last_tree_ = i;
      return trees[i].writer.get();
    }
  }
  return nullptr;
}

btree::TreeWriter& WriteTxn::Writer(TreeId tree) {
  if (btree::TreeWriter* writer = OpenWriter(tree); writer != nullptr) return *writer;
  last_tree_ = scratch_->trees.size();
  scratch_->trees.push_back(
      {tree, std::make_unique<btree::TreeWriter>(
                 txn_.get(), tree,
                 btree::WriterOptions{.compression_level = store_->options().compression_level})});
  return *scratch_->trees.back().writer;
}

btree::TreeView WriteTxn::RawView(TreeId tree) const {
  if (const btree::TreeWriter* writer = OpenWriter(tree); writer != nullptr) return writer->View();
  return {txn_.get(), tree, txn_->root(tree)};
}

btree::FindResult WriteTxn::Find(TreeId tree, std::string_view key, btree::ValueRef* out) {
  if (btree::TreeWriter* writer = OpenWriter(tree); writer != nullptr) {
    return writer->Find(key, out);
  }
  return btree::Find(RawView(tree), key, out);
}

btree::FindResult WriteTxn::Find(TreeId tree, int64_t key, btree::ValueRef* out) {
  if (btree::TreeWriter* writer = OpenWriter(tree); writer != nullptr) {
    return writer->Find(key, out);
  }
  return btree::Find(RawView(tree), key, out);
}

Status WriteTxn::FindError(TreeId tree, std::string_view key) {
  return btree::FindError(RawView(tree), key);
}

Status WriteTxn::FindError(TreeId tree, int64_t key) {
  return btree::FindError(RawView(tree), key);
}

StatusOr<btree::TreeView> WriteTxn::View(TreeId tree) {
  if (btree::TreeWriter* writer = OpenWriter(tree); writer != nullptr) {
    KV_RETURN_IF_ERROR(writer->Sync());
  }
  return btree::TreeView{txn_.get(), tree, txn_->root(tree)};
}

uint64_t WriteTxn::Count(TreeId tree) const {
  if (const btree::TreeWriter* writer = OpenWriter(tree); writer != nullptr) {
    return writer->count();
  }
  return txn_->root(tree).count;
}

const pager::PageReader& WriteTxn::pages() const { return *txn_; }

Status WriteTxn::CheckUsable() const {
  if (!active_) return absl::FailedPreconditionError("the write transaction has ended");
  if (!broken_.ok()) [[unlikely]] {
    return absl::FailedPreconditionError(
        absl::StrCat("the transaction must be rolled back after: ", broken_.message()));
  }
  return absl::OkStatus();
}

Status WriteTxn::Break(Status status) {
  if (broken_.ok()) broken_ = status;
  return status;
}

void WriteTxn::DropRecord() {
  record_dropped_ = true;
  Trim(&scratch_->record);
}

size_t WriteTxn::record_size() const { return scratch_->record.size(); }

void WriteTxn::ForeseeRecord(size_t more) {
  if (!record_dropped_ && more > kMaxRecordBytes - std::min(kMaxRecordBytes, record_size())) {
    DropRecord();
  }
}

Status WriteTxn::NoteChange() {
  ++operations_;
  ++changes_;
  if (!record_dropped_ && (scratch_->record.size() > kMaxRecordBytes ||
                           txn_->dirty_pages() > kMaxLoggedPages || txn_->MustCommitDirect())) {
    DropRecord();
  }
  if (txn_->WantsSpill()) [[unlikely]] {
    // The writers' pointers into pages end here.
    KV_RETURN_IF_ERROR(SyncAll());
    for (const WriteScratch::OpenTree& tree : scratch_->trees) tree.writer->Invalidate();
    if (Status spilled = txn_->Spill(); !spilled.ok()) return Break(std::move(spilled));
  }
  return absl::OkStatus();
}

template <typename Key>
[[gnu::always_inline]] inline StatusOr<bool> WriteTxn::PutIn(TreeId tree, Key key,
                                                             std::string_view value, PutMode mode) {
  KV_RETURN_IF_ERROR(CheckUsable());
  StatusOr<bool> stored = Writer(tree).Put(key, value, mode);
  if (!stored.ok()) [[unlikely]] {
    return IsHarmless(stored.status()) ? stored.status() : Break(stored.status());
  }
  if (!*stored) return false;
  if (!record_dropped_) LogPut(tree, key, value, &scratch_->record);
  KV_RETURN_IF_ERROR(NoteChange());
  return true;
}

template <typename Key>
StatusOr<bool> WriteTxn::DeleteIn(TreeId tree, Key key) {
  KV_RETURN_IF_ERROR(CheckUsable());
  StatusOr<bool> deleted = Writer(tree).Delete(key);
  if (!deleted.ok()) [[unlikely]] {
    return IsHarmless(deleted.status()) ? deleted.status() : Break(deleted.status());
  }
  if (!*deleted) return false;
  if (!record_dropped_) LogDelete(tree, key, &scratch_->record);
  KV_RETURN_IF_ERROR(NoteChange());
  return true;
}

StatusOr<std::span<uint8_t>> WriteTxn::BeginEdit(TreeId tree, int64_t key) {
  KV_RETURN_IF_ERROR(CheckUsable());
  const StatusOr<std::span<uint8_t>> value = Writer(tree).Edit(key);
  if (!value.ok()) [[unlikely]] {
    return IsHarmless(value.status()) ? value.status() : Break(value.status());
  }
  // Its halves on their own: a copy of the whole would wait for both to arrive in memory.
  uint8_t* const data = value->data();
  const size_t size = value->size();
  return std::span<uint8_t>(data, size);
}

Status WriteTxn::EndEdit(TreeId tree, int64_t key, std::span<const uint8_t> value) {
  if (!record_dropped_) LogPut(tree, key, AsView(value.data(), value.size()), &scratch_->record);
  return NoteChange();
}

StatusOr<uint64_t> WriteTxn::DeleteRising(TreeId tree, std::span<const int64_t> keys) {
  uint64_t all = 0;
  ForeseeRecord(keys.size() * sizeof(int64_t));
  while (!keys.empty()) {
    KV_RETURN_IF_ERROR(CheckUsable());
    size_t deleted = 0;
    const StatusOr<size_t> done = Writer(tree).DeleteSome(keys, &deleted);
    if (!done.ok()) [[unlikely]] {
      // Some may be deleted already.
      return Break(done.status());
    }
    if (deleted != 0) {
      if (!record_dropped_) {
        for (const int64_t key : keys.first(deleted)) LogDelete(tree, key, &scratch_->record);
      }
      operations_ += deleted - 1;
      KV_RETURN_IF_ERROR(NoteChange());
    }
    all += deleted;
    keys = keys.subspan(*done);
  }
  return all;
}

template <typename Bound>
StatusOr<uint64_t> WriteTxn::DeleteRangeIn(TreeId tree, Bound lo, Bound hi) {
  KV_RETURN_IF_ERROR(CheckUsable());
  StatusOr<uint64_t> deleted = Writer(tree).DeleteRange(lo, hi);
  if (!deleted.ok()) [[unlikely]] {
    return IsHarmless(deleted.status()) ? deleted.status() : Break(deleted.status());
  }
  if (*deleted == 0) return 0;
  if (!record_dropped_) LogDeleteRange(tree, lo, hi, &scratch_->record);
  KV_RETURN_IF_ERROR(NoteChange());
  return deleted;
}

StatusOr<bool> WriteTxn::Put(TreeId tree, std::string_view key, std::string_view value,
                             PutMode mode) {
  return PutIn(tree, key, value, mode);
}

StatusOr<bool> WriteTxn::Put(TreeId tree, int64_t key, std::string_view value, PutMode mode) {
  return PutIn(tree, key, value, mode);
}

StatusOr<bool> WriteTxn::Delete(TreeId tree, std::string_view key) { return DeleteIn(tree, key); }

StatusOr<bool> WriteTxn::Delete(TreeId tree, int64_t key) { return DeleteIn(tree, key); }

StatusOr<uint64_t> WriteTxn::DeleteRange(TreeId tree, btree::BytesBound lo, btree::BytesBound hi) {
  return DeleteRangeIn(tree, lo, hi);
}

StatusOr<uint64_t> WriteTxn::DeleteRange(TreeId tree, btree::IntBound lo, btree::IntBound hi) {
  return DeleteRangeIn(tree, lo, hi);
}

StatusOr<uint64_t> WriteTxn::Clear(TreeId tree) {
  if (txn_->root(tree).kind == KeyKind::kInt64) {
    return DeleteRange(tree, btree::IntBound(), btree::IntBound());
  }
  return DeleteRange(tree, btree::BytesBound(), btree::BytesBound());
}

StatusOr<int64_t> WriteTxn::LastIntKey(TreeId tree) { return Writer(tree).LastIntKey(); }

TreeId WriteTxn::CreateTree(KeyKind kind) {
  const TreeId tree = txn_->CreateTree(kind);
  if (!record_dropped_) LogCreateTree(tree, kind, &scratch_->record);
  ++operations_;
  ++changes_;
  return tree;
}

Status WriteTxn::DropTree(TreeId tree) {
  if (!txn_->root(tree).exists) {
    return Break(DataLoss("catalog: tree ", tree, " does not exist"));
  }
  // Freed here and in replay by the one operation.
  btree::TreeWriter& writer = Writer(tree);
  if (const StatusOr<uint64_t> cleared = writer.Clear(); !cleared.ok()) {
    return Break(cleared.status());
  }
  if (Status synced = writer.Sync(); !synced.ok()) return Break(std::move(synced));
  RetireWriter(tree);
  txn_->DropTree(tree);
  if (!record_dropped_) LogDropTree(tree, &scratch_->record);
  return NoteChange();
}

void WriteTxn::RetireWriter(TreeId tree) {
  std::vector<WriteScratch::OpenTree>& trees = scratch_->trees;
  for (size_t i = 0; i < trees.size(); ++i) {
    if (trees[i].tree != tree) continue;
    scratch_->former_writers.push_back(std::move(trees[i].writer));
    trees[i] = std::move(trees.back());
    trees.pop_back();
    return;
  }
}

Status WriteTxn::SyncAll() {
  for (const WriteScratch::OpenTree& tree : scratch_->trees) {
    if (Status synced = tree.writer->Sync(); !synced.ok()) return Break(std::move(synced));
  }
  return absl::OkStatus();
}

// --- Savepoints ----------------------------------------------------------------------------------

Status WriteTxn::PushSavepoint(std::string_view name) {
  KV_RETURN_IF_ERROR(CheckUsable());
  KV_RETURN_IF_ERROR(SyncAll());
  Savepoint savepoint;
  savepoint.name = std::string(name);
  savepoint.record_size = scratch_->record.size();
  savepoint.operations = operations_;
  savepoint.retrained = retrained_.size();
  savepoint.schema = schema_;
  savepoint.mark = txn_->SetMark();
  savepoints_.push_back(std::move(savepoint));
  return absl::OkStatus();
}

StatusOr<size_t> WriteTxn::FindSavepoint(std::string_view name) const {
  for (size_t i = savepoints_.size(); i-- > 0;) {
    if (savepoints_[i].named && EqualsIgnoreCase(savepoints_[i].name, name)) return i;
  }
  return absl::NotFoundError(absl::StrCat("no such savepoint: ", std::string(name)));
}

Status WriteTxn::SetSavepoint(std::string_view name) {
  KV_RETURN_IF_ERROR(PushSavepoint(name));
  savepoints_.back().named = true;
  return absl::OkStatus();
}

Status WriteTxn::RollbackTo(std::string_view name) {
  if (!active_) return CheckUsable();
  KV_ASSIGN_OR_RETURN(const size_t index, FindSavepoint(name));
  RollbackToIndex(index);
  return absl::OkStatus();
}

Status WriteTxn::Release(std::string_view name) {
  KV_RETURN_IF_ERROR(CheckUsable());
  KV_ASSIGN_OR_RETURN(const size_t index, FindSavepoint(name));
  ReleaseFrom(index);
  return absl::OkStatus();
}

StatusOr<WriteTxn::Mark> WriteTxn::SetMark() {
  KV_RETURN_IF_ERROR(PushSavepoint(""));
  return static_cast<Mark>(savepoints_.size() - 1);
}

void WriteTxn::RollbackToMark(Mark mark) {
  if (!active_) return;
  KV_CHECK(mark < savepoints_.size());
  RollbackToIndex(mark);
  ReleaseFrom(mark);
}

void WriteTxn::ReleaseMark(Mark mark) {
  if (!active_) return;
  KV_CHECK(mark < savepoints_.size());
  ReleaseFrom(mark);
}

void WriteTxn::RollbackToIndex(size_t index) {
  savepoints_.resize(index + 1);
  Savepoint& savepoint = savepoints_[index];
  txn_->RollbackToMark(savepoint.mark);
  for (size_t i = scratch_->trees.size(); i-- > 0;) {
    const WriteScratch::OpenTree& tree = scratch_->trees[i];
    if (txn_->root(tree.tree).exists) {
      tree.writer->Invalidate();
    } else {
      RetireWriter(tree.tree);
    }
  }
  ++changes_;
  retrained_.resize(savepoint.retrained);
  operations_ = savepoint.operations;
  if (operations_ == 0) {
    record_dropped_ = store_->pager()->in_memory();
    scratch_->record.clear();
  } else if (!record_dropped_) {
    scratch_->record.resize(savepoint.record_size);
  }
  if (schema_ != savepoint.schema) {
    former_schemas_.push_back(schema_);
    // The base state's Schema is nobody's private one; another gets a new generation, since plans
    // may have been made for the present one under the same number of changes.
    if (savepoint.schema != base_schema_) {
      former_schemas_.push_back(savepoint.schema);
      savepoint.schema = std::make_shared<const Schema>(*savepoint.schema);
    }
    schema_ = savepoint.schema;
  }
  broken_ = absl::OkStatus();
}

void WriteTxn::ReleaseFrom(size_t index) {
  txn_->ReleaseMark(savepoints_[index].mark);
  savepoints_.resize(index);
}

// --- End -----------------------------------------------------------------------------------------

Status WriteTxn::Commit() { return Commit(store_->options().durability); }

Status WriteTxn::Commit(Durability durability) {
  Status status = CheckUsable();
  if (status.ok() && operations_ > 0) status = SyncAll();
  if (!status.ok() || operations_ == 0) {
    Rollback();
    return status;
  }
  std::shared_ptr<const void> attachment;
  if (has_private_schema()) attachment = schema_;
  const std::string_view record = record_dropped_ ? std::string_view() : scratch_->record;
  // The writers point into pages that are everybody's from here on.
  scratch_->trees.clear();
  scratch_->former_writers.clear();
  status = txn_->Commit({AsBytes(record), record.size()}, durability, std::move(attachment));
  Finish();
  return status;
}

void WriteTxn::Rollback() {
  if (!active_) return;
  scratch_->trees.clear();
  scratch_->former_writers.clear();
  txn_->Rollback();
  Finish();
}

void WriteTxn::Finish() {
  active_ = false;
  savepoints_.clear();
  retrained_.clear();
  txn_.reset();
  store_->ReturnScratch(std::move(scratch_));
}

}  // namespace kvsql::kv
