#include <memory>
#include <string_view>
#include <utility>

#include "api/cursor_rep.h"
#include "api/errors.h"
#include "base/status.h"

namespace kvsql {
namespace internal {

CursorRep::CursorRep(const KeyRange& range, Direction direction)
    : direction_(direction), begin_(range.begin()), has_end_(range.end(&end_)) {}

CursorRep::~CursorRep() {
  if (target_ != nullptr) target_->Unref();
}

bool CursorRep::Open(KeyspaceRep* keyspace, ReadFrom from) {
  Status status = OpenSource(keyspace, from);
  if (!status.ok()) {
    own_.reset();
    return Fail(std::move(status));
  }
  return Rewind();
}

bool CursorRep::OpenIn(const KeyspaceRep& keyspace, const kv::ReadTxn& state) {
  tree_ = keyspace.tree();
  cursor_.Reset(state.View(tree_));
  pages_ = &state.pages();
  compressed_ = keyspace.ref().compressed != nullptr;
  codec_ = keyspace.ref().Codec(state);
  return Rewind();
}

Status CursorRep::OpenSource(KeyspaceRep* keyspace, ReadFrom from) {
  if (keyspace == nullptr) return MovedFromError("Keyspace");
  database_ = keyspace->database();
  name_ = keyspace->name();
  const ReadSource* source = nullptr;
  if (ReadSource::IsGiven(from)) {
    source = ReadSource::Of(from);
    KV_RETURN_IF_ERROR(keyspace->CheckSource(source, "snapshot or transaction"));
    if (!source->HasState()) source = nullptr;
  }
  std::optional<kv::Reader> reader;
  if (source == nullptr) {
    own_ = std::make_unique<kv::ReadTxn>(database_->store());
    if (!own_->Begin()) return own_->BeginError();
    if (database_->closed()) return ClosedError();
    KV_RETURN_IF_ERROR(keyspace->EnsureBound(*own_));
    reader = kv::Reader(*own_);
    cursor_.Reset(own_->View(keyspace->tree()));
    pages_ = &own_->pages();
  } else {
    KV_ASSIGN_OR_RETURN(reader, source->Reader());
    KV_RETURN_IF_ERROR(keyspace->EnsureBound(*reader));
    if (source->kind == ReadSource::Kind::kSnapshot) {
      snapshot_ = static_cast<const SnapshotSource*>(source)->shared_from_this();
    } else {
      // Sources of these kinds are made as WriteTargets only.
      target_ = const_cast<WriteTarget*>(static_cast<const WriteTarget*>(source));
      target_->Ref();
      Moment now;
      target_->Now(&now);
      transaction_ = now.transaction;
    }
    if (kv::WriteTxn* const txn = reader->write_txn(); txn != nullptr) {
      cursor_.Reset(&txn->Writer(keyspace->tree()));
    } else {
      cursor_.Reset(reader->read_txn()->View(keyspace->tree()));
    }
    pages_ = &reader->pages();
    generation_ = reader->schema_generation();
  }
  tree_ = keyspace->tree();
  compressed_ = keyspace->ref().compressed != nullptr;
  codec_ = keyspace->ref().Codec(*reader);
  return absl::OkStatus();
}

Status CursorRep::CheckAlive() {
  Moment now;
  if (!target_->Now(&now) || now.transaction != transaction_) return TransactionEndedError();
  value_read_ = value_read_ && now.changes == changes_;
  changes_ = now.changes;
  KV_ASSIGN_OR_RETURN(kv::Reader reader, target_->Reader());
  if (reader.schema_generation() == generation_) return absl::OkStatus();
  KV_ASSIGN_OR_RETURN(const kv::KeyspaceDef* const def, reader.FindKeyspace(name_));
  if (def == nullptr || def->tree != tree_) return NoSuchError("keyspace", name_);
  generation_ = reader.schema_generation();
  // A dictionary may have been trained.
  codec_ = kv::KeyspaceRef(*def).Codec(reader);
  return absl::OkStatus();
}

bool CursorRep::Alive() {
  if (target_ != nullptr) {
    Status status = CheckAlive();
    if (!status.ok()) return Fail(std::move(status));
  }
  // What ended the walk by an error stays; a new move may try again only what had not begun to fail.
  return pages_ != nullptr;
}

bool CursorRep::Arrived() {
  value_read_ = false;
  within_ = 0;
  if (!cursor_.Valid()) {
    if (!cursor_.status().ok()) status_ = cursor_.status();
    return false;
  }
  if (begin_.empty() && !has_end_) return true;
  const std::string_view key = cursor_.key();
  if (!cursor_.status().ok()) return Fail(cursor_.status());
  return key >= begin_ && (!has_end_ || key < end_);
}

bool CursorRep::Rewind() {
  if (!Alive()) return false;
  status_ = absl::OkStatus();
  if (forward()) {
    begin_.empty() ? cursor_.SeekFirst() : cursor_.SeekGE(begin_);
  } else if (!has_end_) {
    cursor_.SeekLast();
  } else if (cursor_.SeekLE(end_) && cursor_.key() == end_) {
    cursor_.Prev();
  }
  return Arrived();
}

bool CursorRep::Seek(std::string_view key) {
  if (!Alive()) return false;
  if (forward() ? key <= begin_ : has_end_ && key >= end_) return Rewind();
  status_ = absl::OkStatus();
  forward() ? cursor_.SeekGE(key) : cursor_.SeekLE(key);
  return Arrived();
}

uint32_t CursorRep::CountWithin() const {
  const std::string_view bound = forward() ? std::string_view(end_) : std::string_view(begin_);
  const bool bounded = forward() ? has_end_ : !begin_.empty();
  return cursor_.EntriesWithin(forward(), bounded ? &bound : nullptr);
}

bool CursorRep::Step(bool onward) {
  if (!Alive()) return false;
  // In a state that does not change, the range's end is looked for once per leaf, not at each entry.
  if (onward && target_ == nullptr) {
    if (within_ == 0) within_ = CountWithin();
    if (--within_ > 0) {
      value_read_ = false;
      return forward() ? cursor_.Next() : cursor_.Prev();
    }
  }
  onward == forward() ? cursor_.Next() : cursor_.Prev();
  return Arrived();
}

std::string_view CursorRep::value() {
  if (target_ != nullptr && !Alive()) return {};
  const btree::ValueRef ref = cursor_.value();
  if (!ref.is_large && !compressed_) [[likely]]
    return ref.view();
  if (ref.data == nullptr) return {};
  if (!value_read_) {
    Status read = ReadValue(ref);
    if (!read.ok()) {
      status_ = std::move(read);
      return {};
    }
    value_read_ = true;
  }
  return value_;
}

Status CursorRep::ReadValue(const btree::ValueRef& ref) {
  KV_ASSIGN_OR_RETURN(large_, btree::ReadValue(*pages_, ref));
  value_ = large_.view();
  if (!compressed_) return absl::OkStatus();
  kv::PackedValue packed;
  switch (kv::ReadValueCell(large_.view(), &value_, &packed)) {
    case kv::CellForm::kPlain:
      return absl::OkStatus();
    case kv::CellForm::kPacked:
      plain_.resize(packed.size);
      if (!codec_->Unpack(packed, plain_.data())) break;
      value_ = plain_;
      return absl::OkStatus();
    case kv::CellForm::kDamaged:
      break;
  }
  return kv::DamagedPackedValue();
}

}  // namespace internal

Cursor::Cursor(std::unique_ptr<internal::CursorRep> rep, bool valid)
    : rep_(std::move(rep)), valid_(valid) {}
Cursor::Cursor(Cursor&& other) noexcept
    : rep_(std::move(other.rep_)), valid_(std::exchange(other.valid_, false)) {}
Cursor& Cursor::operator=(Cursor&& other) noexcept {
  rep_ = std::move(other.rep_);
  valid_ = std::exchange(other.valid_, false);
  return *this;
}
Cursor::~Cursor() = default;

Status Cursor::status() const {
  return rep_ == nullptr ? internal::MovedFromError("Cursor") : rep_->status();
}
void Cursor::next() {
  if (valid_) valid_ = rep_->Step(/*onward=*/true);
}
void Cursor::prev() {
  if (valid_) valid_ = rep_->Step(/*onward=*/false);
}
void Cursor::rewind() {
  if (rep_ != nullptr) valid_ = rep_->Rewind();
}
void Cursor::seek(std::string_view key) {
  if (rep_ != nullptr) valid_ = rep_->Seek(key);
}
std::string_view Cursor::key() const { return valid_ ? rep_->key() : std::string_view(); }
std::string_view Cursor::value() const { return valid_ ? rep_->value() : std::string_view(); }

}  // namespace kvsql
