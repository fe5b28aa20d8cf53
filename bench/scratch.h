// The directory in which the benchmark's databases lie while it runs.
//
// Thread safety: use it from one thread.
#ifndef KVSQL_BENCH_SCRATCH_H_
#define KVSQL_BENCH_SCRATCH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace kvsql::bench {

class Scratch {
 public:
  // Makes a new directory inside `parent`. It is removed with the object, or at exit if the program
  // ends earlier (Fatal, an interrupt). At most one object at a time.
  static absl::StatusOr<Scratch> Make(const std::string& parent);

  Scratch(Scratch&& other) noexcept;
  Scratch& operator=(Scratch&&) = delete;
  ~Scratch();

  const std::string& path() const { return path_; }
  // A path for a database that does not exist yet; no two calls answer the same.
  std::string NewDatabase(const std::string& name);

  // A database's files are `database` and every file whose name begins with its name (logs, locks,
  // WAL). Their total size:
  static uint64_t DatabaseBytes(const std::string& database);
  static std::vector<std::string> DatabaseFiles(const std::string& database);
  static void RemoveDatabase(const std::string& database);

 private:
  explicit Scratch(std::string path) : path_(std::move(path)) {}

  std::string path_;
  int next_ = 0;
};

}  // namespace kvsql::bench

#endif  // KVSQL_BENCH_SCRATCH_H_
