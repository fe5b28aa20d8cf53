#include "pager/log_file.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/hash.h"
#include "pager/test_switches.h"

namespace kvsql::pager {
namespace {

constexpr uint64_t kZeroBytes = uint64_t{64} << 10;
// Whoever crashes while creating a log leaves this behind; the next creator takes it away.
constexpr char kTemporarySuffix[] = "-new";

std::array<uint8_t, kLogBlockSize> HeaderBlock(const LogIdentity& identity) {
  LogFileHeader header{};
  std::memcpy(header.magic, kLogMagic, sizeof(header.magic));
  header.format_version = kLogFormatVersion;
  header.block_size = kLogBlockSize;
  std::memcpy(header.database_id, identity.database_id.data(), sizeof(header.database_id));
  header.log_id = identity.log_id;
  header.checksum = Hash64(&header, offsetof(LogFileHeader, checksum), 0);
  std::array<uint8_t, kLogBlockSize> block{};
  std::memcpy(block.data(), &header, sizeof(header));
  return block;
}

// The file's first block, cut at the end of the file.
StatusOr<size_t> ReadFirstBlock(File* file, std::array<uint8_t, kLogBlockSize>* block) {
  block->fill(0);
  return file->ReadAt(0, MutableBytes(block->data(), block->size()));
}

bool HasMagic(const std::array<uint8_t, kLogBlockSize>& block, size_t size) {
  return size >= sizeof(LogFileHeader) &&
         std::memcmp(block.data(), kLogMagic, sizeof(LogFileHeader::magic)) == 0;
}

// Removes what a crashed creator left at `path`, but nothing else.
Status RemoveTemporary(FileSystem* fs, const std::string& path) {
  auto file = fs->Open(path, OpenMode::kReadOnly);
  if (absl::IsNotFound(file.status())) return absl::OkStatus();
  KV_RETURN_IF_ERROR(file.status());
  std::array<uint8_t, kLogBlockSize> block;
  KV_ASSIGN_OR_RETURN(const size_t size, ReadFirstBlock(file->get(), &block));
  // Power failure may leave the name and the length without the bytes.
  const bool blank = std::all_of(block.begin(), block.end(), [](uint8_t b) { return b == 0; });
  if (!blank && !HasMagic(block, size)) {
    return absl::AlreadyExistsError(
        absl::StrCat(path, " is in the way of a new commit log and is not kvsql's"));
  }
  return fs->Unlink(path);
}

Status FillNewLog(File* file, const LogIdentity& identity, uint64_t size) {
  const std::array<uint8_t, kLogBlockSize> header = HeaderBlock(identity);
  KV_RETURN_IF_ERROR(ExtendWithZeros(file, 0, size));
  KV_RETURN_IF_ERROR(file->WriteAt(0, Bytes(header)));
  if (KV_BROKEN(kLogCreateSkipSync)) return absl::OkStatus();
  return file->SyncData();
}

}  // namespace

StatusOr<std::unique_ptr<File>> CreateLogFile(FileSystem* fs, const std::string& path,
                                              const LogIdentity& identity, uint64_t size) {
  {
    auto existing = fs->Open(path, OpenMode::kReadOnly);
    if (existing.ok()) {
      KV_ASSIGN_OR_RETURN(const bool ours, IsLogFile(existing->get()));
      if (!ours) {
        return absl::AlreadyExistsError(
            absl::StrCat(path, " exists and is not a kvsql commit log; it was left alone"));
      }
    } else if (!absl::IsNotFound(existing.status())) {
      return existing.status();
    }
  }
  const std::string temporary = path + kTemporarySuffix;
  KV_RETURN_IF_ERROR(RemoveTemporary(fs, temporary));
  KV_ASSIGN_OR_RETURN(std::unique_ptr<File> file, fs->Open(temporary, OpenMode::kCreateExclusive));
  Status status = FillNewLog(file.get(), identity, size);
  if (status.ok()) status = fs->Rename(temporary, path);
  if (!status.ok()) {
    (void)fs->Unlink(temporary);
    return status;
  }
  if (!KV_BROKEN(kLogCreateSkipDirectorySync)) {
    KV_RETURN_IF_ERROR(fs->SyncParentDirectory(path));
  }
  return file;
}

StatusOr<OpenedLogFile> OpenLogFile(FileSystem* fs, const std::string& path,
                                    const LogIdentity& identity) {
  auto file = fs->Open(path, OpenMode::kReadWrite);
  if (absl::IsNotFound(file.status())) {
    return DataLoss("commit log ", path,
                    " is missing, but the database needs it: its latest commits are only there");
  }
  KV_RETURN_IF_ERROR(file.status());
  OpenedLogFile opened{.file = std::move(file).value()};
  KV_RETURN_IF_ERROR(CheckLogHeader(opened.file.get(), path, identity));
  KV_ASSIGN_OR_RETURN(const uint64_t size, opened.file->Size());
  const uint64_t blocks = std::min<uint64_t>(size / kLogBlockSize, UINT32_MAX);
  // A crash in the middle of growth may have left a hole, and a commit must not be the one to find out
  // that the disk is full.
  if (blocks > kLogFirstBlock && opened.file->Allocate(0, blocks * kLogBlockSize).ok()) {
    opened.usable_blocks = static_cast<uint32_t>(blocks);
  }
  return opened;
}

Status RemoveLogFile(FileSystem* fs, const std::string& path) {
  auto file = fs->Open(path, OpenMode::kReadOnly);
  if (absl::IsNotFound(file.status())) return absl::OkStatus();
  KV_RETURN_IF_ERROR(file.status());
  KV_ASSIGN_OR_RETURN(const bool ours, IsLogFile(file->get()));
  if (!ours) {
    return absl::FailedPreconditionError(
        absl::StrCat(path, " is not a kvsql commit log; it was left alone"));
  }
  return fs->Unlink(path);
}

Status ExtendWithZeros(File* file, uint64_t from, uint64_t to) {
  static constexpr std::array<uint8_t, kZeroBytes> kZeros{};
  // First the blocks, so that a full disk is met before anything is written; then the zeros, since a
  // write into blocks that were never written costs a journal commit of its own.
  KV_RETURN_IF_ERROR(file->Allocate(from, to - from));
  for (uint64_t at = from; at < to; at += kZeroBytes) {
    KV_RETURN_IF_ERROR(file->WriteAt(at, Bytes(kZeros.data(), std::min(kZeroBytes, to - at))));
  }
  return absl::OkStatus();
}

StatusOr<bool> IsLogFile(File* file) {
  std::array<uint8_t, kLogBlockSize> block;
  KV_ASSIGN_OR_RETURN(const size_t size, ReadFirstBlock(file, &block));
  return HasMagic(block, size);
}

Status CheckLogHeader(File* file, const std::string& path, const LogIdentity& identity) {
  std::array<uint8_t, kLogBlockSize> block;
  KV_ASSIGN_OR_RETURN(const size_t size, ReadFirstBlock(file, &block));
  if (!HasMagic(block, size)) return DataLoss(path, " is not a kvsql commit log");
  LogFileHeader header;
  std::memcpy(&header, block.data(), sizeof(header));
  if (header.checksum != Hash64(&header, offsetof(LogFileHeader, checksum), 0)) {
    return DataLoss("commit log ", path, ": the header's checksum is wrong");
  }
  if (header.format_version != kLogFormatVersion || header.block_size != kLogBlockSize) {
    return absl::UnimplementedError(absl::StrCat(
        "commit log ", path, " has format version ", header.format_version, " and block size ",
        header.block_size, "; this kvsql knows ", kLogFormatVersion, " and ", kLogBlockSize));
  }
  if (std::memcmp(header.database_id, identity.database_id.data(), sizeof(header.database_id)) !=
      0) {
    return DataLoss("commit log ", path, " belongs to another database");
  }
  if (header.log_id != identity.log_id) {
    return DataLoss("commit log ", path, " has log id ", header.log_id,
                    ", but the database names log id ", identity.log_id);
  }
  return absl::OkStatus();
}

uint64_t LogSeed(const LogIdentity& identity) {
  return KV_BROKEN(kLogNoGenerationSalt) ? 0 : identity.salt;
}

uint64_t LogRecordChecksum(const uint8_t* record, uint64_t seed) {
  constexpr size_t kSkipped = sizeof(LogRecordHeader::checksum);
  const auto* header = reinterpret_cast<const LogRecordHeader*>(record);
  return Hash64(record + kSkipped, sizeof(LogRecordHeader) - kSkipped + header->length, seed);
}

}  // namespace kvsql::pager
