#include "api/source.h"

#include "api/errors.h"
#include "base/status.h"
#include "exec/session.h"

namespace kvsql::internal {

bool ReadSource::ConnectionInTransaction() const { return session->in_transaction(); }

StatusOr<kv::Reader> ReadSource::ConnectionReader() const {
  if (session->write_txn() == nullptr) KV_RETURN_IF_ERROR(session->EnsureRead());
  if (kv::WriteTxn* const writer = session->write_txn(); writer != nullptr) {
    return kv::Reader(*writer);
  }
  return kv::Reader(*session->read_txn());
}

bool ReadSource::ConnectionNow(Moment* moment) const {
  if (!session->in_transaction()) return false;
  kv::WriteTxn* const writer = session->write_txn();
  *moment = {session->transaction_serial(), writer != nullptr ? writer->changes() : 0};
  return true;
}

StatusOr<kv::WriteTxn*> WriteTarget::Writer() {
  if (kind == Kind::kTransaction) {
    if (write == nullptr) return TransactionEndedError();
  } else if (!session->in_transaction()) {
    return nullptr;
  }
  // The rows that the SQL statements show stay what they are.
  if (session != nullptr) session->DetachRows();
  if (kind == Kind::kTransaction) return write;
  return session->EnsureWrite();
}

}  // namespace kvsql::internal
