// A hash table from tuples of values to dense numbers: groups, distinct rows, join keys.
//
// Two tuples are the same if SQLite's comparison says so: 1 and 1.0 are, and texts that the collation takes for
// equal. A single column of nothing but integers is kept as integers; the rest as canonical keys (kv/key_codec.h).
//
// Thread safety: none.
#ifndef KVSQL_EXEC_BATCH_KEY_TABLE_H_
#define KVSQL_EXEC_BATCH_KEY_TABLE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "exec/batch/vector.h"

namespace kvsql::exec {

class KeyTable {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  // How one column is compared (planner::PackComparison), and whether NULL equals NULL; else a tuple with NULL has
  // no number.
  struct Column {
    uint8_t extra = 0;
    bool null_is_value = true;
  };

  explicit KeyTable(std::vector<Column> columns) : columns_(std::move(columns)) { Clear(); }

  void Clear();
  uint32_t size() const { return size_; }
  size_t memory_bytes() const;

  // ids[row]: the tuple's number, given out in order if it is new.
  void FindOrAdd(const Vector* const* keys, const Selection& selection, uint32_t* ids) {
    Run(keys, selection, ids, true);
  }
  // ids[row]: the tuple's number, or kNone.
  void Find(const Vector* const* keys, const Selection& selection, uint32_t* ids) {
    Run(keys, selection, ids, false);
  }

 private:
  void Run(const Vector* const* keys, const Selection& selection, uint32_t* ids, bool add);
  uint32_t Integer(int64_t key, bool add) {
    const auto place = static_cast<uint64_t>(key);
    if (place < small_.size() && small_[place] != 0) return small_[place] - 1;
    if (place >= kSmall) return HashedInteger(key, add);
    return add ? AddSmall(key) : kNone;
  }
  uint32_t AddSmall(int64_t key);
  uint32_t HashedInteger(int64_t key, bool add);
  void FillSlots();
  uint32_t Bytes(bool add);  // key_
  // One value of the only column, while the table holds integers; false: it is no integer.
  bool AsInteger(const kv::ValueView& value, int64_t* out) const;
  void ToBytes();
  void Grow();

  std::vector<Column> columns_;
  bool integers_ = true;
  uint32_t size_ = 0;
  // Integers below kSmall are found without hashing: small_[key] is the number + 1, or 0; it is
  // empty as long as there are none. The others are in slots_.
  static constexpr uint64_t kSmall = 4096;
  std::vector<uint32_t> small_;
  std::vector<uint32_t> slots_;  // numbers + 1; open addressing
  uint32_t mask_ = 0;
  std::vector<int64_t> int_keys_;  // by number
  std::vector<uint64_t> hashes_;   // by number
  std::vector<size_t> ends_;       // by number, in bytes_
  std::string bytes_;
  std::string key_;
};

}  // namespace kvsql::exec

#endif  // KVSQL_EXEC_BATCH_KEY_TABLE_H_
