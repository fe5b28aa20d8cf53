// One piece of the suite's work, done by a process of its own: what the parent asks for and what the child
// answers, both as JSON.
#ifndef KVSQL_BENCH_AGENT_MEMORY_TASK_H_
#define KVSQL_BENCH_AGENT_MEMORY_TASK_H_

#include <cstdint>
#include <map>
#include <string>

#include "bench/agent_memory/store.h"

namespace kvsql::bench::agent_memory {

enum class Command {
  kLoad,   // fills a new file
  kRead,   // recalls and latest-tens on a file that it does not change
  kWrite,  // the five stages on a file of its own
};

enum class Layout {
  kBulk,    // one transaction in the order of the keys
  kNormal,  // each memory committed by itself, in the order of creation
};

enum class ValueMode {
  kRaw,   // values are bytes made before the clock runs
  kJson,  // encoding and decoding are inside the timer
};

struct Task {
  Command command = Command::kRead;
  std::string variant;
  std::string path;
  uint32_t records = 0;
  uint32_t calls = 0;  // of each operation
  uint32_t round = 0;
  TextKind text = TextKind::kLetters;
  Layout layout = Layout::kBulk;
  ValueMode mode = ValueMode::kRaw;
  Sync sync = Sync::kFull;
  bool check_integrity = false;  // of a load; writes always do
};

// Microseconds.
struct Latencies {
  uint64_t calls = 0;
  double p50 = 0;
  double p99 = 0;
  double p999 = 0;
  double max = 0;
  double mean = 0;  // of the calls alone; calls per second are its inverse
};

struct TaskResult {
  std::map<std::string, Latencies> operations;
  double load_seconds = 0;
  double finish_seconds = 0;    // from the last call until the store was closed cleanly
  uint64_t peak_rss_bytes = 0;  // of the process
};

std::string ToJson(const Task& task);
std::string ToJson(const TaskResult& result);
// Fatal if the text is something else.
Task TaskFromJson(const std::string& text);
TaskResult TaskResultFromJson(const std::string& text);

const char* NameOf(Command command);
const char* NameOf(TextKind text);
const char* NameOf(Layout layout);
const char* NameOf(ValueMode mode);
const char* NameOf(Sync sync);

}  // namespace kvsql::bench::agent_memory

#endif  // KVSQL_BENCH_AGENT_MEMORY_TASK_H_
