// What a simulated disk remembers: the bytes and names that are durable, and what has been asked of it since.
//
// A DiskState is a value. The simulated file system (tests/support/sim_file.h) changes one as the calls
// come in; a copy of it at some moment is all that is needed to make any crash image of that moment
// (tests/support/crash_plan.h). Copies share their blocks, so keeping hundreds of them is cheap.
//
//   durable bytes, size        what a power failure cannot take away
//   pending operations         in the order of the calls: written but not synced. Of the writes any subset may
//                              be on the disk, sector by sector; of the changes of size any first part
//   durable names              the directory after its last sync
//   directory operations       created, removed or renamed since
//   graveyard                  bytes of removed or cut files: what may shine through in blocks that were
//                              given to a file but not yet written
//
// Thread safety: none; the file system has a mutex.
//
// Invariants:
//  1. Of two writes to one sector the later is never on the disk without the earlier below it: a sector's
//     content is that of some moment (crash plans may tear it at a byte where the caller allows that).
//  2. Applying all pending operations in order gives what the page cache shows, unless a failed sync
//     dropped some.
#ifndef KVSQL_TESTS_SUPPORT_SIM_DISK_H_
#define KVSQL_TESTS_SUPPORT_SIM_DISK_H_

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "pager/file.h"

namespace kvsql::testing {

using pager::Bytes;
using pager::MutableBytes;

inline constexpr uint64_t kSector = 512;
inline constexpr uint64_t kSimBlock = 4096;

// A file's bytes in shared blocks; absent blocks are zero.
class BlockBytes {
 public:
  uint64_t size() const { return size_; }
  // Bytes past the end read as zero.
  void Read(uint64_t offset, MutableBytes out) const;
  // Does not extend: what lies past the end is ignored.
  void Write(uint64_t offset, Bytes data);
  // New bytes are zero, also those that an earlier cut dropped.
  void Resize(uint64_t size);
  std::vector<uint8_t> ToVector() const;

 private:
  using Block = std::array<uint8_t, kSimBlock>;
  std::vector<std::shared_ptr<Block>> blocks_;
  uint64_t size_ = 0;
};

struct PendingOp {
  enum class Kind : uint8_t { kWrite, kResize };

  uint64_t id = 0;  // unique in the disk, ascending
  Kind kind = Kind::kWrite;
  // kWrite
  uint64_t offset = 0;
  std::shared_ptr<const std::vector<uint8_t>> data;
  std::vector<bool>
      settled;  // sectors, from that of `offset` on, that are durable or superseded; may be empty
  bool byte_tears = false;   // may be torn at any byte, not only between sectors
  bool noise_tears = false;  // a sector that was being written may hold anything
  // kResize
  uint64_t size = 0;

  uint64_t first_sector() const { return offset / kSector; }
  uint64_t sectors() const { return (offset + data->size() - 1) / kSector - offset / kSector + 1; }
  bool Settled(uint64_t sector) const {
    return !settled.empty() && settled[sector - first_sector()];
  }
  // The part of the data that lies in the sector.
  Bytes PartIn(uint64_t sector, uint64_t* part_offset) const;
};

struct DiskFile {
  BlockBytes durable;
  std::vector<PendingOp> pending;
  // A failed sync dropped pending writes: page cache and disk differ.
  bool dropped = false;

  // Makes everything pending durable (fdatasync).
  void PersistAll();
  // Makes the changes of size durable, the writes not.
  void PersistSize();
  // Makes the write durable, and nothing else except the size, if the write lies beyond the durable one.
  void PersistWrite(uint64_t id);
  // What the disk would show once all that is pending has arrived.
  BlockBytes View() const;
};

struct DirectoryOp {
  enum class Kind : uint8_t { kCreate, kRemove, kRename };

  Kind kind = Kind::kCreate;
  std::string from;  // kRename, kRemove
  std::string to;    // kCreate, kRename
  uint64_t inode = 0;

  void Apply(std::map<std::string, uint64_t>* names) const;
};

struct DiskState {
  std::map<uint64_t, DiskFile> files;
  std::map<std::string, uint64_t> names;
  std::vector<DirectoryOp> directory_ops;
  std::vector<BlockBytes> graveyard;
  uint64_t next_inode = 1;
  uint64_t next_op = 1;

  // The names once all directory operations have arrived.
  std::map<std::string, uint64_t> VisibleNames() const;
  // Whether the inode may still get, or have, a name.
  bool MayBeNamed(uint64_t inode) const;
  // Keeps the bytes as possible leftovers; only the last few are kept.
  void Bury(BlockBytes bytes);
  // The directory that holds a path.
  static std::string ParentOf(const std::string& path);
  // Makes the directory operations in `directory` durable.
  void PersistDirectory(const std::string& directory);
};

}  // namespace kvsql::testing

#endif  // KVSQL_TESTS_SUPPORT_SIM_DISK_H_
