// Rows kept by operators that need them all: sorts, the inner sides of joins.
//
// Columns are stored apart, as integers or reals as long as all values are that; bytes that would not last are copied.
//
// Thread safety: none.
#ifndef KVSQL_EXEC_BATCH_COLUMN_STORE_H_
#define KVSQL_EXEC_BATCH_COLUMN_STORE_H_

#include <cstdint>
#include <vector>

#include "exec/batch/vector.h"
#include "exec/functions/text_arena.h"

namespace kvsql::exec {

class ColumnStore {
 public:
  explicit ColumnStore(size_t columns) : columns_(columns) {}

  void Clear();
  uint32_t rows() const { return rows_; }
  // About what was added, in bytes.
  size_t bytes() const { return bytes_; }

  // Adds the selected rows. There are at most UINT32_MAX - 1 in all.
  void Append(const std::vector<const Vector*>& columns, const Selection& selection);

  kv::ValueView At(size_t column, uint32_t row) const;
  // to[i] = column of row rows[i]; kNoRow gives NULL.
  static constexpr uint32_t kNoRow = UINT32_MAX;
  void Gather(size_t column, const uint32_t* rows, uint32_t count, bool may_miss, Vector* to) const;

 private:
  struct Column {
    VectorTag tag = VectorTag::kInteger;
    std::vector<int64_t> integers;
    std::vector<double> reals;
    std::vector<kv::ValueView> values;
  };

  void ToValues(Column* column) const;

  std::vector<Column> columns_;
  uint32_t rows_ = 0;
  size_t bytes_ = 0;
  TextArena arena_;
};

}  // namespace kvsql::exec

#endif  // KVSQL_EXEC_BATCH_COLUMN_STORE_H_
