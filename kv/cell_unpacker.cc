#include "kv/cell_unpacker.h"

#include <algorithm>
#include <new>

#include "base/bytes.h"

namespace kvsql::kv {
namespace {

// What column_decode.h may read in front of a cell.
constexpr size_t kInFront = 8;
// Kept from one use to the next; more is given back.
constexpr size_t kKeptBytes = size_t{4} << 20;

}  // namespace

StatusOr<bool> CellUnpacker::Unpack(const ValueCodec& codec, btree::ValueRef* cells,
                                    uint32_t count) {
  size_t room = kInFront;
  bool any = false;
  PackedValue packed;
  for (uint32_t i = 0; i < count; ++i) {
    if (cells[i].is_large) continue;
    switch (ReadRowCell(cells[i].view(), &packed)) {
      case CellForm::kPlain:
        break;
      case CellForm::kPacked:
        any = true;
        room += packed.size;
        break;
      case CellForm::kDamaged:
        return DamagedPackedValue();
    }
  }
  if (!any) return false;
  if (room > capacity_ || (capacity_ > kKeptBytes && room <= kKeptBytes)) {
    capacity_ = 0;
    plain_.reset(new (std::nothrow) char[room + room / 4]);
    if (plain_ == nullptr) {
      return absl::ResourceExhaustedError(
          absl::StrCat("no memory for ", room, " bytes of compressed rows"));
    }
    capacity_ = room + room / 4;
    std::fill_n(plain_.get(), kInFront, '\0');
  }
  char* to = plain_.get() + kInFront;
  for (uint32_t i = 0; i < count; ++i) {
    if (cells[i].is_large) continue;
    if (ReadRowCell(cells[i].view(), &packed) != CellForm::kPacked) continue;
    if (!codec.Unpack(packed, to)) return DamagedPackedValue();
    cells[i].data = AsBytes({to, packed.size});
    cells[i].size = packed.size;
    to += packed.size;
  }
  return true;
}

}  // namespace kvsql::kv
