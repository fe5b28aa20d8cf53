// All of kvsql. database.h is where to start reading.
#ifndef KVSQL_KVSQL_H_
#define KVSQL_KVSQL_H_

#include <kvsql/access.h>
#include <kvsql/connection.h>
#include <kvsql/database.h>
#include <kvsql/keyspace.h>
#include <kvsql/options.h>
#include <kvsql/snapshot.h>
#include <kvsql/status.h>
#include <kvsql/table.h>
#include <kvsql/transaction.h>
#include <kvsql/value.h>
#include <kvsql/version.h>

#endif  // KVSQL_KVSQL_H_
