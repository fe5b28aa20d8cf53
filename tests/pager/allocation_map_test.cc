#include "pager/allocation_map.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace kvsql::pager {
namespace {

constexpr uint32_t kPageSize = 4096;

// Checkpoints of a map against a set of allocated pages, the file being a map of page images.
TEST(AllocationMapTest, WhatIsBuiltLoadsAgain) {
  std::mt19937 random(3);
  std::map<PageId, std::vector<uint8_t>> file;
  constexpr uint32_t kPages = 100000;  // four bitmap pages
  std::vector<bool> allocated(kPages, false);
  allocated[0] = allocated[1] = true;
  AllocationMap map(kPageSize);
  map.InitEmpty(2);
  PageId next = 2;
  RootTable roots;
  for (TxId txid = 1; txid < 40; ++txid) {
    for (int i = 0; i < 50; ++i) {
      const PageId page = 50000 + random() % 50000;
      allocated[page] = random() % 2 == 0;
      map.SetAllocated(page, allocated[page]);
    }
    const TreeId tree = 1 + random() % 900;
    roots.Set(
        tree,
        TreeRoot{
            .page = tree + 5, .height = 2, .kind = KeyKind::kInt64, .exists = true, .count = txid},
        txid + 100);
    std::vector<AllocationMap::Image> images;
    std::vector<PageId> replaced;
    PageId directory = kNoPage;
    uint32_t asked = 0;
    const uint32_t needed = map.PagesNeeded(kPages);
    ASSERT_TRUE(map.Build(
                       roots, kPages, txid,
                       [&]() -> StatusOr<PageId> {
                         ++asked;
                         return next++;
                       },
                       &images, &replaced, &directory)
                    .ok());
    EXPECT_LE(asked, needed);
    for (const PageId page : replaced) {
      EXPECT_EQ(file.erase(page), 1u);
      allocated[page] = false;
    }
    for (AllocationMap::Image& image : images) {
      EXPECT_EQ(HeaderOf(image.bytes.data())->page, image.page);
      allocated[image.page] = true;
      file[image.page] = std::move(image.bytes);
    }

    AllocationMap loaded(kPageSize);
    RootTable loaded_roots;
    const auto read = [&](PageId page, std::vector<uint8_t>* bytes) -> Status {
      if (!file.contains(page)) return DataLoss("no page ", page);
      *bytes = file[page];
      return absl::OkStatus();
    };
    ASSERT_TRUE(loaded.LoadDirectory(directory, kPages, txid, read, &loaded_roots).ok());
    const Status bitmaps = loaded.LoadBitmaps(2, kPages, txid, read);
    ASSERT_TRUE(bitmaps.ok()) << bitmaps;
    for (PageId page = 0; page < kPages; ++page) {
      ASSERT_EQ(loaded.IsAllocated(page), allocated[page]) << page;
    }
    for (TreeId id = 1; id < roots.limit(); ++id) EXPECT_EQ(loaded_roots.Get(id), roots.Get(id));
    EXPECT_EQ(loaded.OwnPages().size(), file.size());
    // A reader of an older state refuses it.
    AllocationMap older(kPageSize);
    RootTable older_roots;
    EXPECT_FALSE(older.LoadDirectory(directory, kPages, txid - 1, read, &older_roots).ok());
  }
}

}  // namespace
}  // namespace kvsql::pager
