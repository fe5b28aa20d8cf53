// How the benchmark gives up: an engine that answers with an error or a wrong result makes every
// later figure worthless, so there is no other way out.
#ifndef KVSQL_BENCH_FATAL_H_
#define KVSQL_BENCH_FATAL_H_

#include <string>

namespace kvsql::bench {

// Prints the message and leaves with exit code 1; the scratch directory is removed on the way.
[[noreturn]] void Fatal(const std::string& message);

}  // namespace kvsql::bench

#endif  // KVSQL_BENCH_FATAL_H_
