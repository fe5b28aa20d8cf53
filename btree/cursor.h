// Walking over a tree's entries in key order, in both directions, from a key or from a rank.
//
// Thread safety: none; one thread at a time.
//
// Invariants:
//  1. A cursor is on an entry (Valid), or on none: then status() is OK if the end was reached, else the
//     error that stopped it.
//  2. A cursor made from a TreeView never sees a change.
//  3. A cursor made from a TreeWriter sees the tree as it is at each call, and stays on its key while the
//     transaction writes: when the entry has been deleted, key() still answers, value() has no data, Next
//     goes to the entry that follows the key and Prev to the one before it. Whatever is inserted ahead of
//     it will be met.
#ifndef KVSQL_BTREE_CURSOR_H_
#define KVSQL_BTREE_CURSOR_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "btree/node_format.h"
#include "btree/tree.h"

namespace kvsql::btree {

class TreeWriter;

class Cursor {
 public:
  Cursor() = default;
  explicit Cursor(const TreeView& tree) { Reset(tree); }
  explicit Cursor(TreeWriter* writer) { Reset(writer); }
  Cursor(const Cursor&) = delete;
  Cursor& operator=(const Cursor&) = delete;

  // Turns the cursor to another tree; it is on no entry then. Keeps its buffers.
  void Reset(const TreeView& tree);
  void Reset(TreeWriter* writer);

  // Each returns Valid().
  bool SeekFirst();
  bool SeekLast();
  bool SeekGE(std::string_view key);  // first entry with a key >= `key`
  bool SeekGE(int64_t key);
  bool SeekLE(std::string_view key);  // last entry with a key <= `key`
  bool SeekLE(int64_t key);
  bool SeekToRank(uint64_t rank);  // the entry with `rank` entries before it; O(height)

  bool Valid() const { return valid_; }
  // To the next entry, the previous one; Valid() must hold. Returns Valid().
  bool Next();
  bool Prev();

  // The entry's key; Valid() must hold. The view lives until the cursor moves.
  std::string_view key();
  int64_t int_key();
  // The entry's value; Valid() must hold. Lives as ValueRef says. No data if the entry was deleted.
  ValueRef value();

  // Takes entries from the current one on, as far as they lie in its leaf: at most `max`, and none beyond `last`. The
  // cursor goes to the entry behind them, or becomes invalid at the tree's end. Answers how many, which is 0 only if the
  // current one is beyond `last`. For a TreeView's cursor; Valid() must hold. `keys` may be null.
  uint32_t TakeInts(uint32_t max, int64_t last, int64_t* keys, ValueRef* values);
  // The same up to `end`, which is not taken (an empty one is no end). Keys are appended to *storage, and ends[i] is
  // where key i ends there. Also 0 if a long key could not be read: status() tells.
  uint32_t TakeKeys(uint32_t max, std::string_view end, std::string* storage, uint32_t* ends,
                    ValueRef* values);

  // How many entries from the current one on, in this direction and within its leaf, are inside of the bound: the first
  // key that is too large if `forward`, else the smallest that is not too small; nullptr is none. At least 1: the current
  // one counts whatever the bound. For a TreeView's cursor of byte keys; Valid() must hold.
  uint32_t EntriesWithin(bool forward, const std::string_view* bound) const;

  // OK, or what stopped the cursor. A key() that could not be read (a long key's extent) is told here too.
  const Status& status() const { return status_; }

 private:
  struct Step {
    const uint8_t* page;
    uint32_t position;
  };

  // One each for bytes and integers: cursor.cc.
  template <typename Node>
  bool SeekEdge(bool last);
  template <typename Node>
  bool SeekGEIn(typename Node::Key key, bool* exact);
  template <typename Node>
  bool SeekLEIn(typename Node::Key key, bool* exact);
  template <typename Node>
  bool SeekToRankIn(uint64_t rank);
  template <typename Node>
  bool Descend(typename Node::Key key, bool* exact);
  template <typename Node>
  bool DescendEdge(pager::PageId id, uint32_t level, bool last);
  template <typename Node>
  bool ToNextLeaf();
  template <typename Node>
  bool ToPreviousLeaf();
  template <typename Node>
  bool Land();
  template <typename Node>
  bool LoadKey();
  template <typename Node>
  void Leave(uint32_t position);
  template <typename Node>
  bool StepForward();
  template <typename Node>
  bool StepBack();

  bool Start();
  bool Fail(Status status);
  bool Stale() const;
  bool is_int() const { return tree_.root.kind == pager::KeyKind::kInt64; }

  TreeView tree_;
  TreeWriter* writer_ = nullptr;
  uint64_t seen_changes_ = 0;
  bool valid_ = false;
  bool key_ready_ = false;  // key_buffer_ holds the current entry's key
  int64_t int_key_ = 0;
  Step path_[kMaxHeight];  // by level: path_[0] is the leaf
  std::string key_buffer_;
  std::string seek_buffer_;
  Status status_;
};

}  // namespace kvsql::btree

#endif  // KVSQL_BTREE_CURSOR_H_
