// Rows put aside in a temporary file, by operators that would take more than the memory budget.
//
// A SpillFile is cut into blocks that streams write and read; blocks that have been read are used again. A stream is a
// sequence of records: written, then finished, then read once.
//
//   record:  length u32 | bytes
//   a row:   per column: type u8 | nothing, i64, f64, or length u32 and bytes
//
// Thread safety: none; belongs to one execution.
#ifndef KVSQL_EXEC_BATCH_SPILL_H_
#define KVSQL_EXEC_BATCH_SPILL_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "exec/batch/vector.h"
#include "exec/functions/text_arena.h"

namespace kvsql::exec {

class SpillFile {
 public:
  static constexpr size_t kBlockBytes = 16 * 1024;

  // The file has no name: it is gone when this object, or the process, ends. `directory`: empty for TMPDIR or /tmp.
  static StatusOr<std::unique_ptr<SpillFile>> Create(const std::string& directory);
  ~SpillFile();
  SpillFile(const SpillFile&) = delete;
  SpillFile& operator=(const SpillFile&) = delete;

  // Writes one block, which may be shorter than kBlockBytes; its number.
  StatusOr<uint64_t> Write(std::string_view bytes);
  Status Read(uint64_t block, size_t size, char* to) const;
  void Free(uint64_t block) { free_.push_back(block); }
  uint64_t blocks() const { return blocks_; }

 private:
  explicit SpillFile(int descriptor) : descriptor_(descriptor) {}

  const int descriptor_;
  uint64_t blocks_ = 0;
  std::vector<uint64_t> free_;
};

class SpillStream {
 public:
  explicit SpillStream(SpillFile* file) : file_(*file) {}
  ~SpillStream();
  SpillStream(const SpillStream&) = delete;
  SpillStream& operator=(const SpillStream&) = delete;

  Status Append(std::string_view record);
  // Ends the writing.
  Status Finish();
  bool empty() const { return records_ == 0; }
  uint64_t records() const { return records_; }
  // The next record, valid until the next call; false: the end.
  StatusOr<bool> Next(std::string_view* record);

 private:
  Status Take(size_t size, char* to);

  SpillFile& file_;
  std::string buffer_;
  size_t at_ = 0;
  struct Block {
    uint64_t number;
    uint32_t size;
  };
  std::vector<Block> blocks_;
  size_t next_block_ = 0;
  uint64_t records_ = 0;
  uint64_t read_ = 0;
  std::string record_;
};

// Rows as records.
void AppendSpilledValue(const kv::ValueView& value, std::string* record);
void AppendSpilledRow(const std::vector<const Vector*>& columns, uint32_t row, std::string* record);
// Takes one value off the front; its bytes are those of the record.
kv::ValueView TakeSpilledValue(std::string_view* record);

// Batches of rows from a stream of them.
class SpilledRows {
 public:
  explicit SpilledRows(size_t columns) : vectors_(columns) {}
  // Empty at the end. The batch lives until the next call.
  Status Next(SpillStream* stream, Batch* batch);
  // The same from records that the caller has: Start, Add up to kBatchRows, Show.
  void Start();
  void Add(std::string_view record);
  bool full() const { return count_ == kBatchRows || bytes_ >= kBatchBytes; }
  void Show(Batch* batch);

 private:
  static constexpr size_t kBatchBytes = 64 * 1024;

  std::vector<Vector> vectors_;
  std::vector<kv::ValueView*> to_;
  TextArena arena_;
  uint32_t count_ = 0;
  size_t bytes_ = 0;
};

// Rows dealt out by the hash of a key, so that rows with equal keys are in the same stream.
class SpillPartitions {
 public:
  // An operator keeps at least as many rows, whatever the budget.
  static constexpr uint32_t kLeastRows = 1024;
  static constexpr size_t kCount = 8;
  // Rows that were dealt out kLevels times and still are too many have one key, most likely.
  static constexpr uint32_t kLevels = 8;

  SpillPartitions(SpillFile* file, uint32_t level);
  // `key`: canonical bytes.
  Status Add(std::string_view key, std::string_view record);
  Status Finish();
  std::unique_ptr<SpillStream> Take(size_t i) { return std::move(streams_[i]); }

 private:
  const uint32_t level_;
  std::unique_ptr<SpillStream> streams_[kCount];
};

}  // namespace kvsql::exec

#endif  // KVSQL_EXEC_BATCH_SPILL_H_
