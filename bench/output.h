// What the benchmark writes for its user.
#ifndef KVSQL_BENCH_OUTPUT_H_
#define KVSQL_BENCH_OUTPUT_H_

#include <string>

namespace kvsql::bench {

// To standard output, at once.
void Print(const std::string& text);

// Fatal if the file cannot be written.
void WriteFile(const std::string& path, const std::string& text);

}  // namespace kvsql::bench

#endif  // KVSQL_BENCH_OUTPUT_H_
