// Entries of a tree between two keys, many at a time: what scans of tables and indexes are made of.
//
// A scan of a write transaction shows the tree as it was when the scan started; it must be started anew after a change.
//
// Thread safety: none.
#ifndef KVSQL_KV_RANGE_SCAN_H_
#define KVSQL_KV_RANGE_SCAN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "btree/cursor.h"
#include "btree/tree.h"
#include "kv/key_codec.h"
#include "kv/reader.h"
#include "kv/schema.h"

namespace kvsql::kv {

// The keys from `low` to `high`, both ends included, of a tree of integers.
struct IntRange {
  int64_t low = INT64_MIN;
  int64_t high = INT64_MAX;
  bool empty = false;
};

// The keys of [low, high) of a tree of byte strings; an empty `high` is no end.
struct KeyRange {
  std::string low;
  std::string high;
  bool empty = false;
  bool truncated = false;  // values were too long for a key: the rows must be checked again
};

// A bound of one key column.
struct KeyBound {
  ValueView value;
  bool inclusive = false;
};

// The range of the keys whose first columns equal `equal` and whose next one lies within the bounds, where a bound
// is never satisfied by NULL. A NULL among the values gives an empty range. Numbers are compared as numbers: values
// should have been given a numeric column's affinity (NUMERIC) or a text column's. `limit`: TableDef::max_tuple_bytes.
KeyRange MakeKeyRange(const std::vector<KeyPart>& parts, size_t limit,
                      const std::vector<ValueView>& equal, const std::optional<KeyBound>& low,
                      const std::optional<KeyBound>& high);
// The rowids within the bounds, whatever their storage class.
IntRange MakeIntRange(const std::optional<KeyBound>& low, const std::optional<KeyBound>& high);

class RangeScan {
 public:
  Status StartInts(const Reader& reader, TreeId tree, const IntRange& range, bool descending);
  Status StartKeys(const Reader& reader, TreeId tree, const KeyRange& range, bool descending);

  // The entries from here to the end, in O(height).
  StatusOr<uint64_t> Left();
  // Leaves out the next `n` entries, of which there are as many; O(height).
  Status Skip(uint64_t n);

  // Fills in up to `max` entries; fewer than `max` only at the end. The cells are views of pages. `keys` may be null.
  StatusOr<uint32_t> NextInts(uint32_t max, int64_t* keys, btree::ValueRef* cells);
  // The keys are copied into *storage, which is cleared first; ends[i] is where key i ends.
  StatusOr<uint32_t> NextKeys(uint32_t max, std::string* storage, uint32_t* ends,
                              btree::ValueRef* cells);

 private:
  StatusOr<uint64_t> RankHere();
  bool InRange();

  btree::TreeView view_;
  bool is_int_ = false;
  btree::Cursor cursor_;
  IntRange ints_;
  std::string end_;
  bool has_end_ = false;
  bool descending_ = false;
  bool valid_ = false;
};

}  // namespace kvsql::kv

#endif  // KVSQL_KV_RANGE_SCAN_H_
