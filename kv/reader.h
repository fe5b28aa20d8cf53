// Reading through either kind of transaction: what the read operations of both doors take.
//
// A Reader is two pointers: pass it by value. It is valid while its transaction is.
#ifndef KVSQL_KV_READER_H_
#define KVSQL_KV_READER_H_

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "btree/tree.h"
#include "kv/read_txn.h"
#include "kv/write_txn.h"

namespace kvsql::kv {

class Reader {
 public:
  Reader(const ReadTxn& txn) : read_(&txn) {}  // NOLINT(google-explicit-constructor)
  Reader(WriteTxn& txn) : write_(&txn) {}      // NOLINT(google-explicit-constructor)

  template <typename Key>
  btree::FindResult Find(TreeId tree, Key key, btree::ValueRef* out) const {
    return read_ != nullptr ? read_->Find(tree, key, out) : write_->Find(tree, key, out);
  }
  template <typename Key>
  Status FindError(TreeId tree, Key key) const {
    return read_ != nullptr ? btree::FindError(read_->View(tree), key)
                            : write_->FindError(tree, key);
  }
  StatusOr<btree::TreeView> View(TreeId tree) const {
    if (read_ != nullptr) return read_->View(tree);
    return write_->View(tree);
  }
  // Entries of the tree, in O(1).
  uint64_t Count(TreeId tree) const {
    return read_ != nullptr ? read_->root(tree).count : write_->Count(tree);
  }
  // What values of a tree are compressed with; null: nothing.
  const ValueCodec* CodecOf(TreeId tree, const CompressionDef& compression) const {
    return write_ == nullptr ? compression.codec.get() : write_->CodecOf(tree, compression);
  }
  const pager::PageReader& pages() const {
    return read_ != nullptr ? read_->pages() : write_->pages();
  }
  const Schema& schema() const { return read_ != nullptr ? read_->schema() : write_->schema(); }
  uint64_t schema_generation() const { return schema().generation(); }
  StatusOr<const TableDef*> FindTable(std::string_view name) const {
    return read_ != nullptr ? read_->FindTable(name) : write_->FindTable(name);
  }
  StatusOr<const KeyspaceDef*> FindKeyspace(std::string_view name) const {
    return read_ != nullptr ? read_->FindKeyspace(name) : write_->FindKeyspace(name);
  }
  StatusOr<const TableDef*> FindTableOfIndex(std::string_view index) const {
    return read_ != nullptr ? read_->FindTableOfIndex(index) : write_->FindTableOfIndex(index);
  }
  StatusOr<const ViewDef*> FindView(std::string_view name) const {
    return read_ != nullptr ? read_->FindView(name) : write_->FindView(name);
  }
  StatusOr<std::vector<const TableDef*>> Tables() const {
    return read_ != nullptr ? read_->Tables() : write_->Tables();
  }
  StatusOr<std::vector<const ViewDef*>> Views() const {
    return read_ != nullptr ? read_->Views() : write_->Views();
  }
  // A number of the database as a whole, as WriteTxn::WriteProperty stored it; 0 if it never was.
  StatusOr<int64_t> ReadProperty(std::string_view name) const;
  // The largest rowid that a table with AUTOINCREMENT ever had; nullopt: none yet.
  StatusOr<std::optional<int64_t>> ReadSequence(const TableDef& table) const;

  std::shared_ptr<const Schema> SharedSchema() const {
    return read_ != nullptr ? read_->SharedSchema() : write_->SharedSchema();
  }

  // Null if this reads through the other kind.
  const ReadTxn* read_txn() const { return read_; }
  WriteTxn* write_txn() const { return write_; }

 private:
  const ReadTxn* read_ = nullptr;
  WriteTxn* write_ = nullptr;
};

}  // namespace kvsql::kv

#endif  // KVSQL_KV_READER_H_
