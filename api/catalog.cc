#include "api/catalog.h"

#include <utility>

#include "kv/schema.h"

namespace kvsql::internal {
namespace {

class Source : public kv::CatalogSource {
 public:
  explicit Source(btree::TreeView tree) : tree_(tree) {}
  btree::TreeView catalog() override { return tree_; }

 private:
  btree::TreeView tree_;
};

}  // namespace

StatusOr<std::vector<std::string>> ListKeyspaces(kv::Reader reader) {
  KV_ASSIGN_OR_RETURN(const btree::TreeView tree, reader.View(pager::kCatalogTree));
  Source source(tree);
  KV_ASSIGN_OR_RETURN(const std::vector<const kv::KeyspaceDef*> defs,
                      reader.schema().Keyspaces(source));
  std::vector<std::string> names;
  names.reserve(defs.size());
  for (const kv::KeyspaceDef* const def : defs) names.push_back(def->name);
  return names;
}

Status EnsureKeyspace(kv::WriteTxn& txn, std::string_view name) {
  KV_ASSIGN_OR_RETURN(const kv::KeyspaceDef* const def, txn.FindKeyspace(name));
  if (def != nullptr) return absl::OkStatus();
  return txn.CreateKeyspace(name).status();
}

}  // namespace kvsql::internal
