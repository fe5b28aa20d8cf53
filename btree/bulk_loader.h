// Builds a tree bottom up from a sorted stream: leaves are filled one after the other and never split,
// branches are written as their children are finished.
//
// Thread safety: none; belongs to the thread that runs the transaction.
//
// Invariants:
//  1. The tree is empty when the load begins, and stays so for everybody until Finish.
//  2. Keys come in strictly rising order.
#ifndef KVSQL_BTREE_BULK_LOADER_H_
#define KVSQL_BTREE_BULK_LOADER_H_

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/status.h"
#include "btree/tree_writer.h"
#include "pager/page_writer.h"

namespace kvsql::btree {

class BulkState;

class BulkLoader {
 public:
  // FAILED_PRECONDITION comes from the first Add if the tree is not empty.
  BulkLoader(pager::PageWriter* pages, pager::TreeId tree, WriterOptions options = {});
  // Frees what was built, if Finish was not called.
  ~BulkLoader();
  BulkLoader(const BulkLoader&) = delete;
  BulkLoader& operator=(const BulkLoader&) = delete;

  // INVALID_ARGUMENT if `key` is not larger than the one before it, or over the limits. After an error
  // only the destructor may be called.
  Status Add(std::string_view key, std::string_view value);
  Status Add(int64_t key, std::string_view value);

  // Makes the tree's root what was loaded; returns how many entries it has.
  StatusOr<uint64_t> Finish();

 private:
  std::unique_ptr<BulkState> state_;
};

}  // namespace kvsql::btree

#endif  // KVSQL_BTREE_BULK_LOADER_H_
