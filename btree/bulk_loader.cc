#include "btree/bulk_loader.h"

#include <optional>
#include <vector>

#include "base/check.h"
#include "btree/bytes_node.h"
#include "btree/extent.h"
#include "btree/int_node.h"
#include "btree/writer_state.h"

namespace kvsql::btree {

class BulkState {
 public:
  virtual ~BulkState() = default;
  virtual pager::KeyKind kind() const = 0;
  virtual StatusOr<uint64_t> Finish() = 0;
};

namespace {

template <typename Node>
class NodeLoader final : public BulkState {
 public:
  using Key = typename Node::Key;
  using OwnedKey = typename Node::OwnedKey;
  using Entry = typename Node::Entry;

  NodeLoader(pager::PageWriter* pages, pager::TreeId tree, const WriterOptions& options)
      : pages_(pages), tree_(tree), options_(options), page_size_(pages->page_size()) {}

  ~NodeLoader() override {
    if (finished_) return;
    for (const DescriptorBytes& extent : extents_) FreeExtent(pages_, extent.bytes);
    for (const pager::PageId page : built_) pages_->Free(page);
  }

  pager::KeyKind kind() const override { return Node::kKind; }

  Status Add(Key key, std::string_view value) {
    KV_RETURN_IF_ERROR(failed_);
    Status status = AddEntry(key, value);
    if (!status.ok()) failed_ = status;
    return status;
  }

  StatusOr<uint64_t> Finish() override {
    KV_RETURN_IF_ERROR(failed_);
    KV_RETURN_IF_ERROR(CheckEmpty());
    pager::TreeRoot root = pages_->root(tree_);
    if (!levels_.empty()) {
      // Each level's last node becomes the last child of the level above, until a level has one node only.
      for (size_t level = 0; level < levels_.size(); ++level) {
        if (level + 1 == levels_.size() && !levels_[level].has_left) break;
        KV_RETURN_IF_ERROR(PassUp(level));
      }
      root.page = levels_.back().id;
      root.height = static_cast<uint8_t>(levels_.size() - 1);
    }
    root.count = count_;
    pages_->SetRoot(tree_, root);
    finished_ = true;
    return count_;
  }

 private:
  // The node of a level that is being filled.
  struct Level {
    pager::PageId id = pager::kNoPage;
    uint8_t* page = nullptr;
    uint64_t rows = 0;
    bool has_left = false;  // nodes of the level have gone up already
    // The key under which it goes up; unused for a level's first node.
    OwnedKey key{};
    DescriptorBytes descriptor;
  };

  Status CheckEmpty() const {
    if (pages_->root(tree_).page == pager::kNoPage) return absl::OkStatus();
    return absl::FailedPreconditionError(
        absl::StrCat("bulk load into tree ", tree_, ", which is not empty"));
  }

  StatusOr<DescriptorBytes> Write(std::string_view bytes, int compression) {
    KV_ASSIGN_OR_RETURN(const DescriptorBytes extent, WriteExtent(pages_, bytes, compression));
    extents_.push_back(extent);
    return extent;
  }

  Status AddEntry(Key key, std::string_view value) {
    if (count_ == 0) {
      KV_RETURN_IF_ERROR(CheckEmpty());
    } else if (!(Key(last_key_) < key)) {
      return absl::InvalidArgumentError(
          absl::StrCat("bulk load into tree ", tree_, ": entry ", count_, " is not in order"));
    }
    if (value.size() > kMaxValueSize) {
      return absl::InvalidArgumentError(absl::StrCat("a value of ", value.size(), " bytes"));
    }
    CellPayload payload;
    Entry entry;
    entry.key = key;
    size_t key_size = 0;
    if constexpr (Node::kKind == pager::KeyKind::kBytes) {
      if (key.size() > kMaxKeySize) {
        return absl::InvalidArgumentError(absl::StrCat("a key of ", key.size(), " bytes"));
      }
      if (key.size() > MaxWholeKey(page_size_)) {
        KV_ASSIGN_OR_RETURN(const DescriptorBytes extent, Write(key, 0));
        payload.AppendHead(extent.bytes, extent.size);
        payload.extents = true;
        entry.key = key.substr(0, SpilledKeyInline(page_size_));
        entry.spilled = true;
      }
      key_size = entry.key.size() + payload.head_size;
    }
    if (NeedsExtent(key_size, value.size(), page_size_)) {
      KV_ASSIGN_OR_RETURN(const DescriptorBytes extent, Write(value, options_.compression_level));
      payload.SetLargeValue(extent.view());
    } else {
      payload.SetInlineValue(value);
    }
    entry.extents = payload.extents;
    entry.head = payload.head_view();
    entry.body = payload.body;

    if (levels_.empty()) KV_RETURN_IF_ERROR(NewNode(0));
    if (!Append(0, entry)) {
      OwnedKey separator{};
      if constexpr (Node::kKind == pager::KeyKind::kBytes) {
        const size_t common = Node::CommonPrefix(last_key_, key);
        separator = key.substr(0, common + 1);
      } else {
        separator = key;
      }
      KV_RETURN_IF_ERROR(PassUp(0));
      KV_RETURN_IF_ERROR(NewNode(0));
      KV_RETURN_IF_ERROR(SetKey(0, separator));
      KV_CHECK(Append(0, entry));
    }
    ++levels_[0].rows;
    ++count_;
    last_key_ = key;
    return absl::OkStatus();
  }

  // Begins a node at `level`, which is the first or whose last node has gone up.
  Status NewNode(size_t level) {
    const bool first = level == levels_.size();
    if (first) levels_.emplace_back();
    KV_ASSIGN_OR_RETURN(const pager::NewPage page,
                        pages_->Allocate(level == 0 ? Node::kLeafType : Node::kBranchType,
                                         static_cast<uint8_t>(level), tree_));
    built_.push_back(page.id);
    Level& at = levels_[level];
    at.id = page.id;
    at.page = page.data;
    at.rows = 0;
    at.has_left = !first;
    Node::Init(page.data, page_size_, level != 0);
    return absl::OkStatus();
  }

  Status SetKey(size_t level, const OwnedKey& key) {
    Level& at = levels_[level];
    at.key = key;
    at.descriptor.size = 0;
    if constexpr (Node::kKind == pager::KeyKind::kBytes) {
      if (key.size() > MaxWholeKey(page_size_)) {
        KV_ASSIGN_OR_RETURN(at.descriptor, Write(key, 0));
        at.key.resize(SpilledKeyInline(page_size_));
      }
    }
    return absl::OkStatus();
  }

  // Puts an entry behind the level's others; false if it has no room even when built anew.
  bool Append(size_t level, const Entry& entry) {
    uint8_t* page = levels_[level].page;
    const bool branch = level != 0;
    if (Node::InsertAt(page, page_size_, CountOf(page), branch, entry)) return true;
    if (CountOf(page) != 0 && Node::SharesPrefix(page, entry.key) &&
        !Node::CanShrink(page, page_size_)) {
      return false;
    }
    entries_.clear();
    Node::Gather(page, page_size_, branch, &buffer_, &entries_);
    entries_.push_back(entry);
    const bool fits = Node::SizeOf(entries_, branch, page_size_) <= page_size_;
    if (!fits) entries_.pop_back();
    Node::Build(page, page_size_, entries_, branch);
    return fits;
  }

  // Makes the level's node a child of the level above.
  Status PassUp(size_t level) {
    if (level + 1 == levels_.size()) KV_RETURN_IF_ERROR(NewNode(level + 1));
    const Level& child = levels_[level];
    uint8_t cell[kChildBytes];
    StoreChild(cell, child.id);
    StoreRows(cell, child.rows | (HasExtents(child.page) ? kSubtreeHasExtents : 0));
    Entry entry;
    const bool keyless = CountOf(levels_[level + 1].page) == 0;
    if (!keyless) {
      entry.key = child.key;
      entry.spilled = child.descriptor.size != 0;
      entry.body = child.descriptor.view();
    }
    entry.head = AsView(cell, kChildBytes);
    entry.extents = entry.spilled || HasExtents(child.page);
    if (!Append(level + 1, entry)) {
      KV_RETURN_IF_ERROR(PassUp(level + 1));
      KV_RETURN_IF_ERROR(NewNode(level + 1));
      // The child's key goes up with the new node, whose first child needs none.
      levels_[level + 1].key = levels_[level].key;
      levels_[level + 1].descriptor = levels_[level].descriptor;
      entry.key = {};
      entry.spilled = false;
      entry.body = {};
      KV_CHECK(Append(level + 1, entry));
    }
    levels_[level + 1].rows += levels_[level].rows;
    return absl::OkStatus();
  }

  pager::PageWriter* const pages_;
  const pager::TreeId tree_;
  const WriterOptions options_;
  const uint32_t page_size_;
  std::vector<Level> levels_;
  uint64_t count_ = 0;
  OwnedKey last_key_{};
  Status failed_;
  bool finished_ = false;
  std::vector<pager::PageId> built_;
  std::vector<DescriptorBytes> extents_;
  GatherBuffer buffer_;
  std::vector<Entry> entries_;
};

std::unique_ptr<BulkState> MakeLoader(pager::PageWriter* pages, pager::TreeId tree,
                                      const WriterOptions& options) {
  if (pages->root(tree).kind == pager::KeyKind::kInt64) {
    return std::make_unique<NodeLoader<IntNode>>(pages, tree, options);
  }
  return std::make_unique<NodeLoader<BytesNode>>(pages, tree, options);
}

}  // namespace

BulkLoader::BulkLoader(pager::PageWriter* pages, pager::TreeId tree, WriterOptions options)
    : state_(MakeLoader(pages, tree, options)) {}
BulkLoader::~BulkLoader() = default;

Status BulkLoader::Add(std::string_view key, std::string_view value) {
  if (state_->kind() != pager::KeyKind::kBytes) {
    return absl::InvalidArgumentError("bulk load: the tree's keys are integers");
  }
  return static_cast<NodeLoader<BytesNode>&>(*state_).Add(key, value);
}
Status BulkLoader::Add(int64_t key, std::string_view value) {
  if (state_->kind() != pager::KeyKind::kInt64) {
    return absl::InvalidArgumentError("bulk load: the tree's keys are byte strings");
  }
  return static_cast<NodeLoader<IntNode>&>(*state_).Add(key, value);
}
StatusOr<uint64_t> BulkLoader::Finish() { return state_->Finish(); }

}  // namespace kvsql::btree
