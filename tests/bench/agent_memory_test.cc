#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "bench/agent_memory/json_codec.h"
#include "bench/agent_memory/key.h"
#include "bench/agent_memory/model.h"
#include "bench/agent_memory/oracle.h"
#include "bench/agent_memory/rows.h"
#include "bench/agent_memory/stores.h"
#include "bench/agent_memory/task.h"
#include "bench/agent_memory/worker.h"

namespace kvsql::bench::agent_memory {
namespace {

namespace fs = std::filesystem;

TEST(Model, LettersAreUniformOverSixtyThreeSymbols) {
  const Model model(TextKind::kLetters);
  std::map<char, int> counts;
  char text[kTextBytes];
  for (uint32_t sequence = 1; sequence <= 1'000; ++sequence) {
    model.Text(sequence, 0, text);
    for (const char byte : text) ++counts[byte];
  }
  ASSERT_EQ(counts.size(), 63u);
  for (const auto& [symbol, count] : counts) {
    EXPECT_NEAR(count, 200'000 / 63, 400) << symbol;
  }
}

TEST(Model, WordsComeFromAVocabularyOfTwoThousand) {
  const Model model(TextKind::kVocabulary);
  std::set<std::string> words;
  char text[kTextBytes];
  for (uint32_t sequence = 1; sequence <= 2'000; ++sequence) {
    model.Text(sequence, 0, text);
    const std::string_view view(text, kTextBytes);
    size_t begin = 0;
    // The last word may have been cut.
    for (size_t end; (end = view.find(' ', begin)) != std::string_view::npos; begin = end + 1) {
      words.emplace(view.substr(begin, end - begin));
    }
  }
  EXPECT_EQ(words.size(), 2'000u);
}

TEST(Model, AnUpdateChangesTextAndRevisionOnly) {
  const Model model(TextKind::kLetters);
  ValueBuffer first, second;
  model.Value(77, 0, &first);
  model.Value(77, 1, &second);
  EXPECT_NE(first.view(), second.view());
  JsonCodec codec;
  Memory before, after;
  codec.Decode(first, &before);
  codec.Decode(second, &after);
  EXPECT_EQ(before.id, after.id);
  EXPECT_EQ(before.agent, after.agent);
  EXPECT_EQ(before.sequence, after.sequence);
  EXPECT_EQ(after.revision, 1u);
  EXPECT_EQ(after.text.size(), kTextBytes);
  EXPECT_NE(before.text, after.text);
}

TEST(Model, ItsJsonIsThatOfTheEncoder) {
  const Oracle oracle(TextKind::kVocabulary, 100);
  for (uint32_t sequence : {1u, 42u, 100u}) {
    Memory memory;
    oracle.Expected(sequence, &memory);
    std::string json;
    JsonCodec::Encode(memory, &json);
    ValueBuffer value;
    oracle.ExpectedValue(sequence, &value);
    EXPECT_EQ(json, value.view());
  }
}

TEST(Key, OrdersByAgentThenByAge) {
  EXPECT_LT(Key(MemoryId{5, 1}).view(), Key(MemoryId{6, 1}).view());
  EXPECT_LT(Key(MemoryId{600, 1}).view(), Key(MemoryId{5, 2}).view());
  EXPECT_GT(Key::NewestFirst({5, 1}).view(), Key::NewestFirst({6, 1}).view());
  EXPECT_EQ(Key::IdOf(Key(MemoryId{123'456, 63}).view()), (MemoryId{123'456, 63}));
  EXPECT_EQ(Key::IdOfNewestFirst(Key::NewestFirst({123'456, 63}).view()), (MemoryId{123'456, 63}));
}

TEST(Oracle, LatestFollowsInserts) {
  Oracle oracle(TextKind::kLetters, 5'000);
  const uint32_t sequence = oracle.Insert();
  EXPECT_EQ(sequence, 5'001u);
  const std::vector<uint32_t> latest = oracle.LatestOf(IdOf(sequence).agent);
  ASSERT_EQ(latest.size(), kLatest);
  EXPECT_EQ(latest[0], sequence);
  EXPECT_TRUE(std::is_sorted(latest.rbegin(), latest.rend()));
  for (const uint32_t each : latest) EXPECT_EQ(IdOf(each).agent, IdOf(sequence).agent);
}

TEST(Task, SurvivesItsJson) {
  Task task;
  task.command = Command::kWrite;
  task.variant = "lmdb";
  task.path = "/somewhere/with \"quotes\".db";
  task.records = 7;
  task.calls = 8;
  task.round = 9;
  task.text = TextKind::kVocabulary;
  task.layout = Layout::kNormal;
  task.mode = ValueMode::kJson;
  task.sync = Sync::kOff;
  task.check_integrity = true;
  EXPECT_EQ(ToJson(TaskFromJson(ToJson(task))), ToJson(task));
  EXPECT_EQ(TaskFromJson(ToJson(task)).path, task.path);
}

// Every variant, in both layouts, with every task: the worker is Fatal where a store is wrong.
class StoresTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "kvsql-memory-test-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
  }
  void TearDown() override { fs::remove_all(directory_); }

  fs::path directory_;
};

TEST_P(StoresTest, HoldsWhatTheModelSays) {
  const std::string_view variant = GetParam();
  for (const Layout layout : {Layout::kBulk, Layout::kNormal}) {
    Task task;
    task.variant = variant;
    task.path = (directory_ / NameOf(layout)).string();
    task.records = 1'500;
    task.calls = 60;
    task.layout = layout;
    task.check_integrity = true;
    task.sync = Sync::kNormal;
    task.command = Command::kLoad;
    DoTask(task);
    for (const ValueMode mode : {ValueMode::kRaw, ValueMode::kJson}) {
      task.command = Command::kRead;
      task.mode = mode;
      const TaskResult read = DoTask(task);
      EXPECT_EQ(read.operations.at("recall").calls, 60u);
      EXPECT_EQ(read.operations.at("latest10").calls, 60u);
      EXPECT_GT(read.peak_rss_bytes, 0u);
    }
    task.command = Command::kWrite;
    task.sync = Sync::kFull;
    const TaskResult written = DoTask(task);
    for (const char* operation : {"insert", "recall", "latest10", "update", "mixed"}) {
      EXPECT_EQ(written.operations.at(operation).calls, 60u) << operation;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, StoresTest,
                         testing::Values("kvsql_key", "kvsql_sql", "kvsql_key_zstd",
                                         "kvsql_sql_zstd", "kvsql_indexed", "kvsql_sql_rowid",
                                         "sqlite_rowid", "sqlite_clustered", "sqlite_mmap_rowid",
                                         "sqlite_mmap_clustered", "lmdb"),
                         [](const auto& test) { return std::string(test.param); });

Measurement Read(const char* variant, uint32_t round, double recall) {
  Measurement measurement;
  measurement.task.command = Command::kRead;
  measurement.task.variant = variant;
  measurement.task.round = round;
  measurement.result.operations["recall"] = {.calls = 1, .p50 = recall, .mean = recall};
  return measurement;
}

TEST(Rows, SqliteShowsTheBetterSchemaAndRatiosArePaired) {
  Results results;
  FillRows({Read("kvsql_key", 0, 1), Read("kvsql_key", 1, 2), Read("kvsql_key", 2, 1),
            Read("sqlite_mmap_rowid", 0, 5), Read("sqlite_mmap_rowid", 1, 10),
            Read("sqlite_mmap_rowid", 2, 4), Read("sqlite_mmap_clustered", 0, 4),
            Read("sqlite_mmap_clustered", 1, 11), Read("sqlite_mmap_clustered", 2, 12)},
           results);
  const RowResult& row = results.RowOf(*FindRow(Suite::kAgentMemory, "recall_key"));
  EXPECT_DOUBLE_EQ(*row.Figure(EngineId::kSqliteMmap), 5);
  EXPECT_DOUBLE_EQ(*row.Ratio(EngineId::kSqliteMmap), 5);
  EXPECT_FALSE(row.Ratio(EngineId::kLmdb).has_value());
}

TEST(Rows, EveryRowOfTheCatalogIsFilledOrRefused) {
  Results results;
  FillRows({}, results);
  EXPECT_EQ(results.rows.size(), Rows(Suite::kAgentMemory).size());
  for (const RowResult& row : results.rows) EXPECT_FALSE(row.refused().empty());
}

}  // namespace
}  // namespace kvsql::bench::agent_memory
