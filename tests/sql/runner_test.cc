// The corpus runner's parts: hashes, the writing of values, reading of the formats, and what it makes of
// failures and crashes.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "tests/sql/md5.h"
#include "tests/sql/pool.h"
#include "tests/sql/render.h"
#include "tests/sql/slt_file.h"
#include "tests/sql/sqltest_file.h"

namespace kvsql::slt {
namespace {

TEST(Md5Test, KnownSums) {
  EXPECT_EQ(Md5(""), "d41d8cd98f00b204e9800998ecf8427e");
  EXPECT_EQ(Md5("abc"), "900150983cd24fb0d6963f7d28e17f72");
  EXPECT_EQ(Md5("12345678901234567890123456789012345678901234567890123456789012345678901234567890"),
            "57edf4a22be3c955ac49da2e2107b67a");
}

TEST(RenderTest, ThreeDecimalsRoundHalfUp) {
  EXPECT_EQ(ThreeDecimals(0.0625), "0.063");
  EXPECT_EQ(ThreeDecimals(-0.0625), "-0.063");
  EXPECT_EQ(ThreeDecimals(-0.0), "0.000");
  EXPECT_EQ(ThreeDecimals(-0.0004), "-0.000");
  EXPECT_EQ(ThreeDecimals(0.0005), "0.001");
  EXPECT_EQ(ThreeDecimals(9.9996), "10.000");
  EXPECT_EQ(ThreeDecimals(999.99951), "1000.000");
  EXPECT_EQ(ThreeDecimals(1.5), "1.500");
  EXPECT_EQ(ThreeDecimals(9223372036854775808.0), "9223372036854776000.000");
  EXPECT_EQ(ThreeDecimals(12345678901234.567), "12345678901234.570");
  EXPECT_EQ(ThreeDecimals(1234567890123456.75), "1234567890123457.000");
  EXPECT_EQ(ThreeDecimals(std::numeric_limits<double>::infinity()), "Inf");
}

TEST(RenderTest, ColumnsCastTheirValues) {
  EXPECT_EQ(RenderTyped("12abc", 'I'), "12");
  EXPECT_EQ(RenderTyped(2.9, 'I'), "2");
  EXPECT_EQ(RenderTyped("x", 'R'), "0.000");
  EXPECT_EQ(RenderTyped("", 'T'), "(empty)");
  EXPECT_EQ(RenderTyped("\xc3\xa9\n", 'T'), "@@@");
  EXPECT_EQ(RenderTyped(nullptr, 'I'), "NULL");
  EXPECT_EQ(RenderPlain(1.0), "1.0");
}

TEST(SltFileTest, RecordsHaveConditionsSqlAndResults) {
  const SltFile file = ParseSlt(
      "hash-threshold 8\r\n\r\nskipif mysql # why\r\nquery II rowsort label\r\nSELECT 1,\r\n"
      "# not there\r\n2\r\n----\r\n1\r\n2\r\n \r\nstatement error\r\nx");
  ASSERT_EQ(file.records.size(), 3u);
  const Record& query = file.records[1];
  EXPECT_EQ(query.line, 4u);
  ASSERT_EQ(query.conditions.size(), 1u);
  EXPECT_EQ(query.conditions[0].engine, "mysql");
  EXPECT_EQ(query.sql, "SELECT 1,\n2");
  EXPECT_EQ(query.expected, (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(query.word(3), "label");
  EXPECT_EQ(file.records[2].sql, "x");
}

TEST(SqltestFileTest, BlocksEndAtTheirBrace) {
  SqltestFile file;
  std::string error;
  ASSERT_TRUE(
      ParseSqltest("@database :memory:\nsetup s { CREATE TABLE t(x) }\n# comment {\n"
                   "@setup s\ntest one {\nSELECT '{}', '\\}'\n}\nexpect raw { a }\n",
                   &file, &error))
      << error;
  ASSERT_EQ(file.tests.size(), 1u);
  EXPECT_EQ(file.tests[0].line, 5u);
  EXPECT_EQ(file.tests[0].sql, "SELECT '{}', '}'");
  EXPECT_EQ(file.tests[0].setups, std::vector<std::string>{"s"});
  EXPECT_TRUE(file.tests[0].expectations[0].Has("raw"));
  EXPECT_FALSE(ParseSqltest("test one { SELECT", &file, &error));
  EXPECT_EQ(error, "line 1: block without end");
}

TEST(ReasonTest, WhatDiffersFromRecordToRecordIsLeftOut) {
  EXPECT_EQ(NormaliseReason("error: not supported yet: joins at line 2, column 13"),
            "error: not supported yet: joins");
  EXPECT_EQ(NormaliseReason("the query has 12 columns, expected 1"),
            "the query has N columns, expected N");
  EXPECT_EQ(NormaliseReason("error: no such table: tab0 at line 1, column 3"),
            "error: no such table: *");
}

class PoolTest : public ::testing::Test {
 protected:
  PoolTest() {
    std::string name = (std::filesystem::temp_directory_path() / "pool_test.XXXXXX").string();
    folder_ = mkdtemp(name.data());
    options_.engine = engines::EngineKind::kSqlite;
    options_.record_timeout = std::chrono::seconds(1);
  }
  ~PoolTest() override { std::filesystem::remove_all(folder_); }

  FileReport Run(const std::string& name, const std::string& text) {
    const std::string path = folder_ + "/" + name;
    std::ofstream(path) << text;
    FileReport report;
    RunFiles(
        {path}, options_, [&](const FileReport& done) { report = done; }, [](const Progress&) {});
    return report;
  }

  std::string folder_;
  PoolOptions options_;
};

TEST_F(PoolTest, FailuresHaveTheirLine) {
  const FileReport report = Run("a.test",
                                "statement ok\nCREATE TABLE t(x)\n\nquery I\nSELECT 1\n----\n2\n\n"
                                "onlyif mysql\nstatement ok\nnonsense\n\nstatement ok\nnonsense\n");
  EXPECT_EQ(report.passed, 1u);
  EXPECT_EQ(report.failed, 2u);
  EXPECT_EQ(report.skipped, 1u);
  ASSERT_EQ(report.failures.size(), 2u);
  EXPECT_EQ(report.failures[0].line, 4u);
  EXPECT_EQ(report.failures[0].what, "wrong result");
  EXPECT_EQ(report.failures[0].detail, "expected 1: 2\ngot      1: 1");
  EXPECT_EQ(report.failures[1].line, 13u);
}

constexpr char kEndless[] =
    "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT sum(x) FROM c";

TEST_F(PoolTest, AnEndlessRecordEndsItsFile) {
  const FileReport report =
      Run("b.test", "statement ok\nSELECT 1\n\nquery I\n" + std::string(kEndless) +
                        "\n----\n1\n\nstatement ok\nSELECT 2\n");
  EXPECT_EQ(report.passed, 1u);
  EXPECT_EQ(report.failed, 2u);
  ASSERT_EQ(report.failures.size(), 2u);
  EXPECT_EQ(report.failures[0].line, 4u);
  EXPECT_EQ(report.failures[0].what, "timeout: it took longer than 1 s");
  EXPECT_EQ(report.failures[1].what, "not reached: the run ended at line 4");
}

TEST_F(PoolTest, TestsBehindAnEndlessOneAreRun) {
  const FileReport report =
      Run("c.sqltest",
          "@database :memory:\ntest a { " + std::string(kEndless) +
              " }\nexpect { 1 }\ntest b { SELECT 2, NULL; VALUES ('x') }\nexpect { 2|\nx }\n"
              "test c { SELECT nowhere }\nexpect error { no such column }\n");
  EXPECT_EQ(report.passed, 2u);
  EXPECT_EQ(report.failed, 1u);
}

}  // namespace
}  // namespace kvsql::slt
