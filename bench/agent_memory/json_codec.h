// A memory as an application holds it, and its JSON form: written by nlohmann-json, read by simdjson, the
// same for every engine.
//
// Thread safety: one thread at a time.
#ifndef KVSQL_BENCH_AGENT_MEMORY_JSON_CODEC_H_
#define KVSQL_BENCH_AGENT_MEMORY_JSON_CODEC_H_

#include <cstdint>
#include <memory>
#include <string>

#include "bench/agent_memory/model.h"

namespace kvsql::bench::agent_memory {

struct Memory {
  uint64_t id = 0;
  uint64_t agent = 0;
  uint64_t sequence = 0;
  uint64_t revision = 0;
  std::string text;
  friend bool operator==(const Memory&, const Memory&) = default;
};

class JsonCodec {
 public:
  JsonCodec();
  ~JsonCodec();

  static void Encode(const Memory& memory, std::string* json);
  // Fatal if the value is not the JSON form of a memory.
  void Decode(const ValueBuffer& value, Memory* memory);

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace kvsql::bench::agent_memory

#endif  // KVSQL_BENCH_AGENT_MEMORY_JSON_CODEC_H_
