// Stepping from a node to its child with the checks of rule S3.
#ifndef KVSQL_BTREE_DESCEND_H_
#define KVSQL_BTREE_DESCEND_H_

#include <cstdint>

#include "base/bytes.h"
#include "base/status.h"
#include "btree/bytes_node.h"
#include "btree/int_node.h"
#include "btree/node_format.h"
#include "pager/page_reader.h"

namespace kvsql::btree {

// Tree, type and level as they stand side by side in a PageHeader.
template <typename Node>
inline uint64_t IdentityOf(pager::TreeId tree, uint32_t level) {
  const auto type = level == 0 ? Node::kLeafType : Node::kBranchType;
  const uint64_t wide_level = level;
  return uint64_t{tree} | uint64_t{static_cast<uint8_t>(type)} << 32 | wide_level << 40;
}
static_assert(offsetof(pager::PageHeader, tree) == 20);
static_assert(offsetof(pager::PageHeader, type) == 24);
static_assert(offsetof(pager::PageHeader, level) == 25);

// The node `id`, if it is one of `tree` at `level` in the reader's state; else nullptr: NodeError tells.
template <typename Node>
inline const uint8_t* FetchNode(const pager::PageReader& pages, pager::TreeId tree,
                                pager::PageId id, uint32_t level) {
  const uint8_t* page = pages.Fetch(id);
  if (page == nullptr) [[unlikely]]
    return nullptr;
  const uint64_t identity =
      LoadLe<uint64_t>(page + offsetof(pager::PageHeader, tree)) & 0x0000'ffff'ffff'ffff;
  if (identity != IdentityOf<Node>(tree, level) || pager::HeaderOf(page)->birth > pages.txid())
      [[unlikely]] {
    return nullptr;
  }
  return page;
}

// Why FetchNode answered nullptr.
Status NodeError(const pager::PageReader& pages, pager::TreeId tree, pager::PageId id,
                 uint32_t level, pager::KeyKind kind);

// Why a spilled key could not be read.
Status SpilledKeyError(const pager::PageReader& pages, pager::TreeId tree, pager::PageId id);

// A tree's height as its root says; checked, for paths have kMaxHeight places.
inline bool HeightOk(const pager::TreeRoot& root) { return root.height < kMaxHeight; }

}  // namespace kvsql::btree

#endif  // KVSQL_BTREE_DESCEND_H_
