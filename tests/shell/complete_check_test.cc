#include "shell/complete_check.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <iterator>
#include <random>
#include <string>

namespace kvsql::shell {
namespace {

bool Complete(const std::string& text) {
  CompleteCheck check;
  check.Feed(text);
  return check.complete();
}

// As a script comes: line by line.
bool CompleteByLines(const std::string& text) {
  CompleteCheck check;
  for (size_t at = 0; at < text.size();) {
    const size_t eol = std::min(text.find('\n', at), text.size() - 1);
    check.Feed(std::string_view(text).substr(at, eol + 1 - at));
    at = eol + 1;
  }
  return check.complete();
}

TEST(CompleteCheckTest, KnowsWhereStatementsEnd) {
  EXPECT_TRUE(Complete("SELECT 1;"));
  EXPECT_TRUE(Complete("SELECT 1; -- and so on\n"));
  EXPECT_TRUE(Complete("SELECT 'a;b';"));
  EXPECT_FALSE(Complete("SELECT 1"));
  EXPECT_FALSE(Complete("SELECT 'a;"));
  EXPECT_FALSE(Complete("SELECT 1; SELECT"));
  EXPECT_FALSE(Complete("SELECT 1 -- ;\n"));
  EXPECT_FALSE(Complete("SELECT /* ; */ 1"));
  EXPECT_FALSE(Complete("CREATE TRIGGER t AFTER INSERT ON x BEGIN SELECT 1;"));
  EXPECT_TRUE(Complete("CREATE TRIGGER t AFTER INSERT ON x BEGIN SELECT 1; END;"));
}

TEST(CompleteCheckTest, AgreesWithSqliteOnAnyText) {
  static constexpr const char* kParts[] = {
      "SELECT", "create", "TEMP",  "trigger", "end", "EXPLAIN", "query", "plan", "x", "1", ";",
      ";",      "'a;'",   "\"b\"", "[c;]",    "`d`", "/*;*/",   "--;\n", "\n",   " ", "(", ")",
      "it''s",  "'",      "]",     "-",       "/",   "/*",      "*/",    "\t",   "ä"};
  std::mt19937 random(1);
  for (int i = 0; i < 200'000; ++i) {
    std::string text;
    for (size_t n = random() % 12; n > 0; --n) {
      text += kParts[random() % std::size(kParts)];
      if (random() % 2 == 0) text += ' ';
    }
    if (text.empty()) continue;
    ASSERT_EQ(Complete(text), sqlite3_complete(text.c_str()) == 1) << text;
    ASSERT_EQ(CompleteByLines(text), sqlite3_complete(text.c_str()) == 1) << text;
  }
}

TEST(CompleteCheckTest, BlankIsNoStatement) {
  CompleteCheck check;
  check.Feed(" \n");
  check.Feed("-- nothing; here\n");
  EXPECT_TRUE(check.blank());
  check.Feed("/* begins\n");
  EXPECT_FALSE(check.blank());
  check.Feed("ends */\n");
  EXPECT_TRUE(check.blank());
  check.Feed("x\n");
  EXPECT_FALSE(check.blank());
}

}  // namespace
}  // namespace kvsql::shell
