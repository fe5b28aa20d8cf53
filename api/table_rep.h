// What a Table handle is, and the boxes its rows come in.
//
// Thread safety: none; the handle and its rows belong to one thread at a time.
//
// Invariants:
//  1. The TableRep is counted by its handle and by each Row that it gave; it lives as long as any of them.
//  2. Boxes are used again, so that reading rows does not allocate once a few have been read.
//  3. The own slot is held from a get_row that found a row until that Row is gone or the handle is called
//     again, whichever is first.
#ifndef KVSQL_API_TABLE_REP_H_
#define KVSQL_API_TABLE_REP_H_

#include <kvsql/table.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "api/handle.h"
#include "kv/row.h"
#include "kv/schema.h"
#include "kv/table_ops.h"

namespace kvsql::internal {

struct RowBox {
  enum class Of : uint8_t { kOwnSlot, kSnapshot, kTransaction };

  kv::Row row;
  TableRep* table = nullptr;  // counted while the box is out
  RowBox* next = nullptr;     // in the list of free ones
  Of of = Of::kOwnSlot;
  // kOwnSlot: the handle's call that it is of.
  uint64_t call = 0;
  // kTransaction: counted while the box is out.
  WriteTarget* target = nullptr;
  Moment moment;

  // Whether what the row stands in is still there.
  bool Readable() const;
};

class TableRep : public Handle<TableRep> {
 public:
  using Handle::Handle;

  Status Bind(kv::Reader reader);

  // As of the state last bound.
  const kv::TableDef& def() const { return *def_; }
  // Whether rows are found by their rowid, be it an INTEGER PRIMARY KEY or there is no primary key at all.
  bool keyed_by_rowid() const { return keyed_by_rowid_; }
  uint64_t call() const { return call_; }

  void Ref() { ++references_; }
  void Unref() {
    if (--references_ == 0) delete this;
  }

  // Calls find(kv::Reader, kv::Row*) -> StatusOr<bool> in the state that `from` means, and makes what it
  // found a Row.
  template <typename Find>
  StatusOr<Row> GetRow(ReadFrom from, Find&& find) {
    ++call_;
    if (!ReadSource::IsGiven(from)) [[likely]]
      return GetOwnRow(find);
    const ReadSource* const source = ReadSource::Of(from);
    KV_RETURN_IF_ERROR(CheckSource(source, "snapshot or transaction"));
    if (!source->HasState()) return GetOwnRow(find);
    own_.End();
    KV_ASSIGN_OR_RETURN(const kv::Reader reader, source->Reader());
    KV_RETURN_IF_ERROR(EnsureBound(reader));
    RowBox* const box = TakeBox();
    const StatusOr<bool> found = find(reader, &box->row);
    if (!found.ok() || !*found) {
      ReturnBox(box);
      if (!found.ok()) return found.status();
      return Row();
    }
    NoteSource(source, box);
    return Give(box);
  }

  // Behind a call that gives no row: ends what an earlier row stands in. (Not before it, for the row's
  // values may be the call's arguments.)
  void EndCall() {
    ++call_;
    own_.End();
  }

  // A row's end.
  void Release(RowBox* box) {
    if (box->of == RowBox::Of::kOwnSlot) {
      if (box->call == call_) own_.End();
    } else if (box->target != nullptr) {
      box->target->Unref();
      box->target = nullptr;
    }
    ReturnBox(box);
    Unref();
  }

  // A row for use within a call.
  RowBox* TakeBox() {
    if (free_ == nullptr) [[unlikely]]
      return NewBox();
    RowBox* const box = free_;
    free_ = box->next;
    return box;
  }
  void ReturnBox(RowBox* box) {
    box->next = free_;
    free_ = box;
  }

 private:
  ~TableRep();
  friend class Handle<TableRep>;

  template <typename Find>
  StatusOr<Row> GetOwnRow(Find&& find) {
    KV_RETURN_IF_ERROR(BeginOwn());
    RowBox* const box = TakeBox();
    const StatusOr<bool> found = find(kv::Reader(own_), &box->row);
    if (!found.ok() || !*found) {
      ReturnBox(box);
      own_.End();
      if (!found.ok()) return found.status();
      return Row();
    }
    box->of = RowBox::Of::kOwnSlot;
    box->call = call_;
    return Give(box);
  }

  Row Give(RowBox* box) {
    Ref();
    return Row(box);
  }
  RowBox* NewBox();
  static void NoteSource(const ReadSource* source, RowBox* box);

  uint32_t references_ = 1;
  bool keyed_by_rowid_ = false;
  const kv::TableDef* def_ = nullptr;
  uint64_t call_ = 0;
  RowBox* free_ = nullptr;
};

inline bool RowBox::Readable() const {
  if (of == Of::kOwnSlot) [[likely]]
    return call == table->call();
  if (of == Of::kSnapshot) return true;
  Moment now;
  return target->Now(&now) && now == moment;
}

}  // namespace kvsql::internal

#endif  // KVSQL_API_TABLE_REP_H_
