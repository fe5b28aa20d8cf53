// The two meta slots: what a file is, and which state of it is the newest durable one (S27).
//
// Slots of 4 KiB stand at byte offsets 0 and 4096, whatever the page size. A meta is written to the slot
// that does not hold the newest durable one, so a torn write leaves that one intact. `counter` decides
// which of two valid metas is newer. A slot that does not verify is never interpreted further, and its
// bytes are never written back with a fresh checksum.
#ifndef KVSQL_PAGER_META_H_
#define KVSQL_PAGER_META_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/status.h"
#include "pager/log_types.h"
#include "pager/types.h"

namespace kvsql::pager {

inline constexpr uint32_t kMetaSlotBytes = 4096;
inline constexpr int kMetaSlots = 2;
inline constexpr uint64_t kMetaMagic =
    0x0a0d4c51'53564b8b;  // "\x8bKVSQL\r\n" read as little-endian
inline constexpr uint32_t kFormatVersion = 1;

using DatabaseId = std::array<uint8_t, 16>;

// On disk, little-endian. The rest of the slot is zero and covered by the checksum.
struct MetaPage {
  uint64_t magic = kMetaMagic;
  uint32_t format_version = kFormatVersion;
  uint32_t page_size = 0;
  uint32_t compatible_features = 0;    // unknown bits: ignore
  uint32_t read_only_features = 0;     // unknown bits: open read-only
  uint32_t incompatible_features = 0;  // unknown bits: refuse
  uint32_t reserved = 0;
  DatabaseId database_id{};
  uint64_t salt = 0;  // seeds page checksums
  uint64_t counter = 0;
  uint64_t txid = 0;
  uint32_t page_count = 0;
  uint32_t map_directory = 0;  // first page of the directory; 0: nothing is allocated
  uint64_t log_id = 0;         // 0: no log; a leftover is ignored
  uint64_t log_generation = 0;
  uint64_t log_salt = 0;
  uint64_t log_offset = 0;
  uint64_t log_next_sequence = 0;
  uint64_t log_last_checksum = 0;
  uint64_t log_next_flush = 0;
  uint64_t checksum = 0;  // of the whole slot with this field zero

  LogPosition log_position() const;
  void set_log_position(const LogPosition& position);
};
static_assert(sizeof(MetaPage) == 144);
static_assert(offsetof(MetaPage, database_id) == 32);
static_assert(offsetof(MetaPage, txid) == 64);
static_assert(offsetof(MetaPage, log_id) == 80);
static_assert(offsetof(MetaPage, checksum) == 136);

// Fills `slot` (kMetaSlotBytes) with the meta and its checksum.
void EncodeMeta(const MetaPage& meta, uint8_t* slot);

// Reads a slot. DATA_LOSS: it does not verify. FAILED_PRECONDITION: valid, but of a format version or with
// features that this build does not know.
StatusOr<MetaPage> DecodeMeta(const uint8_t* slot, bool read_only);

// Random bits from the operating system.
uint64_t RandomBits();

}  // namespace kvsql::pager

#endif  // KVSQL_PAGER_META_H_
