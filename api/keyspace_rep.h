// What a Keyspace handle is.
#ifndef KVSQL_API_KEYSPACE_REP_H_
#define KVSQL_API_KEYSPACE_REP_H_

#include <kvsql/keyspace.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/handle.h"
#include "kv/keyspace_ops.h"
#include "kv/schema.h"

namespace kvsql::internal {

class KeyspaceRep : public Handle<KeyspaceRep> {
 public:
  using Handle::Handle;

  // As of the state last bound.
  kv::TreeId tree() const { return ref_.tree; }
  const kv::KeyspaceRef& ref() const { return ref_; }

  Status Bind(kv::Reader reader) {
    KV_ASSIGN_OR_RETURN(const kv::KeyspaceDef* const def, reader.FindKeyspace(name_));
    if (def == nullptr) {
      Unbound();
      return NoSuchError("keyspace", name_);
    }
    ref_ = kv::KeyspaceRef(*def);
    Bound(reader.schema_generation());
    return absl::OkStatus();
  }

  // The slot of for_each; not the one of other reads, which a visitor may do.
  kv::ReadTxn& walk() {
    if (walk_.store() == nullptr) walk_ = kv::ReadTxn(database_->store());
    return walk_;
  }

  // Copies of a call's arguments, which inside a transaction may be views that end with the first change.
  struct Arguments {
    std::string_view key;
    std::string_view value;
  };
  Arguments Keep(WriteTo to, std::string_view key, std::string_view value = {}) {
    if (!WriteTarget::IsInside(to)) return {key, value};
    if (scratch_.capacity() > kScratchToKeep && key.size() + value.size() < kScratchToKeep) {
      scratch_ = std::string();
    }
    scratch_.assign(key).append(value);
    const std::string_view both = scratch_;
    return {both.substr(0, key.size()), both.substr(key.size())};
  }

 private:
  static constexpr size_t kScratchToKeep = 256 * 1024;

  kv::KeyspaceRef ref_{kv::TreeId{0}};
  kv::ReadTxn walk_;  // without a store until it is needed
  std::string scratch_;
};

// Fills PinnedBytes, which nobody else can.
struct PinnedAccess {
  static PinnedBytes View(std::string_view bytes) {
    PinnedBytes pinned;
    pinned.view_ = bytes;
    return pinned;
  }
  static PinnedBytes Adopt(btree::LargeValue value) {
    PinnedBytes pinned;
    pinned.view_ = value.view();
    pinned.owned_ = value.TakeOwned();
    return pinned;
  }
};

// The bounds of a range as kv takes them. `end` is storage for one of them.
inline std::optional<std::string_view> EndOf(const KeyRange& range, std::string* end) {
  if (!range.end(end)) return std::nullopt;
  return *end;
}

}  // namespace kvsql::internal

#endif  // KVSQL_API_KEYSPACE_REP_H_
