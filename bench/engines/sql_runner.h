// SQL on an engine: prepared statements, run with values, everything that they answer read through the engine's own
// interface.
//
// Thread safety: one thread at a time.
#ifndef KVSQL_BENCH_ENGINES_SQL_RUNNER_H_
#define KVSQL_BENCH_ENGINES_SQL_RUNNER_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "absl/status/status.h"
#include "bench/engines/engine.h"

namespace kvsql::bench {

using SqlParameter = std::variant<int64_t, std::string_view>;

// A statement and how its answer is read.
struct SqlText {
  const char* sql;
  const char*
      columns;  // per column 'i' (a 64-bit integer) or 't' (a text); "" if it answers no rows
  bool ordered = false;  // the order of the rows is part of the answer
};

// One connection. Prepare replaces the statement that was prepared before.
class SqlRunner {
 public:
  virtual ~SqlRunner() = default;

  // Runs text that answers nothing: schemas, transactions. Fatal on an error.
  virtual void Execute(const std::string& sql) = 0;
  // UNIMPLEMENTED: the engine does not know the statement yet. Fatal on another error.
  virtual absl::Status Prepare(const SqlText& text) = 0;
  // Runs the prepared statement to its end and sums up what it answers. Fatal on an error, also UNIMPLEMENTED.
  virtual uint64_t Run(std::span<const SqlParameter> parameters, Digest digest) = 0;
};

// Takes the columns of rows: integers are added up, texts copied out, as in Sink. kExact covers every byte.
template <Digest kDigest>
class RowSink {
 public:
  explicit RowSink(bool ordered) : ordered_(ordered) {}

  void Integer(int64_t value) { row_ = row_ * 31 + static_cast<uint64_t>(value); }
  void Text(const void* data, size_t size) {
    const size_t kept = size < sizeof(buffer_) ? size : sizeof(buffer_);
    std::memcpy(buffer_, data, kept);
    row_ = row_ * 31 + size;
    if constexpr (kDigest == Digest::kFast) {
      if (size != 0) row_ += static_cast<uint8_t>(buffer_[kept / 2]);
    } else {
      for (size_t i = 0; i < kept; ++i)
        row_ = row_ * 0x100000001b3u + static_cast<uint8_t>(buffer_[i]);
    }
  }
  void EndRow() {
    sum_ += ordered_ ? row_ * (2 * ++rows_ + 1) : row_;
    row_ = 1;
  }
  uint64_t sum() const { return sum_; }

 private:
  const bool ordered_;
  uint64_t row_ = 1;
  uint64_t rows_ = 0;
  uint64_t sum_ = 0;
  char buffer_[128];
};

}  // namespace kvsql::bench

#endif  // KVSQL_BENCH_ENGINES_SQL_RUNNER_H_
