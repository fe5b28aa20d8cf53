// Where a call reads and where it writes.
//
// Every reading call takes a ReadFrom and every writing call a WriteTo as its last parameter. Nobody
// spells these types: they are made from what is passed.
//
//   keyspace.get(key, &value);                    // the newest committed state, for this call alone
//   keyspace.get(key, &value, snapshot);          // as of the snapshot
//   keyspace.get(key, &value, transaction);       // with the transaction's own changes
//   keyspace.get(key, &value, connection);        // inside the connection's transaction if it has one,
//                                                 // else the newest committed state
//   keyspace.put(key, value);                     // a commit of its own
//   keyspace.put(key, value, Durability::kNormal);  // the same, at this level
//   keyspace.put(key, value, transaction);        // part of the transaction
//   keyspace.put(key, value, connection);         // part of the connection's transaction if it has one,
//                                                 // else a commit of its own
//
// What is passed must belong to the same database (INVALID_ARGUMENT otherwise) and be open
// (FAILED_PRECONDITION otherwise: moved from, committed, rolled back, closed).
#ifndef KVSQL_ACCESS_H_
#define KVSQL_ACCESS_H_

#include <cstdint>

#include <kvsql/export.h>
#include <kvsql/options.h>

namespace kvsql {

class Connection;
class Snapshot;
class WriteTransaction;

namespace internal {
struct ReadSource;   // what a read needs to know; api/source.h
struct WriteTarget;  // what a write needs to know
}  // namespace internal

class ReadFrom {
 public:
  constexpr ReadFrom() = default;
  ReadFrom(const Snapshot& snapshot);             // defined in snapshot.h
  ReadFrom(const WriteTransaction& transaction);  // defined in transaction.h
  ReadFrom(const Connection& connection);         // defined in connection.h

 private:
  friend struct internal::ReadSource;
  static constexpr uintptr_t kGiven = 1;
  explicit ReadFrom(const internal::ReadSource* source)
      : bits_(reinterpret_cast<uintptr_t>(source) | kGiven) {}

  // 0: a state of its own for this call. Otherwise the address of the source, or null, plus kGiven.
  uintptr_t bits_ = 0;
};

class WriteTo {
 public:
  constexpr WriteTo() = default;
  constexpr WriteTo(Durability durability)
      : kind_(durability == Durability::kFull ? Kind::kCommitFull : Kind::kCommitNormal) {}
  WriteTo(WriteTransaction& transaction);  // defined in transaction.h
  WriteTo(Connection& connection);         // defined in connection.h

 private:
  friend struct internal::WriteTarget;
  enum class Kind : uint8_t { kCommitDefault, kCommitFull, kCommitNormal, kInside };
  explicit WriteTo(internal::WriteTarget* target) : target_(target), kind_(Kind::kInside) {}

  internal::WriteTarget* target_ = nullptr;
  Kind kind_ = Kind::kCommitDefault;
};

}  // namespace kvsql

#endif  // KVSQL_ACCESS_H_
