// Writing, reading and freeing the extents of large values and spilled keys (large_value.h has the format).
#ifndef KVSQL_BTREE_EXTENT_H_
#define KVSQL_BTREE_EXTENT_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "base/status.h"
#include "btree/large_value.h"
#include "btree/node_format.h"
#include "pager/page_reader.h"
#include "pager/page_writer.h"

namespace kvsql::btree {

// A descriptor as it stands in a cell.
struct DescriptorBytes {
  uint8_t bytes[kMaxDescriptorBytes];
  uint32_t size = 0;

  std::string_view view() const { return AsView(bytes, size); }
};

// Stores `value` outside. `compression_level` 0 keeps it raw.
StatusOr<DescriptorBytes> WriteExtent(pager::PageWriter* pages, std::string_view value,
                                      int compression_level);

// The value that a validated descriptor names.
StatusOr<LargeValue> ReadExtent(const pager::PageReader& pages, const uint8_t* descriptor);

// Gives the descriptor's pages back.
void FreeExtent(pager::PageWriter* pages, const uint8_t* descriptor);

// Is this a descriptor that fits into [at, end), and could be one of a database with such pages?
bool ValidDescriptor(const uint8_t* at, const uint8_t* end, uint32_t page_size);

// The runs of a validated descriptor.
pager::PageRun DescriptorRun(const uint8_t* descriptor, uint32_t index);

}  // namespace kvsql::btree

#endif  // KVSQL_BTREE_EXTENT_H_
