#include "pager/create_file.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "pager/meta.h"
#include "tests/pager/log_test_files.h"

namespace kvsql::pager {
namespace {

std::vector<uint8_t> Image(size_t size = 8192, uint64_t salt = 5) {
  std::vector<uint8_t> image(size, 0);
  MetaPage meta;
  meta.page_size = 4096;
  meta.counter = 1;
  meta.page_count = 2;
  meta.salt = salt;
  meta.database_id.fill(0x5a);
  EncodeMeta(meta, image.data());
  return image;
}

StatusOr<bool> Unborn(std::vector<uint8_t> bytes) {
  auto inode = std::make_shared<MemInode>();
  inode->bytes = std::move(bytes);
  MemFile file(inode);
  return IsUnborn(&file);
}

TEST(CreateFileTest, ContentIsSyncedBeforeTheNameIsGiven) {
  MemFileSystem fs;
  const auto image = Image();
  auto created = CreateDatabaseFile(&fs, "db", Bytes(image));
  ASSERT_TRUE(created.ok()) << created.status();
  EXPECT_TRUE(*created);
  EXPECT_EQ(fs.names.at("db")->bytes, image);
  EXPECT_EQ(fs.names.at("db")->events.back().kind, FileEvent::kSync);
  EXPECT_EQ(fs.calls.back(), "sync directory of db");
  EXPECT_EQ(fs.names.size(), 1u);
}

TEST(CreateFileTest, LoserLeavesTheWinnersFileAndSyncsItsName) {
  MemFileSystem fs;
  const auto first = Image(8192, 1);
  const auto second = Image(8192, 2);
  ASSERT_TRUE(CreateDatabaseFile(&fs, "db", Bytes(first)).ok());
  fs.calls.clear();
  auto created = CreateDatabaseFile(&fs, "db", Bytes(second));
  ASSERT_TRUE(created.ok()) << created.status();
  EXPECT_FALSE(*created);
  EXPECT_EQ(fs.names.at("db")->bytes, first);
  EXPECT_EQ(fs.names.size(), 1u) << "no temporary file is left";
  EXPECT_EQ(fs.calls.back(), "sync directory of db");
}

TEST(CreateFileTest, OfManyRealCreatorsOneWins) {
  std::string directory = ::testing::TempDir() + "/kvsql_create_XXXXXX";
  ASSERT_NE(mkdtemp(directory.data()), nullptr);
  const std::string path = directory + "/db";
  std::atomic<int> won{0};
  std::vector<std::thread> creators;
  for (uint64_t i = 0; i < 6; ++i) {
    creators.emplace_back([&, i] {
      const auto image = Image(8192, i);
      auto created = CreateDatabaseFile(FileSystem::Posix(), path, Bytes(image));
      ASSERT_TRUE(created.ok()) << created.status();
      if (*created) ++won;
    });
  }
  for (std::thread& t : creators) t.join();
  EXPECT_EQ(won, 1);
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    (void)entry;
    ++files;
  }
  EXPECT_EQ(files, 1u);
  std::filesystem::remove_all(directory);
}

TEST(CreateFileTest, EmptyFileIsInitialisedInPlaceAndSynced) {
  MemFileSystem fs;
  fs.names["db"] = std::make_shared<MemInode>();
  const auto inode = fs.names["db"];
  auto file = fs.Open("db", OpenMode::kReadWrite);
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE(*IsUnborn(file->get()));
  const auto image = Image();
  ASSERT_TRUE(InitialiseInPlace(&fs, file->get(), "db", Bytes(image)).ok());
  EXPECT_EQ(fs.names["db"], inode) << "whoever holds the file keeps it";
  EXPECT_EQ(inode->bytes, image);
  EXPECT_EQ(inode->events.back().kind, FileEvent::kSync);
  EXPECT_EQ(fs.calls.back(), "sync directory of db");
  EXPECT_FALSE(*IsUnborn(file->get()));
}

TEST(CreateFileTest, InitialisationTornAnywhereLeavesAnUnbornFileOrADatabase) {
  const auto image = Image();
  for (size_t cut = 0; cut <= 200; ++cut) {
    std::vector<uint8_t> torn(image.size(), 0);
    std::copy_n(image.begin(), cut, torn.begin());
    const bool whole = std::equal(image.begin(), image.end(), torn.begin());
    EXPECT_EQ(*Unborn(torn), !whole) << cut;
    std::vector<uint8_t> late(image.size(), 0);  // only the end arrived
    std::copy(image.begin() + static_cast<ptrdiff_t>(cut), image.end(),
              late.begin() + static_cast<ptrdiff_t>(cut));
    EXPECT_EQ(*Unborn(late), cut > 0) << cut;
  }
  EXPECT_TRUE(*Unborn(std::vector<uint8_t>(512, 0)));
}

TEST(CreateFileTest, SomebodysFileIsNotUnborn) {
  EXPECT_FALSE(*Unborn({'h', 'e', 'l', 'l', 'o'}));
  EXPECT_FALSE(*Unborn(std::vector<uint8_t>(65537, 0)));
  std::vector<uint8_t> text(4096, 0);
  text[2000] = 'x';
  EXPECT_FALSE(*Unborn(text));
  EXPECT_FALSE(*Unborn(Image())) << "an empty database is a database";
  auto damaged = Image();
  damaged[30] ^= 1;
  EXPECT_TRUE(*Unborn(damaged)) << "the first meta alone never had data";
  damaged[5000] = 1;
  EXPECT_FALSE(*Unborn(damaged)) << "a second meta was written";
}

}  // namespace
}  // namespace kvsql::pager
