#include "bench/process_io.h"

#include <fstream>
#include <string>

#include "bench/fatal.h"

namespace kvsql::bench {

uint64_t ProcessWriteBytes() {
  std::ifstream file("/proc/self/io");
  std::string name;
  uint64_t value = 0;
  while (file >> name >> value) {
    if (name == "write_bytes:") return value;
  }
  Fatal("/proc/self/io has no write_bytes: commit_bytes cannot be measured here");
}

}  // namespace kvsql::bench
