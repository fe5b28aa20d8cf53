#include <kvsql/keyspace.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "api/cursor_rep.h"
#include "api/keyspace_rep.h"
#include "api/read_value.h"
#include "base/status.h"
#include "kv/keyspace_ops.h"

namespace kvsql {

using internal::EndOf;
using internal::IntoBuffer;
using internal::IntoString;
using internal::KeyspaceRep;
using internal::TakeValue;

namespace {

std::unique_ptr<KeyspaceRep> CopyOf(const std::unique_ptr<KeyspaceRep>& rep) {
  if (rep == nullptr) return nullptr;
  return std::make_unique<KeyspaceRep>(rep->database(), rep->name());
}

Status MovedFrom() { return internal::MovedFromError("Keyspace"); }

}  // namespace

bool KeyRange::end(std::string* end) const {
  switch (kind_) {
    case Kind::kBetween:
      end->assign(end_);
      return true;
    case Kind::kFrom:
      return false;
    case Kind::kPrefix:
      break;
  }
  // The prefix with its last byte below FF raised; what follows that byte falls away.
  const size_t last = begin_.find_last_not_of('\xff');
  if (last == std::string_view::npos) return false;
  end->assign(begin_.substr(0, last + 1));
  ++end->back();
  return true;
}

Keyspace::Keyspace(std::unique_ptr<KeyspaceRep> rep) : rep_(std::move(rep)) {}
Keyspace::Keyspace(const Keyspace& other) : rep_(CopyOf(other.rep_)) {}
Keyspace::Keyspace(Keyspace&&) noexcept = default;
Keyspace& Keyspace::operator=(const Keyspace& other) {
  if (this != &other) rep_ = CopyOf(other.rep_);
  return *this;
}
Keyspace& Keyspace::operator=(Keyspace&&) noexcept = default;
Keyspace::~Keyspace() = default;

const std::string& Keyspace::name() const {
  static const std::string* const kNone = new std::string();
  return rep_ == nullptr ? *kNone : rep_->name();
}

// ---- Reading -----------------------------------------------------------------------------------------

StatusOr<bool> Keyspace::get(std::string_view key, std::string* value, ReadFrom from) {
  if (rep_ == nullptr) return MovedFrom();
  return rep_->Read(from, [&](kv::Reader reader) {
    return TakeValue(reader, rep_->ref(), key, IntoString{value});
  });
}

StatusOr<std::optional<size_t>> Keyspace::get(std::string_view key, std::span<char> buffer,
                                              ReadFrom from) {
  if (rep_ == nullptr) return MovedFrom();
  using Result = StatusOr<std::optional<size_t>>;
  return rep_->Read(from, [&](kv::Reader reader) -> Result {
    size_t size = 0;
    KV_ASSIGN_OR_RETURN(const bool found,
                        TakeValue(reader, rep_->ref(), key, IntoBuffer{buffer, &size}));
    return found ? std::optional<size_t>(size) : std::nullopt;
  });
}

StatusOr<std::optional<std::string>> Keyspace::get(std::string_view key, ReadFrom from) {
  if (rep_ == nullptr) return MovedFrom();
  using Result = StatusOr<std::optional<std::string>>;
  return rep_->Read(from, [&](kv::Reader reader) -> Result {
    std::optional<std::string> value(std::in_place);
    KV_ASSIGN_OR_RETURN(const bool found, TakeValue(reader, rep_->ref(), key, IntoString{&*value}));
    if (!found) value.reset();
    return value;
  });
}

StatusOr<PinnedBytes> Keyspace::get_view(std::string_view key, ReadFrom from) {
  if (rep_ == nullptr) return MovedFrom();
  if (!internal::ReadSource::IsGiven(from)) {
    return absl::InvalidArgumentError("get_view needs a snapshot or transaction to read from");
  }
  const internal::ReadSource* const source = internal::ReadSource::Of(from);
  if (source != nullptr && !source->HasState()) {
    return absl::InvalidArgumentError("get_view needs a connection with an open transaction");
  }
  return rep_->Read(from, [&](kv::Reader reader) -> StatusOr<PinnedBytes> {
    btree::ValueRef ref;
    switch (reader.Find(rep_->tree(), key, &ref)) {
      case btree::FindResult::kFound:
        break;
      case btree::FindResult::kNotFound:
        return PinnedBytes();
      case btree::FindResult::kError:
        return reader.FindError(rep_->tree(), key);
    }
    const kv::ValueCodec* const codec = rep_->ref().Codec(reader);
    if (!ref.is_large && codec == nullptr) [[likely]]
      return internal::PinnedAccess::View(ref.view());
    KV_ASSIGN_OR_RETURN(btree::LargeValue value, btree::ReadValue(reader.pages(), ref));
    if (codec != nullptr) {
      KV_ASSIGN_OR_RETURN(value, codec->ReadValue(std::move(value)));
    }
    return internal::PinnedAccess::Adopt(std::move(value));
  });
}

StatusOr<std::vector<std::optional<std::string>>> Keyspace::multi_get(
    std::span<const std::string_view> keys, ReadFrom from) {
  std::vector<std::optional<std::string>> values;
  KV_RETURN_IF_ERROR(multi_get(keys, &values, from));
  return values;
}

Status Keyspace::multi_get(std::span<const std::string_view> keys,
                           std::vector<std::optional<std::string>>* values, ReadFrom from) {
  if (rep_ == nullptr) return MovedFrom();
  return rep_->Read(from, [&](kv::Reader reader) -> Status {
    values->resize(keys.size());
    for (size_t i = 0; i < keys.size(); ++i) {
      std::optional<std::string>& value = (*values)[i];
      if (!value.has_value()) value.emplace();
      KV_ASSIGN_OR_RETURN(const bool found,
                          TakeValue(reader, rep_->ref(), keys[i], IntoString{&*value}));
      if (!found) value.reset();
    }
    return absl::OkStatus();
  });
}

StatusOr<bool> Keyspace::contains(std::string_view key, ReadFrom from) {
  if (rep_ == nullptr) return MovedFrom();
  return rep_->Read(from, [&](kv::Reader reader) -> StatusOr<bool> {
    btree::ValueRef ref;
    switch (reader.Find(rep_->tree(), key, &ref)) {
      case btree::FindResult::kFound:
        return true;
      case btree::FindResult::kNotFound:
        return false;
      default:
        return reader.FindError(rep_->tree(), key);
    }
  });
}

StatusOr<uint64_t> Keyspace::count(ReadFrom from) {
  if (rep_ == nullptr) return MovedFrom();
  return rep_->Read(from, [&](kv::Reader reader) -> StatusOr<uint64_t> {
    KV_ASSIGN_OR_RETURN(const btree::TreeView tree, reader.View(rep_->tree()));
    return tree.root.count;
  });
}

StatusOr<uint64_t> Keyspace::count(const KeyRange& range, ReadFrom from) {
  if (rep_ == nullptr) return MovedFrom();
  return rep_->Read(from, [&](kv::Reader reader) -> StatusOr<uint64_t> {
    std::string end;
    return kv::CountKeys(reader, rep_->tree(), range.begin(), EndOf(range, &end));
  });
}

Cursor Keyspace::scan(const KeyRange& range, Direction direction, ReadFrom from) {
  auto cursor = std::make_unique<internal::CursorRep>(range, direction);
  const bool valid = cursor->Open(rep_.get(), from);
  return Cursor(std::move(cursor), valid);
}

std::string_view VisitedEntry::key() const { return rep_->key(); }
std::string_view VisitedEntry::value() const { return rep_->value(); }

Status Keyspace::ForEach(const KeyRange& range, Direction direction, VisitFunction visit,
                         void* visitor, ReadFrom from) {
  if (rep_ == nullptr) return MovedFrom();
  internal::CursorRep cursor(range, direction);
  const auto walk = [&](bool valid) {
    const VisitedEntry entry(&cursor);
    while (valid && visit(visitor, entry) && cursor.status().ok()) {
      valid = cursor.Step(/*onward=*/true);
    }
    return cursor.status();
  };
  if (internal::ReadSource::IsGiven(from)) return walk(cursor.Open(rep_.get(), from));
  kv::ReadTxn& state = rep_->walk();
  if (state.active()) {
    return absl::FailedPreconditionError("for_each on a keyspace handle that is in a for_each");
  }
  struct End {
    kv::ReadTxn& state;
    ~End() { state.End(); }
  } const end{state};
  if (!state.Begin()) return state.BeginError();
  if (rep_->database()->closed()) return internal::ClosedError();
  KV_RETURN_IF_ERROR(rep_->EnsureBound(state));
  return walk(cursor.OpenIn(*rep_, state));
}

// ---- Writing -----------------------------------------------------------------------------------------

Status Keyspace::put(std::string_view key, std::string_view value, WriteTo to) {
  if (rep_ == nullptr) return MovedFrom();
  const KeyspaceRep::Arguments args = rep_->Keep(to, key, value);
  return rep_->Write(
      to, [&](kv::WriteTxn& txn) { return kv::PutValue(txn, rep_->ref(), args.key, args.value); });
}

StatusOr<bool> Keyspace::put_if_absent(std::string_view key, std::string_view value, WriteTo to) {
  if (rep_ == nullptr) return MovedFrom();
  const KeyspaceRep::Arguments args = rep_->Keep(to, key, value);
  return rep_->Write(to, [&](kv::WriteTxn& txn) {
    return kv::PutIfAbsent(txn, rep_->ref(), args.key, args.value);
  });
}

StatusOr<bool> Keyspace::compare_and_put(std::string_view key,
                                         std::optional<std::string_view> expected,
                                         std::string_view value, WriteTo to) {
  if (rep_ == nullptr) return MovedFrom();
  const KeyspaceRep::Arguments args = rep_->Keep(to, key, value);
  return rep_->Write(to, [&](kv::WriteTxn& txn) {
    return kv::CompareAndPut(txn, rep_->ref(), args.key, expected, args.value);
  });
}

StatusOr<bool> Keyspace::erase(std::string_view key, WriteTo to) {
  if (rep_ == nullptr) return MovedFrom();
  const KeyspaceRep::Arguments args = rep_->Keep(to, key);
  return rep_->Write(to,
                     [&](kv::WriteTxn& txn) { return kv::DeleteKey(txn, rep_->tree(), args.key); });
}

StatusOr<bool> Keyspace::compare_and_erase(std::string_view key, std::string_view expected,
                                           WriteTo to) {
  if (rep_ == nullptr) return MovedFrom();
  const KeyspaceRep::Arguments args = rep_->Keep(to, key);
  return rep_->Write(to, [&](kv::WriteTxn& txn) -> StatusOr<bool> {
    bool equal = false;
    const auto compare = [&](std::string_view value) { equal = value == expected; };
    KV_RETURN_IF_ERROR(
        TakeValue(txn, rep_->ref(), key, internal::IntoUse<decltype(compare)>{compare}).status());
    if (!equal) return false;
    return kv::DeleteKey(txn, rep_->tree(), args.key);
  });
}

StatusOr<uint64_t> Keyspace::erase_range(const KeyRange& range, WriteTo to) {
  if (rep_ == nullptr) return MovedFrom();
  const KeyspaceRep::Arguments args = rep_->Keep(to, range.begin());
  std::string end;
  const std::optional<std::string_view> end_view = EndOf(range, &end);
  return rep_->Write(to, [&](kv::WriteTxn& txn) -> StatusOr<uint64_t> {
    return kv::DeleteKeys(txn, rep_->tree(), args.key, end_view);
  });
}

}  // namespace kvsql
