#include "bench/report/catalog.h"

namespace kvsql::bench {
namespace {

constexpr Better kLower = Better::kLower;
constexpr Better kHigher = Better::kHigher;

constexpr RowInfo kRows[] = {
    {"get", "get by key, own snapshot per call", "us", kLower},
    {"get_snapshot", "get by key inside one snapshot", "us", kLower},
    {"get_row", "get_row by primary key, all columns read", "us", kLower},
    {"point_prepared", "prepared point select, autocommit", "us", kLower},
    {"point_prepared_txn", "prepared point select in a transaction", "us", kLower},
    {"point_text", "point select as text, new literal each time", "us", kLower},
    {"point_text_vs_prepared", "the same text against a prepared statement", "us", kLower},
    {"get_row_2threads", "get_row, two threads together", "per second", kHigher},
    {"get_2threads", "get, two threads together", "per second", kHigher},
    {"put_sync", "one synced put (p50)", "us", kLower},
    {"insert_sync", "one synced INSERT (p50)", "us", kLower},
    {"put_sync_8threads", "synced puts, eight threads together", "per second", kHigher},
    {"put_sync_8threads_tuned", "the same, SQLite with tuned waits", "per second", kHigher},
    {"put_normal", "one put at level normal (mean)", "us", kLower},
    {"commit_bytes", "bytes written per synced one-row commit", "bytes", kLower},
    {"load_rows", "load rows in key order, one transaction", "ms", kLower},
    {"load_keys", "load keys in key order, one transaction", "ms", kLower},
    {"load_keys_shuffled", "load keys in shuffled order, one transaction", "ms", kLower},
    {"get_p99_under_writes", "get while another thread commits puts (p99)", "us", kLower},
    {"file_size", "rows and keys loaded in order, closed", "MiB", kLower},
    {"churn_size", "size after 20 random overwrites per leaf, to loaded", "x", kLower},
    {"group_by", "SELECT score, count(*), sum(id) ... GROUP BY score", "ms", kLower},
    {"count_where", "SELECT count(*) ... WHERE score < 500", "ms", kLower},
    {"range_1000", "1,000 rows by a range of the key, every column read", "us", kLower},
    {"count_all", "SELECT count(*) FROM t", "us", kLower},
    {"offset", "ORDER BY id LIMIT 1 OFFSET half the rows", "us", kLower},
    {"sum_column", "SELECT sum(score) FROM t", "ms", kLower},
    {"scan_like", "SELECT count(*) ... WHERE name LIKE '%99%'", "ms", kLower},
    {"sort_limit", "ORDER BY name LIMIT 10, no index", "ms", kLower},
    {"sort_all", "all rows ORDER BY name, no index", "ms", kLower},
    {"join_100k", "equi-join of two tables of --rows rows, no index", "ms", kLower},
    {"index_range", "sum over 10 % of the rows by a secondary index", "ms", kLower},
    {"update_10pct", "UPDATE of 10 % of the rows by a range of the key", "ms", kLower},
    {"delete_half", "DELETE of every other row or so (score < 500)", "ms", kLower},
    {"insert_indexed", "INSERT of --rows rows, two indexes, one transaction", "ms", kLower},
    {"one_shot", "the program with 'SELECT 1', start to end", "ms", kLower},
    {"read_dump", ".read of a dump, one transaction, a new file", "ms", kLower},
    {"open_first_row", "open, first get_row, close", "us", kLower},
    {"open_first_row_journal", "the same, SQLite's file without WAL", "us", kLower},
};

constexpr EngineId kSqlite = EngineId::kSqlite;
constexpr EngineId kMmap = EngineId::kSqliteMmap;
constexpr EngineId kLmdb = EngineId::kLmdb;
constexpr Statistic kFigure = Statistic::kFigure;
constexpr Statistic kMean = Statistic::kMean;
constexpr BarKind kAtLeast = BarKind::kRatioAtLeast;

constexpr Bar kBars[] = {
    {"get", kSqlite, kFigure, kAtLeast, 8},
    {"get", kLmdb, kFigure, kAtLeast, 1.4},
    {"get_snapshot", kSqlite, kFigure, kAtLeast, 3},
    {"get_snapshot", kLmdb, kFigure, kAtLeast, 1.3},
    {"get_row", kSqlite, kFigure, kAtLeast, 7},
    {"point_prepared", kSqlite, kFigure, kAtLeast, 5},
    {"point_prepared_txn", kSqlite, kFigure, kAtLeast, 2},
    {"point_text", kSqlite, kFigure, kAtLeast, 6},
    {"point_text_vs_prepared", kSqlite, kFigure, kAtLeast, 2.5},
    {"get_row_2threads", kSqlite, kFigure, kAtLeast, 9},
    {"get_2threads", kLmdb, kFigure, kAtLeast, 1.2},
    {"put_sync", kSqlite, kFigure, kAtLeast, 1.1},
    {"put_sync", kSqlite, kMean, kAtLeast, 1.05},
    {"put_sync", kLmdb, kFigure, kAtLeast, 1.8},
    {"insert_sync", kSqlite, kFigure, kAtLeast, 1.1},
    {"insert_sync", kSqlite, kMean, kAtLeast, 1.05},
    {"put_sync_8threads", kSqlite, kFigure, kAtLeast, 3.5},
    {"put_normal", kSqlite, kFigure, kAtLeast, 3},
    {"commit_bytes", kSqlite, kFigure, kAtLeast, 1},
    {"load_rows", kSqlite, kFigure, kAtLeast, 2},
    {"load_keys", kSqlite, kFigure, kAtLeast, 4},
    {"load_keys", kLmdb, kFigure, kAtLeast, 1.1},
    {"load_keys_shuffled", kSqlite, kFigure, kAtLeast, 2},
    {"load_keys_shuffled", kLmdb, kFigure, kAtLeast, 1},
    {"get_p99_under_writes", kLmdb, kFigure, kAtLeast, 1},
    {"file_size", kSqlite, kFigure, BarKind::kSizeAtMost, 0.9},
    {"churn_size", EngineId::kKvsql, kFigure, BarKind::kFigureAtMost, 1.3},
    {"open_first_row", kSqlite, kFigure, kAtLeast, 1},
    // Against the better of SQLite's two settings: both must be beaten.
    {"group_by", kSqlite, kFigure, kAtLeast, 8},
    {"group_by", kMmap, kFigure, kAtLeast, 8},
    {"count_where", kSqlite, kFigure, kAtLeast, 5},
    {"count_where", kMmap, kFigure, kAtLeast, 5},
    {"range_1000", kSqlite, kFigure, kAtLeast, 2.5},
    {"range_1000", kMmap, kFigure, kAtLeast, 2.5},
    {"count_all", kSqlite, kFigure, kAtLeast, 100},
    {"count_all", kMmap, kFigure, kAtLeast, 100},
    {"offset", kSqlite, kFigure, kAtLeast, 100},
    {"offset", kMmap, kFigure, kAtLeast, 100},
    {"sum_column", kSqlite, kFigure, kAtLeast, 3},
    {"sum_column", kMmap, kFigure, kAtLeast, 3},
    {"scan_like", kSqlite, kFigure, kAtLeast, 3},
    {"scan_like", kMmap, kFigure, kAtLeast, 3},
    {"sort_limit", kSqlite, kFigure, kAtLeast, 4},
    {"sort_limit", kMmap, kFigure, kAtLeast, 4},
    {"sort_all", kSqlite, kFigure, kAtLeast, 2},
    {"sort_all", kMmap, kFigure, kAtLeast, 2},
    {"join_100k", kSqlite, kFigure, kAtLeast, 4},
    {"join_100k", kMmap, kFigure, kAtLeast, 4},
    {"index_range", kSqlite, kFigure, kAtLeast, 3},
    {"index_range", kMmap, kFigure, kAtLeast, 3},
    {"update_10pct", kSqlite, kFigure, kAtLeast, 1.5},
    {"update_10pct", kMmap, kFigure, kAtLeast, 1.5},
    {"delete_half", kSqlite, kFigure, kAtLeast, 1.5},
    {"delete_half", kMmap, kFigure, kAtLeast, 1.5},
    {"insert_indexed", kSqlite, kFigure, kAtLeast, 1.5},
    {"insert_indexed", kMmap, kFigure, kAtLeast, 1.5},
    {"one_shot", kSqlite, kFigure, kAtLeast, 1},
    {"read_dump", kSqlite, kFigure, kAtLeast, 1},
};

}  // namespace

std::span<const RowInfo> Rows(Suite suite) {
  return suite == Suite::kStandard ? std::span<const RowInfo>(kRows) : AgentMemoryRows();
}

const RowInfo* FindRow(Suite suite, std::string_view id) {
  for (const RowInfo& row : Rows(suite)) {
    if (row.id == id) return &row;
  }
  return nullptr;
}

std::span<const Bar> Bars(Suite suite) {
  return suite == Suite::kStandard ? std::span<const Bar>(kBars) : AgentMemoryBars();
}

std::vector<const Bar*> BarsOf(const RowInfo& row) {
  std::vector<const Bar*> bars;
  for (const Suite suite : {Suite::kStandard, Suite::kAgentMemory}) {
    for (const Bar& bar : Bars(suite)) {
      if (std::string_view(bar.row) == row.id) bars.push_back(&bar);
    }
  }
  return bars;
}

}  // namespace kvsql::bench
