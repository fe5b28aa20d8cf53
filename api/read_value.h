// Finding a keyspace's value and handing it to whoever wants it, with as few copies as there can be.
#ifndef KVSQL_API_READ_VALUE_H_
#define KVSQL_API_READ_VALUE_H_

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "kv/keyspace_ops.h"
#include "kv/value_codec.h"

namespace kvsql::internal {

// What takes a value: all of it at once by Take, or, compressed, into the room that Room gives for so many
// bytes. A Room that gives null has the value put together elsewhere, and taken then.

// Into a string, whose capacity is used again.
struct IntoString {
  std::string* to;

  void Take(std::string_view value) const { to->assign(value.data(), value.size()); }
  char* Room(size_t size) const {
    to->resize(size);
    return to->data();
  }
};

// Into a buffer, as far as it goes; *size becomes the value's.
struct IntoBuffer {
  std::span<char> to;
  size_t* size;

  void Take(std::string_view value) const {
    *size = value.size();
    std::copy_n(value.data(), std::min(value.size(), to.size()), to.data());
  }
  char* Room(size_t bytes) const {
    *size = bytes;
    return bytes <= to.size() ? to.data() : nullptr;
  }
};

// To a function of a string_view.
template <typename Use>
struct IntoUse {
  Use use;

  void Take(std::string_view value) { use(value); }
  static char* Room(size_t) { return nullptr; }
};

// A value that does not stand in its leaf as it is: large, compressed, or both.
template <typename Into>
[[gnu::noinline]] Status TakeSlowly(const kv::Reader& reader, const kv::ValueCodec* codec,
                                    const btree::ValueRef& ref, Into& into) {
  btree::LargeValue cell(ref.view());
  if (ref.is_large) {
    KV_ASSIGN_OR_RETURN(cell, btree::ReadLarge(reader.pages(), ref));
  }
  std::string_view plain = cell.view();
  if (codec != nullptr) {
    kv::PackedValue packed;
    switch (kv::ReadValueCell(cell.view(), &plain, &packed)) {
      case kv::CellForm::kPlain:
        break;
      case kv::CellForm::kPacked: {
        if (char* const room = into.Room(packed.size); room != nullptr) {
          return codec->Unpack(packed, room) ? absl::OkStatus() : kv::DamagedPackedValue();
        }
        KV_ASSIGN_OR_RETURN(cell, codec->UnpackOwned(packed));
        plain = cell.view();
        break;
      }
      case kv::CellForm::kDamaged:
        return kv::DamagedPackedValue();
    }
  }
  into.Take(plain);
  return absl::OkStatus();
}

// Hands the value of `key` to `into`; false if there is none. The whole warm path of a get: one search, no
// allocation.
template <typename Into>
StatusOr<bool> TakeValue(kv::Reader reader, const kv::KeyspaceRef& keyspace, std::string_view key,
                         Into into) {
  btree::ValueRef ref;
  switch (reader.Find(keyspace.tree, key, &ref)) {
    case btree::FindResult::kFound:
      break;
    case btree::FindResult::kNotFound:
      return false;
    case btree::FindResult::kError:
      return reader.FindError(keyspace.tree, key);
  }
  if (!ref.is_large && keyspace.compressed == nullptr) [[likely]] {
    into.Take(ref.view());
    return true;
  }
  KV_RETURN_IF_ERROR(TakeSlowly(reader, keyspace.Codec(reader), ref, into));
  return true;
}

}  // namespace kvsql::internal

#endif  // KVSQL_API_READ_VALUE_H_
