// Runs the program with few rows: its engines must agree (it leaves with an error otherwise) and
// its files be complete. Never a duration.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>

#include "bench/report/catalog.h"

namespace kvsql::bench {
namespace {

namespace fs = std::filesystem;

class KvsqlBench : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "kvsql-bench-test-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
  }
  void TearDown() override { fs::remove_all(directory_); }

  // The exit code; what the program printed is in Read("out") and Read("err").
  int Run(const std::string& flags) {
    const std::string command = "cd '" + directory_.string() + "' && KVSQL_BENCH_ROWS= '" +
                                KVSQL_BENCH_PROGRAM + "' " + flags + " > out 2> err";
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  std::string Read(const std::string& name) const {
    std::ifstream file(directory_ / name);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }

  fs::path directory_;
};

TEST_F(KvsqlBench, MeasuresEveryRowAndWritesItsThreeFiles) {
  ASSERT_EQ(Run("--quick --rows 2000 --rounds 1"), 0) << Read("err");
  const auto json = nlohmann::json::parse(Read("bench.json"));
  std::set<std::string> ids;
  for (const auto& row : json["rows"]) {
    const std::string id = row["id"];
    ids.insert(id);
    if (row.contains("refused")) {
      EXPECT_FALSE(row.contains("kvsql")) << id;
      continue;
    }
    EXPECT_GT(row["kvsql"].get<double>(), 0) << id;
    EXPECT_GT(row["sqlite"].get<double>(), 0) << id;
    EXPECT_GT(row["ratio_sqlite"].get<double>(), 0) << id;
    for (const auto& bar : row["bars"]) EXPECT_TRUE(bar.contains("met")) << id;
  }
  std::set<std::string> expected;
  for (const RowInfo& row : Rows(Suite::kStandard)) expected.insert(row.id);
  EXPECT_EQ(ids, expected);
  for (const char* id : {"put_sync", "insert_sync", "put_sync_8threads", "put_normal"}) {
    for (const auto& row : json["rows"]) {
      if (row["id"] != id) continue;
      EXPECT_TRUE(row["p99"].contains("kvsql")) << id;
      EXPECT_TRUE(row["mean"].contains("sqlite")) << id;
    }
  }
  for (const char* name : {"machine", "kernel", "filesystem", "kvsql", "sqlite", "lmdb",
                           "sqlite settings", "kvsql sync calls"}) {
    EXPECT_TRUE(json["conditions"].contains(name)) << name;
  }
  for (const std::string& id : expected) {
    EXPECT_NE(Read("bench.md").find("`" + id + "`"), std::string::npos) << id;
    EXPECT_NE(Read("out").find(id), std::string::npos) << id;
  }
  EXPECT_EQ(Read("bench.svg").substr(0, 4), "<svg");
}

TEST_F(KvsqlBench, AgentMemoryChecksItsResultsAndWritesItsFiles) {
  ASSERT_EQ(Run("--suite agent-memory --records 2000 --rounds 1 --quick"), 0) << Read("err");
  const auto json = nlohmann::json::parse(Read("agent-memory.json"));
  std::set<std::string> ids;
  for (const auto& row : json["rows"]) {
    const std::string id = row["id"];
    ids.insert(id);
    if (row.contains("refused")) {
      EXPECT_FALSE(row.contains("kvsql")) << id;
      EXPECT_NE(id.find("compressed"), std::string::npos) << id;
      continue;
    }
    EXPECT_GT(row["kvsql"].get<double>(), 0) << id;
    EXPECT_GT(row["sqlite"].get<double>(), 0) << id;
    EXPECT_GT(row["ratio_sqlite"].get<double>(), 0) << id;
    for (const auto& bar : row["bars"]) EXPECT_TRUE(bar.contains("met")) << id;
  }
  std::set<std::string> expected;
  for (const RowInfo& row : Rows(Suite::kAgentMemory)) expected.insert(row.id);
  EXPECT_EQ(ids, expected);
  for (const char* id : {"recall_key", "recall_sql", "latest10_key", "latest10_sql", "update_full",
                         "update_normal", "bulk_load", "file_bulk", "file_normal",
                         "file_compressed", "recall_compressed", "peak_rss"}) {
    EXPECT_TRUE(ids.contains(id)) << id;
    EXPECT_NE(Read("agent-memory.md").find("`" + std::string(id) + "`"), std::string::npos) << id;
  }
  std::set<std::string> variants;
  for (const auto& detail : json["details"]) {
    variants.insert(detail["variant"]);
    EXPECT_GT(detail["file_bytes"].get<double>(), 0);
    for (const auto& [name, operation] : detail["operations"].items()) {
      EXPECT_LE(operation["p50"].get<double>(), operation["p999"].get<double>()) << name;
      EXPECT_GT(operation["calls_per_second"].get<double>(), 0) << name;
    }
  }
  for (const char* variant : {"kvsql_key", "kvsql_sql", "sqlite_rowid", "sqlite_clustered",
                              "sqlite_mmap_rowid", "sqlite_mmap_clustered", "lmdb"}) {
    EXPECT_TRUE(variants.contains(variant)) << variant;
  }
  EXPECT_EQ(Read("agent-memory.svg").substr(0, 4), "<svg");
  EXPECT_EQ(Read("agent-memory-figures.svg").substr(0, 4), "<svg");
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(directory_)) {
    names.insert(entry.path().filename().string());
  }
  EXPECT_EQ(names,
            (std::set<std::string>{"agent-memory.json", "agent-memory.md", "agent-memory.svg",
                                   "agent-memory-figures.svg", "err", "out"}));
}

TEST_F(KvsqlBench, LeavesNoDatabaseBehind) {
  ASSERT_EQ(Run("--quick --rows 1000 --rounds 1 --only get"), 0) << Read("err");
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(directory_)) {
    names.insert(entry.path().filename().string());
  }
  EXPECT_EQ(names, (std::set<std::string>{"bench.json", "bench.md", "bench.svg", "err", "out"}));
  EXPECT_EQ(nlohmann::json::parse(Read("bench.json"))["rows"].size(), 1u);
}

TEST_F(KvsqlBench, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(Run("--only everything"), 2);
  EXPECT_NE(Read("err").find("everything"), std::string::npos);
  EXPECT_EQ(Run("--quick --rows 1000 --dir /nowhere/at/all"), 1);
  EXPECT_NE(Read("err").find("/nowhere/at/all"), std::string::npos);
}

}  // namespace
}  // namespace kvsql::bench
