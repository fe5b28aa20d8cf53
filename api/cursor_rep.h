// What a Cursor is: a walk over a keyspace's tree, kept inside a range.
//
// Thread safety: none.
//
// Invariants:
//  1. When Valid(), the tree cursor stands on (or, in a write transaction, at the place of) a key of the range.
//  2. It reads one state for its whole life, or that of one transaction: when that has ended, or the
//     keyspace was dropped in it, the walk ends with an error.
#ifndef KVSQL_API_CURSOR_REP_H_
#define KVSQL_API_CURSOR_REP_H_

#include <kvsql/keyspace.h>

#include <memory>
#include <string>
#include <string_view>

#include "api/keyspace_rep.h"
#include "api/source.h"
#include "kv/keyspace_ops.h"
#include "kv/table_ops.h"  // and with it, what tree cursors are

namespace kvsql::internal {

class CursorRep {
 public:
  CursorRep(const KeyRange& range, Direction direction);
  CursorRep(const CursorRep&) = delete;
  CursorRep& operator=(const CursorRep&) = delete;
  ~CursorRep();

  // Takes the state and goes to the first entry. `keyspace` may be null (moved from). Errors end in status().
  bool Open(KeyspaceRep* keyspace, ReadFrom from);

  // The same in a state that the caller has begun, with the keyspace bound in it, and keeps until the cursor
  // is gone. Takes no lock and allocates nothing.
  bool OpenIn(const KeyspaceRep& keyspace, const kv::ReadTxn& state);

  const Status& status() const { return status_; }

  // Each answers whether the cursor is on an entry of the range now.
  bool Rewind();
  bool Seek(std::string_view key);
  // One step in the direction of the scan, or against it.
  bool Step(bool onward);

  // On an entry:
  std::string_view key() {
    if (target_ != nullptr && !Alive()) return {};
    return cursor_.key();
  }
  std::string_view value();

 private:
  Status OpenSource(KeyspaceRep* keyspace, ReadFrom from);
  // Whether what the cursor reads from is still there; else notes why not.
  bool Alive();
  Status CheckAlive();
  // The value of the current entry to value_, if it has to be put together.
  Status ReadValue(const btree::ValueRef& ref);
  // How many more entries of the current one's leaf are known to be inside of the range, itself included.
  uint32_t CountWithin() const;
  bool forward() const { return direction_ == Direction::kForward; }
  // Whether the tree cursor has stopped inside of the range.
  bool Arrived();
  bool Fail(Status status) {
    status_ = std::move(status);
    return false;
  }

  const Direction direction_;
  const std::string begin_;
  std::string end_;
  const bool has_end_;

  std::shared_ptr<DatabaseImpl> database_;
  std::string name_;
  kv::TreeId tree_ = 0;
  uint64_t generation_ = 0;

  // One of these has the state.
  std::unique_ptr<kv::ReadTxn> own_;
  std::shared_ptr<const SnapshotSource> snapshot_;
  WriteTarget* target_ = nullptr;  // counted
  uint64_t transaction_ = 0;       // of target_
  uint64_t changes_ = 0;           // made in it when it was last looked at

  const pager::PageReader* pages_ = nullptr;
  btree::Cursor cursor_;
  uint32_t within_ = 0;  // CountWithin, as far as it is known; 0: not
  bool compressed_ = false;
  const kv::ValueCodec* codec_ =
      nullptr;  // of the state's schema, which lives as long as the state

  // The current value, once read, if it is large or the keyspace is compressed.
  bool value_read_ = false;
  btree::LargeValue large_;  // its cell
  std::string plain_;        // if it was compressed
  std::string_view value_;   // in one of these
  Status status_;
};

}  // namespace kvsql::internal

#endif  // KVSQL_API_CURSOR_REP_H_
