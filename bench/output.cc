#include "bench/output.h"

#include <cstdio>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "bench/fatal.h"

namespace kvsql::bench {

void Print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

void WriteFile(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file) Fatal(absl::StrCat("cannot write ", path));
}

}  // namespace kvsql::bench
