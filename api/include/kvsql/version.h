// The version of these headers; kvsql::version() (database.h) is that of the library.
#ifndef KVSQL_VERSION_H_
#define KVSQL_VERSION_H_

#define KVSQL_VERSION "0.1.0"

#endif  // KVSQL_VERSION_H_
