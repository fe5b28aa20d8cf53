#include "bench/report/report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>

namespace kvsql::bench {
namespace {

constexpr double kTolerance = 1e-9;

// A row with the same figures in each of three rounds.
RowResult Row(const char* id, double kvsql, double sqlite, double lmdb = 0) {
  RowResult row(*FindRow(Suite::kStandard, id));
  for (int round = 0; round < 3; ++round) {
    row.Add(EngineId::kKvsql, {.figure = kvsql});
    row.Add(EngineId::kSqlite, {.figure = sqlite});
    if (lmdb > 0) row.Add(EngineId::kLmdb, {.figure = lmdb});
  }
  return row;
}

Verdict OnlyVerdict(const RowResult& row) {
  const std::vector<BarResult> bars = Judge(row);
  EXPECT_EQ(bars.size(), 1u);
  return bars.at(0).verdict;
}

TEST(Catalog, IdsAreUniqueAndEveryBarHasItsRow) {
  std::set<std::string> ids;
  for (const Suite suite : {Suite::kStandard, Suite::kAgentMemory}) {
    for (const RowInfo& row : Rows(suite)) EXPECT_TRUE(ids.insert(row.id).second) << row.id;
    for (const Bar& bar : Bars(suite)) {
      EXPECT_NE(FindRow(suite, bar.row), nullptr) << bar.row;
    }
  }
}

TEST(Judge, ARatioMustReachItsBar) {
  EXPECT_EQ(OnlyVerdict(Row("get_row", 1, 7)), Verdict::kMet);
  EXPECT_EQ(OnlyVerdict(Row("get_row", 1, 6.99)), Verdict::kMissed);
}

TEST(Judge, WhereMoreIsBetterTheRatioTurnsRound) {
  EXPECT_EQ(OnlyVerdict(Row("get_row_2threads", 900, 100)), Verdict::kMet);
  EXPECT_EQ(OnlyVerdict(Row("get_row_2threads", 100, 900)), Verdict::kMissed);
}

TEST(Judge, ASizeMustNotExceedItsShare) {
  EXPECT_EQ(OnlyVerdict(Row("file_size", 0.89, 1)), Verdict::kMet);
  EXPECT_EQ(OnlyVerdict(Row("file_size", 0.91, 1)), Verdict::kMissed);
  EXPECT_EQ(OnlyVerdict(Row("churn_size", 1.29, 1)), Verdict::kMet);
  EXPECT_EQ(OnlyVerdict(Row("churn_size", 1.31, 1)), Verdict::kMissed);
}

TEST(Judge, AnEngineThatIsMissingIsNotAWin) {
  RowResult row(*FindRow(Suite::kStandard, "get_row"));
  row.Add(EngineId::kKvsql, {.figure = 1});
  EXPECT_EQ(OnlyVerdict(row), Verdict::kNotMeasured);
}

TEST(Judge, CommitRowsHaveABarForTheirMean) {
  RowResult row(*FindRow(Suite::kStandard, "insert_sync"));
  row.Add(EngineId::kKvsql, {.figure = 80, .p99 = 150, .mean = 100});
  row.Add(EngineId::kSqlite, {.figure = 100, .p99 = 200, .mean = 104});
  const std::vector<BarResult> bars = Judge(row);
  ASSERT_EQ(bars.size(), 2u);
  EXPECT_EQ(bars[0].verdict, Verdict::kMet);
  EXPECT_EQ(bars[1].verdict, Verdict::kMissed);
  EXPECT_NEAR(*bars[1].reached, 1.04, kTolerance);
}

TEST(Json, HasTheFormThatIsPromised) {
  Results results;
  results.conditions = {{"machine", "a \"quoted\" one"}};
  results.rows.push_back(Row("get", 0.2, 2.6, 0.35));
  RowResult commits(*FindRow(Suite::kStandard, "put_sync"));
  commits.Add(EngineId::kKvsql, {.figure = 80, .p99 = 150, .mean = 100});
  commits.Add(EngineId::kSqlite, {.figure = 100, .p99 = 200, .mean = 110});
  results.rows.push_back(commits);

  const auto json = nlohmann::json::parse(Json(results));
  EXPECT_EQ(json["conditions"]["machine"], "a \"quoted\" one");
  const auto& get = json["rows"][0];
  EXPECT_EQ(get["id"], "get");
  EXPECT_EQ(get["unit"], "us");
  EXPECT_NEAR(get["kvsql"], 0.2, kTolerance);
  EXPECT_NEAR(get["ratio_sqlite"], 13, kTolerance);
  EXPECT_NEAR(get["ratio_lmdb"], 1.75, kTolerance);
  EXPECT_FALSE(get.contains("sqlite_mmap"));
  EXPECT_FALSE(get.contains("p99"));
  const auto& put = json["rows"][1];
  EXPECT_NEAR(put["p99"]["kvsql"], 150, kTolerance);
  EXPECT_NEAR(put["mean"]["sqlite"], 110, kTolerance);
  EXPECT_NEAR(put["ratio_mean_sqlite"], 1.1, kTolerance);
  EXPECT_FALSE(put.contains("lmdb"));
}

TEST(Reports, ShowALostRowAsLost) {
  Results results;
  results.rows.push_back(Row("get_row", 10, 5));
  for (const std::string& text :
       {TableText(results), Markdown(results, {"A title", "An intro.", "bench.svg"})}) {
    EXPECT_NE(text.find("get_row"), std::string::npos);
    EXPECT_NE(text.find("0.50x"), std::string::npos);
    EXPECT_TRUE(text.find("MISSED") != std::string::npos ||
                text.find("**missed**") != std::string::npos);
  }
  EXPECT_NE(Svg(results).find("0.50x"), std::string::npos);
  EXPECT_NE(TableText(results).find("0 met, 1 missed"), std::string::npos);
}

TEST(Results, RowsStandInTheCatalogsOrderHoweverTheyWereMeasured) {
  Results results;
  results.RowOf(*FindRow(Suite::kStandard, "load_rows")).Add(EngineId::kKvsql, {.figure = 1});
  results.RowOf(*FindRow(Suite::kStandard, "get")).Add(EngineId::kKvsql, {.figure = 1});
  results.RowOf(*FindRow(Suite::kStandard, "load_rows")).Add(EngineId::kKvsql, {.figure = 2});
  ASSERT_EQ(results.rows.size(), 2u);
  EXPECT_STREQ(results.rows[0].info().id, "get");
  EXPECT_NEAR(*results.rows[1].Figure(EngineId::kKvsql), 1.5, kTolerance);
}

}  // namespace
}  // namespace kvsql::bench
