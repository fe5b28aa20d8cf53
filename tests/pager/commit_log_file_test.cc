#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/hash.h"
#include "pager/commit_log.h"
#include "pager/log_file.h"
#include "pager/test_switches.h"
#include "tests/pager/log_test_files.h"

namespace kvsql::pager {
namespace {

using Code = absl::StatusCode;
constexpr char kPath[] = "db-log";

LogIdentity Identity(uint8_t database, uint64_t log_id) {
  LogIdentity identity;
  identity.database_id.fill(database);
  identity.log_id = log_id;
  identity.generation = 1;
  identity.salt = 5;
  return identity;
}

std::shared_ptr<MemInode> FileOf(const std::string& content) {
  auto inode = std::make_shared<MemInode>();
  inode->bytes.assign(content.begin(), content.end());
  return inode;
}

TEST(CommitLogFileTest, CreationSyncsBytesThenRenamesThenSyncsTheDirectory) {
  MemFileSystem fs;
  auto log = CommitLog::Create(&fs, kPath, Identity(1, 1));
  ASSERT_TRUE(log.ok()) << log.status();
  const auto& events = fs.names.at(kPath)->events;
  EXPECT_EQ(events.back().kind, FileEvent::kSync);
  EXPECT_EQ(fs.names.at(kPath)->bytes.size(), LogOptions{}.initial);
  ASSERT_EQ(fs.calls.size(), 2u);
  EXPECT_EQ(fs.calls[0], "rename db-log-new db-log");
  EXPECT_EQ(fs.calls[1], "sync directory of db-log");
}

#ifdef KVSQL_TESTING
TEST(CommitLogFileTest, BrokenCreationShowsInTheCalls) {
  MemFileSystem fs;
  {
    ScopedBreak broken(Rule::kLogCreateSkipSync);
    ASSERT_TRUE(CommitLog::Create(&fs, kPath, Identity(1, 1)).ok());
    EXPECT_NE(fs.names.at(kPath)->events.back().kind, FileEvent::kSync);
  }
  fs.calls.clear();
  ScopedBreak broken(Rule::kLogCreateSkipDirectorySync);
  ASSERT_TRUE(CommitLog::Create(&fs, kPath, Identity(1, 1)).ok());
  EXPECT_EQ(fs.calls.back(), "rename db-log-new db-log");
}
#endif

TEST(CommitLogFileTest, ForeignFileIsRefusedAndLeftAlone) {
  MemFileSystem fs;
  for (const std::string& content :
       {std::string("my diary"), std::string(), std::string(9000, 'x')}) {
    fs.names[kPath] = FileOf(content);
    EXPECT_EQ(CommitLog::Create(&fs, kPath, Identity(1, 1)).status().code(), Code::kAlreadyExists);
    EXPECT_EQ(fs.names.at(kPath)->bytes.size(), content.size());
    EXPECT_EQ(CommitLog::Remove(&fs, kPath).code(), Code::kFailedPrecondition);
    EXPECT_EQ(CommitLog::Open(&fs, kPath, Identity(1, 1)).status().code(), Code::kDataLoss);
  }
  EXPECT_TRUE(fs.calls.empty());
}

TEST(CommitLogFileTest, LogOfAnotherDatabaseIsReplacedByANewInode) {
  MemFileSystem fs;
  ASSERT_TRUE(CommitLog::Create(&fs, kPath, Identity(1, 1)).ok());
  const std::shared_ptr<MemInode> old = fs.names.at(kPath);
  const std::vector<uint8_t> old_bytes = old->bytes;
  ASSERT_TRUE(CommitLog::Create(&fs, kPath, Identity(2, 1)).ok());
  EXPECT_NE(fs.names.at(kPath)->number, old->number);
  EXPECT_EQ(old->bytes, old_bytes);
}

TEST(CommitLogFileTest, LeftoverOfACrashedCreationIsTakenAway) {
  MemFileSystem fs;
  for (const std::string& leftover :
       {std::string(), std::string(65536, '\0'), std::string(100, '\0')}) {
    fs.names["db-log-new"] = FileOf(leftover);
    ASSERT_TRUE(CommitLog::Create(&fs, kPath, Identity(1, 1)).ok());
    EXPECT_FALSE(fs.names.contains("db-log-new"));
  }
  fs.names["db-log-new"] = FileOf("somebody's text");
  EXPECT_EQ(CommitLog::Create(&fs, kPath, Identity(1, 1)).status().code(), Code::kAlreadyExists);
  EXPECT_EQ(fs.names.at("db-log-new")->bytes.size(), 15u);
}

TEST(CommitLogFileTest, FullDiskLeavesNothingBehind) {
  MemFileSystem fs;
  fs.disk_full = true;
  EXPECT_EQ(CommitLog::Create(&fs, kPath, Identity(1, 1)).status().code(),
            Code::kResourceExhausted);
  EXPECT_TRUE(fs.names.empty());
}

TEST(CommitLogFileTest, OpenFindsExactlyTheLogThatTheMetaNames) {
  MemFileSystem fs;
  EXPECT_EQ(CommitLog::Open(&fs, kPath, Identity(1, 1)).status().code(), Code::kDataLoss);
  ASSERT_TRUE(CommitLog::Create(&fs, kPath, Identity(1, 1)).ok());
  EXPECT_TRUE(CommitLog::Open(&fs, kPath, Identity(1, 1)).ok());
  EXPECT_EQ(CommitLog::Open(&fs, kPath, Identity(2, 1)).status().code(), Code::kDataLoss);
  EXPECT_EQ(CommitLog::Open(&fs, kPath, Identity(1, 2)).status().code(), Code::kDataLoss);
  fs.names.at(kPath)->bytes[20] ^= 1;
  EXPECT_EQ(CommitLog::Open(&fs, kPath, Identity(1, 1)).status().code(), Code::kDataLoss);
}

TEST(CommitLogFileTest, LogOfALaterFormatIsRefusedByName) {
  MemFileSystem fs;
  ASSERT_TRUE(CommitLog::Create(&fs, kPath, Identity(1, 1)).ok());
  auto& bytes = fs.names.at(kPath)->bytes;
  bytes[8] = 9;
  const uint64_t checksum = Hash64(bytes.data(), offsetof(LogFileHeader, checksum), 0);
  std::memcpy(bytes.data() + offsetof(LogFileHeader, checksum), &checksum, 8);
  EXPECT_EQ(CommitLog::Open(&fs, kPath, Identity(1, 1)).status().code(), Code::kUnimplemented);
}

TEST(CommitLogFileTest, RemoveTakesOurLogAndForgivesNone) {
  MemFileSystem fs;
  EXPECT_TRUE(CommitLog::Remove(&fs, kPath).ok());
  ASSERT_TRUE(CommitLog::Create(&fs, kPath, Identity(1, 1)).ok());
  EXPECT_TRUE(CommitLog::Remove(&fs, kPath).ok());
  EXPECT_TRUE(fs.names.empty());
}

TEST(CommitLogFileTest, ReopenedLogReplaysThenStartsANewGeneration) {
  LogHarness h;
  for (int i = 0; i < 5; ++i) h.Commit("before the crash", Durability::kFull);
  h.log.reset();
  auto log = CommitLog::Open(&h.fs, kPath, h.identity);
  ASSERT_TRUE(log.ok()) << log.status();
  EXPECT_FALSE((*log)->HasRoomFor(1)) << "not before there is a new generation";
  int replayed = 0;
  ASSERT_TRUE(ReplayLog((*log)->file(), kPath, h.identity, h.start, [&](const LogRecord& r) {
                EXPECT_TRUE(r.full);
                ++replayed;
                return absl::OkStatus();
              }).ok());
  EXPECT_EQ(replayed, 5);
  const LogPosition start = (*log)->StartGeneration(2, 6);
  ASSERT_TRUE((*log)->HasRoomFor(3));
  (*log)->Append(9, AsPayload("new"), Durability::kFull);
  ASSERT_TRUE((*log)->Flush(Durability::kFull).ok());
  const ReplayOutcome outcome = ReplayBytes(h.inode().bytes, (*log)->identity(), start);
  ASSERT_TRUE(outcome.status.ok()) << outcome.status;
  ASSERT_EQ(outcome.records.size(), 1u);
  EXPECT_EQ(outcome.records[0].payload, "new");
}

TEST(CommitLogFileTest, WithoutDiskSpaceAReopenedLogOnlyReplays) {
  LogHarness h;
  h.Commit("x", Durability::kFull);
  h.inode().disk_full = true;
  auto log = CommitLog::Open(&h.fs, kPath, h.identity);
  ASSERT_TRUE(log.ok()) << log.status();
  (*log)->StartGeneration(2, 6);
  EXPECT_FALSE((*log)->HasRoomFor(1));
  EXPECT_FALSE((*log)->FitsEmptyLog(1));
  EXPECT_FALSE((*log)->WantsGrowth());
}

class PosixCommitLogTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "/kvsql_log_XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }
  std::string directory_;
};

TEST_F(PosixCommitLogTest, WorksOnRealFiles) {
  FileSystem* fs = FileSystem::Posix();
  const std::string path = directory_ + "/db-log";
  const LogIdentity identity = Identity(3, 4);
  LogPosition tail;
  std::vector<std::string> expected;
  {
    auto log = CommitLog::Create(fs, path, identity);
    ASSERT_TRUE(log.ok()) << log.status();
    tail = (*log)->end();
    for (int i = 0; i < 300; ++i) {
      const std::string payload(static_cast<size_t>(i * 13 % 2000),
                                static_cast<char>('a' + i % 26));
      if ((*log)->WantsGrowth()) {
        ASSERT_TRUE((*log)->Grow().ok());
      }
      if (!(*log)->HasRoomFor(payload.size())) {
        tail = (*log)->end();
        (*log)->AdvanceTail(tail);
        expected.clear();
      }
      (*log)->Append(static_cast<TxId>(i), AsPayload(payload),
                     i % 3 == 0 ? Durability::kFull : Durability::kNormal);
      expected.push_back(payload);
      ASSERT_TRUE((*log)->Flush(Durability::kNormal).ok());
    }
  }
  auto log = CommitLog::Open(fs, path, identity);
  ASSERT_TRUE(log.ok()) << log.status();
  std::vector<std::string> found;
  auto end = ReplayLog((*log)->file(), path, identity, tail, [&](const LogRecord& r) {
    found.emplace_back(reinterpret_cast<const char*>(r.payload.data()), r.payload.size());
    return absl::OkStatus();
  });
  ASSERT_TRUE(end.ok()) << end.status();
  EXPECT_EQ(found, expected);
  EXPECT_TRUE(CommitLog::Remove(fs, path).ok());
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(PosixCommitLogTest, ForeignRealFileSurvives) {
  const std::string path = directory_ + "/db-log";
  std::ofstream(path) << "precious";
  EXPECT_EQ(CommitLog::Create(FileSystem::Posix(), path, Identity(1, 1)).status().code(),
            Code::kAlreadyExists);
  std::string content;
  std::ifstream(path) >> content;
  EXPECT_EQ(content, "precious");
}

}  // namespace
}  // namespace kvsql::pager
