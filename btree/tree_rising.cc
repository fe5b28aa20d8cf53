// Finding many keys in their order: each search starts from where the one before it ended, and the cold memory of
// several is asked for before the first is looked at.
#include "btree/descend.h"
#include "btree/int_node.h"
#include "btree/tree.h"

namespace kvsql::btree {
namespace {

// The way down to the leaf of the key before, and where each node's keys end.
class Finger {
 public:
  explicit Finger(const TreeView& tree) : tree_(tree), level_(tree.root.height + 1u) {}

  // The leaf that has `key`, which is not below the one before; null: a node cannot be read.
  const uint8_t* LeafOf(int64_t key) {
    const uint32_t top = tree_.root.height;
    while (level_ <= top && steps_[level_].ends && key >= steps_[level_].end) ++level_;
    if (level_ > top) {
      level_ = top;
      steps_[top] = {Fetch(tree_.root.page, top), false, 0};
    }
    while (level_ > 0) {
      const Step& step = steps_[level_];
      if (step.page == nullptr) break;
      const uint32_t index = IntNode::SearchBranch(*tree_.pages, step.page, key).index;
      Step& below = steps_[level_ - 1];
      below.ends = step.ends;
      below.end = step.end;
      if (index + 1 < CountOf(step.page)) {
        below.ends = true;
        below.end = IntNode::BranchKey(step.page, index + 1);
      }
      const uint8_t* cell = IntNode::ChildCell(step.page, index, tree_.pages->page_size());
      below.page = Fetch(LoadChild(cell), level_ - 1);
      --level_;
    }
    const uint8_t* const page = steps_[level_].page;
    // What was not read is tried again from the root.
    if (page == nullptr) level_ = top + 1;
    return page;
  }

 private:
  struct Step {
    const uint8_t* page;
    bool ends;
    int64_t end;  // the first key behind the node's
  };

  const uint8_t* Fetch(pager::PageId id, uint32_t level) const {
    return FetchNode<IntNode>(*tree_.pages, tree_.id, id, level);
  }

  const TreeView& tree_;
  uint32_t level_;  // steps_ from here up are known
  Step steps_[kMaxHeight];
};

}  // namespace

FindResult FindRising(const TreeView& tree, const int64_t* keys, const uint32_t* order,
                      uint32_t count, ValueRef* out, uint32_t* failed) {
  constexpr uint32_t kTogether = 16;
  if (count == 0) return FindResult::kFound;
  *failed = order[0];
  if (tree.root.page == pager::kNoPage) return FindResult::kNotFound;
  if (!HeightOk(tree.root)) return FindResult::kError;
  Finger finger(tree);
  const uint8_t* leaves[kTogether];
  const uint8_t* cells[kTogether];
  for (uint32_t begin = 0; begin < count; begin += kTogether) {
    const uint32_t n = count - begin < kTogether ? count - begin : kTogether;
    for (uint32_t i = 0; i < n; ++i) {
      leaves[i] = finger.LeafOf(keys[order[begin + i]]);
      if (leaves[i] == nullptr) {
        *failed = order[begin + i];
        return FindResult::kError;
      }
    }
    for (uint32_t i = 0; i < n; ++i) {
      const uint32_t place = order[begin + i];
      const NodePosition at = IntNode::SearchLeaf(*tree.pages, leaves[i], keys[place]);
      if (!at.exact) {
        *failed = place;
        return FindResult::kNotFound;
      }
      cells[i] = leaves[i] + IntNode::LeafOffset(leaves[i], at.index);
      __builtin_prefetch(cells[i]);
    }
    for (uint32_t i = 0; i < n; ++i) {
      const ValueRef value = DecodeValue(cells[i]);
      ValueRef& to = out[order[begin + i]];
      to.data = value.data;
      to.size = value.size;
      to.is_large = value.is_large;
    }
  }
  return FindResult::kFound;
}

}  // namespace kvsql::btree
