#include "bench/agent_memory/rows.h"

#include <functional>
#include <optional>
#include <string_view>

#include "base/check.h"
#include "bench/report/catalog.h"
#include "bench/stats.h"

namespace kvsql::bench::agent_memory {
namespace {

constexpr double kMiB = 1024.0 * 1024.0;

constexpr Command kLoad = Command::kLoad;
constexpr Command kRead = Command::kRead;
constexpr Command kWrite = Command::kWrite;
constexpr Layout kBulk = Layout::kBulk;
constexpr Layout kNormal = Layout::kNormal;
constexpr TextKind kLetters = TextKind::kLetters;
constexpr TextKind kVocabulary = TextKind::kVocabulary;
constexpr ValueMode kRaw = ValueMode::kRaw;
constexpr ValueMode kJson = ValueMode::kJson;

// Which measurements a row is made of. `what` is an operation, or one of the figures below.
constexpr std::string_view kSeconds = "seconds";
constexpr std::string_view kFile = "file";
constexpr std::string_view kMemory = "memory";

struct Source {
  const char* row;
  Command command;
  Layout layout;
  TextKind text;
  ValueMode mode;
  Sync sync;  // of writes
  std::string_view what;
  std::string_view kvsql;  // the variant
};

constexpr Sync kFull = Sync::kFull;
constexpr Sync kRelaxed = Sync::kNormal;

constexpr Source kSources[] = {
    {"recall_key", kRead, kBulk, kLetters, kRaw, kFull, "recall", "kvsql_key"},
    {"recall_sql", kRead, kBulk, kLetters, kRaw, kFull, "recall", "kvsql_sql"},
    {"recall_row", kRead, kBulk, kLetters, kRaw, kFull, "recall_row", "kvsql_sql"},
    {"latest10_key", kRead, kBulk, kLetters, kRaw, kFull, "latest10", "kvsql_key"},
    {"latest10_sql", kRead, kBulk, kLetters, kRaw, kFull, "latest10", "kvsql_sql"},
    {"recall_key_normal", kRead, kNormal, kLetters, kRaw, kFull, "recall", "kvsql_key"},
    {"recall_sql_normal", kRead, kNormal, kLetters, kRaw, kFull, "recall", "kvsql_sql"},
    {"latest10_key_normal", kRead, kNormal, kLetters, kRaw, kFull, "latest10", "kvsql_key"},
    {"latest10_sql_normal", kRead, kNormal, kLetters, kRaw, kFull, "latest10", "kvsql_sql"},
    {"recall_key_json", kRead, kBulk, kLetters, kJson, kFull, "recall", "kvsql_key"},
    {"recall_sql_json", kRead, kBulk, kLetters, kJson, kFull, "recall", "kvsql_sql"},
    {"latest10_key_json", kRead, kBulk, kLetters, kJson, kFull, "latest10", "kvsql_key"},
    {"latest10_sql_json", kRead, kBulk, kLetters, kJson, kFull, "latest10", "kvsql_sql"},
    {"update_full", kWrite, kBulk, kLetters, kRaw, kFull, "update", "kvsql_key"},
    {"update_full_sql", kWrite, kBulk, kLetters, kRaw, kFull, "update", "kvsql_sql"},
    {"update_full_json", kWrite, kBulk, kLetters, kJson, kFull, "update", "kvsql_key"},
    {"update_normal", kWrite, kBulk, kLetters, kRaw, kRelaxed, "update", "kvsql_key"},
    {"update_normal_sql", kWrite, kBulk, kLetters, kRaw, kRelaxed, "update", "kvsql_sql"},
    {"update_normal_json", kWrite, kBulk, kLetters, kJson, kRelaxed, "update", "kvsql_key"},
    {"insert_full", kWrite, kBulk, kLetters, kRaw, kFull, "insert", "kvsql_key"},
    {"insert_full_sql", kWrite, kBulk, kLetters, kRaw, kFull, "insert", "kvsql_sql"},
    {"insert_normal", kWrite, kBulk, kLetters, kRaw, kRelaxed, "insert", "kvsql_key"},
    {"insert_normal_sql", kWrite, kBulk, kLetters, kRaw, kRelaxed, "insert", "kvsql_sql"},
    {"mixed_full", kWrite, kBulk, kLetters, kRaw, kFull, "mixed", "kvsql_key"},
    {"bulk_load", kLoad, kBulk, kLetters, kRaw, kFull, kSeconds, "kvsql_key"},
    {"bulk_load_sql", kLoad, kBulk, kLetters, kRaw, kFull, kSeconds, "kvsql_sql"},
    {"file_bulk", kLoad, kBulk, kLetters, kRaw, kFull, kFile, "kvsql_key"},
    {"file_bulk_sql", kLoad, kBulk, kLetters, kRaw, kFull, kFile, "kvsql_sql"},
    {"file_normal", kLoad, kNormal, kLetters, kRaw, kFull, kFile, "kvsql_key"},
    {"file_normal_sql", kLoad, kNormal, kLetters, kRaw, kFull, kFile, "kvsql_sql"},
    {"file_compressed", kLoad, kBulk, kLetters, kRaw, kFull, kFile, "kvsql_key_zstd"},
    {"file_compressed_sql", kLoad, kBulk, kLetters, kRaw, kFull, kFile, "kvsql_sql_zstd"},
    {"file_compressed_vocabulary", kLoad, kBulk, kVocabulary, kRaw, kFull, kFile, "kvsql_key_zstd"},
    {"file_compressed_vocabulary_sql", kLoad, kBulk, kVocabulary, kRaw, kFull, kFile,
     "kvsql_sql_zstd"},
    {"recall_compressed", kRead, kBulk, kLetters, kRaw, kFull, "recall", "kvsql_key_zstd"},
    {"recall_compressed_sql", kRead, kBulk, kLetters, kRaw, kFull, "recall", "kvsql_sql_zstd"},
    {"recall_compressed_vocabulary", kRead, kBulk, kVocabulary, kRaw, kFull, "recall",
     "kvsql_key_zstd"},
    {"peak_rss", kRead, kBulk, kLetters, kRaw, kFull, kMemory, "kvsql_key"},
    {"peak_rss_sql", kRead, kBulk, kLetters, kRaw, kFull, kMemory, "kvsql_sql"},
};

std::optional<Sample> SampleOf(const Measurement& measurement, std::string_view what) {
  if (what == kSeconds) return Sample{.figure = measurement.result.load_seconds};
  if (what == kFile) return Sample{.figure = static_cast<double>(measurement.logical_bytes) / kMiB};
  if (what == kMemory) {
    return Sample{.figure = static_cast<double>(measurement.result.peak_rss_bytes) / kMiB};
  }
  // Only kvsql has get_row: the others recall as they do.
  const auto& operations = measurement.result.operations;
  auto at = operations.find(std::string(what));
  if (at == operations.end() && what == "recall_row") at = operations.find("recall");
  if (at == operations.end()) return std::nullopt;
  return Sample{.figure = at->second.p50, .p99 = at->second.p99, .mean = at->second.mean};
}

// The rounds of one variant in a row, in order.
std::vector<Sample> SeriesOf(const std::vector<Measurement>& measurements, const Source& source,
                             std::string_view variant) {
  std::vector<Sample> series;
  for (const Measurement& measurement : measurements) {
    const Task& task = measurement.task;
    if (task.variant != variant || task.command != source.command || task.layout != source.layout ||
        task.text != source.text || task.mode != source.mode) {
      continue;
    }
    if (source.command == kWrite && task.sync != source.sync) continue;
    // A size does not vary: one round will do.
    if (source.what == kFile && task.round > 0) continue;
    if (const auto sample = SampleOf(measurement, source.what)) series.push_back(*sample);
  }
  return series;
}

// What the better of the two schemas is chosen by: what the row's bar is about.
double Weight(const RowInfo& row, const std::vector<Sample>& series) {
  bool by_mean = false;
  for (const Bar* bar : BarsOf(row)) {
    if (bar->statistic == Statistic::kFigure) {
      by_mean = false;
      break;
    }
    by_mean = true;
  }
  std::vector<double> values;
  for (const Sample& sample : series) values.push_back(by_mean ? *sample.mean : sample.figure);
  return Median(std::move(values));
}

void Add(RowResult& row, EngineId engine, const std::vector<Sample>& series) {
  for (const Sample& sample : series) row.Add(engine, sample);
}

}  // namespace

void FillRows(const std::vector<Measurement>& measurements, Results& results) {
  for (const Source& source : kSources) {
    const RowInfo* const info = FindRow(Suite::kAgentMemory, source.row);
    KV_CHECK(info != nullptr);
    RowResult& row = results.RowOf(*info);
    const auto series = [&](std::string_view variant) {
      return SeriesOf(measurements, source, variant);
    };
    const std::vector<Sample> ours = series(source.kvsql);
    if (ours.empty()) row.Refuse("not measured");
    Add(row, EngineId::kKvsql, ours);
    const auto better_of = [&](EngineId engine, std::string_view a, std::string_view b) {
      const std::vector<Sample> first = series(a);
      const std::vector<Sample> second = series(b);
      if (first.empty() || second.empty()) return;
      Add(row, engine, Weight(*info, first) <= Weight(*info, second) ? first : second);
    };
    better_of(EngineId::kSqlite, "sqlite_rowid", "sqlite_clustered");
    better_of(EngineId::kSqliteMmap, "sqlite_mmap_rowid", "sqlite_mmap_clustered");
    Add(row, EngineId::kLmdb, series("lmdb"));
  }
}

}  // namespace kvsql::bench::agent_memory
