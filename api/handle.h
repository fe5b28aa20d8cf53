// What a Keyspace and a Table have in common: a reader slot, a name, and what the name stood for when it was
// last looked up.
//
// Thread safety: none; a handle belongs to one thread at a time.
//
// Invariants:
//  1. What Derived::Bind has looked up is used only while the state's schema has generation_ (generations
//     are never used twice in a process).
//  2. Between calls the own reader slot is empty, unless Derived keeps it for what it has handed out.
#ifndef KVSQL_API_HANDLE_H_
#define KVSQL_API_HANDLE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "api/database_impl.h"
#include "api/errors.h"
#include "api/source.h"
#include "kv/read_txn.h"
#include "kv/reader.h"
#include "kv/write_txn.h"

namespace kvsql::internal {

// Derived has: Status Bind(kv::Reader reader), which looks the name up and calls Bound().
template <typename Derived>
class Handle {
 public:
  Handle(std::shared_ptr<DatabaseImpl> database, std::string_view name)
      : database_(std::move(database)), own_(database_->store()), name_(name) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  const std::shared_ptr<DatabaseImpl>& database() const { return database_; }
  const std::string& name() const { return name_; }

  // Takes the newest state into the own slot, with the name bound in it. On an error the slot is empty.
  Status BeginOwn() {
    if (!own_.Begin()) [[unlikely]]
      return own_.BeginError();
    Status status = database_->closed() ? ClosedError() : EnsureBound(own_);
    if (!status.ok()) [[unlikely]]
      own_.End();
    return status;
  }

  // Calls body(kv::Reader) in the state that `from` means. The result is a Status or StatusOr.
  template <typename Body>
  std::invoke_result_t<Body, kv::Reader> Read(ReadFrom from, Body&& body) {
    if (ReadSource::IsGiven(from)) {
      const ReadSource* const source = ReadSource::Of(from);
      KV_RETURN_IF_ERROR(CheckSource(source, "snapshot or transaction"));
      if (source->HasState()) [[likely]] {
        KV_ASSIGN_OR_RETURN(const kv::Reader reader, source->Reader());
        KV_RETURN_IF_ERROR(EnsureBound(reader));
        return body(reader);
      }
    }
    KV_RETURN_IF_ERROR(BeginOwn());
    const EndOwn end{own_};
    return body(kv::Reader(own_));
  }

  // Calls body(kv::WriteTxn&) in the transaction that `to` means, or in one of its own, which is committed
  // if the body succeeded and has changed something.
  template <typename Body>
  std::invoke_result_t<Body, kv::WriteTxn&> Write(WriteTo to, Body&& body) {
    if (WriteTarget::IsInside(to)) {
      WriteTarget* const target = WriteTarget::Of(to);
      KV_RETURN_IF_ERROR(CheckSource(target, "transaction"));
      KV_ASSIGN_OR_RETURN(kv::WriteTxn* const txn, target->Writer());
      if (txn != nullptr) {
        KV_RETURN_IF_ERROR(EnsureBound(*txn));
        return body(*txn);
      }
    }
    KV_ASSIGN_OR_RETURN(const std::unique_ptr<kv::WriteTxn> txn, database_->BeginWrite());
    KV_RETURN_IF_ERROR(EnsureBound(*txn));
    auto result = body(*txn);
    if (!result.ok() || txn->changes() == 0) return result;
    KV_RETURN_IF_ERROR(txn->Commit(WriteTarget::DurabilityOf(to, *database_)));
    return result;
  }

  // Looks the name up if the state's schema is not the one it was last looked up in.
  Status EnsureBound(kv::Reader reader) {
    if (reader.schema_generation() == generation_) [[likely]]
      return absl::OkStatus();
    return static_cast<Derived*>(this)->Bind(reader);
  }

  // Whether the handle may read or write there.
  Status CheckSource(const ReadSource* source, const char* what) const {
    if (source == nullptr) [[unlikely]]
      return MovedFromError(what);
    if (source->database->identity() != database_->identity()) [[unlikely]]
      return OtherDatabaseError(what);
    return absl::OkStatus();
  }

 protected:
  struct EndOwn {
    kv::ReadTxn& txn;
    ~EndOwn() { txn.End(); }
  };

  // Remembers that what has been looked up holds for this generation.
  void Bound(uint64_t generation) { generation_ = generation; }
  void Unbound() { generation_ = kNoGeneration; }

  static constexpr uint64_t kNoGeneration = UINT64_MAX;

  std::shared_ptr<DatabaseImpl> database_;
  kv::ReadTxn own_;
  uint64_t generation_ = kNoGeneration;
  std::string name_;
};

}  // namespace kvsql::internal

#endif  // KVSQL_API_HANDLE_H_
