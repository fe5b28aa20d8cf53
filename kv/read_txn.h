// A read transaction: one published state of the database, through a reader slot of the pager.
//
// A ReadTxn is a handle that is begun and ended many times; keep it to keep the slot. Begin and End
// cost some nanoseconds: no lock, no system call, no allocation.
//
// Thread safety: Begin and End by one thread at a time; while begun, the rest may be called from
// many threads.
//
// Invariants:
//  1. Everything read through a begun ReadTxn is of one state; views into pages end with it.
//  2. The Schema it returns is that of its state.
#ifndef KVSQL_KV_READ_TXN_H_
#define KVSQL_KV_READ_TXN_H_

#include <memory>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "btree/tree.h"
#include "kv/schema.h"
#include "pager/pager.h"

namespace kvsql::kv {

class Store;

class ReadTxn {
 public:
  ReadTxn() = default;
  explicit ReadTxn(std::shared_ptr<Store> store);
  ReadTxn(ReadTxn&&) noexcept = default;
  ReadTxn& operator=(ReadTxn&&) noexcept = default;

  // Takes the newest published state; ends the former one. False if the store is closed.
  bool Begin() {
    snapshot_.End();
    return snapshot_.Begin();
  }
  // Gives the state up; the handle can begin again.
  void End() { snapshot_.End(); }
  bool active() const { return snapshot_.active(); }
  // Why Begin answered false.
  Status BeginError() const;

  const std::shared_ptr<Store>& store() const { return store_; }

  // While begun:
  const pager::PageReader& pages() const { return snapshot_.pages(); }
  pager::TxId txid() const { return snapshot_.state().txid; }
  const pager::TreeRoot& root(TreeId tree) const { return snapshot_.root(tree); }
  // Trees that exist have ids below this.
  TreeId tree_limit() const { return snapshot_.state().roots.limit(); }
  btree::TreeView View(TreeId tree) const {
    return {&snapshot_.pages(), tree, snapshot_.root(tree)};
  }

  btree::FindResult Find(TreeId tree, std::string_view key, btree::ValueRef* out) const {
    return btree::Find(View(tree), key, out);
  }
  btree::FindResult Find(TreeId tree, int64_t key, btree::ValueRef* out) const {
    return btree::Find(View(tree), key, out);
  }

  // Valid while begun; hold on to SharedSchema for longer.
  const Schema& schema() const;
  std::shared_ptr<const Schema> SharedSchema() const;
  uint64_t schema_generation() const { return schema().generation(); }
  // Nullptr: no such object. The definitions live as long as the Schema.
  StatusOr<const TableDef*> FindTable(std::string_view name) const;
  StatusOr<const KeyspaceDef*> FindKeyspace(std::string_view name) const;
  StatusOr<const TableDef*> FindTableOfIndex(std::string_view index) const;
  StatusOr<const ViewDef*> FindView(std::string_view name) const;
  // All of them, by name.
  StatusOr<std::vector<const TableDef*>> Tables() const;
  StatusOr<std::vector<const KeyspaceDef*>> Keyspaces() const;
  StatusOr<std::vector<const ViewDef*>> Views() const;

 private:
  std::shared_ptr<Store> store_;
  pager::Snapshot snapshot_;
};

}  // namespace kvsql::kv

#endif  // KVSQL_KV_READ_TXN_H_
