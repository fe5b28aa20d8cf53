// The allocation map and the root table as a checkpoint stores them (S12).
//
// The meta names a directory; its pages form a chain and name, in order, the bitmap pages (one bit per page
// of the file, 1: allocated) and the pages of the root table (tree id -> root). All of them are copied on
// write like tree pages: a checkpoint writes the bitmap pages that changed, the root table and the directory
// to free places. No snapshot reads these pages, so the old ones are free as soon as the new meta is durable.
//
//   directory page          bitmap page            root table page
//   +--------+-----------+  +--------+---------+   +--------+----------------------------+
//   | header | next      |  | header | bits... |   | header | tree root count kind height|
//   |        | bitmaps   |  +--------+---------+   |        |  ...  header.count entries |
//   |        | roots     |                         +--------+----------------------------+
//   |        | ids ...   |
//   +--------+-----------+
//
// Thread safety: none; the pager guards it with its checkpoint mutex.
#ifndef KVSQL_PAGER_ALLOCATION_MAP_H_
#define KVSQL_PAGER_ALLOCATION_MAP_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "base/status.h"
#include "pager/page_header.h"
#include "pager/root_table.h"
#include "pager/types.h"

namespace kvsql::pager {

struct DirectoryBody {
  PageId next;       // kNoPage: the last one
  uint32_t bitmaps;  // ids of bitmap pages in this page, first
  uint32_t roots;    // ids of root table pages in this page, behind them
  uint32_t reserved;
};
static_assert(sizeof(DirectoryBody) == 16);

struct RootEntry {
  TreeId tree;
  PageId page;
  uint64_t count;
  uint8_t height;
  KeyKind kind;
  uint8_t reserved[6];
};
static_assert(sizeof(RootEntry) == 24);

class AllocationMap {
 public:
  explicit AllocationMap(uint32_t page_size) : page_size_(page_size) {}
  void set_page_size(uint32_t page_size) { page_size_ = page_size; }

  // Reads a page whose checksum and number have been verified.
  using ReadPage = std::function<Status(PageId page, std::vector<uint8_t>* bytes)>;
  // Reads the directory chain from `first` and the root table that it names, but no bitmap.
  Status LoadDirectory(PageId first, uint32_t page_count, TxId txid, const ReadPage& read,
                       RootTable* roots);
  // Reads the bitmap pages. `first_page`: the ones before it belong to the meta slots.
  Status LoadBitmaps(PageId first_page, uint32_t page_count, TxId txid, const ReadPage& read);
  // The map of a file without any page.
  void InitEmpty(PageId first_page);
  bool loaded() const { return loaded_; }

  bool IsAllocated(PageId page) const {
    return page / 64 < bits_.size() && ((bits_[page / 64] >> (page % 64)) & 1) != 0;
  }
  void SetAllocated(PageId page, bool allocated);

  // Builds the pages of a new map, for the bits as they are now and `roots`. New places come from `allocate`;
  // the bits of the new and of the replaced pages are kept right, to a fixed point. Appends the pages to
  // `images`, and to `replaced` the pages that are free once the new meta is durable.
  struct Image {
    PageId page;
    std::vector<uint8_t> bytes;  // complete but for the checksum
  };
  Status Build(const RootTable& roots, uint32_t page_count, TxId txid,
               const std::function<StatusOr<PageId>()>& allocate, std::vector<Image>* images,
               std::vector<PageId>* replaced, PageId* directory);

  // At most how many pages Build will ask for.
  uint32_t PagesNeeded(uint32_t page_count) const;

  // The pages that the map itself occupies.
  std::vector<PageId> OwnPages() const;

 private:
  uint64_t BitsPerPage() const { return uint64_t{page_size_ - sizeof(PageHeader)} * 8; }
  uint32_t BitmapPagesFor(uint32_t page_count) const {
    return static_cast<uint32_t>((page_count + BitsPerPage() - 1) / BitsPerPage());
  }
  uint32_t IdsPerDirectory() const {
    return static_cast<uint32_t>((page_size_ - sizeof(PageHeader) - sizeof(DirectoryBody)) /
                                 sizeof(PageId));
  }
  uint32_t EntriesPerRootPage() const {
    return static_cast<uint32_t>((page_size_ - sizeof(PageHeader)) / sizeof(RootEntry));
  }
  std::vector<uint8_t> NewPage(PageId page, PageType type, TxId txid) const;

  uint32_t page_size_;
  bool loaded_ = false;
  std::vector<uint64_t> bits_;
  std::vector<PageId> bitmap_pages_;  // where each bitmap page stands; kNoPage: nowhere yet
  std::vector<bool> dirty_;           // bitmap pages whose bits changed since they were written
  std::vector<PageId> root_pages_;
  std::vector<PageId> directory_pages_;
};

}  // namespace kvsql::pager

#endif  // KVSQL_PAGER_ALLOCATION_MAP_H_
