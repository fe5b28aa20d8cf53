// Deleting ranges: first everything that will go is collected, then the range's two edges are made writable,
// then the cut is made, which cannot fail.
#include <algorithm>

#include "base/check.h"
#include "btree/writer_state.h"

namespace kvsql::btree {
namespace {

void AddExtent(const uint8_t* descriptor, std::vector<DescriptorBytes>* extents) {
  DescriptorBytes& extent = extents->emplace_back();
  extent.size = DescriptorSize(descriptor);
  std::memcpy(extent.bytes, descriptor, extent.size);
}

}  // namespace

template <typename Node>
Status NodeWriter<Node>::CollectLeaf(const uint8_t* page, uint32_t from, uint32_t to,
                                     Waste* waste) {
  waste->rows += to - from;
  if (!HasExtents(page)) return absl::OkStatus();
  for (uint32_t i = from; i < to; ++i) {
    if (const uint8_t* key = Node::KeyDescriptor(page, i, false); key != nullptr) {
      AddExtent(key, &waste->extents);
    }
    const ValueRef value = Node::Value(page, i);
    if (value.is_large) AddExtent(value.data, &waste->extents);
  }
  return absl::OkStatus();
}

// What a damaged tree names twice, or beyond the file, is found before anything is cut.
Status WriterState::CheckWaste(Waste* waste) const {
  const auto bad = [this](pager::PageId page, const char* what) {
    return DataLoss("tree ", tree_, ": page ", page, " ", what);
  };
  std::sort(waste->pages.begin(), waste->pages.end());
  for (size_t i = 0; i < waste->pages.size(); ++i) {
    const pager::PageId page = waste->pages[i];
    if (page >= pages_->page_count()) return bad(page, "is outside the file");
    if (i != 0 && page == waste->pages[i - 1]) return bad(page, "is named twice");
  }
  return absl::OkStatus();
}

// `extents`: what the parent says of the subtree.
template <typename Node>
Status NodeWriter<Node>::CollectSubtree(pager::PageId id, uint32_t level, bool extents,
                                        Waste* waste) {
  waste->pages.push_back(id);
  if (level == 0 && !extents) return absl::OkStatus();  // the parent has counted the rows
  const uint8_t* page = FetchNode<Node>(*pages_, tree_, id, level);
  if (page == nullptr) return NodeError(*pages_, tree_, id, level, Node::kKind);
  const uint32_t count = CountOf(page);
  if (level == 0) {
    const uint64_t rows = waste->rows;
    KV_RETURN_IF_ERROR(CollectLeaf(page, 0, count, waste));
    waste->rows = rows;
    return absl::OkStatus();
  }
  for (uint32_t i = 0; i < count; ++i) {
    if (const uint8_t* key = Node::KeyDescriptor(page, i, true); key != nullptr) {
      AddExtent(key, &waste->extents);
    }
    const uint8_t* cell = Node::ChildCell(page, i, page_size_);
    KV_RETURN_IF_ERROR(CollectSubtree(LoadChild(cell), level - 1,
                                      (LoadRows(cell) & kSubtreeHasExtents) != 0, waste));
  }
  return absl::OkStatus();
}

template <typename Node>
StatusOr<typename NodeWriter<Node>::Edges> NodeWriter<Node>::EdgesOf(
    const uint8_t* page, pager::PageId id, uint32_t level, const Bound& lo, const Bound& hi) const {
  Edges edges{.lo = level == 0 ? 0 : -1, .hi = CountOf(page)};
  const auto search = [&](Key key) {
    return level == 0 ? Node::SearchLeaf(*pages_, page, key)
                      : Node::SearchBranch(*pages_, page, key);
  };
  if (lo) {
    const NodePosition at = search(*lo);
    if (at.error) return SpilledKeyError(*pages_, tree_, id);
    edges.lo = at.index;
  }
  if (hi) {
    const NodePosition at = search(*hi);
    if (at.error) return SpilledKeyError(*pages_, tree_, id);
    edges.hi = at.index;
  }
  return edges;
}

template <typename Node>
Status NodeWriter<Node>::CollectRange(pager::PageId id, uint32_t level, const Bound& lo,
                                      const Bound& hi, Waste* waste) {
  const uint8_t* page = FetchNode<Node>(*pages_, tree_, id, level);
  if (page == nullptr) return NodeError(*pages_, tree_, id, level, Node::kKind);
  KV_ASSIGN_OR_RETURN(const Edges edges, EdgesOf(page, id, level, lo, hi));
  if (level == 0) {
    if (edges.lo >= edges.hi) return absl::OkStatus();
    return CollectLeaf(page, static_cast<uint32_t>(edges.lo), static_cast<uint32_t>(edges.hi),
                       waste);
  }
  const auto child = [&](int64_t index) {
    return LoadChild(Node::ChildCell(page, static_cast<uint32_t>(index), page_size_));
  };
  if (lo && hi && edges.lo == edges.hi) {
    return CollectRange(child(edges.lo), level - 1, lo, hi, waste);
  }
  if (lo) KV_RETURN_IF_ERROR(CollectRange(child(edges.lo), level - 1, lo, {}, waste));
  for (int64_t i = edges.lo + 1; i < edges.hi; ++i) {
    const uint64_t rows = LoadRows(Node::ChildCell(page, static_cast<uint32_t>(i), page_size_));
    waste->rows += rows & kRowsMask;
    KV_RETURN_IF_ERROR(
        CollectSubtree(child(i), level - 1, (rows & kSubtreeHasExtents) != 0, waste));
  }
  if (hi) KV_RETURN_IF_ERROR(CollectRange(child(edges.hi), level - 1, {}, hi, waste));
  return absl::OkStatus();
}

template <typename Node>
bool NodeWriter<Node>::CutRange(pager::PageId id, uint32_t level, const Bound& lo,
                                const Bound& hi) {
  // Writable already, so this neither copies nor fails.
  Step& step = path_[level];
  step.id = id;
  KV_CHECK(MakeWritable(&step).ok() && step.id == id);
  const StatusOr<Edges> found = EdgesOf(step.page, id, level, lo, hi);
  KV_CHECK(found.ok());  // CollectRange has asked the same
  const Edges edges = *found;
  if (level == 0) {
    if (edges.lo >= edges.hi) return false;
    const auto from = static_cast<uint32_t>(edges.lo);
    const auto to = static_cast<uint32_t>(edges.hi);
    entries_.clear();
    Node::Gather(step.page, page_size_, false, &buffers_[0], &entries_);
    entries_.erase(entries_.begin() + from, entries_.begin() + to);
    if (entries_.empty()) return true;
    // One end of the leaf goes, so what stays takes no more room than before.
    Node::Build(step.page, page_size_, entries_, false);
    return false;
  }
  const auto cut_child = [&](uint32_t index, const Bound& from, const Bound& to) {
    const pager::PageId child = LoadChild(Node::ChildCell(step.page, index, page_size_));
    if (CutRange(child, level - 1, from, to)) {
      pages_->Free(child);
      RemoveChild(level, index, true);
    } else {
      SetChild(level, index, child, path_[level - 1].page);
    }
  };
  if (lo && hi && edges.lo == edges.hi) {
    cut_child(static_cast<uint32_t>(edges.lo), lo, hi);
  } else {
    if (hi) cut_child(static_cast<uint32_t>(edges.hi), {}, hi);
    for (int64_t i = edges.hi - 1; i > edges.lo; --i) {
      RemoveChild(level, static_cast<uint32_t>(i), true);
    }
    if (lo) cut_child(static_cast<uint32_t>(edges.lo), lo, {});
  }
  return CountOf(step.page) == 0;
}

// A range inside the path's leaf: what stays may need more room than before (integers that are no longer
// consecutive), so this is a change like any other.
template <typename Node>
StatusOr<uint64_t> NodeWriter<Node>::DeleteInLeaf(uint32_t from, const Waste& waste) {
  KV_RETURN_IF_ERROR(WritablePath());
  KV_RETURN_IF_ERROR(ChangeLeaf(LeafChange::kErase, from, {}, static_cast<uint32_t>(waste.rows)));
  root_.count -= std::min(root_.count, waste.rows);
  root_changed_ = true;
  ++changes_;
  FreeWaste(waste);
  if (located_ && IsPoor(path_[0].page)) Rebalance(false);
  return waste.rows;
}

template <typename Node>
StatusOr<uint64_t> NodeWriter<Node>::DeleteRange(Bound lo, Bound hi) {
  if (root_.page == pager::kNoPage || (lo && hi && *hi <= *lo)) return uint64_t{0};
  if (!lo && !hi) return Clear();
  DropPath();
  Waste waste;
  if (!HeightOk(root_)) return DataLoss("tree ", tree_, ": impossible height");
  KV_RETURN_IF_ERROR(CollectRange(root_.page, root_.height, lo, hi, &waste));
  KV_RETURN_IF_ERROR(CheckWaste(&waste));
  if (waste.rows == 0) return uint64_t{0};
  if (lo && hi) {
    KV_RETURN_IF_ERROR(Locate(*lo));
    const NodePosition from = Node::SearchLeaf(*pages_, path_[0].page, *lo);
    const NodePosition to = Node::SearchLeaf(*pages_, path_[0].page, *hi);
    if (!from.error && !to.error && to.index - from.index == waste.rows &&
        waste.rows < CountOf(path_[0].page)) {
      return DeleteInLeaf(from.index, waste);
    }
  }
  for (const Bound& edge : {lo, hi}) {
    if (!edge) continue;
    KV_RETURN_IF_ERROR(Locate(*edge));
    KV_RETURN_IF_ERROR(WritablePath());
  }
  located_ = writable_ = false;
  pending_rows_ = 0;

  if (CutRange(root_.page, root_.height, lo, hi)) {
    pages_->Free(root_.page);
    root_.page = pager::kNoPage;
    root_.height = 0;
  }
  root_.count -= std::min(root_.count, waste.rows);
  root_changed_ = true;
  ++changes_;
  FreeWaste(waste);
  if (root_.page != pager::kNoPage) LowerRoot();
  // The nodes on the edges may have become poor. Failing to mend that is no failure.
  for (const Bound& edge : {lo, hi}) {
    if (!edge || root_.page == pager::kNoPage) continue;
    if (!Locate(*edge).ok() || !WritablePath().ok()) break;
    Rebalance(true);
  }
  return waste.rows;
}

template <typename Node>
StatusOr<uint64_t> NodeWriter<Node>::Clear() {
  DropPath();
  FreeSpares();
  if (root_.page == pager::kNoPage) return uint64_t{0};
  if (!HeightOk(root_)) return DataLoss("tree ", tree_, ": impossible height");
  const uint8_t* page = FetchNode<Node>(*pages_, tree_, root_.page, root_.height);
  if (page == nullptr) {
    return NodeError(*pages_, tree_, root_.page, root_.height, Node::kKind);
  }
  Waste waste;
  KV_RETURN_IF_ERROR(CollectSubtree(root_.page, root_.height, HasExtents(page), &waste));
  KV_RETURN_IF_ERROR(CheckWaste(&waste));
  FreeWaste(waste);
  const uint64_t count = root_.count;
  root_.page = pager::kNoPage;
  root_.height = 0;
  root_.count = 0;
  root_changed_ = true;
  ++changes_;
  return count;
}

template class NodeWriter<BytesNode>;
template class NodeWriter<IntNode>;

}  // namespace kvsql::btree
