#include "btree/cursor.h"

#include <algorithm>

#include "base/check.h"
#include "btree/bytes_node.h"
#include "btree/descend.h"
#include "btree/int_node.h"
#include "btree/tree_writer.h"

namespace kvsql::btree {

void Cursor::Reset(const TreeView& tree) {
  tree_ = tree;
  writer_ = nullptr;
  valid_ = false;
  status_ = absl::OkStatus();
}

void Cursor::Reset(TreeWriter* writer) {
  writer_ = writer;
  tree_ = writer->View();
  valid_ = false;
  status_ = absl::OkStatus();
}

bool Cursor::Fail(Status status) {
  valid_ = false;
  status_ = std::move(status);
  return false;
}

// Before every descent. False if the tree is empty.
bool Cursor::Start() {
  valid_ = false;
  if (!status_.ok()) status_ = absl::OkStatus();
  if (writer_ != nullptr) {
    tree_ = writer_->View();
    seen_changes_ = writer_->changes();
  }
  if (tree_.root.page == pager::kNoPage) return false;
  if (!HeightOk(tree_.root)) {
    return Fail(
        DataLoss("tree ", tree_.id, ": impossible height ", static_cast<int>(tree_.root.height)));
  }
  return true;
}

bool Cursor::Stale() const { return writer_ != nullptr && writer_->changes() != seen_changes_; }

template <typename Node>
bool Cursor::LoadKey() {
  if constexpr (Node::kKind == pager::KeyKind::kInt64) {
    int_key_ = Node::LeafKey(path_[0].page, path_[0].position);
  } else if (!Node::WholeKey(*tree_.pages, path_[0].page, path_[0].position, false, &key_buffer_)) {
    status_ = SpilledKeyError(*tree_.pages, tree_.id, pager::HeaderOf(path_[0].page)->page);
    return false;
  }
  key_ready_ = true;
  return true;
}

// The path is on an entry.
template <typename Node>
bool Cursor::Land() {
  key_ready_ = false;
  valid_ = true;
  // Under a writer the page may change, so the key is kept now.
  if (writer_ != nullptr && !LoadKey<Node>()) valid_ = false;
  return valid_;
}

template <typename Node>
bool Cursor::DescendEdge(pager::PageId id, uint32_t level, bool last) {
  for (;; --level) {
    const uint8_t* page = FetchNode<Node>(*tree_.pages, tree_.id, id, level);
    if (page == nullptr) {
      return Fail(NodeError(*tree_.pages, tree_.id, id, level, Node::kKind));
    }
    Step& step = path_[level];
    step.page = page;
    step.position = last ? CountOf(page) - 1 : 0;
    if (level == 0) return Land<Node>();
    id = LoadChild(Node::ChildCell(page, step.position, tree_.pages->page_size()));
  }
}

template <typename Node>
bool Cursor::ToNextLeaf() {
  for (uint32_t level = 1; level <= tree_.root.height; ++level) {
    Step& step = path_[level];
    if (step.position + 1 >= CountOf(step.page)) continue;
    ++step.position;
    return DescendEdge<Node>(
        LoadChild(Node::ChildCell(step.page, step.position, tree_.pages->page_size())), level - 1,
        false);
  }
  valid_ = false;
  return false;
}

template <typename Node>
bool Cursor::ToPreviousLeaf() {
  for (uint32_t level = 1; level <= tree_.root.height; ++level) {
    Step& step = path_[level];
    if (step.position == 0) continue;
    --step.position;
    return DescendEdge<Node>(
        LoadChild(Node::ChildCell(step.page, step.position, tree_.pages->page_size())), level - 1,
        true);
  }
  valid_ = false;
  return false;
}

// To the place of `key` in its leaf, which may be behind the last entry.
template <typename Node>
bool Cursor::Descend(typename Node::Key key, bool* exact) {
  pager::PageId id = tree_.root.page;
  for (uint32_t level = tree_.root.height;; --level) {
    const uint8_t* page = FetchNode<Node>(*tree_.pages, tree_.id, id, level);
    if (page == nullptr) {
      return Fail(NodeError(*tree_.pages, tree_.id, id, level, Node::kKind));
    }
    const NodePosition at = level == 0 ? Node::SearchLeaf(*tree_.pages, page, key)
                                       : Node::SearchBranch(*tree_.pages, page, key);
    if (at.error) return Fail(SpilledKeyError(*tree_.pages, tree_.id, id));
    path_[level] = {.page = page, .position = at.index};
    if (level == 0) {
      *exact = at.exact;
      return true;
    }
    id = LoadChild(Node::ChildCell(page, at.index, tree_.pages->page_size()));
  }
}

template <typename Node>
bool Cursor::SeekGEIn(typename Node::Key key, bool* exact) {
  if (!Start() || !Descend<Node>(key, exact)) return false;
  if (path_[0].position < CountOf(path_[0].page)) return Land<Node>();
  return ToNextLeaf<Node>();
}

template <typename Node>
bool Cursor::SeekLEIn(typename Node::Key key, bool* exact) {
  if (!Start() || !Descend<Node>(key, exact)) return false;
  if (*exact) return Land<Node>();
  if (path_[0].position == 0) return ToPreviousLeaf<Node>();
  --path_[0].position;
  return Land<Node>();
}

template <typename Node>
bool Cursor::SeekToRankIn(uint64_t rank) {
  if (writer_ != nullptr) {
    Status synced = writer_->Sync();
    if (!synced.ok()) return Fail(std::move(synced));
  }
  if (!Start() || rank >= tree_.root.count) return false;
  const uint32_t page_size = tree_.pages->page_size();
  pager::PageId id = tree_.root.page;
  for (uint32_t level = tree_.root.height;; --level) {
    const uint8_t* page = FetchNode<Node>(*tree_.pages, tree_.id, id, level);
    if (page == nullptr) {
      return Fail(NodeError(*tree_.pages, tree_.id, id, level, Node::kKind));
    }
    const uint32_t count = CountOf(page);
    uint32_t index = 0;
    if (level == 0) {
      index = static_cast<uint32_t>(rank < count ? rank : count);
    } else {
      for (; index < count; ++index) {
        const uint64_t rows = LoadRows(Node::ChildCell(page, index, page_size)) & kRowsMask;
        if (rank < rows) break;
        rank -= rows;
      }
    }
    if (index == count) {
      return Fail(
          DataLoss("tree ", tree_.id, ": page ", id, " has fewer rows than its parent says"));
    }
    path_[level] = {.page = page, .position = index};
    if (level == 0) return Land<Node>();
    id = LoadChild(Node::ChildCell(page, index, page_size));
  }
}

template <typename Node>
bool Cursor::StepForward() {
  if (++path_[0].position < CountOf(path_[0].page)) [[likely]]
    return Land<Node>();
  return ToNextLeaf<Node>();
}

template <typename Node>
bool Cursor::StepBack() {
  if (path_[0].position == 0) return ToPreviousLeaf<Node>();
  --path_[0].position;
  return Land<Node>();
}

template <typename Node>
bool Cursor::SeekEdge(bool last) {
  return Start() && DescendEdge<Node>(tree_.root.page, tree_.root.height, last);
}

bool Cursor::SeekFirst() {
  return is_int() ? SeekEdge<IntNode>(false) : SeekEdge<BytesNode>(false);
}
bool Cursor::SeekLast() { return is_int() ? SeekEdge<IntNode>(true) : SeekEdge<BytesNode>(true); }

bool Cursor::SeekGE(std::string_view key) {
  bool exact = false;
  return SeekGEIn<BytesNode>(key, &exact);
}
bool Cursor::SeekGE(int64_t key) {
  bool exact = false;
  return SeekGEIn<IntNode>(key, &exact);
}
bool Cursor::SeekLE(std::string_view key) {
  bool exact = false;
  return SeekLEIn<BytesNode>(key, &exact);
}
bool Cursor::SeekLE(int64_t key) {
  bool exact = false;
  return SeekLEIn<IntNode>(key, &exact);
}
bool Cursor::SeekToRank(uint64_t rank) {
  return is_int() ? SeekToRankIn<IntNode>(rank) : SeekToRankIn<BytesNode>(rank);
}

bool Cursor::Next() {
  if (Stale()) [[unlikely]] {
    bool exact = false;
    if (is_int()) {
      if (!SeekGEIn<IntNode>(int_key_, &exact)) return false;
    } else {
      seek_buffer_.swap(key_buffer_);
      if (!SeekGEIn<BytesNode>(seek_buffer_, &exact)) return false;
    }
    if (!exact) return true;  // the entry is gone: this is the one that followed it
  }
  return is_int() ? StepForward<IntNode>() : StepForward<BytesNode>();
}

// To a place in the leaf, or, if that is its end, to the next leaf.
template <typename Node>
void Cursor::Leave(uint32_t position) {
  path_[0].position = position;
  if (position < CountOf(path_[0].page)) {
    Land<Node>();
  } else {
    ToNextLeaf<Node>();
  }
}

uint32_t Cursor::TakeInts(uint32_t max, int64_t last, int64_t* keys, ValueRef* values) {
  KV_DCHECK(writer_ == nullptr && is_int());
  const uint8_t* const page = path_[0].page;
  const uint32_t first = path_[0].position;
  uint32_t end = CountOf(page);
  if (IntNode::LeafKey(page, end - 1) > last) {
    const NodePosition at = IntNode::SearchLeaf(*tree_.pages, page, last);
    end = at.index + (at.exact ? 1 : 0);
    if (end <= first) return 0;
  }
  const uint32_t taken = std::min(max, end - first);
  IntNode::LeafEntries(page, first, taken, keys, values);
  Leave<IntNode>(first + taken);
  return taken;
}

uint32_t Cursor::TakeKeys(uint32_t max, std::string_view end, std::string* storage, uint32_t* ends,
                          ValueRef* values) {
  KV_DCHECK(writer_ == nullptr && !is_int());
  const uint8_t* const page = path_[0].page;
  const uint32_t first = path_[0].position;
  uint32_t stop = CountOf(page);
  if (!end.empty()) {
    const NodePosition at = BytesNode::SearchLeaf(*tree_.pages, page, end);
    if (at.error) {
      Fail(SpilledKeyError(*tree_.pages, tree_.id, pager::HeaderOf(page)->page));
      return 0;
    }
    stop = at.index;
    if (stop <= first) return 0;
  }
  const uint32_t taken = std::min(max, stop - first);
  if (!BytesNode::LeafEntries(*tree_.pages, page, first, taken, storage, ends, values)) {
    Fail(SpilledKeyError(*tree_.pages, tree_.id, pager::HeaderOf(page)->page));
    return 0;
  }
  Leave<BytesNode>(first + taken);
  return taken;
}

uint32_t Cursor::EntriesWithin(bool forward, const std::string_view* bound) const {
  KV_DCHECK(writer_ == nullptr && !is_int());
  const uint8_t* const page = path_[0].page;
  const uint32_t here = path_[0].position;
  uint32_t stop = forward ? CountOf(page) : 0;  // behind the last one, or the last one
  if (bound != nullptr) {
    const NodePosition at = BytesNode::SearchLeaf(*tree_.pages, page, *bound);
    if (at.error) return 1;  // the next step meets that key, and tells
    stop = at.index;
  }
  const uint32_t within = forward ? stop - std::min(stop, here) : here + 1 - std::min(stop, here);
  return std::max(within, 1u);
}

bool Cursor::Prev() {
  if (Stale()) [[unlikely]] {
    bool exact = false;
    if (is_int()) {
      if (!SeekLEIn<IntNode>(int_key_, &exact)) return false;
    } else {
      seek_buffer_.swap(key_buffer_);
      if (!SeekLEIn<BytesNode>(seek_buffer_, &exact)) return false;
    }
    if (!exact) return true;
  }
  return is_int() ? StepBack<IntNode>() : StepBack<BytesNode>();
}

std::string_view Cursor::key() {
  if (!key_ready_ && !LoadKey<BytesNode>()) key_buffer_.clear();
  return key_buffer_;
}

int64_t Cursor::int_key() {
  if (!key_ready_) LoadKey<IntNode>();
  return int_key_;
}

ValueRef Cursor::value() {
  if (Stale()) [[unlikely]] {
    ValueRef ref;
    const FindResult found =
        is_int() ? writer_->Find(int_key_, &ref) : writer_->Find(key_buffer_, &ref);
    return found == FindResult::kFound ? ref : ValueRef();
  }
  return is_int() ? IntNode::Value(path_[0].page, path_[0].position)
                  : BytesNode::Value(path_[0].page, path_[0].position);
}

}  // namespace kvsql::btree
