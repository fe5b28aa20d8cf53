// "--name value" arguments of the test programs.
#ifndef KVSQL_TESTS_KV_PROGRAM_OPTIONS_H_
#define KVSQL_TESTS_KV_PROGRAM_OPTIONS_H_

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace kvsql::kv {

// The number after `name`, or `otherwise`.
inline uint64_t NumberOption(int argc, char** argv, const char* name, uint64_t otherwise) {
  for (int i = 1; i + 1 < argc; ++i) {
    if (std::strcmp(argv[i], name) == 0) return std::strtoull(argv[i + 1], nullptr, 10);
  }
  return otherwise;
}

// The text after `name`, or nothing.
inline std::string TextOption(int argc, char** argv, const char* name) {
  for (int i = 1; i + 1 < argc; ++i) {
    if (std::strcmp(argv[i], name) == 0) return argv[i + 1];
  }
  return "";
}

// Ends the program with a message: the test has found something.
template <typename... Parts>
[[noreturn]] void Fail(const char* format, const Parts&... parts) {
  std::fprintf(stderr, "FAILED: ");
  std::fprintf(stderr, format, parts...);
  std::fprintf(stderr, "\n");
  std::_Exit(1);
}

}  // namespace kvsql::kv

#endif  // KVSQL_TESTS_KV_PROGRAM_OPTIONS_H_
