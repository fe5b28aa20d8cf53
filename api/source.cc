#include "api/source.h"

#include "api/errors.h"
#include "base/status.h"
#include "exec/session.h"

namespace kvsql::internal {

bool ReadSource::ConnectionInTransaction() const {
  // A closed connection has the "state" that Reader() refuses.
  return session == nullptr || session->in_transaction();
}

StatusOr<kv::Reader> ReadSource::ConnectionReader() const {
  if (session == nullptr) return absl::FailedPreconditionError("the connection is closed");
  if (kv::WriteTxn* const writer = session->write_txn(); writer != nullptr) {
    return kv::Reader(*writer);
  }
  KV_RETURN_IF_ERROR(session->EnsureRead());
  if (kv::WriteTxn* const writer = session->write_txn(); writer != nullptr) {
    return kv::Reader(*writer);
  }
  return kv::Reader(*session->read_txn());
}

bool ReadSource::ConnectionNow(Moment* moment) const {
  if (session == nullptr || !session->in_transaction()) return false;
  kv::WriteTxn* const writer = session->write_txn();
  *moment = {session->transaction_serial(), writer != nullptr ? writer->changes() : 0};
  return true;
}

StatusOr<kv::WriteTxn*> WriteTarget::Writer() {
  if (kind == Kind::kTransaction) {
    if (write == nullptr) return TransactionEndedError();
    return write;
  }
  if (session == nullptr) return absl::FailedPreconditionError("the connection is closed");
  if (!session->in_transaction()) return nullptr;
  return session->EnsureWrite();
}

}  // namespace kvsql::internal
