// Changing one tree inside the running write transaction.
//
// Every page on the way to a changed leaf is made writable first (copy on write by the PageWriter). The
// writer remembers the leaf it changed last, the path to it and the range of keys that belong there: a
// write that falls into the range costs one search in the page. The branches' row counts and the root are
// brought up to date when the writer moves to another leaf, and by Sync.
//
// Thread safety: none; belongs to the thread that runs the transaction.
//
// Invariants:
//  1. One TreeWriter per tree and transaction at a time.
//  2. After an error the tree is as it was before the call, unless the error is DATA_LOSS or that of
//     reading a file; then the transaction must be rolled back.
//  3. Sync must be called before the tree is read through another reader than this writer and its
//     cursors, before PageWriter::SetMark, and before the transaction commits. Invalidate must be
//     called after PageWriter::RollbackToMark, and before the tree is dropped or changed by others.
#ifndef KVSQL_BTREE_TREE_WRITER_H_
#define KVSQL_BTREE_TREE_WRITER_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "base/status.h"
#include "btree/tree.h"
#include "pager/page_writer.h"

namespace kvsql::btree {

enum class PutMode : uint8_t {
  kUpsert,
  kInsertOnly,  // stores only if the key is new
  kUpdateOnly,  // stores only if the key exists
};

struct WriterOptions {
  // zstd level for values that go to extents; 0 stores them as they are. Kept compressed only where it
  // saves pages.
  int compression_level = 0;
};

class WriterState;

class TreeWriter {
 public:
  // The tree must exist: pages->root(tree).exists.
  TreeWriter(pager::PageWriter* pages, pager::TreeId tree, WriterOptions options = {});
  ~TreeWriter();
  TreeWriter(const TreeWriter&) = delete;
  TreeWriter& operator=(const TreeWriter&) = delete;

  // Stores `value` under `key`. False if `mode` forbade it. INVALID_ARGUMENT for a key or value over the
  // limits, RESOURCE_EXHAUSTED when the disk is full. `value` must not stand in this tree's own pages.
  StatusOr<bool> Put(std::string_view key, std::string_view value, PutMode mode = PutMode::kUpsert);
  StatusOr<bool> Put(int64_t key, std::string_view value, PutMode mode = PutMode::kUpsert);

  // False if there was none.
  StatusOr<bool> Delete(std::string_view key);
  StatusOr<bool> Delete(int64_t key);

  // The bytes of the key's value, to be written over before the next call. Empty: there is no such key, or its value is
  // in an extent. For trees of integers.
  StatusOr<std::span<uint8_t>> Edit(int64_t key);

  // Deletes the entries of some of these keys, which rise: of the first one, and of those that follow as far as they
  // are in the same leaf. Answers how many keys it has dealt with; of these, *deleted were there: all of them, or the
  // only one was not. For trees of integers.
  StatusOr<size_t> DeleteSome(std::span<const int64_t> keys, size_t* deleted);

  // Deletes all entries with lo <= key < hi and returns how many. Whole subtrees are freed unread, except
  // where they hold extents.
  StatusOr<uint64_t> DeleteRange(BytesBound lo, BytesBound hi);
  StatusOr<uint64_t> DeleteRange(IntBound lo, IntBound hi);

  // Deletes everything; returns how many entries there were.
  StatusOr<uint64_t> Clear();

  // Looks in the tree as it is now. The value lives until the next write.
  FindResult Find(std::string_view key, ValueRef* out);
  FindResult Find(int64_t key, ValueRef* out);

  // Largest key; NOT_FOUND in an empty tree. For trees of integers; O(1) while appending.
  StatusOr<int64_t> LastIntKey();

  // Writes the deferred counts and the root to the PageWriter and forgets the remembered leaf.
  Status Sync();
  // Forgets all that is remembered and reads the root anew.
  void Invalidate();

  // The tree as it is now; its branch counts are right only after Sync.
  TreeView View() const;
  uint64_t count() const;  // entries now; needs no Sync
  // Rises with every change; what cursors compare.
  uint64_t changes() const;

  pager::PageWriter* pages() const;
  pager::TreeId tree() const;

 private:
  std::unique_ptr<WriterState> state_;
};

}  // namespace kvsql::btree

#endif  // KVSQL_BTREE_TREE_WRITER_H_
