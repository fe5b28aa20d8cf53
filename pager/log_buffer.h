// Records that wait to be written to the commit log, one behind the other as they will stand in the file.
//
// The memory starts at a multiple of the block size, so that a flush from a fresh block goes to the device
// as it is; it is kept from flush to flush, so that a commit allocates nothing.
//
// Thread safety: none.
#ifndef KVSQL_PAGER_LOG_BUFFER_H_
#define KVSQL_PAGER_LOG_BUFFER_H_

#include <cstdint>
#include <cstdlib>
#include <memory>

#include "pager/file.h"
#include "pager/log_format.h"
#include "pager/types.h"

namespace kvsql::pager {

class LogBuffer {
 public:
  LogBuffer() = default;
  LogBuffer(const LogBuffer&) = delete;
  LogBuffer& operator=(const LogBuffer&) = delete;

  // Adds a record; what only its flush can know (checksum, previous, flush, durable, flags) stays open.
  void Add(uint64_t sequence, TxId txid, Bytes payload, Durability level);

  bool empty() const { return records_ == 0; }
  uint64_t size() const { return size_; }
  uint64_t records() const { return records_; }
  uint64_t first_sequence() const;
  // Whether one of the records asks for Durability::kFull.
  bool wants_full() const { return wants_full_; }
  uint8_t* data() { return data_.get(); }
  const uint8_t* data() const { return data_.get(); }

  // Moves the bytes from `at` on by `gap`, and zeroes the gap.
  void OpenGap(uint64_t at, uint64_t gap);

  // Forgets the records, and memory beyond the ordinary.
  void Clear();

 private:
  struct FreeDeleter {
    void operator()(uint8_t* p) const { std::free(p); }
  };

  void Reserve(uint64_t bytes);

  std::unique_ptr<uint8_t[], FreeDeleter> data_;
  uint64_t capacity_ = 0;
  uint64_t size_ = 0;
  uint64_t records_ = 0;
  bool wants_full_ = false;
};

// The header of the record at `at`; all offsets in a buffer are multiples of the record alignment.
inline LogRecordHeader* LogHeaderAt(uint8_t* at) { return reinterpret_cast<LogRecordHeader*>(at); }
inline const LogRecordHeader* LogHeaderAt(const uint8_t* at) {
  return reinterpret_cast<const LogRecordHeader*>(at);
}

}  // namespace kvsql::pager

#endif  // KVSQL_PAGER_LOG_BUFFER_H_
