#include "kv/reader.h"

#include "base/bytes.h"
#include "kv/catalog_codec.h"

namespace kvsql::kv {
namespace {

// A number of 8 bytes in the catalog.
StatusOr<std::optional<int64_t>> ReadNumber(const Reader& reader, ObjectKind kind,
                                            std::string_view name) {
  KV_ASSIGN_OR_RETURN(const btree::TreeView catalog, reader.View(pager::kCatalogTree));
  if (!catalog.root.exists) return std::nullopt;
  const std::string key = CatalogKey(kind, name);
  btree::ValueRef value;
  switch (btree::Find(catalog, std::string_view(key), &value)) {
    case btree::FindResult::kNotFound:
      return std::nullopt;
    case btree::FindResult::kError:
      return btree::FindError(catalog, std::string_view(key));
    case btree::FindResult::kFound:
      break;
  }
  if (value.is_large || value.size != sizeof(int64_t)) {
    return DataLoss("catalog: the number '", std::string(name), "' is damaged");
  }
  return LoadLe<int64_t>(value.data);
}

}  // namespace

StatusOr<int64_t> Reader::ReadProperty(std::string_view name) const {
  KV_ASSIGN_OR_RETURN(const std::optional<int64_t> value,
                      ReadNumber(*this, ObjectKind::kProperty, name));
  return value.value_or(0);
}

StatusOr<std::optional<int64_t>> Reader::ReadSequence(const TableDef& table) const {
  return ReadNumber(*this, ObjectKind::kSequence, table.name);
}

}  // namespace kvsql::kv
