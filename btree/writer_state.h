// The engine behind TreeWriter: one class for both kinds of nodes.
//
// Invariants:
//  1. located_: path_ leads from the root to the leaf path_[0]; every path_[l].position is the index of the child
//     taken. writable_: all its pages may be changed.
//  2. Branch rows and extents bits are right for every leaf except path_[0], whose difference is pending_rows_ and
//     its own extents flag. root_.count is always right.
//  3. Whatever can fail in a change (reading, copying, allocating pages, writing extents) is done before the first
//     byte of the tree's contents changes.
#ifndef KVSQL_BTREE_WRITER_STATE_H_
#define KVSQL_BTREE_WRITER_STATE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/status.h"
#include "btree/bytes_node.h"
#include "btree/descend.h"
#include "btree/extent.h"
#include "btree/int_node.h"
#include "btree/tree.h"
#include "btree/tree_writer.h"
#include "pager/page_writer.h"

namespace kvsql::btree {

class WriterState {
 public:
  WriterState(pager::PageWriter* pages, pager::TreeId tree, const WriterOptions& options)
      : pages_(pages),
        tree_(tree),
        options_(options),
        page_size_(pages->page_size()),
        root_(pages->root(tree)) {}
  virtual ~WriterState() = default;
  WriterState(const WriterState&) = delete;
  WriterState& operator=(const WriterState&) = delete;

  virtual Status Sync() = 0;
  virtual StatusOr<uint64_t> Clear() = 0;
  void Invalidate();

  pager::KeyKind kind() const { return root_.kind; }
  TreeView View() const { return {.pages = pages_, .id = tree_, .root = root_}; }
  uint64_t count() const { return root_.count; }
  uint64_t changes() const { return changes_; }
  pager::PageWriter* pages() const { return pages_; }
  pager::TreeId tree() const { return tree_; }

 protected:
  struct Step {
    pager::PageId id = pager::kNoPage;
    uint8_t* page = nullptr;
    uint32_t position = 0;
  };
  // Pages and extents that a change will give back once nothing can fail any more.
  struct Waste {
    std::vector<pager::PageId> pages;
    std::vector<DescriptorBytes> extents;
    uint64_t rows = 0;
  };

  Status MakeWritable(Step* step);
  Status EnsureSpares(size_t count);
  pager::NewPage TakeSpare(pager::PageType type, uint32_t level);
  void FreeSpares();
  Status CheckWaste(Waste* waste) const;
  void FreeWaste(const Waste& waste);

  pager::PageWriter* const pages_;
  const pager::TreeId tree_;
  const WriterOptions options_;
  const uint32_t page_size_;
  pager::TreeRoot root_;
  bool root_changed_ = false;
  bool located_ = false;
  bool writable_ = false;
  bool rightmost_ = false;  // no key above the path's leaf
  int64_t pending_rows_ = 0;
  uint64_t changes_ = 0;
  Step path_[kMaxHeight];
  std::vector<pager::NewPage> spares_;
};

// What a split or redistribution does to the entries of a leaf.
enum class LeafChange : uint8_t { kInsert, kReplace, kErase };

template <typename Node>
class NodeWriter final : public WriterState {
 public:
  using Key = typename Node::Key;
  using OwnedKey = typename Node::OwnedKey;
  using Entry = typename Node::Entry;
  using Bound = std::optional<Key>;

  using WriterState::WriterState;

  // tree_writer.cc
  StatusOr<bool> Put(Key key, std::string_view value, PutMode mode);
  StatusOr<bool> Delete(Key key);
  StatusOr<std::span<uint8_t>> Edit(Key key);
  FindResult Find(Key key, ValueRef* out);
  Status Sync() override;
  // The leaf with the largest key; nullptr in an empty tree.
  StatusOr<const uint8_t*> LastLeaf();

  // tree_delete_some.cc: trees of integers only
  StatusOr<size_t> DeleteSome(std::span<const Key> keys, size_t* deleted);

  // tree_range.cc
  StatusOr<uint64_t> DeleteRange(Bound lo, Bound hi);
  StatusOr<uint64_t> Clear() override;

 private:
  // A branch's entry on its way up: its bytes are its own.
  struct Rising {
    OwnedKey key{};
    DescriptorBytes descriptor;  // of a spilled key
    uint8_t child[kChildBytes];
    bool extents = false;

    Entry AsEntry() const {
      Entry entry;
      entry.key = key;
      entry.spilled = descriptor.size != 0;
      entry.extents = extents || entry.spilled;
      entry.head = AsView(child, kChildBytes);
      entry.body = descriptor.view();
      return entry;
    }
  };

  enum class CutHint : uint8_t { kMiddle, kRising, kFalling };

  // --- writer_path.cc
  Status Locate(Key key);
  Status LocateEdge(bool last);
  Status WritablePath();
  // Whether the path's leaf is where `key` belongs, given where it would stand there.
  bool Covers(const NodePosition& at, Key key) const;
  void FlushPending();
  void DropPath() {
    FlushPending();
    located_ = writable_ = false;
  }
  void AddToBranchRows(uint32_t from_level, int64_t rows);

  // --- tree_writer.cc
  // Builds what goes into the cell, writing extents as needed; these are added to `*written`.
  // `key_descriptor`: of the entry that is replaced, if its key is spilled.
  Status MakeEntry(Key key, std::string_view value, const uint8_t* key_descriptor,
                   CellPayload* payload, Entry* entry, Waste* written);
  Status Store(Key key, std::string_view value, const NodePosition& at);
  Status PutFirst(Key key, std::string_view value);

  // --- tree_split.cc
  // The slow way of a change to the path's leaf: the node is built anew, or shares with a sibling, or splits.
  // Drops the path.
  // `erased`: how many entries kErase takes.
  Status ChangeLeaf(LeafChange change, uint32_t index, const Entry& entry, uint32_t erased = 1);
  Status SplitLeaf(uint32_t index, CutHint hint, int64_t rows_delta);
  Status AppendLeaf(const Entry& entry);
  bool Fits(std::span<const Entry> entries, bool branch) const {
    return Node::SizeOf(entries, branch, page_size_) <= page_size_;
  }
  size_t ChooseCut(std::span<const Entry> entries, bool branch, uint32_t index, CutHint hint) const;
  // 0 if no cut makes both sides fit.
  size_t MiddleCut(std::span<const Entry> entries, bool branch) const;
  StatusOr<Rising> MakeSeparator(const Entry& left, const Entry& right);
  Status PrepareSplit();
  // Puts `rising` behind the path's position at `level`, splitting upwards as needed. `rows_delta` is what the
  // levels above the last changed one still have to count.
  void InsertChild(uint32_t level, Rising rising, CutHint hint, int64_t rows_delta);
  // Sets what the path's entry (or entry `index`) at `level` says of its child.
  void SetChild(uint32_t level, uint32_t index, pager::PageId child, const uint8_t* page);
  // Sets the extents bit of the path's entries from `level` up.
  void MarkExtents(uint32_t level);

  // --- tree_share.cc
  // Spreads the path's leaf, whose wished-for entries are in entries_, over itself and siblings with room.
  // False if there are none. Drops the path if true.
  StatusOr<bool> Redistribute(LeafChange change, int64_t rows_delta);
  StatusOr<bool> Spread(uint32_t first, uint32_t last, int64_t rows_delta);
  bool HasRoom(uint32_t sibling, uint32_t least) const;
  bool CutEvenly(std::span<const Entry> entries, std::span<size_t> cuts) const;

  // --- tree_merge.cc
  bool IsPoor(const uint8_t* page) const {
    return CountOf(page) == 0 || Node::UsedBytes(page, page_size_) < page_size_ / 4;
  }
  // Merges poor nodes along the path with their siblings, frees empty ones, lowers the root. Drops the path.
  // `whole_path`: looks at every level, else stops at the first that needs nothing. Cannot fail: a
  // merge that cannot be had is left undone.
  void Rebalance(bool whole_path);
  bool MergeAt(uint32_t level);
  bool MergePair(uint32_t level, uint32_t left);
  void RemoveChild(uint32_t level, uint32_t index, bool free_key);
  void LowerRoot();
  // Entries in the subtree of a node, as its rows say.
  uint64_t RowsOf(const uint8_t* page) const;

  // --- tree_range.cc
  Status CollectSubtree(pager::PageId id, uint32_t level, bool extents, Waste* waste);
  Status CollectLeaf(const uint8_t* page, uint32_t from, uint32_t to, Waste* waste);
  struct Edges {
    int64_t lo;  // branch: the child cut at its low side, or -1; leaf: first entry in the range
    int64_t
        hi;  // branch: the child cut at its high side, or count; leaf: the entry behind the range
  };
  StatusOr<Edges> EdgesOf(const uint8_t* page, pager::PageId id, uint32_t level, const Bound& lo,
                          const Bound& hi) const;
  Status CollectRange(pager::PageId id, uint32_t level, const Bound& lo, const Bound& hi,
                      Waste* waste);
  StatusOr<uint64_t> DeleteInLeaf(uint32_t from, const Waste& waste);
  // Cuts the range out of a subtree whose edges are writable; true if nothing is left of it.
  bool CutRange(pager::PageId id, uint32_t level, const Bound& lo, const Bound& hi);

  // So far away may a sibling be with which a leaf shares.
  static constexpr uint32_t kReach = 4;

  GatherBuffer buffers_[2 + kReach];
  std::vector<Entry> entries_;
  std::vector<Entry> others_;
  std::vector<Entry> parents_;
  std::vector<uint32_t> places_;
};

using BytesWriter = NodeWriter<BytesNode>;
using IntWriter = NodeWriter<IntNode>;

}  // namespace kvsql::btree

#endif  // KVSQL_BTREE_WRITER_STATE_H_
