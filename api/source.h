// What stands behind ReadFrom and WriteTo: snapshots, write transactions and connections, as the key door
// sees them.
//
// Thread safety: a snapshot's source may be used from any thread; the others from one at a time.
#ifndef KVSQL_API_SOURCE_H_
#define KVSQL_API_SOURCE_H_

#include <kvsql/access.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "api/database_impl.h"
#include "api/errors.h"
#include "kv/read_txn.h"
#include "kv/reader.h"
#include "kv/write_txn.h"

namespace kvsql::exec {
class Session;
}  // namespace kvsql::exec

namespace kvsql::internal {

// The moment within a transaction that a view is of: it ends with the next one.
struct Moment {
  uint64_t transaction = 0;  // tells the transactions of one source apart
  uint64_t changes = 0;
  friend bool operator==(const Moment&, const Moment&) = default;
};

struct ReadSource {
  enum class Kind : uint8_t { kSnapshot, kTransaction, kConnection };

  ReadSource(Kind the_kind, std::shared_ptr<DatabaseImpl> the_database)
      : kind(the_kind), database(std::move(the_database)) {}
  ReadSource(const ReadSource&) = delete;
  ReadSource& operator=(const ReadSource&) = delete;

  static bool IsGiven(ReadFrom from) { return from.bits_ != 0; }
  // Null if what was given has been moved from.
  static const ReadSource* Of(ReadFrom from) {
    return reinterpret_cast<const ReadSource*>(from.bits_ & ~ReadFrom::kGiven);
  }
  static ReadFrom Make(const ReadSource* source) { return ReadFrom(source); }

  // Whether reads go to a state of this source; a connection without a transaction has none.
  bool HasState() const { return kind != Kind::kConnection || ConnectionInTransaction(); }

  // Requires HasState().
  StatusOr<kv::Reader> Reader() const {
    switch (kind) {
      case Kind::kSnapshot:
        return kv::Reader(*read);
      case Kind::kTransaction:
        if (write == nullptr) return TransactionEndedError();
        return kv::Reader(*write);
      default:
        return ConnectionReader();
    }
  }

  // Whether a transaction is running, and its moment. Not for snapshots.
  bool Now(Moment* moment) const {
    if (kind == Kind::kTransaction) {
      if (write == nullptr) return false;
      *moment = {0, write->changes()};
      return true;
    }
    return ConnectionNow(moment);
  }

  const Kind kind;
  std::shared_ptr<DatabaseImpl> database;
  const kv::ReadTxn* read = nullptr;  // a snapshot's
  kv::WriteTxn* write = nullptr;      // a transaction's while it is active
  exec::Session* session = nullptr;   // a connection's; null after its end

 private:
  bool ConnectionInTransaction() const;
  StatusOr<kv::Reader> ConnectionReader() const;
  bool ConnectionNow(Moment* moment) const;
};

// A snapshot. Shared by the copies of the handle, and by the cursors that walk in it.
struct SnapshotSource : ReadSource, std::enable_shared_from_this<SnapshotSource> {
  SnapshotSource(std::shared_ptr<DatabaseImpl> the_database)
      : ReadSource(Kind::kSnapshot, std::move(the_database)), txn(database->store()) {
    read = &txn;
  }
  kv::ReadTxn txn;
};

// A write transaction or a connection. Counted, without atomics: those who share it are of one thread.
struct WriteTarget : ReadSource {
  using ReadSource::ReadSource;

  static WriteTarget* Of(WriteTo to) { return to.target_; }
  static bool IsInside(WriteTo to) { return to.kind_ == WriteTo::Kind::kInside; }
  // Of a commit of its own.
  static kv::Durability DurabilityOf(WriteTo to, const DatabaseImpl& database) {
    switch (to.kind_) {
      case WriteTo::Kind::kCommitFull:
        return kv::Durability::kFull;
      case WriteTo::Kind::kCommitNormal:
        return kv::Durability::kNormal;
      default:
        return database.durability();
    }
  }

  // The write transaction to take part in; null where a connection has none.
  StatusOr<kv::WriteTxn*> Writer();

  void Ref() { ++references; }
  void Unref() {
    if (--references == 0) delete this;
  }

  uint32_t references = 1;

 protected:
  virtual ~WriteTarget() = default;
};

}  // namespace kvsql::internal

#endif  // KVSQL_API_SOURCE_H_
