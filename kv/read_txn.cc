#include "kv/read_txn.h"

#include <utility>

#include "kv/store.h"

namespace kvsql::kv {
namespace {

class SnapshotCatalog : public CatalogSource {
 public:
  explicit SnapshotCatalog(const ReadTxn& txn) : txn_(txn) {}
  btree::TreeView catalog() override { return txn_.View(pager::kCatalogTree); }

 private:
  const ReadTxn& txn_;
};

}  // namespace

ReadTxn::ReadTxn(std::shared_ptr<Store> store)
    : store_(std::move(store)), snapshot_(store_->pager()) {}

Status ReadTxn::BeginError() const {
  return absl::FailedPreconditionError("the database is closed");
}

const Schema& ReadTxn::schema() const {
  const void* attachment = snapshot_.state().attachment.get();
  return attachment != nullptr ? *static_cast<const Schema*>(attachment) : *store_->first_schema();
}

std::shared_ptr<const Schema> ReadTxn::SharedSchema() const {
  const std::shared_ptr<const void>& attachment = snapshot_.state().attachment;
  return attachment != nullptr ? std::static_pointer_cast<const Schema>(attachment)
                               : store_->first_schema();
}

StatusOr<const TableDef*> ReadTxn::FindTable(std::string_view name) const {
  SnapshotCatalog source(*this);
  return schema().FindTable(name, source);
}

StatusOr<const KeyspaceDef*> ReadTxn::FindKeyspace(std::string_view name) const {
  SnapshotCatalog source(*this);
  return schema().FindKeyspace(name, source);
}

StatusOr<const TableDef*> ReadTxn::FindTableOfIndex(std::string_view index) const {
  SnapshotCatalog source(*this);
  return schema().FindTableOfIndex(index, source);
}

StatusOr<const ViewDef*> ReadTxn::FindView(std::string_view name) const {
  SnapshotCatalog source(*this);
  return schema().FindView(name, source);
}

StatusOr<std::vector<const ViewDef*>> ReadTxn::Views() const {
  SnapshotCatalog source(*this);
  return schema().Views(source);
}

StatusOr<std::vector<const TableDef*>> ReadTxn::Tables() const {
  SnapshotCatalog source(*this);
  return schema().Tables(source);
}

StatusOr<std::vector<const KeyspaceDef*>> ReadTxn::Keyspaces() const {
  SnapshotCatalog source(*this);
  return schema().Keyspaces(source);
}

}  // namespace kvsql::kv
