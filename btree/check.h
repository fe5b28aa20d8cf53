// The checker of trees and the validator of single pages.
//
// Thread safety: functions only read; any thread may call them.
#ifndef KVSQL_BTREE_CHECK_H_
#define KVSQL_BTREE_CHECK_H_

#include <cstdint>

#include "base/status.h"
#include "btree/tree.h"
#include "pager/page_writer.h"
#include "pager/types.h"

namespace kvsql::btree {

// Is the page a well-formed node (S2)? Offsets and lengths in bounds, keys in order, heads and prefix in
// agreement, children named. After OK every accessor of the node stays inside the page. Knows nothing
// about checksum, birth or place in the tree. DATA_LOSS names what is wrong, but not the file.
Status ValidatePage(const uint8_t* page, uint32_t page_size);

// Told of everything that belongs to a tree, each once. An error ends the check and is its result.
class TreeVisitor {
 public:
  virtual ~TreeVisitor() = default;
  virtual Status VisitPage(pager::PageId page) = 0;
  // Pages without headers, written by the transaction `birth`.
  virtual Status VisitRun(pager::PageRun run, pager::TxId birth) = 0;
};

struct CheckOptions {
  bool read_large_values = true;  // verify the hashes of extents, too
};

// Checks everything that must hold in a tree: each page well-formed and of this tree, levels, births, keys
// in order within and across pages and inside their parents' separators, row counts, extents' hashes.
// DATA_LOSS names the tree and page. `visitor` may be null.
Status CheckTree(const TreeView& tree, TreeVisitor* visitor, const CheckOptions& options = {});

}  // namespace kvsql::btree

#endif  // KVSQL_BTREE_CHECK_H_
