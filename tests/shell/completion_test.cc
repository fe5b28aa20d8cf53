#include "shell/completion.h"

#include <gtest/gtest.h>
#include <kvsql/kvsql.h>

#include <algorithm>
#include <string>
#include <vector>

namespace kvsql::shell {
namespace {

using Strings = std::vector<std::string>;

TEST(CompletionTest, KeywordsInTheCaseOfTheWord) {
  EXPECT_EQ(Completions(nullptr, "SEL", true), Strings{"SELECT"});
  EXPECT_EQ(Completions(nullptr, "sel", true), Strings{"select"});
  EXPECT_EQ(Completions(nullptr, "nosuch", true), Strings());
}

TEST(CompletionTest, CommandsAtTheLinesBeginning) {
  EXPECT_EQ(Completions(nullptr, ".he", true), (Strings{".headers", ".help"}));
  EXPECT_EQ(Completions(nullptr, ".he", false), Strings());
}

TEST(CompletionTest, TablesAndColumns) {
  Database database = *Database::Open(":memory:");
  Connection connection = *database.connect();
  ASSERT_TRUE(
      connection.execute("CREATE TABLE zebras(zid INTEGER PRIMARY KEY, \"z z\" TEXT)").ok());
  EXPECT_EQ(Completions(&connection, "z", false), (Strings{"zebras", "zid"}));
  EXPECT_EQ(Completions(&connection, "zebras.z", false), Strings{"zebras.zid"});
  EXPECT_EQ(Completions(&connection, "nosuch.z", false), Strings());
}

}  // namespace
}  // namespace kvsql::shell
