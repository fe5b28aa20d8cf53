#include "kv/keyspace_ops.h"

#include <utility>

#include "kv/training.h"
#include "kv/write_scratch.h"

namespace kvsql::kv {
namespace {

Status CheckEntry(std::string_view key, std::string_view value) {
  if (key.size() > kMaxKeyspaceKey) {
    return absl::InvalidArgumentError(absl::StrCat("a key of ", key.size(), " bytes is over the ",
                                                   kMaxKeyspaceKey, " that a keyspace takes"));
  }
  if (value.size() > kMaxValueBytes) {
    return absl::InvalidArgumentError(absl::StrCat("a value of ", value.size(),
                                                   " bytes is over the ", kMaxValueBytes,
                                                   " that a keyspace takes"));
  }
  return absl::OkStatus();
}

// Of a compressed keyspace.
[[gnu::noinline]] StatusOr<bool> PutPacked(WriteTxn& txn, const KeyspaceDef& keyspace,
                                           std::string_view key, std::string_view value,
                                           PutMode mode) {
  std::string& cell = txn.scratch().bytes;
  txn.CodecOf(keyspace.tree, keyspace.compression)->PackValue(value, &cell);
  KV_ASSIGN_OR_RETURN(const bool stored, txn.Put(keyspace.tree, key, cell, mode));
  if (stored) KV_RETURN_IF_ERROR(TrainIfDue(txn, CompressedTree(keyspace)));
  return stored;
}

// Inlined by force, as each layer that passes the value on in memory waits for the one before.
[[gnu::always_inline]] inline StatusOr<bool> Put(WriteTxn& txn, KeyspaceRef keyspace,
                                                 std::string_view key, std::string_view value,
                                                 PutMode mode) {
  KV_RETURN_IF_ERROR(CheckEntry(key, value));
  if (keyspace.compressed != nullptr) [[unlikely]]
    return PutPacked(txn, *keyspace.compressed, key, value, mode);
  return txn.Put(keyspace.tree, key, value, mode);
}

}  // namespace

Status FoundValue::SetSlowly(const pager::PageReader& pages, const btree::ValueRef& value,
                             const ValueCodec* codec) {
  KV_ASSIGN_OR_RETURN(large_, btree::ReadValue(pages, value));
  if (codec != nullptr) {
    KV_ASSIGN_OR_RETURN(large_, codec->ReadValue(std::move(large_)));
  }
  view_ = large_.view();
  owned_ = large_.is_owned();
  return absl::OkStatus();
}

StatusOr<bool> GetValue(Reader reader, KeyspaceRef keyspace, std::string_view key,
                        FoundValue* value) {
  btree::ValueRef found;
  switch (reader.Find(keyspace.tree, key, &found)) {
    case btree::FindResult::kFound:
      KV_RETURN_IF_ERROR(value->Set(reader.pages(), found, keyspace.Codec(reader)));
      return true;
    case btree::FindResult::kNotFound:
      return false;
    case btree::FindResult::kError:
      break;
  }
  return reader.FindError(keyspace.tree, key);
}

StatusOr<bool> Contains(Reader reader, KeyspaceRef keyspace, std::string_view key) {
  btree::ValueRef found;
  const btree::FindResult result = reader.Find(keyspace.tree, key, &found);
  if (result == btree::FindResult::kError) return reader.FindError(keyspace.tree, key);
  return result == btree::FindResult::kFound;
}

StatusOr<uint64_t> CountKeys(Reader reader, KeyspaceRef keyspace, btree::BytesBound lo,
                             btree::BytesBound hi) {
  if (!lo.has_value() && !hi.has_value()) return reader.Count(keyspace.tree);
  KV_ASSIGN_OR_RETURN(const btree::TreeView view, reader.View(keyspace.tree));
  return btree::CountRange(view, lo, hi);
}

Status PutValue(WriteTxn& txn, KeyspaceRef keyspace, std::string_view key, std::string_view value) {
  return Put(txn, keyspace, key, value, PutMode::kUpsert).status();
}

StatusOr<bool> PutIfAbsent(WriteTxn& txn, KeyspaceRef keyspace, std::string_view key,
                           std::string_view value) {
  return Put(txn, keyspace, key, value, PutMode::kInsertOnly);
}

StatusOr<bool> CompareAndPut(WriteTxn& txn, KeyspaceRef keyspace, std::string_view key,
                             std::optional<std::string_view> expected, std::string_view value) {
  KV_RETURN_IF_ERROR(txn.CheckUsable());
  if (!expected.has_value()) return PutIfAbsent(txn, keyspace, key, value);
  FoundValue present;
  KV_ASSIGN_OR_RETURN(const bool found, GetValue(txn, keyspace, key, &present));
  if (!found || present.view() != *expected) return false;
  KV_RETURN_IF_ERROR(PutValue(txn, keyspace, key, value));
  return true;
}

StatusOr<bool> DeleteKey(WriteTxn& txn, KeyspaceRef keyspace, std::string_view key) {
  KV_RETURN_IF_ERROR(txn.CheckUsable());
  KV_RETURN_IF_ERROR(CheckEntry(key, {}));
  std::string& copy = txn.scratch().bytes;
  copy.assign(key);
  return txn.Delete(keyspace.tree, std::string_view(copy));
}

StatusOr<uint64_t> DeleteKeys(WriteTxn& txn, KeyspaceRef keyspace, btree::BytesBound lo,
                              btree::BytesBound hi) {
  KV_RETURN_IF_ERROR(txn.CheckUsable());
  std::string& copy = txn.scratch().bytes;
  copy.clear();
  if (lo.has_value()) copy.append(*lo);
  const size_t middle = copy.size();
  if (hi.has_value()) copy.append(*hi);
  const std::string_view bytes = copy;
  if (lo.has_value()) lo = bytes.substr(0, middle);
  if (hi.has_value()) hi = bytes.substr(middle);
  return txn.DeleteRange(keyspace.tree, lo, hi);
}

std::optional<std::string> PrefixEnd(std::string_view prefix) {
  while (!prefix.empty() && static_cast<uint8_t>(prefix.back()) == 0xff) prefix.remove_suffix(1);
  if (prefix.empty()) return std::nullopt;
  std::string end(prefix);
  end.back() = static_cast<char>(static_cast<uint8_t>(end.back()) + 1);
  return end;
}

}  // namespace kvsql::kv
