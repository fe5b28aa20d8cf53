// How kvsql answers: absl::Status and absl::StatusOr, with codes that always mean the same.
//
//   INVALID_ARGUMENT     the call or the SQL text is wrong, or a key or value is too long; the message says
//                        what and where. Also a constraint other than UNIQUE that would be broken
//   NOT_FOUND            the database, keyspace, table, index or savepoint that was named is not there.
//                        (A key or row that is not there is no error: the call answers "not found" in
//                        its value.)
//   ALREADY_EXISTS       a name is taken, or a UNIQUE or PRIMARY KEY constraint would be broken
//   FAILED_PRECONDITION  the handle is closed, the transaction has ended, the database is read-only or
//                        was poisoned by an earlier I/O error
//   UNIMPLEMENTED        SQL that kvsql does not support yet; the message names it
//   UNAVAILABLE          busy: another write transaction, or another process that has the file open, took
//                        longer than Options::busy_timeout; the call may be repeated
//   RESOURCE_EXHAUSTED   no disk space, memory budget or identifier left; nothing was changed
//   OUT_OF_RANGE         there is no parameter with this position
//   PERMISSION_DENIED    the operating system refuses the file
//   DATA_LOSS            the bytes of a file are wrong; the message names file and page
//   INTERNAL             the operating system failed a call; nothing was changed
//   ABORTED              lost a race; the call may be repeated
//   UNKNOWN              a COMMIT failed on I/O: it may or may not be durable. The handle is poisoned:
//                        writes answer FAILED_PRECONDITION, reads go on; opening the database again
//                        recovers it and shows which.
//
// No function of kvsql throws.
#ifndef KVSQL_STATUS_H_
#define KVSQL_STATUS_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

namespace kvsql {

using absl::Status;
using absl::StatusOr;

}  // namespace kvsql

#endif  // KVSQL_STATUS_H_
