// The keys of rows to be sorted: numbers where one number is all of the key, else bytes that compare by memcmp.
//
// Thread safety: none.
//
// Invariants:
//   1. Keys stand in the order of their rows' numbers until Sort.
//   2. Rows that sort alike stay in the order of their numbers.
#ifndef KVSQL_EXEC_BATCH_SORT_KEYS_H_
#define KVSQL_EXEC_BATCH_SORT_KEYS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "exec/batch/operator.h"
#include "exec/batch/vector.h"
#include "exec/functions/text_arena.h"
#include "planner/query/query_plan.h"

namespace kvsql::exec {

class SortKeys {
 public:
  explicit SortKeys(const std::vector<planner::SortKey>& keys) : plan_(keys) {}

  void Clear();
  size_t size() const { return keys_.size(); }
  // About what they take, room for sorting included.
  size_t bytes() const { return bytes_ + keys_.size() * (sizeof(Key) + 2 * sizeof(Item)); }
  uint32_t row(size_t i) const { return keys_[i].row; }
  void SetRow(size_t i, uint32_t row) { keys_[i].row = row; }

  // Adds keys for the selected rows, which get the numbers from `first_row` on; leaves out those that sort behind the
  // bound. Writes the others to `kept`; returns how many.
  uint32_t Append(const Vector* const* vectors, const Selection& selection, uint32_t first_row,
                  uint16_t* kept);

  // Keeps only the first `wanted` keys (at least one), and takes the last of these for the bound. The order stays.
  void Cut(size_t wanted);
  // The bound, if there is one that a scan can use; false: there is none.
  bool GetBound(TopBound* bound) const;

  // The bytes of key i that compare with those of any other rows' keys.
  std::string_view CanonicalKey(size_t i);

  // Sorts the first `wanted` of them and drops the rest.
  void Sort(size_t wanted);

 private:
  // What the keys are made of. All but kCanonical are for a single column of nothing but that.
  enum class Form : uint8_t { kNone, kIntegers, kReals, kTexts, kCanonical };

  struct Key {
    uint64_t prefix = 0;          // the number, or the first bytes (behind skip_)
    const char* bytes = nullptr;  // null for numbers
    uint32_t size = 0;
    uint32_t row = 0;
  };
  struct Item {
    uint64_t prefix;
    uint32_t place;
  };

  Form FormOf(const Vector& vector, const Selection& selection) const;
  template <typename F>
  uint32_t Add(const Selection& selection, uint32_t first_row, uint16_t* kept, const F& key_of);
  void ToCanonical();
  void Encode(const planner::SortKey& key, const kv::ValueView& value);
  kv::ValueView ValueOf(const Key& key) const;
  uint64_t PrefixOf(const char* bytes, uint32_t size) const;
  // Copies bytes to where they stay.
  const char* Keep(const char* bytes, size_t size);
  bool Less(const Key& a, const Key& b) const;
  void SkipCommonPrefix();
  void RadixSort();

  bool reversed() const { return form_ != Form::kCanonical && plan_[0].descending; }

  const std::vector<planner::SortKey>& plan_;
  Form form_ = Form::kNone;
  uint32_t skip_ = 0;  // bytes that all keys begin with
  std::vector<Key> keys_;
  TextArena arena_;
  size_t bytes_ = 0;  // in the arena
  bool has_bound_ = false;
  Key bound_;
  std::string bound_bytes_;
  std::string encoded_;
};

}  // namespace kvsql::exec

#endif  // KVSQL_EXEC_BATCH_SORT_KEYS_H_
