// A state of the database that does not change.
//
// Thread safety: a Snapshot may be used from any number of threads at once. Copies share one state, which
// is released when the last of them is gone.
//
// An open snapshot never holds up a writer and never makes a reader wait. It does keep the pages of its
// state from being used again, so a snapshot that stays open while much is written makes the file grow.
#ifndef KVSQL_SNAPSHOT_H_
#define KVSQL_SNAPSHOT_H_

#include <cstdint>
#include <memory>
#include <utility>

#include <kvsql/access.h>
#include <kvsql/export.h>

namespace kvsql {

class KVSQL_EXPORT Snapshot {
 public:
  // Made by Database::snapshot(). A moved-from snapshot answers FAILED_PRECONDITION wherever it is used.
  Snapshot(const Snapshot&) = default;
  Snapshot(Snapshot&&) noexcept = default;
  Snapshot& operator=(const Snapshot&) = default;
  Snapshot& operator=(Snapshot&&) noexcept = default;
  ~Snapshot() = default;

  // The number of the last transaction that this snapshot sees; it grows with every commit. 0 if moved
  // from.
  uint64_t transaction_id() const;

  // Lets go of the state before the object ends. Other copies are not affected.
  void release() { source_.reset(); }

 private:
  friend class Database;
  friend class ReadFrom;
  explicit Snapshot(std::shared_ptr<const internal::ReadSource> source)
      : source_(std::move(source)) {}

  std::shared_ptr<const internal::ReadSource> source_;
};

inline ReadFrom::ReadFrom(const Snapshot& snapshot) : ReadFrom(snapshot.source_.get()) {}

}  // namespace kvsql

#endif  // KVSQL_SNAPSHOT_H_
