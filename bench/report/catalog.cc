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
    {"open_first_row", "open, first get_row, close", "us", kLower},
    {"open_first_row_journal", "the same, SQLite's file without WAL", "us", kLower},
};

constexpr EngineId kSqlite = EngineId::kSqlite;
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
};

}  // namespace

std::span<const RowInfo> Rows() { return kRows; }

const RowInfo* FindRow(std::string_view id) {
  for (const RowInfo& row : kRows) {
    if (row.id == id) return &row;
  }
  return nullptr;
}

std::span<const Bar> Bars() { return kBars; }

}  // namespace kvsql::bench
