#include "bench/options.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

namespace kvsql::bench {
namespace {

absl::StatusOr<Options> Parse(std::initializer_list<const char*> flags,
                              const char* rows_variable = nullptr) {
  std::vector<const char*> argv = {"kvsql_bench"};
  argv.insert(argv.end(), flags);
  return ParseOptions(static_cast<int>(argv.size()), argv.data(), rows_variable);
}

TEST(Options, DefaultsAreTheReportsSetUp) {
  const auto options = Parse({});
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->rows, 100'000u);
  EXPECT_EQ(options->rounds, 5u);
  EXPECT_EQ(options->commits_per_row, 10'000u);
  EXPECT_EQ(options->open_rows, 1'000'000u);
}

TEST(Options, TheFlagGoesBeforeTheVariable) {
  EXPECT_EQ(Parse({}, "1000000")->rows, 1'000'000u);
  EXPECT_EQ(Parse({"--rows", "5000"}, "1000000")->rows, 5'000u);
  EXPECT_EQ(Parse({"--rows=6000"})->rows, 6'000u);
}

TEST(Options, WrongOnesAreRefusedByName) {
  for (auto [flag, value] : {std::pair{"--rows", "ten"},
                             {"--rows", "10"},
                             {"--rows", "-5"},
                             {"--rounds", "0"},
                             {"--only", "nothing"}}) {
    const auto options = Parse({flag, value});
    ASSERT_FALSE(options.ok()) << flag << value;
    EXPECT_NE(std::string(options.status().message()).find(flag), std::string::npos);
  }
  EXPECT_FALSE(Parse({"--rows"}).ok());
  EXPECT_FALSE(Parse({"--fast"}).ok());
  EXPECT_NE(std::string(Parse({}, "many").status().message()).find("KVSQL_BENCH_ROWS"),
            std::string::npos);
}

TEST(Options, SuitesHaveTheirOwnSizes) {
  EXPECT_EQ(Parse({})->suite, Suite::kStandard);
  const auto memory = Parse({"--suite", "agent-memory"});
  ASSERT_TRUE(memory.ok());
  EXPECT_EQ(memory->suite, Suite::kAgentMemory);
  EXPECT_EQ(memory->records, 1'000'000u);
  EXPECT_EQ(Parse({"--suite", "agent-memory"}, "5000")->records, 5'000u);
  EXPECT_EQ(Parse({"--suite=agent-memory", "--records=2000"}, "5000")->records, 2'000u);
  EXPECT_FALSE(Parse({"--suite", "agents"}).ok());
  EXPECT_FALSE(Parse({"--suite", "agent-memory", "--rows", "2000"}).ok());
  EXPECT_FALSE(Parse({"--suite", "agent-memory", "--only", "get"}).ok());
  EXPECT_FALSE(Parse({"--records", "2000"}).ok());
}

TEST(Options, QuickMeansFewCommits) {
  const auto options = Parse({"--quick", "--rounds", "2"});
  ASSERT_TRUE(options.ok());
  EXPECT_LE(options->commits_per_row, 1'000u);
  EXPECT_EQ(options->open_rows, options->rows);
}

}  // namespace
}  // namespace kvsql::bench
