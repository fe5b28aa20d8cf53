#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "pager/descriptor.h"
#include "pager/file.h"

namespace kvsql::pager {
namespace {

using ::testing::HasSubstr;

struct FreeDeleter {
  void operator()(uint8_t* memory) const { free(memory); }
};

std::unique_ptr<uint8_t, FreeDeleter> AlignedBlock(size_t size, uint8_t fill) {
  auto* memory = static_cast<uint8_t*>(aligned_alloc(4096, size));
  memset(memory, fill, size);
  return std::unique_ptr<uint8_t, FreeDeleter>(memory);
}

Bytes AsBytes(const std::string& text) {
  return Bytes(reinterpret_cast<const uint8_t*>(text.data()), text.size());
}

// Every test runs on the disk and on tmpfs, which refuses other things.
class PosixFileTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    std::string pattern = std::string(GetParam()) + "/kvsql_posix_XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr) GTEST_SKIP() << "cannot write to " << GetParam();
    directory_ = std::filesystem::canonical(pattern);
  }
  void TearDown() override {
    if (!directory_.empty()) std::filesystem::remove_all(directory_);
  }

  std::string Path(const std::string& name) const { return directory_ + "/" + name; }
  std::unique_ptr<File> Create(const std::string& name) {
    auto file = fs_->Open(Path(name), OpenMode::kCreateExclusive);
    EXPECT_TRUE(file.ok()) << file.status();
    return std::move(file).value();
  }
  static std::string Read(File& file, uint64_t offset, size_t size) {
    std::string text(size, '?');
    auto n = file.ReadAt(offset, MutableBytes(reinterpret_cast<uint8_t*>(text.data()), size));
    EXPECT_TRUE(n.ok()) << n.status();
    text.resize(n.value_or(0));
    return text;
  }

  FileSystem* const fs_ = FileSystem::Posix();
  std::string directory_;
};

INSTANTIATE_TEST_SUITE_P(Disks, PosixFileTest, ::testing::Values("/var/tmp", "/dev/shm"));

TEST_P(PosixFileTest, ReadsBackWhatItWroteAndStopsAtTheEnd) {
  auto file = Create("f");
  ASSERT_TRUE(file->WriteAt(3, AsBytes("hello")).ok());
  EXPECT_EQ(Read(*file, 0, 100), std::string("\0\0\0hello", 8));
  EXPECT_EQ(Read(*file, 8, 10), "");
  EXPECT_EQ(file->Size().value(), 8u);
  EXPECT_TRUE(file->SyncData().ok());
}

TEST_P(PosixFileTest, WritesMorePiecesThanOneSystemCallTakes) {
  auto file = Create("f");
  std::string expected;
  std::vector<std::string> pieces;
  for (int i = 0; i < 3000; ++i)
    pieces.push_back(std::string(i % 7, static_cast<char>('a' + i % 26)));
  std::vector<Bytes> views;
  for (const std::string& piece : pieces) {
    views.push_back(AsBytes(piece));
    expected += piece;
  }
  ASSERT_TRUE(file->WriteAt(5, views).ok());
  EXPECT_EQ(Read(*file, 5, expected.size() + 10), expected);
  EXPECT_TRUE(file->WriteAt(0, std::span<const Bytes>()).ok());
}

TEST_P(PosixFileTest, ContinuesAfterAShortTransferAtTheFileSizeLimit) {
  // RLIMIT_FSIZE cuts a write that crosses it short, and fails the next one: the transfer must go on
  // to the limit and then say EFBIG. In a child, since the limit is the process's.
  const std::string path = Path("f");
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {10000, 10000};
    setrlimit(RLIMIT_FSIZE, &limit);
    auto file = fs_->Open(path, OpenMode::kCreateExclusive);
    const std::string text(20000, 'x');
    const Bytes pieces[] = {AsBytes(text).subspan(0, 6000), AsBytes(text).subspan(6000)};
    const Status status = (*file)->WriteAt(0, pieces);
    const bool right = absl::IsResourceExhausted(status) && (*file)->Size().value() == 10000 &&
                       status.message().find("at 10000") != std::string::npos;
    _exit(right ? 0 : 1);
  }
  int result = 0;
  ASSERT_EQ(waitpid(child, &result, 0), child);
  EXPECT_EQ(result, 0);
}

TEST_P(PosixFileTest, WriteDurableIsSeenByReadsMappingsAndDirectReads) {
  auto file = Create("f");
  ASSERT_TRUE(file->Allocate(0, 65536).ok());
  auto mapping = file->Map(1 << 20).value();
  ASSERT_TRUE(file->WriteAt(4096, AsBytes(std::string(8192, 'c'))).ok());
  const auto block = AlignedBlock(8192, 'd');
  ASSERT_TRUE(file->WriteDurable(8192, Bytes(block.get(), 8192)).ok());
  EXPECT_EQ(Read(*file, 8191, 2), "cd");
  EXPECT_EQ(mapping->data()[8191], 'c');
  EXPECT_EQ(mapping->data()[8192], 'd');
  EXPECT_EQ(mapping->data()[16383], 'd');
  EXPECT_EQ(mapping->data()[16384], 0);
  std::vector<uint8_t> out(16384 + 1);
  // Not aligned on purpose: the seam asks for aligned offsets only.
  ASSERT_EQ(file->ReadDirect(4096, MutableBytes(out.data() + 1, 16384)).value(), 16384u);
  EXPECT_EQ(out[1], 'c');
  EXPECT_EQ(out[1 + 4096], 'd');
  EXPECT_EQ(out[1 + 12288], 0);
}

TEST_P(PosixFileTest, WriteDurableExtendsTheFile) {
  auto file = Create("f");
  const auto block = AlignedBlock(4096, 'z');
  ASSERT_TRUE(file->WriteDurable(4096, Bytes(block.get(), 4096)).ok());
  EXPECT_EQ(file->Size().value(), 8192u);
  EXPECT_EQ(Read(*file, 4095, 2), std::string("\0z", 2));
}

TEST_P(PosixFileTest, WriteDurableWorksOnAFileWhoseNameIsGone) {
  auto file = Create("f");
  ASSERT_TRUE(fs_->Unlink(Path("f")).ok());
  Create("f");  // another inode takes the name
  const auto block = AlignedBlock(4096, 'z');
  ASSERT_TRUE(file->WriteDurable(0, Bytes(block.get(), 4096)).ok());
  EXPECT_EQ(file->Size().value(), 4096u);
  EXPECT_EQ(std::filesystem::file_size(Path("f")), 0u);
}

TEST_P(PosixFileTest, ReadDirectStopsAtAnEndThatIsNotAligned) {
  auto file = Create("f");
  ASSERT_TRUE(file->WriteAt(0, AsBytes(std::string(5000, 'q'))).ok());
  ASSERT_TRUE(file->SyncData().ok());
  std::vector<uint8_t> out(12288);
  EXPECT_EQ(file->ReadDirect(0, out).value(), 5000u);
  EXPECT_EQ(out[4999], 'q');
  EXPECT_EQ(file->ReadDirect(8192, MutableBytes(out.data(), 4096)).value(), 0u);
}

TEST_P(PosixFileTest, AllocateExtendsWithZerosAndKeepsWhatIsThere) {
  auto file = Create("f");
  ASSERT_TRUE(file->WriteAt(0, AsBytes("keep")).ok());
  ASSERT_TRUE(file->Allocate(0, 100000).ok());
  EXPECT_EQ(file->Size().value(), 100000u);
  EXPECT_EQ(Read(*file, 0, 6), std::string("keep\0\0", 6));
  struct stat info;
  ASSERT_EQ(stat(Path("f").c_str(), &info), 0);
  EXPECT_GE(info.st_blocks * 512, 100000);
  ASSERT_TRUE(file->Allocate(0, 4096).ok());
  EXPECT_EQ(file->Size().value(), 100000u) << "must not shrink";
}

TEST_P(PosixFileTest, TruncateShrinksAndExtends) {
  auto file = Create("f");
  ASSERT_TRUE(file->WriteAt(0, AsBytes("abcdef")).ok());
  ASSERT_TRUE(file->Truncate(3).ok());
  ASSERT_TRUE(file->Truncate(5).ok());
  EXPECT_EQ(Read(*file, 0, 10), std::string("abc\0\0", 5));
}

TEST_P(PosixFileTest, MapReachesBeyondTheEndAndFollowsGrowth) {
  auto file = Create("f");
  auto mapping = file->Map(uint64_t{1} << 30).value();
  EXPECT_EQ(mapping->size(), uint64_t{1} << 30);
  ASSERT_TRUE(file->WriteAt(1 << 20, AsBytes("late")).ok());
  EXPECT_EQ(memcmp(mapping->data() + (1 << 20), "late", 4), 0);
}

TEST_P(PosixFileTest, MapRefusesWhatTheAddressSpaceCannotHold) {
  auto file = Create("f");
  EXPECT_TRUE(absl::IsResourceExhausted(file->Map(uint64_t{1} << 62).status()));
}

TEST_P(PosixFileTest, OpenModesAndTheirErrors) {
  const std::string path = Path("f");
  Status missing = fs_->Open(path, OpenMode::kReadWrite).status();
  EXPECT_TRUE(absl::IsNotFound(missing));
  EXPECT_THAT(std::string(missing.message()), HasSubstr(path));
  auto file = Create("f");
  EXPECT_TRUE(absl::IsAlreadyExists(fs_->Open(path, OpenMode::kCreateExclusive).status()));
  auto reader = fs_->Open(path, OpenMode::kReadOnly).value();
  EXPECT_EQ(reader->identity(), file->identity());
  Status refused = reader->WriteAt(0, AsBytes("x"));
  EXPECT_FALSE(refused.ok());
  EXPECT_THAT(std::string(refused.message()), HasSubstr(path));
  EXPECT_EQ(fs_->Open(directory_, OpenMode::kReadOnly).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST_P(PosixFileTest, DescriptorsAreNotInheritedAcrossExec) {
  auto file = Create("f");
  auto lock = fs_->TryLock(Path("f"), LockMode::kExclusive).value();
  const auto block = AlignedBlock(4096, 'z');
  ASSERT_TRUE(file->WriteDurable(0, Bytes(block.get(), 4096)).ok());
  int seen = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code error;
    if (std::filesystem::read_symlink(entry.path(), error) != Path("f")) continue;
    ++seen;
    EXPECT_TRUE(fcntl(std::stoi(entry.path().filename()), F_GETFD) & FD_CLOEXEC);
  }
  EXPECT_GE(seen, 2);
}

TEST_P(PosixFileTest, RenameReplacesAndRenameNoReplaceDoesNot) {
  auto a = Create("a");
  auto b = Create("b");
  EXPECT_TRUE(absl::IsAlreadyExists(fs_->RenameNoReplace(Path("a"), Path("b"))));
  EXPECT_EQ(fs_->Identify(Path("b")).value(), b->identity());
  ASSERT_TRUE(fs_->RenameNoReplace(Path("a"), Path("c")).ok());
  EXPECT_TRUE(absl::IsNotFound(fs_->Identify(Path("a")).status()));
  ASSERT_TRUE(fs_->Rename(Path("c"), Path("b")).ok());
  EXPECT_EQ(fs_->Identify(Path("b")).value(), a->identity());
  EXPECT_TRUE(absl::IsNotFound(fs_->Rename(Path("c"), Path("b"))));
  EXPECT_TRUE(fs_->SyncParentDirectory(Path("b")).ok());
  ASSERT_TRUE(fs_->Unlink(Path("b")).ok());
  EXPECT_TRUE(absl::IsNotFound(fs_->Unlink(Path("b"))));
}

TEST_P(PosixFileTest, RealPathFollowsLinksAndAllowsAMissingName) {
  Create("real");
  std::filesystem::create_symlink(Path("real"), Path("link"));
  std::filesystem::create_symlink("not_yet", Path("dangling"));
  std::filesystem::create_symlink("loop", Path("loop"));
  EXPECT_EQ(fs_->RealPath(Path("link")).value(), Path("real"));
  EXPECT_EQ(fs_->RealPath(directory_ + "/./new").value(), Path("new"));
  EXPECT_EQ(fs_->RealPath(Path("dangling")).value(), Path("not_yet"));
  EXPECT_FALSE(fs_->RealPath(Path("loop")).ok());
  EXPECT_TRUE(absl::IsNotFound(fs_->RealPath(Path("no/such")).status()));
}

TEST_P(PosixFileTest, ExclusiveLockExcludesInTheSameProcessAndSaysSo) {
  Create("f");
  auto lock = fs_->TryLock(Path("f"), LockMode::kExclusive).value();
  for (LockMode mode : {LockMode::kExclusive, LockMode::kShared}) {
    Status status = fs_->TryLock(Path("f"), mode).status();
    EXPECT_TRUE(absl::IsUnavailable(status));
    EXPECT_THAT(std::string(status.message()), HasSubstr("this process"));
  }
  lock.reset();
  auto shared = fs_->TryLock(Path("f"), LockMode::kShared).value();
  auto another = fs_->TryLock(Path("f"), LockMode::kShared).value();
  EXPECT_TRUE(absl::IsUnavailable(fs_->TryLock(Path("f"), LockMode::kExclusive).status()));
}

TEST_P(PosixFileTest, LockOutlivesTheClosingOfOtherDescriptorsAndMappings) {
  auto file = Create("f");
  auto lock = fs_->TryLock(Path("f"), LockMode::kExclusive).value();
  ASSERT_TRUE(file->WriteAt(0, AsBytes("x")).ok());
  auto mapping = file->Map(4096).value();
  file.reset();
  fs_->Open(Path("f"), OpenMode::kReadOnly).value().reset();
  EXPECT_TRUE(absl::IsUnavailable(fs_->TryLock(Path("f"), LockMode::kExclusive).status()));
  lock.reset();
  EXPECT_TRUE(fs_->TryLock(Path("f"), LockMode::kExclusive).ok()) << "the mapping must not hold it";
}

// Runs `body` in a forked child and answers its exit code.
template <typename Body>
int InChild(Body body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int result = -1;
  EXPECT_EQ(waitpid(child, &result, 0), child);
  return WIFEXITED(result) ? WEXITSTATUS(result) : 1000 + result;
}

TEST_P(PosixFileTest, TheHolderInAnotherProcessIsNamed) {
  Create("f");
  int ready[2], done[2];
  ASSERT_EQ(pipe(ready), 0);
  ASSERT_EQ(pipe(done), 0);
  const pid_t child = fork();
  if (child == 0) {
    close(done[1]);
    auto lock = FileSystem::Posix()->TryLock(Path("f"), LockMode::kExclusive);
    char byte = lock.ok() ? 'y' : 'n';
    (void)!write(ready[1], &byte, 1);
    (void)!read(done[0], &byte, 1);
    _exit(0);
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  ASSERT_EQ(byte, 'y');
  Status status = fs_->TryLock(Path("f"), LockMode::kExclusive).status();
  EXPECT_TRUE(absl::IsUnavailable(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("process " + std::to_string(child) + " ("));
  close(done[1]);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_TRUE(fs_->TryLock(Path("f"), LockMode::kExclusive).ok()) << "death releases the lock";
  for (int fd : {ready[0], ready[1], done[0]}) close(fd);
}

TEST_P(PosixFileTest, AForkedChildHasNoDescriptorAndCannotReleaseTheLock) {
  auto file = Create("f");
  ASSERT_TRUE(file->WriteAt(0, AsBytes("x")).ok());
  auto lock = fs_->TryLock(Path("f"), LockMode::kExclusive).value();
  auto mapping = file->Map(4096).value();
  const uint64_t generation = ForkGeneration();
  EXPECT_EQ(InChild([&] {
              for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
                std::error_code error;
                if (std::filesystem::read_symlink(entry.path(), error) == Path("f")) return 1;
              }
              if (ForkGeneration() == generation) return 2;
              // The numbers now belong to others, whom the stale handles must not touch.
              const int other = open("/dev/null", O_RDONLY);
              uint8_t byte;
              if (file->ReadAt(0, MutableBytes(&byte, 1)).ok()) return 3;
              if (file->SyncData().ok()) return 4;
              lock.reset();
              file.reset();
              mapping.reset();
              if (fcntl(other, F_GETFD) < 0) return 5;
              // The parent's lock stands, against the child too.
              if (FileSystem::Posix()->TryLock(Path("f"), LockMode::kExclusive).ok()) return 6;
              // And the child can use files of its own.
              auto mine = FileSystem::Posix()->Open(Path("f"), OpenMode::kReadOnly);
              if (!mine.ok() || Read(**mine, 0, 1) != "x") return 7;
              return 0;
            }),
            0);
  EXPECT_EQ(ForkGeneration(), generation);
  EXPECT_EQ(Read(*file, 0, 1), "x");
  EXPECT_TRUE(absl::IsUnavailable(fs_->TryLock(Path("f"), LockMode::kExclusive).status()));
  lock.reset();
  EXPECT_TRUE(fs_->TryLock(Path("f"), LockMode::kExclusive).ok());
}

TEST_P(PosixFileTest, AChildThatOutlivesTheParentsCloseDoesNotKeepTheLock) {
  Create("f");
  auto lock = fs_->TryLock(Path("f"), LockMode::kExclusive).value();
  int done[2];
  ASSERT_EQ(pipe(done), 0);
  const pid_t child = fork();
  if (child == 0) {
    close(done[1]);
    char byte;
    (void)!read(done[0], &byte, 1);
    _exit(0);
  }
  lock.reset();
  EXPECT_TRUE(fs_->TryLock(Path("f"), LockMode::kExclusive).ok());
  close(done[1]);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  close(done[0]);
}

TEST_P(PosixFileTest, ThreadsMayOpenAndCloseWhileTheProcessForks) {
  Create("f");
  std::atomic<bool> stop{false};
  std::thread opener([&] {
    while (!stop) {
      auto file = fs_->Open(Path("f"), OpenMode::kReadWrite).value();
    }
  });
  int failures = 0;
  for (int i = 0; i < 50; ++i) {
    failures += InChild([&] {
      for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        std::error_code error;
        if (std::filesystem::read_symlink(entry.path(), error) == Path("f")) return 1;
      }
      return 0;
    });
  }
  stop = true;
  opener.join();
  EXPECT_EQ(failures, 0);
}

TEST_P(PosixFileTest, EverySystemErrorNamesTheFile) {
  auto lock = fs_->TryLock(Path("none"), LockMode::kShared);
  EXPECT_TRUE(absl::IsNotFound(lock.status()));
  EXPECT_THAT(std::string(lock.status().message()), HasSubstr(Path("none")));
  EXPECT_TRUE(absl::IsNotFound(fs_->SyncParentDirectory(Path("no/such/file"))));
}

}  // namespace
}  // namespace kvsql::pager
