#include "btree/tree_writer.h"

#include "btree/writer_state.h"

namespace kvsql::btree {

template <typename Node>
Status NodeWriter<Node>::MakeEntry(Key key, std::string_view value, const uint8_t* key_descriptor,
                                   CellPayload* payload, Entry* entry, Waste* written) {
  size_t key_size = 0;
  entry->key = key;
  if constexpr (Node::kKind == pager::KeyKind::kBytes) {
    if (key.size() > MaxWholeKey(page_size_)) [[unlikely]] {
      entry->key = key.substr(0, SpilledKeyInline(page_size_));
      entry->spilled = true;
      payload->extents = true;
      if (key_descriptor != nullptr) {
        payload->AppendHead(key_descriptor, DescriptorSize(key_descriptor));
      } else {
        KV_ASSIGN_OR_RETURN(const DescriptorBytes extent, WriteExtent(pages_, key, 0));
        written->extents.push_back(extent);
        payload->AppendHead(extent.bytes, extent.size);
      }
    }
    key_size = entry->key.size() + payload->head_size;
  }
  if (NeedsExtent(key_size, value.size(), page_size_)) [[unlikely]] {
    KV_ASSIGN_OR_RETURN(const DescriptorBytes extent,
                        WriteExtent(pages_, value, options_.compression_level));
    written->extents.push_back(extent);
    payload->SetLargeValue(extent.view());
    entry->body = {};
  } else {
    payload->SetInlineValue(value);
    // Not payload->body: the copy of what was stored a moment ago in two halves would wait for both.
    entry->body = value;
  }
  entry->extents = payload->extents;
  entry->head = payload->head_view();
  return absl::OkStatus();
}

template <typename Node>
Status NodeWriter<Node>::PutFirst(Key key, std::string_view value) {
  CellPayload payload;
  Entry entry;
  Waste written;
  Status status = MakeEntry(key, value, nullptr, &payload, &entry, &written);
  if (status.ok()) status = EnsureSpares(1);
  if (!status.ok()) {
    FreeWaste(written);
    return status;
  }
  const pager::NewPage leaf = TakeSpare(Node::kLeafType, 0);
  Node::Build(leaf.data, page_size_, std::span(&entry, 1), false);
  path_[0] = {.id = leaf.id, .page = leaf.data, .position = 0};
  located_ = writable_ = rightmost_ = true;
  root_.page = leaf.id;
  root_.height = 0;
  root_.count = 1;
  root_changed_ = true;
  pending_rows_ = 0;
  ++changes_;
  return absl::OkStatus();
}

// The path is writable, and `at` is the key's place in its leaf.
template <typename Node>
Status NodeWriter<Node>::Store(Key key, std::string_view value, const NodePosition& at) {
  uint8_t* leaf = path_[0].page;
  CellPayload payload;
  Entry entry;
  Waste written;
  if (!at.exact) {
    Status status = MakeEntry(key, value, nullptr, &payload, &entry, &written);
    if (status.ok()) [[likely]] {
      if (Node::InsertAt(leaf, page_size_, at.index, false, entry)) [[likely]] {
        NoteInsert(leaf, at.index);
        ++pending_rows_;
      } else {
        status = ChangeLeaf(LeafChange::kInsert, at.index, entry);
      }
    }
    if (!status.ok()) [[unlikely]] {
      FreeWaste(written);
      return status;
    }
    ++root_.count;
    root_changed_ = true;
    ++changes_;
    return status;
  }

  Waste replaced;
  const ValueRef old = Node::Value(leaf, at.index);
  if (old.is_large) [[unlikely]] {
    DescriptorBytes& extent = replaced.extents.emplace_back();
    extent.size = old.size;
    std::memcpy(extent.bytes, old.data, old.size);
  }
  Status status =
      MakeEntry(key, value, Node::KeyDescriptor(leaf, at.index, false), &payload, &entry, &written);
  if (status.ok() && !Node::ReplaceAt(leaf, at.index, entry)) {
    status = ChangeLeaf(LeafChange::kReplace, at.index, entry);
  }
  FreeWaste(status.ok() ? replaced : written);
  ++changes_;
  return status;
}

template <typename Node>
StatusOr<bool> NodeWriter<Node>::Put(Key key, std::string_view value, PutMode mode) {
  if constexpr (Node::kKind == pager::KeyKind::kBytes) {
    if (key.size() > kMaxKeySize) [[unlikely]] {
      return absl::InvalidArgumentError(
          absl::StrCat("a key of ", key.size(), " bytes; the limit is ", kMaxKeySize));
    }
  }
  if (value.size() > kMaxValueSize) [[unlikely]] {
    return absl::InvalidArgumentError(
        absl::StrCat("a value of ", value.size(), " bytes; the limit is ", kMaxValueSize));
  }
  NodePosition at;
  bool covered = false;
  if (located_) {
    const uint8_t* leaf = path_[0].page;
    if (rightmost_ && Node::IsBehindLast(leaf, key)) {
      at.index = CountOf(leaf);
      covered = true;
    } else if (Node::SharesPrefix(leaf, key)) {
      at = Node::SearchLeaf(*pages_, leaf, key);
      covered = !at.error && Covers(at, key);
    }
  }
  if (!covered) {
    if (root_.page == pager::kNoPage) [[unlikely]] {
      if (mode == PutMode::kUpdateOnly) return false;
      KV_RETURN_IF_ERROR(PutFirst(key, value));
      return true;
    }
    KV_RETURN_IF_ERROR(Locate(key));
    at = Node::SearchLeaf(*pages_, path_[0].page, key);
    if (at.error) [[unlikely]]
      return SpilledKeyError(*pages_, tree_, path_[0].id);
  }
  if (mode != PutMode::kUpsert && at.exact == (mode == PutMode::kInsertOnly)) return false;
  if (!writable_) KV_RETURN_IF_ERROR(WritablePath());
  KV_RETURN_IF_ERROR(Store(key, value, at));
  return true;
}

template <typename Node>
StatusOr<bool> NodeWriter<Node>::Delete(Key key) {
  if (root_.page == pager::kNoPage) return false;
  NodePosition at;
  bool covered = false;
  if (located_) {
    at = Node::SearchLeaf(*pages_, path_[0].page, key);
    covered = !at.error && Covers(at, key);
  }
  if (!covered) {
    KV_RETURN_IF_ERROR(Locate(key));
    at = Node::SearchLeaf(*pages_, path_[0].page, key);
    if (at.error) [[unlikely]]
      return SpilledKeyError(*pages_, tree_, path_[0].id);
  }
  if (!at.exact) return false;
  if (!writable_) KV_RETURN_IF_ERROR(WritablePath());

  uint8_t* leaf = path_[0].page;
  Waste waste;
  if (HasExtents(leaf)) {
    KV_RETURN_IF_ERROR(CollectLeaf(leaf, at.index, at.index + 1, &waste));
  }
  if (Node::RemoveAt(leaf, page_size_, at.index, false)) {
    NodeHeaderOf(leaf)->run = 0;
    --pending_rows_;
    if (IsPoor(leaf)) Rebalance(false);
  } else {
    KV_RETURN_IF_ERROR(ChangeLeaf(LeafChange::kErase, at.index, {}));
  }
  FreeWaste(waste);
  --root_.count;
  root_changed_ = true;
  ++changes_;
  return true;
}

template <typename Node>
StatusOr<std::span<uint8_t>> NodeWriter<Node>::Edit(Key key) {
  if (root_.page == pager::kNoPage) return std::span<uint8_t>();
  NodePosition at;
  bool covered = false;
  if (located_) {
    at = Node::SearchLeaf(*pages_, path_[0].page, key);
    covered = !at.error && Covers(at, key);
  }
  if (!covered) {
    KV_RETURN_IF_ERROR(Locate(key));
    at = Node::SearchLeaf(*pages_, path_[0].page, key);
    if (at.error) return SpilledKeyError(*pages_, tree_, path_[0].id);
  }
  if (!at.exact) return std::span<uint8_t>();
  if (!writable_) KV_RETURN_IF_ERROR(WritablePath());
  ++changes_;
  uint8_t* const leaf = path_[0].page;
  const ValueRef value = Node::Value(leaf, at.index);
  if (value.is_large) return std::span<uint8_t>();
  return std::span<uint8_t>(leaf + (value.data - leaf), value.size);
}

template <typename Node>
FindResult NodeWriter<Node>::Find(Key key, ValueRef* out) {
  if (located_) {
    const NodePosition at = Node::SearchLeaf(*pages_, path_[0].page, key);
    if (at.exact) {
      *out = Node::Value(path_[0].page, at.index);
      return FindResult::kFound;
    }
    if (!at.error && Covers(at, key)) return FindResult::kNotFound;
  }
  return btree::Find(View(), key, out);
}

template class NodeWriter<BytesNode>;
template class NodeWriter<IntNode>;

// --- the public face -----------------------------------------------------------------------------

namespace {

std::unique_ptr<WriterState> MakeState(pager::PageWriter* pages, pager::TreeId tree,
                                       const WriterOptions& options) {
  if (pages->root(tree).kind == pager::KeyKind::kInt64) {
    return std::make_unique<IntWriter>(pages, tree, options);
  }
  return std::make_unique<BytesWriter>(pages, tree, options);
}

Status WrongKind(const WriterState& state) {
  return absl::InvalidArgumentError(
      absl::StrCat("tree ", state.tree(), " has keys of another kind"));
}

BytesWriter* AsBytesWriter(WriterState* state) {
  return state->kind() == pager::KeyKind::kBytes ? static_cast<BytesWriter*>(state) : nullptr;
}
IntWriter* AsIntWriter(WriterState* state) {
  return state->kind() == pager::KeyKind::kInt64 ? static_cast<IntWriter*>(state) : nullptr;
}

}  // namespace

TreeWriter::TreeWriter(pager::PageWriter* pages, pager::TreeId tree, WriterOptions options)
    : state_(MakeState(pages, tree, options)) {}
TreeWriter::~TreeWriter() = default;

StatusOr<bool> TreeWriter::Put(std::string_view key, std::string_view value, PutMode mode) {
  BytesWriter* writer = AsBytesWriter(state_.get());
  return writer != nullptr ? writer->Put(key, value, mode) : WrongKind(*state_);
}
StatusOr<bool> TreeWriter::Put(int64_t key, std::string_view value, PutMode mode) {
  IntWriter* writer = AsIntWriter(state_.get());
  return writer != nullptr ? writer->Put(key, value, mode) : WrongKind(*state_);
}
StatusOr<bool> TreeWriter::Delete(std::string_view key) {
  BytesWriter* writer = AsBytesWriter(state_.get());
  return writer != nullptr ? writer->Delete(key) : WrongKind(*state_);
}
StatusOr<bool> TreeWriter::Delete(int64_t key) {
  IntWriter* writer = AsIntWriter(state_.get());
  return writer != nullptr ? writer->Delete(key) : WrongKind(*state_);
}
StatusOr<std::span<uint8_t>> TreeWriter::Edit(int64_t key) {
  IntWriter* writer = AsIntWriter(state_.get());
  return writer != nullptr ? writer->Edit(key) : WrongKind(*state_);
}
StatusOr<size_t> TreeWriter::DeleteSome(std::span<const int64_t> keys, size_t* deleted) {
  IntWriter* writer = AsIntWriter(state_.get());
  return writer != nullptr ? writer->DeleteSome(keys, deleted) : WrongKind(*state_);
}
StatusOr<uint64_t> TreeWriter::DeleteRange(BytesBound lo, BytesBound hi) {
  BytesWriter* writer = AsBytesWriter(state_.get());
  return writer != nullptr ? writer->DeleteRange(lo, hi) : WrongKind(*state_);
}
StatusOr<uint64_t> TreeWriter::DeleteRange(IntBound lo, IntBound hi) {
  IntWriter* writer = AsIntWriter(state_.get());
  return writer != nullptr ? writer->DeleteRange(lo, hi) : WrongKind(*state_);
}
StatusOr<uint64_t> TreeWriter::Clear() { return state_->Clear(); }

FindResult TreeWriter::Find(std::string_view key, ValueRef* out) {
  BytesWriter* writer = AsBytesWriter(state_.get());
  return writer != nullptr ? writer->Find(key, out) : FindResult::kError;
}
FindResult TreeWriter::Find(int64_t key, ValueRef* out) {
  IntWriter* writer = AsIntWriter(state_.get());
  return writer != nullptr ? writer->Find(key, out) : FindResult::kError;
}

StatusOr<int64_t> TreeWriter::LastIntKey() {
  IntWriter* writer = AsIntWriter(state_.get());
  if (writer == nullptr) return WrongKind(*state_);
  KV_ASSIGN_OR_RETURN(const uint8_t* leaf, writer->LastLeaf());
  if (leaf == nullptr || CountOf(leaf) == 0) {
    return absl::NotFoundError(absl::StrCat("tree ", state_->tree(), " is empty"));
  }
  return IntNode::LeafKey(leaf, CountOf(leaf) - 1);
}

Status TreeWriter::Sync() { return state_->Sync(); }
void TreeWriter::Invalidate() { state_->Invalidate(); }
TreeView TreeWriter::View() const { return state_->View(); }
uint64_t TreeWriter::count() const { return state_->count(); }
uint64_t TreeWriter::changes() const { return state_->changes(); }
pager::PageWriter* TreeWriter::pages() const { return state_->pages(); }
pager::TreeId TreeWriter::tree() const { return state_->tree(); }

}  // namespace kvsql::btree
