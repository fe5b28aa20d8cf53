// One published state of the database, as readers hold it.
#ifndef KVSQL_PAGER_STATE_H_
#define KVSQL_PAGER_STATE_H_

#include <cstdint>
#include <memory>

#include "pager/file.h"
#include "pager/log_types.h"
#include "pager/page_reader.h"
#include "pager/root_table.h"
#include "pager/types.h"

namespace kvsql::pager {

// Immutable once published. Several versions may stand for the same txid: the end of a checkpoint takes a
// new version too, since it moves pages from frames to the file (S7).
struct State {
  uint64_t version = 0;
  TxId txid = 0;
  RootTable roots;
  uint32_t page_count = 0;
  // The mapping that `reader` reads from; kept until no state uses it (S6). Null in memory mode.
  std::shared_ptr<const FileMapping> mapping;
  // What the layer above attached to the commit, e.g. its decoded schema. May be null.
  std::shared_ptr<const void> attachment;
  // The log's end after the flush that carried this state.
  LogPosition log_end;
  PageReader reader;
};

}  // namespace kvsql::pager

#endif  // KVSQL_PAGER_STATE_H_
