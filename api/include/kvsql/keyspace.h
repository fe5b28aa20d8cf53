// The key door: an ordered map from byte strings to byte strings, by name, in a database.
//
//   auto sessions = database.keyspace("sessions").value();
//   sessions.put("user:7", "...");
//   std::string value;
//   if (*sessions.get("user:7", &value)) { ... }
//   for (auto [key, value] : sessions.scan(KeyRange::Prefix("user:"))) { ... }
//
// Keys are compared as unsigned bytes (memcmp, shorter first). A key has 0 to 65,535 bytes, a value 0 to
// 2^30; longer ones answer INVALID_ARGUMENT when written, and are not found when read.
//
// Thread safety: a Keyspace is a handle. It is cheap, and one thread at a time may use it, because it owns
// the slot by which its reads announce themselves. Copy it once per thread. A Cursor has a slot of its
// own, so its Keyspace may be used meanwhile.
//
// Errors that every call may answer, beside its own: FAILED_PRECONDITION if the database was closed or
// the handle was moved from; NOT_FOUND if the keyspace was dropped (in the state that the call looks at);
// DATA_LOSS. Calls that write: FAILED_PRECONDITION if the database is read-only or poisoned,
// UNAVAILABLE if another write transaction does not end in time, RESOURCE_EXHAUSTED if the disk is
// full, UNKNOWN if a commit of its own failed on I/O.
//
// A write without a transaction is a commit of its own, durable when the call returns (WriteTo). A call
// that writes while the same thread has a write transaction open, without being given it, waits for
// itself: UNAVAILABLE after Options::busy_timeout.
#ifndef KVSQL_KEYSPACE_H_
#define KVSQL_KEYSPACE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <kvsql/access.h>
#include <kvsql/export.h>
#include <kvsql/status.h>

namespace kvsql {

namespace internal {
class CursorRep;
class KeyspaceRep;
struct PinnedAccess;
}  // namespace internal

// A value where it stands in the database, or owned where it had to be put together (large and
// compressed). The bytes are valid as long as this object and what it was read from: the snapshot; the
// write transaction, but there only until its next write.
class PinnedBytes {
 public:
  PinnedBytes() = default;

  // Whether there is a value.
  bool exists() const { return view_.data() != nullptr; }
  explicit operator bool() const { return exists(); }

  std::string_view view() const { return view_; }
  operator std::string_view() const { return view_; }
  const char* data() const { return view_.data(); }
  size_t size() const { return view_.size(); }
  // True: the bytes belong to this object, and outlive what they were read from.
  bool owns_bytes() const { return owned_ != nullptr; }

 private:
  friend struct internal::PinnedAccess;
  std::string_view view_;
  std::unique_ptr<char[]> owned_;
};

// Which keys: all k with begin <= k and k < end. The bytes belong to the caller and are needed during the
// call only.
class KeyRange {
 public:
  // Every key.
  static KeyRange All() { return KeyRange({}, {}, Kind::kFrom); }
  // begin <= key < end; empty if begin >= end.
  static KeyRange Between(std::string_view begin, std::string_view end) {
    return KeyRange(begin, end, Kind::kBetween);
  }
  static KeyRange From(std::string_view begin) { return KeyRange(begin, {}, Kind::kFrom); }
  static KeyRange Before(std::string_view end) { return KeyRange({}, end, Kind::kBetween); }
  // Every key that starts with `prefix`.
  static KeyRange Prefix(std::string_view prefix) { return KeyRange(prefix, {}, Kind::kPrefix); }

  std::string_view begin() const { return begin_; }
  // The first key behind the range, written to *end; false if the range has no end.
  KVSQL_EXPORT bool end(std::string* end) const;

 private:
  enum class Kind : uint8_t { kBetween, kFrom, kPrefix };
  KeyRange(std::string_view begin, std::string_view end, Kind kind)
      : begin_(begin), end_(end), kind_(kind) {}

  std::string_view begin_;
  std::string_view end_;
  Kind kind_;
};

enum class Direction : uint8_t { kForward, kBackward };

// A key and its value, as a Cursor shows them; valid until the cursor moves.
struct Entry {
  std::string_view key;
  std::string_view value;
};

// A walk over the keys of a range, in order or in reverse.
//
//   Cursor cursor = keyspace.scan(KeyRange::Prefix("user:"), Direction::kBackward);
//   for (; cursor.valid(); cursor.next()) Use(cursor.key(), cursor.value());
//   if (!cursor.status().ok()) return cursor.status();
//
// It shows one state: that of the snapshot, or the newest one when scan() was called, or that of the
// write transaction at each move: a cursor of a transaction sees the transaction's later writes, and when
// its entry is deleted its next move goes to the neighbour of where it stood.
//
// Errors end the walk: valid() turns false and status() says why. One thread at a time. A cursor without
// a snapshot or transaction keeps its state open, like a Snapshot, until it is destroyed. A cursor of a
// transaction that has ended answers FAILED_PRECONDITION.
class KVSQL_EXPORT Cursor {
 public:
  Cursor(Cursor&&) noexcept;
  Cursor& operator=(Cursor&&) noexcept;
  ~Cursor();

  bool valid() const { return valid_; }
  // OK while nothing has failed; also at the end of the range.
  Status status() const;

  // To the following entry in the direction of the scan. Requires valid().
  void next();
  // To the one before it. Requires valid(). In front of the first entry the cursor is not valid; seek
  // or rewind to go on.
  void prev();
  // To the first entry of the range in the direction of the scan.
  void rewind();
  // To the first entry of the range, in the direction of the scan, that is not before `key`.
  void seek(std::string_view key);

  // Both require valid(). Valid until the cursor moves; in a write transaction also until its next
  // write. A value that cannot be read is empty, and status() says why.
  std::string_view key() const;
  std::string_view value() const;

  // For range-for. A loop that ends early because of an error leaves it in status().
  class Iterator {
   public:
    Entry operator*() const { return {cursor_->key(), cursor_->value()}; }
    Iterator& operator++() {
      cursor_->next();
      return *this;
    }
    bool operator!=(std::nullptr_t) const { return cursor_->valid(); }

   private:
    friend class Cursor;
    explicit Iterator(Cursor* cursor) : cursor_(cursor) {}
    Cursor* cursor_;
  };
  Iterator begin() { return Iterator(this); }
  std::nullptr_t end() { return nullptr; }

 private:
  friend class Keyspace;
  Cursor(std::unique_ptr<internal::CursorRep> rep, bool valid);

  std::unique_ptr<internal::CursorRep> rep_;
  bool valid_ = false;
};

// The entry at which for_each() stands. Views live until the visit ends; in a write transaction also until
// its next write.
class KVSQL_EXPORT VisitedEntry {
 public:
  std::string_view key() const;
  // Empty if it cannot be read; for_each() then ends and says why.
  std::string_view value() const;

 private:
  friend class Keyspace;
  explicit VisitedEntry(internal::CursorRep* rep) : rep_(rep) {}

  internal::CursorRep* rep_;
};

class KVSQL_EXPORT Keyspace {
 public:
  // Made by Database::keyspace() and WriteTransaction::keyspace(). A copy is a handle of its own, for
  // another thread.
  Keyspace(const Keyspace&);
  Keyspace(Keyspace&&) noexcept;
  Keyspace& operator=(const Keyspace&);
  Keyspace& operator=(Keyspace&&) noexcept;
  ~Keyspace();

  const std::string& name() const;

  // ---- Reading. A warm read takes no lock, makes no system call, and allocates nothing but room for the
  // ---- value where `value` has too little.

  // Copies the value of `key` to *value, whose capacity is used again. False: there is none, and *value
  // is unchanged.
  StatusOr<bool> get(std::string_view key, std::string* value, ReadFrom from = {});
  // Copies at most buffer.size() bytes of the value to `buffer` and answers the value's size, which tells
  // if it was cut; nullopt if there is none.
  StatusOr<std::optional<size_t>> get(std::string_view key, std::span<char> buffer,
                                      ReadFrom from = {});
  // The value as a new string; nullopt if there is none.
  StatusOr<std::optional<std::string>> get(std::string_view key, ReadFrom from = {});
  // The value where it stands, without a copy. `from` says how long it stays there, so it must be given:
  // a snapshot, a write transaction, or a connection with an open transaction (INVALID_ARGUMENT
  // otherwise).
  StatusOr<PinnedBytes> get_view(std::string_view key, ReadFrom from);
  // All of `keys` in one state: values[i] is that of keys[i], nullopt where there is none.
  StatusOr<std::vector<std::optional<std::string>>> multi_get(
      std::span<const std::string_view> keys, ReadFrom from = {});
  // The same into a vector whose strings are used again.
  Status multi_get(std::span<const std::string_view> keys,
                   std::vector<std::optional<std::string>>* values, ReadFrom from = {});

  StatusOr<bool> contains(std::string_view key, ReadFrom from = {});
  // The number of keys, exactly, in constant time.
  StatusOr<uint64_t> count(ReadFrom from = {});
  // The number of keys in `range`, exactly, in time that grows with the logarithm of the keyspace.
  StatusOr<uint64_t> count(const KeyRange& range, ReadFrom from = {});

  // A cursor at the first entry of `range` in this direction. Errors are in its status().
  Cursor scan(const KeyRange& range = KeyRange::All(), Direction direction = Direction::kForward,
              ReadFrom from = {});
  Cursor scan(const KeyRange& range, ReadFrom from) {
    return scan(range, Direction::kForward, from);
  }

  // Calls visit(const VisitedEntry&) for the entries of `range` in this direction, all of one state, until it
  // answers false. What scan() does without a Cursor to keep: it takes no lock and allocates nothing, which
  // pays for short walks, as for the latest ten of something.
  //
  //   keyspace.for_each(KeyRange::Prefix("user:7:"), Direction::kBackward, [&](const VisitedEntry& entry) {
  //     Use(entry.value());
  //     return ++n < 10;
  //   });
  //
  // The visitor may use the handle, but for another for_each() (FAILED_PRECONDITION), and must not destroy it.
  template <typename Visit>
  Status for_each(const KeyRange& range, Direction direction, Visit&& visit, ReadFrom from = {}) {
    using Visitor = std::remove_reference_t<Visit>;
    return ForEach(
        range, direction,
        [](void* visitor, const VisitedEntry& entry) -> bool {
          return (*static_cast<Visitor*>(visitor))(entry);
        },
        const_cast<void*>(static_cast<const void*>(std::addressof(visit))), from);
  }

  // ---- Writing.

  // Stores the value, whether or not there was one.
  Status put(std::string_view key, std::string_view value, WriteTo to = {});
  // True: stored. False: there is a value, which stays.
  StatusOr<bool> put_if_absent(std::string_view key, std::string_view value, WriteTo to = {});
  // Stores `value` if what is there equals `expected` (nullopt: if there is nothing). False: it did not,
  // and nothing was changed.
  StatusOr<bool> compare_and_put(std::string_view key, std::optional<std::string_view> expected,
                                 std::string_view value, WriteTo to = {});
  // Deletes the key. False: there was none.
  StatusOr<bool> erase(std::string_view key, WriteTo to = {});
  // Deletes the key if its value equals `expected`. False: it did not, or there was none.
  StatusOr<bool> compare_and_erase(std::string_view key, std::string_view expected,
                                   WriteTo to = {});
  // Deletes every key of `range` and answers how many there were. Takes whole subtrees at once.
  StatusOr<uint64_t> erase_range(const KeyRange& range, WriteTo to = {});

 private:
  friend class Batch;
  friend class Database;
  friend class WriteTransaction;
  explicit Keyspace(std::unique_ptr<internal::KeyspaceRep> rep);

  using VisitFunction = bool (*)(void* visitor, const VisitedEntry& entry);
  Status ForEach(const KeyRange& range, Direction direction, VisitFunction visit, void* visitor,
                 ReadFrom from);

  std::unique_ptr<internal::KeyspaceRep> rep_;
};

}  // namespace kvsql

#endif  // KVSQL_KEYSPACE_H_
