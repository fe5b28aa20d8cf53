#include "bench/scratch.h"

#include <stdlib.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "bench/fatal.h"

namespace kvsql::bench {
namespace fs = std::filesystem;
namespace {

// The directory that the exit handler removes; empty when there is none.
std::string& PathToRemove() {
  static auto* path = new std::string;
  return *path;
}

void RemoveScratch() {
  std::string path = std::exchange(PathToRemove(), {});
  std::error_code ignored;
  if (!path.empty()) fs::remove_all(path, ignored);
}

}  // namespace

void Fatal(const std::string& message) {
  std::fflush(stdout);
  std::fprintf(stderr, "\nkvsql_bench: %s\n", message.c_str());
  std::exit(1);
}

absl::StatusOr<Scratch> Scratch::Make(const std::string& parent) {
  KV_CHECK(PathToRemove().empty());
  std::string pattern = absl::StrCat(parent, "/kvsql-bench-XXXXXX");
  if (mkdtemp(pattern.data()) == nullptr) {
    return absl::UnavailableError(
        absl::StrCat("cannot make a scratch directory in '", parent, "': ", strerror(errno)));
  }
  static const int registered = std::atexit(RemoveScratch);
  KV_CHECK(registered == 0);
  // Absolute, so that removing it does not depend on the current directory.
  std::string path = fs::absolute(pattern).string();
  PathToRemove() = path;
  return Scratch(std::move(path));
}

Scratch::Scratch(Scratch&& other) noexcept
    : path_(std::exchange(other.path_, {})), next_(other.next_) {}

Scratch::~Scratch() {
  if (!path_.empty()) RemoveScratch();
}

std::string Scratch::NewDatabase(const std::string& name) {
  return absl::StrCat(path_, "/", ++next_, "-", name, ".db");
}

std::vector<std::string> Scratch::DatabaseFiles(const std::string& database) {
  const fs::path base(database);
  const std::string name = base.filename().string();
  std::vector<std::string> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(base.parent_path())) {
    if (entry.path().filename().string().compare(0, name.size(), name) == 0) {
      files.push_back(entry.path().string());
    }
  }
  return files;
}

uint64_t Scratch::DatabaseBytes(const std::string& database) {
  uint64_t bytes = 0;
  for (const std::string& file : DatabaseFiles(database)) bytes += fs::file_size(file);
  return bytes;
}

void Scratch::RemoveDatabase(const std::string& database) {
  for (const std::string& file : DatabaseFiles(database)) fs::remove(file);
}

}  // namespace kvsql::bench
