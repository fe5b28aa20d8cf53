// What a write transaction needs memory for, kept by the Store from one transaction to the next, so
// that small commits do not pay for it.
//
// Thread safety: none; belongs to the running write transaction.
#ifndef KVSQL_KV_WRITE_SCRATCH_H_
#define KVSQL_KV_WRITE_SCRATCH_H_

#include <memory>
#include <string>
#include <vector>

#include "btree/tree_writer.h"
#include "kv/row.h"
#include "kv/row_codec.h"
#include "kv/row_rules.h"
#include "kv/schema.h"
#include "kv/value.h"

namespace kvsql::kv {

// An index entry as it stands in its tree.
struct IndexEntry {
  std::string key;
  std::string value;
  TupleShape shape;
  size_t tuple_size = 0;  // bytes of the tuple at the start of `key`
  bool absent = false;    // a partial index that does not have the row
};

// What table_ops computes of one row.
struct RowScratch {
  std::vector<ValueView> values;  // by column, after affinity
  std::vector<NumberText> texts;  // by column, where affinity made text
  std::vector<RowField> fields;
  std::vector<ValueView> old_values;
  std::vector<ValueView> tuple;
  std::string row;
  std::string packed;  // the row, or a large column, as it is stored if it is compressed
  std::string key;     // the row's key as it stands in index entries
  std::string old_key;
  std::vector<IndexEntry> entries;  // by index
  std::vector<IndexEntry> old_entries;
  IndexEntry probe;
  std::vector<uint64_t> dropped_overflow;
  Row other;
};

struct WriteScratch {
  struct OpenTree {
    TreeId tree = pager::kNoTree;
    std::unique_ptr<btree::TreeWriter> writer;
  };

  std::string record;  // operations for the log
  std::vector<OpenTree> trees;
  // Writers of trees that are gone; cursors may still point at them.
  std::vector<std::unique_ptr<btree::TreeWriter>> former_writers;
  RowScratch row;
  RowScratch conflict;  // of rows that are deleted on the way
  std::string bytes;
  // `schema` keeps the definition that `rules` were made for.
  struct CompiledRules {
    const TableDef* table = nullptr;
    std::shared_ptr<const Schema> schema;
    std::unique_ptr<RowRules> rules;
  };
  std::vector<CompiledRules> rules;

  // Ready for the next transaction; gives back memory that only an unusual one needed.
  void Reset();
};

}  // namespace kvsql::kv

#endif  // KVSQL_KV_WRITE_SCRATCH_H_
