// The operations of a transaction as the commit log carries them (the record is opaque to the
// pager).
//
//    record = operation*
//    operation = kind byte, tree as varint, then by kind:
//       put           key, value           delete        key
//       delete range  flags, [lo], [hi]    create tree   key kind byte
//       drop tree
//    key = length as varint and bytes, or 8 bytes little-endian in trees of integers
//    value = length as varint and bytes
//
// Thread safety: free functions; RecordReader by one thread at a time.
#ifndef KVSQL_KV_LOG_RECORD_H_
#define KVSQL_KV_LOG_RECORD_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "pager/types.h"

namespace kvsql::kv {

enum class LogOp : uint8_t {
  kPut = 1,
  kDelete = 2,
  kDeleteRange = 3,
  kPutInt = 4,
  kDeleteInt = 5,
  kDeleteRangeInt = 6,
  kCreateTree = 7,
  kDropTree = 8,
};

void LogPut(pager::TreeId tree, std::string_view key, std::string_view value, std::string* record);
void LogPut(pager::TreeId tree, int64_t key, std::string_view value, std::string* record);
void LogDelete(pager::TreeId tree, std::string_view key, std::string* record);
void LogDelete(pager::TreeId tree, int64_t key, std::string* record);
void LogDeleteRange(pager::TreeId tree, std::optional<std::string_view> lo,
                    std::optional<std::string_view> hi, std::string* record);
void LogDeleteRange(pager::TreeId tree, std::optional<int64_t> lo, std::optional<int64_t> hi,
                    std::string* record);
void LogCreateTree(pager::TreeId tree, pager::KeyKind kind, std::string* record);
void LogDropTree(pager::TreeId tree, std::string* record);

// One operation, with views into the record.
struct LoggedOperation {
  LogOp op = LogOp::kPut;
  pager::TreeId tree = pager::kNoTree;
  pager::KeyKind kind = pager::KeyKind::kBytes;
  std::string_view key;
  int64_t int_key = 0;
  std::string_view value;
  std::optional<std::string_view> lo;
  std::optional<std::string_view> hi;
  std::optional<int64_t> int_lo;
  std::optional<int64_t> int_hi;
};

class RecordReader {
 public:
  explicit RecordReader(std::string_view record) : rest_(record) {}
  bool done() const { return rest_.empty(); }
  // False: the bytes are no operation.
  bool Next(LoggedOperation* out);

 private:
  bool Number(uint64_t* out);
  bool Text(std::string_view* out);
  bool Integer(int64_t* out);

  std::string_view rest_;
};

}  // namespace kvsql::kv

#endif  // KVSQL_KV_LOG_RECORD_H_
