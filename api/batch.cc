#include <algorithm>
#include <string>
#include <string_view>

#include "api/batch_writer.h"
#include "api/errors.h"
#include "base/status.h"
#include "kv/keyspace_ops.h"

namespace kvsql {

void Batch::Add(Kind kind, std::string_view keyspace, std::string_view key,
                std::string_view value) {
  // Batches speak of few keyspaces, and mostly of the one they spoke of last.
  size_t index = operations_.empty() ? 0 : operations_.back().keyspace;
  if (index >= keyspaces_.size() || keyspaces_[index] != keyspace) {
    index = std::find(keyspaces_.begin(), keyspaces_.end(), keyspace) - keyspaces_.begin();
    if (index == keyspaces_.size()) keyspaces_.emplace_back(keyspace);
  }
  operations_.push_back({kind, static_cast<uint32_t>(index), bytes_.size(), key.size(),
                         bytes_.size() + key.size(), value.size()});
  bytes_.append(key).append(value);
}

void Batch::put(std::string_view keyspace, std::string_view key, std::string_view value) {
  Add(Kind::kPut, keyspace, key, value);
}

void Batch::erase(std::string_view keyspace, std::string_view key) {
  Add(Kind::kErase, keyspace, key, {});
}

void Batch::erase_range(std::string_view keyspace, const KeyRange& range) {
  std::string end;
  const bool has_end = range.end(&end);
  Add(has_end ? Kind::kEraseBetween : Kind::kEraseFrom, keyspace, range.begin(), end);
}

void Batch::clear() {
  keyspaces_.clear();
  operations_.clear();
  bytes_.clear();
}

namespace internal {

Status BatchWriter::Write(const Batch& batch, kv::WriteTxn& txn) {
  std::vector<kv::KeyspaceRef> keyspaces;
  keyspaces.reserve(batch.keyspaces_.size());
  for (const std::string& name : batch.keyspaces_) {
    KV_ASSIGN_OR_RETURN(const kv::KeyspaceDef* const def, txn.FindKeyspace(name));
    if (def == nullptr) return NoSuchError("keyspace", name);
    keyspaces.emplace_back(*def);
  }
  const std::string_view bytes = batch.bytes_;
  for (const Batch::Operation& operation : batch.operations_) {
    const kv::KeyspaceRef& keyspace = keyspaces[operation.keyspace];
    const std::string_view key = bytes.substr(operation.key_offset, operation.key_size);
    const std::string_view value = bytes.substr(operation.value_offset, operation.value_size);
    switch (operation.kind) {
      case Batch::Kind::kPut:
        KV_RETURN_IF_ERROR(kv::PutValue(txn, keyspace, key, value));
        break;
      case Batch::Kind::kErase:
        KV_RETURN_IF_ERROR(kv::DeleteKey(txn, keyspace, key).status());
        break;
      case Batch::Kind::kEraseFrom:
        KV_RETURN_IF_ERROR(kv::DeleteKeys(txn, keyspace, key, std::nullopt).status());
        break;
      case Batch::Kind::kEraseBetween:
        KV_RETURN_IF_ERROR(kv::DeleteKeys(txn, keyspace, key, value).status());
        break;
    }
  }
  return absl::OkStatus();
}

}  // namespace internal
}  // namespace kvsql
