// The rows of a compressed table, many at a time, as column_decode.h and Row read them.
//
// Thread safety: none.
#ifndef KVSQL_KV_CELL_UNPACKER_H_
#define KVSQL_KV_CELL_UNPACKER_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/status.h"
#include "btree/tree.h"
#include "kv/value_codec.h"

namespace kvsql::kv {

class CellUnpacker {
 public:
  // Replaces the cells of packed rows by plain ones, which stand in the unpacker until its next use. Large cells
  // stay as they are. True if there was one to replace. DATA_LOSS; RESOURCE_EXHAUSTED if there is no memory.
  StatusOr<bool> Unpack(const ValueCodec& codec, btree::ValueRef* cells, uint32_t count);

 private:
  std::unique_ptr<char[]> plain_;
  size_t capacity_ = 0;
};

}  // namespace kvsql::kv

#endif  // KVSQL_KV_CELL_UNPACKER_H_
