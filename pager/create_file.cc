#include "pager/create_file.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "pager/meta.h"

namespace kvsql::pager {
namespace {

// The first content is two meta slots, or one page if that is more.
constexpr uint64_t kLargestImage = 65536;

// Where one process creates the same file in two threads, the names must differ too.
std::string TemporaryName(const std::string& path) {
  return absl::StrCat(path, "-new-", absl::Hex(RandomBits(), absl::kZeroPad16));
}

}  // namespace

StatusOr<bool> CreateDatabaseFile(FileSystem* fs, const std::string& path, Bytes image) {
  const std::string temporary = TemporaryName(path);
  Status status;
  {
    KV_ASSIGN_OR_RETURN(const std::unique_ptr<File> file,
                        fs->Open(temporary, OpenMode::kCreateExclusive));
    status = file->WriteAt(0, image);
    if (status.ok()) status = file->SyncData();
  }
  if (status.ok()) status = fs->RenameNoReplace(temporary, path);
  if (!status.ok()) (void)fs->Unlink(temporary);
  if (!status.ok() && !absl::IsAlreadyExists(status)) return status;
  // The loser too: it may commit to the winner's file before the winner comes to sync the name.
  KV_RETURN_IF_ERROR(fs->SyncParentDirectory(path));
  return status.ok();
}

StatusOr<bool> IsUnborn(File* file) {
  KV_ASSIGN_OR_RETURN(const uint64_t size, file->Size());
  if (size == 0) return true;
  if (size > kLargestImage) return false;
  std::vector<uint8_t> bytes(size);
  KV_ASSIGN_OR_RETURN(const size_t got, file->ReadAt(0, MutableBytes(bytes)));
  bytes.resize(got);
  // A meta that verifies is a database, even an empty one.
  if (got >= kMetaSlotBytes) {
    const StatusOr<MetaPage> meta = DecodeMeta(bytes.data(), /*read_only=*/true);
    if (meta.ok() || absl::IsFailedPrecondition(meta.status())) return false;
  }
  // Otherwise: each byte of the magic has arrived or has not, and no second meta was ever written.
  uint8_t magic[sizeof(kMetaMagic)];
  std::memcpy(magic, &kMetaMagic, sizeof(magic));
  for (size_t i = 0; i < std::min(got, sizeof(magic)); ++i) {
    if (bytes[i] != 0 && bytes[i] != magic[i]) return false;
  }
  return std::all_of(bytes.begin() + static_cast<ptrdiff_t>(std::min(got, sizeof(MetaPage))),
                     bytes.end(), [](uint8_t b) { return b == 0; });
}

Status InitialiseInPlace(FileSystem* fs, File* file, const std::string& path, Bytes image) {
  // The length first, so that a torn second write finds zeros everywhere else.
  KV_RETURN_IF_ERROR(file->Allocate(0, image.size()));
  KV_RETURN_IF_ERROR(file->WriteAt(0, image));
  KV_RETURN_IF_ERROR(file->SyncData());
  return fs->SyncParentDirectory(path);
}

}  // namespace kvsql::pager
