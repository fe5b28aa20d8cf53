// KVSQL_EXPORT marks what the library shows to its users; everything else is hidden.
#ifndef KVSQL_EXPORT_H_
#define KVSQL_EXPORT_H_

#if defined(__GNUC__) || defined(__clang__)
#define KVSQL_EXPORT __attribute__((visibility("default")))
#else
#define KVSQL_EXPORT
#endif

#endif  // KVSQL_EXPORT_H_
