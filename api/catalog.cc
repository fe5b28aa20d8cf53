#include "api/catalog.h"

#include "kv/schema.h"

namespace kvsql::internal {

StatusOr<std::vector<std::string>> ListKeyspaces(kv::Reader reader) {
  KV_ASSIGN_OR_RETURN(const std::vector<const kv::KeyspaceDef*> defs,
                      reader.write_txn() != nullptr ? reader.write_txn()->Keyspaces()
                                                    : reader.read_txn()->Keyspaces());
  std::vector<std::string> names;
  names.reserve(defs.size());
  for (const kv::KeyspaceDef* const def : defs) names.push_back(def->name);
  return names;
}

Status EnsureKeyspace(kv::WriteTxn& txn, std::string_view name, const KeyspaceOptions& options) {
  KV_ASSIGN_OR_RETURN(const kv::KeyspaceDef* const def, txn.FindKeyspace(name));
  if (def != nullptr) return absl::OkStatus();
  const bool zstd = options.compression == Compression::kZstd;
  return txn.CreateKeyspace(name, zstd ? kv::Compression::kZstd : kv::Compression::kNone).status();
}

}  // namespace kvsql::internal
