// Programs that the benchmark starts.
#ifndef KVSQL_BENCH_CHILD_H_
#define KVSQL_BENCH_CHILD_H_

#include <string>
#include <vector>

namespace kvsql::bench {

// The program of that name beside this one, or, if there is none, in PATH; empty if nowhere.
std::string FindProgram(const std::string& name);

struct ChildResult {
  int exit_code = -1;  // -1: a signal ended it
  double seconds = 0;  // from before its start until its end has been waited for
  std::string output;  // standard output; standard error goes to this program's
};

// Runs a program to its end. Fatal if it cannot be started.
ChildResult RunChild(const std::vector<std::string>& command);

}  // namespace kvsql::bench

#endif  // KVSQL_BENCH_CHILD_H_
