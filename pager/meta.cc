#include "pager/meta.h"

#include <sys/random.h>

#include <cstring>
#include <random>

#include "base/bytes.h"
#include "base/hash.h"

namespace kvsql::pager {
namespace {

uint64_t SlotChecksum(const uint8_t* slot) {
  uint8_t copy[kMetaSlotBytes];
  std::memcpy(copy, slot, kMetaSlotBytes);
  StoreLe<uint64_t>(copy + offsetof(MetaPage, checksum), 0);
  return Hash64(copy, kMetaSlotBytes, kMetaMagic);
}

}  // namespace

LogPosition MetaPage::log_position() const {
  LogPosition position;
  position.offset = log_offset;
  position.next_sequence = log_next_sequence;
  position.last_checksum = log_last_checksum;
  position.next_flush = log_next_flush;
  return position;
}

void MetaPage::set_log_position(const LogPosition& position) {
  log_offset = position.offset;
  log_next_sequence = position.next_sequence;
  log_last_checksum = position.last_checksum;
  log_next_flush = position.next_flush;
}

void EncodeMeta(const MetaPage& meta, uint8_t* slot) {
  std::memset(slot, 0, kMetaSlotBytes);
  MetaPage copy = meta;
  copy.checksum = 0;
  std::memcpy(slot, &copy, sizeof(copy));
  StoreLe<uint64_t>(slot + offsetof(MetaPage, checksum), SlotChecksum(slot));
}

StatusOr<MetaPage> DecodeMeta(const uint8_t* slot, bool read_only) {
  MetaPage meta;
  std::memcpy(&meta, slot, sizeof(meta));
  if (meta.magic != kMetaMagic) return DataLoss("no kvsql magic");
  const uint64_t expected = SlotChecksum(slot);
  if (meta.checksum != expected) {
    return DataLoss("checksum is ", absl::Hex(meta.checksum), ", expected ", absl::Hex(expected));
  }
  if (meta.format_version != kFormatVersion) {
    return absl::FailedPreconditionError(absl::StrCat("format version ", meta.format_version,
                                                      "; this build knows ", kFormatVersion));
  }
  if (meta.incompatible_features != 0 || (!read_only && meta.read_only_features != 0)) {
    return absl::FailedPreconditionError(
        absl::StrCat("features ", absl::Hex(meta.incompatible_features), "/",
                     absl::Hex(meta.read_only_features), " that this build does not know"));
  }
  const bool sane = meta.page_size >= 4096 && meta.page_size <= 65536 &&
                    (meta.page_size & (meta.page_size - 1)) == 0 && meta.page_count >= 1 &&
                    meta.map_directory < meta.page_count;
  if (!sane) {
    return DataLoss("page size ", meta.page_size, ", page count ", meta.page_count,
                    ", map directory ", meta.map_directory);
  }
  return meta;
}

uint64_t RandomBits() {
  uint64_t bits = 0;
  if (getrandom(&bits, sizeof(bits), 0) != static_cast<ssize_t>(sizeof(bits))) {
    std::random_device device;
    bits = (uint64_t{device()} << 32) | device();
  }
  return bits;
}

}  // namespace kvsql::pager
