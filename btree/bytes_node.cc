#include "btree/bytes_node.h"

#include "base/check.h"
#include "btree/extent.h"

namespace kvsql::btree {
namespace {

// The tail of a suffix: what its head does not hold.
std::string_view TailOf(std::string_view suffix) {
  return suffix.size() > kHeadBytes ? suffix.substr(kHeadBytes) : std::string_view();
}

size_t AlignedPrefix(size_t length) { return (length + 7) & ~size_t{7}; }

// The longest prefix that a node of these entries may have.
size_t BestPrefix(std::span<const BytesEntry> entries, bool branch, uint32_t page_size) {
  const size_t first = branch ? 1 : 0;
  if (entries.size() <= first) return 0;
  // Rising keys: what the outermost ones share, all share.
  const size_t common = BytesNode::CommonPrefix(entries[first].key, entries.back().key);
  return std::min<size_t>(common, MaxPrefix(page_size));
}

}  // namespace

void BytesNode::Init(uint8_t* page, uint32_t page_size, bool /*branch*/) {
  pager::PageHeader* header = pager::HeaderOf(page);
  header->count = 0;
  header->prefix_length = 0;
  SetHeapStart(page, page_size);
  // All of it, the node header first: what the memory held before is nobody's business in the file.
  std::memset(page + kNodeHeaderOffset, 0, page_size - kNodeHeaderOffset);
}

void BytesNode::InlineKey(const uint8_t* page, uint32_t index, bool branch, std::string* out) {
  const std::string_view prefix = Prefix(page);
  const BytesSlot& slot = Slots(page)[index];
  if (branch && index == 0) {
    out->clear();
    return;
  }
  const uint32_t length = KeyLength(slot);
  uint8_t head[kHeadBytes];
  StoreBe<uint32_t>(head, slot.head);
  out->resize(prefix.size() + length);
  char* to = out->data();
  std::memcpy(to, prefix.data(), prefix.size());
  to += prefix.size();
  std::memcpy(to, head, std::min(length, kHeadBytes));
  if (length > kHeadBytes) {
    std::memcpy(to + kHeadBytes, page + slot.offset + (branch ? kChildBytes : 0),
                length - kHeadBytes);
  }
}

const uint8_t* BytesNode::KeyDescriptor(const uint8_t* page, uint32_t index, bool branch) {
  const BytesSlot& slot = Slots(page)[index];
  if (!IsSpilled(slot)) return nullptr;
  return page + slot.offset + (branch ? kChildBytes : 0) + TailLength(slot);
}

bool BytesNode::WholeKey(const pager::PageReader& pages, const uint8_t* page, uint32_t index,
                         bool branch, std::string* out) {
  const uint8_t* descriptor = KeyDescriptor(page, index, branch);
  if (descriptor == nullptr) {
    InlineKey(page, index, branch, out);
    return true;
  }
  StatusOr<LargeValue> key = ReadExtent(pages, descriptor);
  if (!key.ok()) return false;
  out->assign(key->view());
  return true;
}

bool BytesNode::LeafEntries(const pager::PageReader& pages, const uint8_t* page, uint32_t first,
                            uint32_t n, std::string* keys, uint32_t* ends, ValueRef* values) {
  const std::string_view prefix = Prefix(page);
  const BytesSlot* const slots = Slots(page) + first;
  bool spilled = false;
  size_t size = keys->size();
  for (uint32_t i = 0; i < n; ++i) {
    spilled |= IsSpilled(slots[i]);
    size += prefix.size() + KeyLength(slots[i]);
  }
  if (spilled) {
    std::string key;
    for (uint32_t i = 0; i < n; ++i) {
      if (!WholeKey(pages, page, first + i, false, &key)) return false;
      keys->append(key);
      ends[i] = static_cast<uint32_t>(keys->size());
      values[i] = Value(page, first + i);
    }
    return true;
  }
  const size_t before = keys->size();
  keys->resize(size);
  char* to = keys->data() + before;
  for (uint32_t i = 0; i < n; ++i) {
    const BytesSlot& slot = slots[i];
    const uint32_t length = slot.key_length;
    std::memcpy(to, prefix.data(), prefix.size());
    to += prefix.size();
    const uint8_t* at = page + slot.offset;
    uint8_t head[kHeadBytes];
    StoreBe<uint32_t>(head, slot.head);
    if (length > kHeadBytes) {
      std::memcpy(to, head, kHeadBytes);
      std::memcpy(to + kHeadBytes, at, length - kHeadBytes);
      at += length - kHeadBytes;
    } else {
      std::memcpy(to, head, length);
    }
    to += length;
    ends[i] = static_cast<uint32_t>(to - keys->data());
    const ValueRef value = DecodeValue(at);
    values[i].data = value.data;
    values[i].size = value.size;
    values[i].is_large = value.is_large;
  }
  return true;
}

int BytesNode::CompareEntry(const pager::PageReader& pages, const uint8_t* page, uint32_t index,
                            bool branch, std::string_view key, bool* error) {
  const std::string_view prefix = Prefix(page);
  const size_t common = std::min(prefix.size(), key.size());
  const int order = std::memcmp(prefix.data(), key.data(), common);
  if (order != 0) return order;
  if (common < prefix.size()) return 1;
  const BytesSlot& slot = Slots(page)[index];
  const std::string_view rest = key.substr(prefix.size());
  const uint32_t head = HeadOf(rest.data(), rest.size());
  if (slot.head != head) return slot.head < head ? -1 : 1;
  return CompareTail(pages, page, slot, branch, key, rest, error);
}

int BytesNode::CompareSpilled(const pager::PageReader& pages, const uint8_t* page,
                              const BytesSlot& slot, bool branch, std::string_view key,
                              std::string_view rest, bool* error) {
  // The head is four bytes of the key, and equal: `rest` has at least these, or is zero-padded.
  if (rest.size() < kHeadBytes) return 1;
  const uint8_t* tail = page + slot.offset + (branch ? kChildBytes : 0);
  const std::string_view inline_tail = AsView(tail, TailLength(slot));
  const std::string_view rest_tail = rest.substr(kHeadBytes);
  const size_t common = std::min(inline_tail.size(), rest_tail.size());
  const int order = std::memcmp(inline_tail.data(), rest_tail.data(), common);
  if (order != 0) return order;
  if (common < inline_tail.size()) return 1;
  StatusOr<LargeValue> whole = ReadExtent(pages, tail + inline_tail.size());
  if (!whole.ok()) {
    *error = true;
    return 0;
  }
  return whole->view().compare(key);
}

NodePosition BytesNode::SearchManyTies(const pager::PageReader& pages, const uint8_t* page,
                                       uint32_t index, std::string_view key, std::string_view rest,
                                       uint32_t head) {
  const BytesSlot* slots = Slots(page);
  const bool branch = pager::HeaderOf(page)->level != 0;
  uint32_t end = CountOf(page);
  bool exact = false;
  while (index < end) {
    const uint32_t middle = index + (end - index) / 2;
    int order = 1;
    if (slots[middle].head == head) {
      bool error = false;
      order = CompareTail(pages, page, slots[middle], branch, key, rest, &error);
      if (error) return {.index = middle, .error = true};
    }
    if (order < 0) {
      index = middle + 1;
    } else {
      end = middle;
      exact = order == 0;
      if (exact) return {.index = middle, .exact = true};
    }
  }
  return {.index = index, .exact = exact};
}

uint32_t BytesNode::CellSize(const uint8_t* page, const BytesSlot& slot, bool branch) {
  const uint8_t* start = page + slot.offset;
  const uint8_t* at = start + TailLength(slot) + (branch ? kChildBytes : 0);
  if (IsSpilled(slot)) at += DescriptorSize(at);
  if (!branch) DecodeValue(at, &at);
  return static_cast<uint32_t>(at - start);
}

void BytesNode::WriteCell(uint8_t* at, const Entry& entry, std::string_view tail, bool branch) {
  if (branch) {
    std::memcpy(at, entry.head.data(), kChildBytes);
    at += kChildBytes;
    if (!tail.empty()) std::memcpy(at, tail.data(), tail.size());
    if (!entry.body.empty()) std::memcpy(at + tail.size(), entry.body.data(), entry.body.size());
    return;
  }
  if (!tail.empty()) std::memcpy(at, tail.data(), tail.size());
  CopyPayload(at + tail.size(), entry);
}

bool BytesNode::InsertAt(uint8_t* page, uint32_t /*page_size*/, uint32_t index, bool branch,
                         const Entry& entry) {
  pager::PageHeader* header = pager::HeaderOf(page);
  const uint32_t prefix_length = header->prefix_length;
  const bool keyless = branch && index == 0;
  if (keyless && header->count != 0) return false;  // the old entry 0 would need its key
  std::string_view suffix;
  if (!keyless) {
    if (!StartsWith(entry.key, page + kPrefixOffset, prefix_length)) return false;
    suffix = entry.key.substr(prefix_length);
  }
  const std::string_view tail = TailOf(suffix);
  const uint32_t cell = static_cast<uint32_t>(tail.size() + entry.payload_size());
  const uint32_t heap = HeapStart(page);
  const uint32_t slots_end = SlotsEnd(page);
  if (heap < slots_end + sizeof(BytesSlot) + cell) return false;

  const uint32_t offset = heap - cell;
  WriteCell(page + offset, entry, tail, branch);
  BytesSlot* slots = Slots(page);
  if (index < header->count) {
    std::memmove(slots + index + 1, slots + index, (header->count - index) * sizeof(BytesSlot));
  }
  slots[index].head = HeadOf(suffix.data(), suffix.size());
  slots[index].offset = static_cast<uint16_t>(offset);
  slots[index].key_length =
      static_cast<uint16_t>(suffix.size() | (entry.spilled ? kSpilledKey : 0));
  ++header->count;
  UpdateHints(page, header->count - 1u, index);
  SetHeapStart(page, offset);
  if (entry.extents) NodeHeaderOf(page)->flags |= kNodeHasExtents;
  return true;
}

bool BytesNode::RemoveAt(uint8_t* page, uint32_t /*page_size*/, uint32_t index, bool branch) {
  pager::PageHeader* header = pager::HeaderOf(page);
  NodeHeader* node = NodeHeaderOf(page);
  BytesSlot* slots = Slots(page);
  const uint32_t cell = CellSize(page, slots[index], branch);
  if (slots[index].offset == HeapStart(page)) {
    SetHeapStart(page, HeapStart(page) + cell);
  } else {
    node->dead = static_cast<uint16_t>(node->dead + cell);
  }
  --header->count;
  std::memmove(slots + index, slots + index + 1, (header->count - index) * sizeof(BytesSlot));
  if (branch && index == 0 && header->count != 0) {
    // The child's lower bound is now the node's own.
    const uint32_t drop = CellSize(page, slots[0], true) - kChildBytes;
    node->dead = static_cast<uint16_t>(node->dead + drop);
    slots[0].head = 0;
    slots[0].key_length = 0;
  }
  UpdateHints(page, header->count + 1u, index);
  return true;
}

void BytesNode::UpdateHints(uint8_t* page, uint32_t old_count, uint32_t index) {
  const uint32_t count = CountOf(page);
  if (count < kMinHinted) return;
  const uint32_t stride = HintStride(count);
  if (old_count < kMinHinted || HintStride(old_count) != stride) index = 0;
  const BytesSlot* slots = Slots(page);
  for (uint32_t i = kHints; i > 0 && i * stride >= index; --i) {
    StoreLe<uint32_t>(page + kHintsOffset + 4 * (i - 1), slots[i * stride].head);
  }
}

bool BytesNode::ReplaceAt(uint8_t* page, uint32_t index, const Entry& entry) {
  NodeHeader* node = NodeHeaderOf(page);
  BytesSlot& slot = Slots(page)[index];
  const uint32_t old_cell = CellSize(page, slot, false);
  const uint32_t tail = TailLength(slot);
  const uint32_t new_cell = static_cast<uint32_t>(tail + entry.payload_size());
  if (new_cell <= old_cell) {
    CopyPayload(page + slot.offset + tail, entry);
    node->dead = static_cast<uint16_t>(node->dead + old_cell - new_cell);
  } else {
    const uint32_t heap = HeapStart(page);
    if (heap < SlotsEnd(page) + new_cell) return false;
    const uint32_t offset = heap - new_cell;
    std::memcpy(page + offset, page + slot.offset, tail);
    CopyPayload(page + offset + tail, entry);
    slot.offset = static_cast<uint16_t>(offset);
    node->dead = static_cast<uint16_t>(node->dead + old_cell);
    SetHeapStart(page, offset);
  }
  if (entry.extents) node->flags |= kNodeHasExtents;
  return true;
}

void BytesNode::Gather(const uint8_t* page, uint32_t page_size, bool branch, GatherBuffer* buffer,
                       std::vector<Entry>* entries) {
  buffer->page.assign(page, page + page_size);
  page = buffer->page.data();
  const uint32_t count = CountOf(page);
  const std::string_view prefix = Prefix(page);
  const BytesSlot* slots = Slots(page);
  size_t key_bytes = 0;
  for (uint32_t i = 0; i < count; ++i)
    key_bytes += prefix.size() + KeyLength(slots[i]) + kHeadBytes;
  if (buffer->keys.size() < key_bytes) buffer->keys.resize(key_bytes);
  char* to = buffer->keys.data();
  entries->reserve(entries->size() + count + 1);
  for (uint32_t i = 0; i < count; ++i) {
    const BytesSlot& slot = slots[i];
    Entry& entry = entries->emplace_back();
    const uint8_t* cell = page + slot.offset;
    const uint32_t length = KeyLength(slot);
    const uint32_t tail = TailLength(slot);
    if (branch) {
      entry.head = AsView(cell, kChildBytes);
      cell += kChildBytes;
    }
    if (!(branch && i == 0)) {
      if (!prefix.empty()) std::memcpy(to, prefix.data(), prefix.size());
      StoreBe<uint32_t>(to + prefix.size(), slot.head);  // kHeadBytes of room, used or not
      if (tail != 0) std::memcpy(to + prefix.size() + kHeadBytes, cell, tail);
      entry.key = {to, prefix.size() + length};
      to += prefix.size() + std::max(length, kHeadBytes);
    }
    cell += tail;
    entry.spilled = IsSpilled(slot);
    const uint8_t* end = cell;
    if (entry.spilled) end += DescriptorSize(end);
    entry.extents = entry.spilled;
    if (branch) {
      entry.body = AsView(cell, static_cast<size_t>(end - cell));
      entry.extents |= (LoadRows(page + slot.offset) & kSubtreeHasExtents) != 0;
    } else {
      entry.extents |= DecodeValue(end, &end).is_large;
      entry.head = AsView(cell, static_cast<size_t>(end - cell));
    }
  }
}

size_t BytesNode::SizeOf(std::span<const Entry> entries, bool branch, uint32_t page_size) {
  const size_t prefix = BestPrefix(entries, branch, page_size);
  size_t size = kPrefixOffset + AlignedPrefix(prefix) + entries.size() * sizeof(BytesSlot);
  for (size_t i = 0; i < entries.size(); ++i) {
    const Entry& entry = entries[i];
    if (branch && i == 0) {
      size += kChildBytes;
      continue;
    }
    const size_t suffix = entry.key.size() - prefix;
    size += entry.payload_size() + (suffix > kHeadBytes ? suffix - kHeadBytes : 0);
  }
  return size;
}

void BytesNode::Build(uint8_t* page, uint32_t page_size, std::span<const Entry> entries,
                      bool branch) {
  pager::PageHeader* header = pager::HeaderOf(page);
  const size_t prefix = BestPrefix(entries, branch, page_size);
  Init(page, page_size, branch);
  header->prefix_length = static_cast<uint16_t>(prefix);
  header->count = static_cast<uint16_t>(entries.size());
  if (prefix != 0) {
    std::memcpy(page + kPrefixOffset, entries[branch ? 1 : 0].key.data(), prefix);
  }
  BytesSlot* slots = Slots(page);
  uint32_t heap = page_size;
  bool extents = false;
  for (size_t i = 0; i < entries.size(); ++i) {
    const Entry& entry = entries[i];
    const bool keyless = branch && i == 0;
    const std::string_view suffix = keyless ? std::string_view() : entry.key.substr(prefix);
    const std::string_view tail = TailOf(suffix);
    const size_t payload = keyless ? kChildBytes : entry.payload_size();
    heap -= static_cast<uint32_t>(tail.size() + payload);
    if (keyless) {
      std::memcpy(page + heap, entry.head.data(), kChildBytes);
    } else {
      WriteCell(page + heap, entry, tail, branch);
    }
    slots[i].head = HeadOf(suffix.data(), suffix.size());
    slots[i].offset = static_cast<uint16_t>(heap);
    slots[i].key_length =
        static_cast<uint16_t>(suffix.size() | (entry.spilled && !keyless ? kSpilledKey : 0));
    extents |= entry.extents;
  }
  KV_CHECK(heap >= SlotsEnd(page));
  UpdateHints(page, 0, 0);
  SetHeapStart(page, heap);
  if (extents) NodeHeaderOf(page)->flags |= kNodeHasExtents;
}

bool BytesNode::StartLeaf(uint8_t* page, uint32_t page_size, const uint8_t* neighbour,
                          const Entry& entry) {
  Init(page, page_size, false);
  const size_t prefix =
      std::min<size_t>(CommonPrefix(Prefix(neighbour), entry.key), MaxPrefix(page_size));
  pager::HeaderOf(page)->prefix_length = static_cast<uint16_t>(prefix);
  std::memcpy(page + kPrefixOffset, entry.key.data(), prefix);
  return InsertAt(page, page_size, 0, false, entry);
}

bool BytesNode::CanShrink(const uint8_t* page, uint32_t page_size) {
  const uint32_t count = CountOf(page);
  if (NodeHeaderOf(page)->dead != 0) return true;
  const size_t prefix = pager::HeaderOf(page)->prefix_length;
  if (prefix >= MaxPrefix(page_size)) return false;
  const bool branch = pager::HeaderOf(page)->level != 0;
  const uint32_t first = branch ? 1 : 0;
  if (count <= first) return false;
  // One more byte in common is what first and last heads tell.
  const BytesSlot* slots = Slots(page);
  const BytesSlot& low = slots[first];
  const BytesSlot& high = slots[count - 1];
  return KeyLength(low) != 0 && KeyLength(high) != 0 && (low.head >> 24) == (high.head >> 24);
}

}  // namespace kvsql::btree
