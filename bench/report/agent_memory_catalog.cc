// The rows and bars of --suite agent-memory. What fills them is bench/agent_memory/rows.cc.
#include "bench/report/catalog.h"

namespace kvsql::bench {
namespace {

constexpr Better kLower = Better::kLower;

constexpr RowInfo kRows[] = {
    {"recall_key", "recall by id, key door (p50)", "us", kLower},
    {"recall_sql", "recall by id, prepared SQL (p50)", "us", kLower},
    {"recall_row", "recall by id, get_row on the SQL table (p50)", "us", kLower},
    {"latest10_key", "latest ten of an agent, key door (p50)", "us", kLower},
    {"latest10_sql", "latest ten of an agent, prepared SQL (p50)", "us", kLower},
    {"recall_key_normal", "recall by id, key door, normal layout", "us", kLower},
    {"recall_sql_normal", "recall by id, prepared SQL, normal layout", "us", kLower},
    {"latest10_key_normal", "latest ten, key door, normal layout", "us", kLower},
    {"latest10_sql_normal", "latest ten, prepared SQL, normal layout", "us", kLower},
    {"recall_key_json", "recall by id, key door, JSON decoded", "us", kLower},
    {"recall_sql_json", "recall by id, prepared SQL, JSON decoded", "us", kLower},
    {"latest10_key_json", "latest ten, key door, JSON decoded", "us", kLower},
    {"latest10_sql_json", "latest ten, prepared SQL, JSON decoded", "us", kLower},
    {"update_full", "durable update, key door (p50)", "us", kLower},
    {"update_full_sql", "durable update, prepared SQL (p50)", "us", kLower},
    {"update_full_json", "durable update, key door, JSON encoded (p50)", "us", kLower},
    {"update_normal", "update at level normal, key door (p50)", "us", kLower},
    {"update_normal_sql", "update at level normal, prepared SQL (p50)", "us", kLower},
    {"update_normal_json", "update at level normal, key door, JSON encoded (p50)", "us", kLower},
    {"insert_full", "durable insert, key door (p50)", "us", kLower},
    {"insert_full_sql", "durable insert, prepared SQL (p50)", "us", kLower},
    {"insert_normal", "insert at level normal, key door (p50)", "us", kLower},
    {"insert_normal_sql", "insert at level normal, prepared SQL (p50)", "us", kLower},
    {"mixed_full", "90 recalls to 10 durable updates, key door (p50)", "us", kLower},
    {"bulk_load", "all memories and the index in one transaction, key door", "s", kLower},
    {"bulk_load_sql", "the same, prepared SQL", "s", kLower},
    {"file_bulk", "file after the bulk load, key door", "MiB", kLower},
    {"file_bulk_sql", "the same, prepared SQL", "MiB", kLower},
    {"file_normal", "file after single commits in id order, key door", "MiB", kLower},
    {"file_normal_sql", "the same, prepared SQL", "MiB", kLower},
    {"file_compressed", "file compressed, letters text, key door", "MiB", kLower},
    {"file_compressed_sql", "the same, SQL table", "MiB", kLower},
    {"file_compressed_vocabulary", "file compressed, vocabulary text, key door", "MiB", kLower},
    {"file_compressed_vocabulary_sql", "the same, SQL table", "MiB", kLower},
    {"recall_compressed", "recall by id, compressed, key door (p50)", "us", kLower},
    {"recall_compressed_sql", "recall by id, compressed, prepared SQL (p50)", "us", kLower},
    {"recall_compressed_vocabulary", "the same as recall_compressed, vocabulary text", "us",
     kLower},
    {"peak_rss", "peak memory of the read scenario, key door", "MiB", kLower},
    {"peak_rss_sql", "the same, prepared SQL", "MiB", kLower},
};

constexpr EngineId kSqlite = EngineId::kSqlite;
constexpr EngineId kMmap = EngineId::kSqliteMmap;
constexpr EngineId kLmdb = EngineId::kLmdb;
constexpr Statistic kFigure = Statistic::kFigure;
constexpr Statistic kMean = Statistic::kMean;
constexpr BarKind kAtLeast = BarKind::kRatioAtLeast;
constexpr BarKind kAtMost = BarKind::kSizeAtMost;

constexpr Bar kBars[] = {
    {"recall_key", kMmap, kFigure, kAtLeast, 4},
    {"recall_key", kLmdb, kFigure, kAtLeast, 1.4},
    {"recall_sql", kMmap, kFigure, kAtLeast, 3},
    {"latest10_key", kMmap, kFigure, kAtLeast, 8},
    {"latest10_key", kLmdb, kFigure, kAtLeast, 1},
    {"latest10_sql", kMmap, kFigure, kAtLeast, 4},
    {"update_full", kSqlite, kFigure, kAtLeast, 1.1},
    {"update_full", kSqlite, kMean, kAtLeast, 1.1},
    {"update_full_sql", kSqlite, kFigure, kAtLeast, 1.1},
    {"update_full_sql", kSqlite, kMean, kAtLeast, 1.1},
    {"update_normal", kSqlite, kMean, kAtLeast, 3},
    {"update_normal_sql", kSqlite, kMean, kAtLeast, 3},
    {"bulk_load", kSqlite, kFigure, kAtLeast, 2},
    {"bulk_load_sql", kSqlite, kFigure, kAtLeast, 2},
    {"file_bulk", kSqlite, kFigure, kAtMost, 1.0},
    {"file_bulk_sql", kSqlite, kFigure, kAtMost, 1.0},
    {"file_normal", kSqlite, kFigure, kAtMost, 1.1},
    {"file_normal_sql", kSqlite, kFigure, kAtMost, 1.1},
    {"file_compressed", kSqlite, kFigure, kAtMost, 0.80},
    {"file_compressed_sql", kSqlite, kFigure, kAtMost, 0.80},
    {"file_compressed_vocabulary", kSqlite, kFigure, kAtMost, 0.55},
    {"file_compressed_vocabulary_sql", kSqlite, kFigure, kAtMost, 0.55},
    {"recall_compressed", kMmap, kFigure, kAtLeast, 2},
    {"recall_compressed_sql", kMmap, kFigure, kAtLeast, 2},
    {"recall_compressed_vocabulary", kMmap, kFigure, kAtLeast, 2},
    {"peak_rss", kMmap, kFigure, kAtMost, 1.0},
    {"peak_rss_sql", kMmap, kFigure, kAtMost, 1.0},
};

}  // namespace

std::span<const RowInfo> AgentMemoryRows() { return kRows; }
std::span<const Bar> AgentMemoryBars() { return kBars; }

}  // namespace kvsql::bench
