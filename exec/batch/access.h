// An access path at work: the ranges of keys it stands for, and the rows in them, many at a time.
//
// Thread safety: none; belongs to one scan.
#ifndef KVSQL_EXEC_BATCH_ACCESS_H_
#define KVSQL_EXEC_BATCH_ACCESS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "exec/batch/expression.h"
#include "exec/batch/query_context.h"
#include "exec/batch/vector.h"
#include "kv/index_entries.h"
#include "kv/range_scan.h"
#include "kv/row.h"
#include "planner/query/query_plan.h"

namespace kvsql::exec {

// Rows found, with their cells. Of a covering scan: index entries.
struct Entries {
  uint32_t count = 0;
  int64_t rowids[kBatchRows];         // of tables with rowids
  btree::ValueRef cells[kBatchRows];  // of rows
  // Keys of rows in tables without rowids.
  std::string keys;
  uint32_t key_ends[kBatchRows];
  // Index entries.
  std::string index_keys;
  uint32_t index_key_ends[kBatchRows];
  btree::ValueRef index_cells[kBatchRows];

  std::string_view key(uint32_t i) const { return At(keys, key_ends, i); }
  std::string_view index_key(uint32_t i) const { return At(index_keys, index_key_ends, i); }

 private:
  static std::string_view At(const std::string& all, const uint32_t* ends, uint32_t i) {
    const uint32_t begin = i == 0 ? 0 : ends[i - 1];
    return std::string_view(all).substr(begin, ends[i] - begin);
  }
};

class Access {
 public:
  Access(const planner::AccessPath& path, const kv::TableDef& table, QueryContext* context)
      : path_(path), table_(table), context_(*context), evaluation_(context) {}

  // Makes the path's expressions; once, before the first Open.
  Status Make();
  // Evaluates the path's values and stands before the first row.
  Status Open();
  // The next rows, at most `max`; none: the end.
  StatusOr<uint32_t> Next(uint32_t max, Entries* entries);
  // As in Operator, if the path is one range of keys that need no second look.
  StatusOr<std::optional<uint64_t>> CountRows();
  StatusOr<uint64_t> SkipRows(uint64_t n);
  bool covering() const { return path_.covering; }
  // Whether the path's conditions must be looked at again for the rows given last.
  bool truncated() const { return truncated_; }
  // The row that an index entry leads to.
  Status FetchRow(const kv::RowKey& key, kv::Row* row);

 private:
  Status CollectProbes();
  Status StartProbe();
  StatusOr<kv::ValueView> KeyValue(Expression& expression, uint32_t key_column);
  kv::ValueView Convert(const kv::ValueView& value, uint32_t key_column);
  const kv::IndexColumn* KeyColumn(uint32_t i) const;
  Status FetchRows(Entries* entries);
  Status FetchByRowid(Entries* entries);
  Status FetchByKey(Entries* entries);
  void SortByRowid(const int64_t* rowids, uint32_t count);
  Status DamagedEntry() const;
  Status EntryWithoutRow() const;

  const kv::Reader& reader() const { return context_.reader->Of(table_); }
  bool int_keys() const {
    return path_.kind == planner::AccessPath::Kind::kTable && table_.has_rowid();
  }

  const planner::AccessPath& path_;
  const kv::TableDef& table_;
  QueryContext& context_;
  Evaluation evaluation_;
  std::vector<ExpressionPtr> equal_exprs_;
  std::vector<ExpressionPtr> items_;  // of an in_list
  ExpressionPtr low_;
  ExpressionPtr high_;
  Batch no_row_;
  kv::RangeScan scan_;
  std::vector<kv::ValueView> equal_;
  std::vector<kv::ValueView> probes_;  // of in_list, in key order
  size_t next_probe_ = 0;
  bool probing_ = false;  // there is an in_list
  bool started_ = false;
  bool truncated_ = false;
  bool range_truncated_ = false;
  kv::DecodedEntry decoded_;
  std::vector<uint32_t> order_;
  std::vector<uint64_t> items_by_rowid_;
};

}  // namespace kvsql::exec

#endif  // KVSQL_EXEC_BATCH_ACCESS_H_
