// The write transaction: changes to trees, rows and the catalog, with savepoints, and the log
// record of what was done.
//
// Thread safety: none; belongs to the thread that runs it. Destroying it without Commit rolls back.
//
// Invariants:
//  1. Every change goes through Put, Delete, DeleteRange and the DDL calls, which change the tree
//     and note the operation for the log, or do neither.
//  2. The noted operations are those since the last rollback to a savepoint; when they grow over
//     256 KiB, or the pages changed over 256, they are dropped and the commit is direct.
//  3. Until a schema change the transaction uses its base state's Schema; then one of its own that
//     nobody else has. Rolling a schema change back gives up that Schema, whose generation never
//     comes back.
//  4. An error in the middle of a change leaves the transaction broken: only Rollback, or
//     RollbackTo an older savepoint, is possible then. Errors that a check finds before anything is
//     changed do not break it.
#ifndef KVSQL_KV_WRITE_TXN_H_
#define KVSQL_KV_WRITE_TXN_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "btree/tree.h"
#include "btree/tree_writer.h"
#include "kv/schema.h"
#include "kv/store.h"
#include "pager/pager.h"

namespace kvsql::kv {

using btree::PutMode;

struct WriteScratch;
class RowRules;

class WriteTxn {
 public:
  ~WriteTxn();
  WriteTxn(const WriteTxn&) = delete;
  WriteTxn& operator=(const WriteTxn&) = delete;

  const std::shared_ptr<Store>& store() const { return store_; }
  bool active() const { return active_; }

  // --- Trees -------------------------------------------------------------------------------------
  // Views into pages end at the next change of the transaction.
  btree::FindResult Find(TreeId tree, std::string_view key, btree::ValueRef* out);
  btree::FindResult Find(TreeId tree, int64_t key, btree::ValueRef* out);
  Status FindError(TreeId tree, std::string_view key);
  Status FindError(TreeId tree, int64_t key);

  // The tree as it stands now, for cursors, counts and ranks. Fails only where deferred bookkeeping
  // meets a full disk or a damaged page.
  StatusOr<btree::TreeView> View(TreeId tree);
  const pager::PageReader& pages() const;
  // The writer of a tree, for cursors that follow the transaction's changes.
  btree::TreeWriter& Writer(TreeId tree);

  // True if it was stored; false if the mode forbade it. Key and value must not stand in this
  // tree's own pages.
  StatusOr<bool> Put(TreeId tree, std::string_view key, std::string_view value,
                     PutMode mode = PutMode::kUpsert);
  StatusOr<bool> Put(TreeId tree, int64_t key, std::string_view value,
                     PutMode mode = PutMode::kUpsert);
  // True if there was such a key.
  StatusOr<bool> Delete(TreeId tree, std::string_view key);
  StatusOr<bool> Delete(TreeId tree, int64_t key);
  // The bytes of the value under a key, to be written over before anything else is done with the transaction; EndEdit
  // tells that they were. Empty: there is no such key, or its value does not stand in the tree.
  StatusOr<std::span<uint8_t>> BeginEdit(TreeId tree, int64_t key);
  Status EndEdit(TreeId tree, int64_t key, std::span<const uint8_t> value);
  // The bytes that the transaction's changes take in its log record so far; 0 once it is known to commit without one.
  size_t record_size() const;
  // Changes that will take `more` bytes of it are about to be made: if that is too much for a record, none is
  // written from here on. A hint, which saves the work; a wrong one makes the commit direct.
  void ForeseeRecord(size_t more);
  // Deletes many keys, which rise; those that do not exist are passed over. Returns how many there were.
  StatusOr<uint64_t> DeleteRising(TreeId tree, std::span<const int64_t> keys);
  // Deletes keys in [lo, hi), where nullopt is unbounded, and returns how many there were.
  StatusOr<uint64_t> DeleteRange(TreeId tree, btree::BytesBound lo, btree::BytesBound hi);
  StatusOr<uint64_t> DeleteRange(TreeId tree, btree::IntBound lo, btree::IntBound hi);
  // Deletes all; returns how many there were.
  StatusOr<uint64_t> Clear(TreeId tree);
  // The largest key of a tree of integers; NOT_FOUND if it is empty.
  StatusOr<int64_t> LastIntKey(TreeId tree);
  // Entries of the tree now, in O(1).
  uint64_t Count(TreeId tree) const;

  // Number of changes so far, rollbacks included; never repeats within the transaction.
  uint64_t changes() const { return changes_; }

  // --- Catalog -----------------------------------------------------------------------------------
  const Schema& schema() const { return *schema_; }
  std::shared_ptr<const Schema> SharedSchema() const { return schema_; }
  uint64_t schema_generation() const { return schema_->generation(); }
  // True between a schema change and its commit or rollback: plans and handles made now are private
  // to the transaction.
  bool has_private_schema() const { return schema_ != base_schema_; }
  // Nullptr: no such object. The definitions live as long as the transaction, even if they are
  // dropped.
  StatusOr<const TableDef*> FindTable(std::string_view name);
  StatusOr<const KeyspaceDef*> FindKeyspace(std::string_view name);
  StatusOr<const TableDef*> FindTableOfIndex(std::string_view index);
  StatusOr<const ViewDef*> FindView(std::string_view name);
  // All of them, by name.
  StatusOr<std::vector<const TableDef*>> Tables();
  StatusOr<std::vector<const KeyspaceDef*>> Keyspaces();
  StatusOr<std::vector<const ViewDef*>> Views();

  // The largest rowid that a table with AUTOINCREMENT ever had; 0: none yet.
  StatusOr<int64_t> ReadSequence(const TableDef& table);
  Status WriteSequence(const TableDef& table, int64_t rowid);
  Status EraseSequence(const TableDef& table);
  // A number of the database as a whole (Reader::ReadProperty), under a name of kv's callers.
  Status WriteProperty(std::string_view name, int64_t value);
  // Stores kHasSequences or kHasStatistics, unless that has been done.
  Status NoteSystemTable(std::string_view property);
  // What evaluates the table's expressions. It lives until the next schema change or the transaction's end.
  StatusOr<RowRules*> RulesOf(const TableDef& table);

  // Messages are SQLite's. ALREADY_EXISTS: the name is taken. NOT_FOUND: no such object.
  // `def` needs no tree ids and no derived members; its indexes are those that constraints make.
  StatusOr<const TableDef*> CreateTable(TableDef def);
  Status DropTable(std::string_view name);
  // Builds the index over the rows there are. ALREADY_EXISTS too if they are not unique.
  StatusOr<const IndexDef*> CreateIndex(IndexDef def);
  Status DropIndex(std::string_view name);
  // Empties the index and builds it anew over the rows there are.
  Status RebuildIndex(const TableDef& table, const IndexDef& index);
  // The query of a view is nobody's business here.
  StatusOr<const ViewDef*> CreateView(ViewDef def);
  Status DropView(std::string_view name);
  // Stores the statistics that stand in `analyzed` (a copy of the table's definition); none: forgets
  // those there are.
  Status StoreStatistics(const TableDef& analyzed);
  StatusOr<const KeyspaceDef*> CreateKeyspace(std::string_view name,
                                              Compression compression = Compression::kNone);
  Status DropKeyspace(std::string_view name);

  // What values of a tree are read and written with now: that of its definition, unless a dictionary was
  // trained since the definition was read. Null: nothing is compressed.
  const ValueCodec* CodecOf(TreeId tree, const CompressionDef& compression) const {
    if (retrained_.empty()) [[likely]]
      return compression.codec.get();
    return RetrainedCodec(tree, compression);
  }
  // Gives a compressed table or keyspace a dictionary for what is written from now on. `alone`: the others are
  // dropped, because nothing in use is compressed with them any more, or is about to be replaced.
  Status AddDictionary(ObjectKind kind, std::string_view name, std::string_view bytes, bool alone);

  // --- Savepoints --------------------------------------------------------------------------------
  // Savepoints nest, and the innermost of a name counts (names in any case). Both fail with
  // NOT_FOUND if there is none.
  Status SetSavepoint(std::string_view name);
  // Undoes all since the savepoint, which stays open; the ones inside it end.
  Status RollbackTo(std::string_view name);
  // Ends the savepoint and the ones inside it; what they did stays.
  Status Release(std::string_view name);

  // The same without names, for statements: marks end in reverse order of their start.
  using Mark = uint32_t;
  StatusOr<Mark> SetMark();
  void RollbackToMark(Mark mark);  // and releases it
  void ReleaseMark(Mark mark);
  size_t open_savepoints() const { return savepoints_.size(); }

  // --- End ---------------------------------------------------------------------------------------
  // Makes the changes durable and visible. Ends the transaction whatever happens. UNKNOWN: an I/O
  // error after which the commit may or may not survive.
  Status Commit(Durability durability);
  Status Commit();
  void Rollback();

  // FAILED_PRECONDITION if the transaction has ended, or is broken. Everything that changes
  // something checks it; functions that read may only be called while active().
  Status CheckUsable() const;
  // Remembers that a change of several steps stopped half way (for table_ops).
  Status Break(Status status);

  // Buffers for table_ops, kept from one transaction to the next.
  WriteScratch& scratch() { return *scratch_; }

 private:
  friend class Store;
  class Source;

  struct Savepoint {
    std::string name;
    bool named = false;  // false: a mark
    pager::PageWriter::Mark mark = 0;
    size_t record_size = 0;
    uint64_t operations = 0;
    size_t retrained = 0;
    std::shared_ptr<const Schema> schema;
  };

  WriteTxn(std::shared_ptr<Store> store, std::unique_ptr<pager::WriteTransaction> txn);

  template <typename Key>
  StatusOr<bool> PutIn(TreeId tree, Key key, std::string_view value, PutMode mode);
  template <typename Key>
  StatusOr<bool> DeleteIn(TreeId tree, Key key);
  template <typename Bound>
  StatusOr<uint64_t> DeleteRangeIn(TreeId tree, Bound lo, Bound hi);

  // The writer of a tree that has one; else null.
  btree::TreeWriter* OpenWriter(TreeId tree) const;
  void RetireWriter(TreeId tree);
  // The tree as it is, without bringing the branches' counts up to date.
  btree::TreeView RawView(TreeId tree) const;
  Status SyncAll();
  // After a change: counts it, drops the record if the commit will be direct anyway, and keeps the
  // transaction within its memory.
  Status NoteChange();
  void DropRecord();

  Status PushSavepoint(std::string_view name);
  StatusOr<size_t> FindSavepoint(std::string_view name) const;
  void RollbackToIndex(size_t index);
  void ReleaseFrom(size_t index);

  TreeId CreateTree(KeyKind kind);
  Status DropTree(TreeId tree);
  Status EnsureCatalog();
  // Begins a schema change: from here on the transaction has a Schema of its own.
  Status BeginSchemaChange(ObjectKind kind, std::string_view name);
  // The same without counting it as a change that a user made.
  void BeginPrivateSchema(ObjectKind kind, std::string_view name);
  const ValueCodec* RetrainedCodec(TreeId tree, const CompressionDef& compression) const;
  Status EraseDictionaries(TreeId tree, const CompressionDef& compression);
  Status WriteCatalog(ObjectKind kind, std::string_view name, std::string_view record);
  Status EraseCatalog(ObjectKind kind, std::string_view name);
  Status CreateTableTrees(TableDef* def);
  Status CheckTableName(std::string_view name);
  TreeId TreesInUse() const;
  Status EraseStatistics(std::string_view table);
  Status FillIndex(const TableDef& table, const IndexDef& index);
  void Finish();

  std::shared_ptr<Store> store_;
  std::unique_ptr<pager::WriteTransaction> txn_;
  std::unique_ptr<WriteScratch> scratch_;
  std::shared_ptr<const Schema> base_schema_;
  std::shared_ptr<const Schema> schema_;
  // Schemas of this transaction that were given up; their definitions may still be in use.
  std::vector<std::shared_ptr<const Schema>> former_schemas_;
  std::vector<Savepoint> savepoints_;
  // Trees whose dictionary was trained here, with the codecs they have since.
  std::vector<std::pair<TreeId, std::shared_ptr<const ValueCodec>>> retrained_;
  uint64_t operations_ = 0;       // that a commit would bring
  mutable size_t last_tree_ = 0;  // in scratch_->trees: where the last one was found
  uint64_t changes_ = 0;
  bool record_dropped_ = false;
  bool active_ = true;
  Status broken_;
};

}  // namespace kvsql::kv

#endif  // KVSQL_KV_WRITE_TXN_H_
