#include "pager/allocation_map.h"

#include <algorithm>
#include <cstring>

#include "base/bytes.h"

namespace kvsql::pager {
namespace {

Status CheckType(const std::vector<uint8_t>& bytes, PageId page, PageType type, TxId txid) {
  const PageHeader* header = HeaderOf(bytes.data());
  if (header->type != type || header->birth > txid) {
    return DataLoss("page ", page, " should be of type ", static_cast<int>(type), " born up to ",
                    txid, ", but is of type ", static_cast<int>(header->type), " born at ",
                    header->birth);
  }
  return absl::OkStatus();
}

}  // namespace

Status AllocationMap::LoadDirectory(PageId first, uint32_t page_count, TxId txid,
                                    const ReadPage& read, RootTable* roots) {
  bitmap_pages_.clear();
  root_pages_.clear();
  directory_pages_.clear();
  std::vector<uint8_t> bytes;
  for (PageId page = first; page != kNoPage;) {
    // A chain longer than the file has pages is a loop.
    if (page >= page_count || directory_pages_.size() >= page_count) {
      return DataLoss("the allocation map's directory names page ", page, " of ", page_count);
    }
    KV_RETURN_IF_ERROR(read(page, &bytes));
    KV_RETURN_IF_ERROR(CheckType(bytes, page, PageType::kMapDirectory, txid));
    directory_pages_.push_back(page);
    DirectoryBody body;
    std::memcpy(&body, bytes.data() + sizeof(PageHeader), sizeof(body));
    if (uint64_t{body.bitmaps} + body.roots > IdsPerDirectory()) {
      return DataLoss("directory page ", page, " claims ", body.bitmaps, " + ", body.roots,
                      " entries");
    }
    const uint8_t* ids = bytes.data() + sizeof(PageHeader) + sizeof(DirectoryBody);
    for (uint32_t i = 0; i < body.bitmaps + body.roots; ++i) {
      const auto id = LoadLe<PageId>(ids + i * sizeof(PageId));
      if (id >= page_count)
        return DataLoss("directory page ", page, " names page ", id, " of ", page_count);
      (i < body.bitmaps ? bitmap_pages_ : root_pages_).push_back(id);
    }
    page = body.next;
  }
  for (const PageId page : root_pages_) {
    KV_RETURN_IF_ERROR(read(page, &bytes));
    KV_RETURN_IF_ERROR(CheckType(bytes, page, PageType::kRootTable, txid));
    const uint32_t count = HeaderOf(bytes.data())->count;
    if (count > EntriesPerRootPage())
      return DataLoss("root table page ", page, " claims ", count, " trees");
    for (uint32_t i = 0; i < count; ++i) {
      RootEntry entry;
      std::memcpy(&entry, bytes.data() + sizeof(PageHeader) + i * sizeof(entry), sizeof(entry));
      const bool sane = entry.tree != kNoTree && entry.tree < (1u << 28) &&
                        entry.page < page_count &&
                        (entry.kind == KeyKind::kBytes || entry.kind == KeyKind::kInt64) &&
                        entry.height < 64 && !roots->Get(entry.tree).exists;
      if (!sane) return DataLoss("root table page ", page, ", entry ", i, ": tree ", entry.tree);
      roots->Set(entry.tree,
                 TreeRoot{.page = entry.page,
                          .height = entry.height,
                          .kind = entry.kind,
                          .exists = true,
                          .count = entry.count},
                 RootTable::kNobody);
    }
  }
  return absl::OkStatus();
}

void AllocationMap::InitEmpty(PageId first_page) {
  bits_.clear();
  loaded_ = true;
  for (PageId page = 0; page < first_page; ++page) SetAllocated(page, true);
}

Status AllocationMap::LoadBitmaps(PageId first_page, uint32_t page_count, TxId txid,
                                  const ReadPage& read) {
  const size_t bytes_per_page = page_size_ - sizeof(PageHeader);
  std::vector<uint8_t> all(bitmap_pages_.size() * bytes_per_page + 8);
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i < bitmap_pages_.size(); ++i) {
    KV_RETURN_IF_ERROR(read(bitmap_pages_[i], &bytes));
    KV_RETURN_IF_ERROR(CheckType(bytes, bitmap_pages_[i], PageType::kBitmap, txid));
    std::memcpy(all.data() + i * bytes_per_page, bytes.data() + sizeof(PageHeader), bytes_per_page);
  }
  bits_.assign((uint64_t{page_count} + 63) / 64, 0);
  std::memcpy(bits_.data(), all.data(), std::min(all.size(), bits_.size() * 8));
  if (page_count % 64 != 0) bits_.back() &= (uint64_t{1} << (page_count % 64)) - 1;
  dirty_.assign(bitmap_pages_.size(), false);
  loaded_ = true;
  for (PageId page = 0; page < first_page; ++page) {
    if (!IsAllocated(page)) return DataLoss("the allocation map has meta page ", page, " as free");
  }
  for (const PageId page : OwnPages()) {
    if (!IsAllocated(page))
      return DataLoss("the allocation map has its own page ", page, " as free");
  }
  return absl::OkStatus();
}

void AllocationMap::SetAllocated(PageId page, bool allocated) {
  if (page / 64 >= bits_.size()) bits_.resize(page / 64 + 1);
  const uint64_t bit = uint64_t{1} << (page % 64);
  if (allocated) {
    bits_[page / 64] |= bit;
  } else {
    bits_[page / 64] &= ~bit;
  }
  const size_t bitmap = page / BitsPerPage();
  if (bitmap >= bitmap_pages_.size()) bitmap_pages_.resize(bitmap + 1, kNoPage);
  if (bitmap >= dirty_.size()) dirty_.resize(bitmap_pages_.size(), false);
  dirty_[bitmap] = true;
}

uint32_t AllocationMap::PagesNeeded(uint32_t page_count) const {
  const auto bitmaps = std::max<uint32_t>(BitmapPagesFor(page_count) + 1,
                                          static_cast<uint32_t>(bitmap_pages_.size()));
  const auto roots = static_cast<uint32_t>(root_pages_.size()) + 2;
  return bitmaps + roots + (bitmaps + roots) / IdsPerDirectory() + 1;
}

std::vector<PageId> AllocationMap::OwnPages() const {
  std::vector<PageId> own;
  for (const PageId page : bitmap_pages_) {
    if (page != kNoPage) own.push_back(page);
  }
  own.insert(own.end(), root_pages_.begin(), root_pages_.end());
  own.insert(own.end(), directory_pages_.begin(), directory_pages_.end());
  return own;
}

std::vector<uint8_t> AllocationMap::NewPage(PageId page, PageType type, TxId txid) const {
  std::vector<uint8_t> bytes(page_size_, 0);
  PageHeader* header = HeaderOf(bytes.data());
  header->birth = txid;
  header->page = page;
  header->type = type;
  return bytes;
}

Status AllocationMap::Build(const RootTable& roots, uint32_t page_count, TxId txid,
                            const std::function<StatusOr<PageId>()>& allocate,
                            std::vector<Image>* images, std::vector<PageId>* replaced,
                            PageId* directory) {
  const auto replace = [&](PageId page) {
    SetAllocated(page, false);
    replaced->push_back(page);
  };
  const auto take = [&]() -> StatusOr<PageId> {
    KV_ASSIGN_OR_RETURN(const PageId page, allocate());
    SetAllocated(page, true);
    return page;
  };
  for (const PageId page : root_pages_) replace(page);
  for (const PageId page : directory_pages_) replace(page);
  root_pages_.clear();
  directory_pages_.clear();

  // The root table.
  std::vector<uint8_t> bytes;
  for (TreeId tree = 1; tree < roots.limit(); ++tree) {
    const TreeRoot& root = roots.Get(tree);
    if (!root.exists) continue;
    if (bytes.empty() || HeaderOf(bytes.data())->count == EntriesPerRootPage()) {
      if (!bytes.empty()) images->push_back({root_pages_.back(), std::move(bytes)});
      KV_ASSIGN_OR_RETURN(const PageId page, take());
      root_pages_.push_back(page);
      bytes = NewPage(page, PageType::kRootTable, txid);
    }
    const RootEntry entry{.tree = tree,
                          .page = root.page,
                          .count = root.count,
                          .height = root.height,
                          .kind = root.kind,
                          .reserved = {}};
    PageHeader* header = HeaderOf(bytes.data());
    std::memcpy(bytes.data() + sizeof(PageHeader) + header->count * sizeof(entry), &entry,
                sizeof(entry));
    ++header->count;
  }
  if (!bytes.empty()) images->push_back({root_pages_.back(), std::move(bytes)});

  // Places for the directory. One more bitmap page than now covers what the allocations below may add.
  const size_t ids = BitmapPagesFor(page_count) + bitmap_pages_.size() + 1 + root_pages_.size();
  for (size_t i = 0; i <= ids / IdsPerDirectory(); ++i) {
    KV_ASSIGN_OR_RETURN(const PageId page, take());
    directory_pages_.push_back(page);
  }

  // Bitmap pages whose bits changed move; their moving changes bits, until nothing new is dirty.
  std::vector<bool> moved(bitmap_pages_.size(), false);
  for (bool again = true; again;) {
    again = false;
    for (size_t i = 0; i < bitmap_pages_.size(); ++i) {
      if (i < moved.size() && moved[i]) continue;
      if (!dirty_[i] && bitmap_pages_[i] != kNoPage) continue;
      const PageId old = bitmap_pages_[i];
      if (old != kNoPage) replace(old);
      KV_ASSIGN_OR_RETURN(const PageId page, take());
      bitmap_pages_[i] = page;
      moved.resize(bitmap_pages_.size(), false);
      moved[i] = true;
      again = true;
    }
  }
  const size_t bytes_per_page = page_size_ - sizeof(PageHeader);
  for (size_t i = 0; i < bitmap_pages_.size(); ++i) {
    if (!moved[i]) continue;
    bytes = NewPage(bitmap_pages_[i], PageType::kBitmap, txid);
    const size_t from = i * bytes_per_page;
    const size_t all = bits_.size() * sizeof(uint64_t);
    if (from < all) {
      std::memcpy(bytes.data() + sizeof(PageHeader),
                  reinterpret_cast<const uint8_t*>(bits_.data()) + from,
                  std::min(bytes_per_page, all - from));
    }
    images->push_back({bitmap_pages_[i], std::move(bytes)});
    dirty_[i] = false;
  }

  // The directory itself.
  size_t bitmap = 0;
  size_t root = 0;
  for (size_t i = 0; i < directory_pages_.size(); ++i) {
    bytes = NewPage(directory_pages_[i], PageType::kMapDirectory, txid);
    DirectoryBody body{};
    body.next = i + 1 < directory_pages_.size() ? directory_pages_[i + 1] : kNoPage;
    uint8_t* out = bytes.data() + sizeof(PageHeader) + sizeof(body);
    uint32_t room = IdsPerDirectory();
    for (; room > 0 && bitmap < bitmap_pages_.size(); --room, ++bitmap, ++body.bitmaps) {
      StoreLe<PageId>(out, bitmap_pages_[bitmap]);
      out += sizeof(PageId);
    }
    for (; room > 0 && bitmap == bitmap_pages_.size() && root < root_pages_.size();
         --room, ++root, ++body.roots) {
      StoreLe<PageId>(out, root_pages_[root]);
      out += sizeof(PageId);
    }
    std::memcpy(bytes.data() + sizeof(PageHeader), &body, sizeof(body));
    images->push_back({directory_pages_[i], std::move(bytes)});
  }
  *directory = directory_pages_.front();
  return absl::OkStatus();
}

}  // namespace kvsql::pager
