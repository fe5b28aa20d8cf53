#include "kv/analyze.h"

#include <string>
#include <vector>

#include "btree/cursor.h"
#include "kv/key_codec.h"

namespace kvsql::kv {
namespace {

// Entries, then per prefix of the columns the average number of entries with equal ones.
StatusOr<std::vector<uint64_t>> CountPrefixes(WriteTxn& txn, const IndexDef& index) {
  const size_t columns = index.parts.size();
  std::vector<uint64_t> distinct(columns, 0);
  std::vector<size_t> ends(columns, 0);  // of the prefixes in `last`
  std::string last;
  uint64_t entries = 0;
  KV_ASSIGN_OR_RETURN(const btree::TreeView view, txn.View(index.tree));
  btree::Cursor cursor(view);
  std::vector<size_t> key_ends(columns, 0);
  for (cursor.SeekFirst(); cursor.Valid(); cursor.Next()) {
    const std::string_view key = cursor.key();
    KeyReader reader(key);
    bool is_null = false;
    // Of a tuple that was cut at the limit, the last element may not be whole: it ends with the key.
    for (size_t i = 0; i < columns; ++i) {
      key_ends[i] =
          reader.Skip(index.parts[i], &is_null) ? key.size() - reader.rest().size() : key.size();
    }
    size_t same = 0;
    while (entries > 0 && same < columns && key_ends[same] == ends[same] &&
           key.substr(0, key_ends[same]) == std::string_view(last).substr(0, ends[same])) {
      ++same;
    }
    for (size_t i = same; i < columns; ++i) ++distinct[i];
    ++entries;
    last.assign(key);
    ends = key_ends;
  }
  KV_RETURN_IF_ERROR(cursor.status());
  std::vector<uint64_t> numbers = {entries};
  if (entries == 0) return std::vector<uint64_t>();
  for (size_t i = 0; i < columns; ++i) {
    uint64_t average = (entries + distinct[i] - 1) / distinct[i];
    // As SQLite: a few repetitions in a nearly unique column do not count.
    if (average == 2 && entries * 10 <= distinct[i] * 11) average = 1;
    if (index.unique && i + 1 == columns) average = 1;
    numbers.push_back(average);
  }
  return numbers;
}

}  // namespace

Status Analyze(WriteTxn& txn, const TableDef& table, const IndexDef* only) {
  TableDef analyzed = table;
  const uint64_t rows = txn.Count(table.tree);
  analyzed.analyzed_rows = rows > 0 ? std::optional<uint64_t>(rows) : std::nullopt;
  for (IndexDef& index : analyzed.indexes) {
    if (only != nullptr && index.name != only->name) continue;
    KV_ASSIGN_OR_RETURN(index.statistics, CountPrefixes(txn, index));
  }
  return txn.StoreStatistics(analyzed);
}

}  // namespace kvsql::kv
