#include "shell/options.h"

#include <gtest/gtest.h>

#include <vector>

#include "shell/commands.h"

namespace kvsql::shell {
namespace {

CommandLine Read(const std::vector<const char*>& arguments) { return ReadCommandLine(arguments); }

TEST(OptionsTest, FileAndWords) {
  const CommandLine line = Read({"a.kvsql", "SELECT 1", ".tables"});
  EXPECT_EQ(line.error, "");
  EXPECT_EQ(line.path, "a.kvsql");
  EXPECT_EQ(line.words, (std::vector<std::string>{"SELECT 1", ".tables"}));
  EXPECT_EQ(Read({}).path, ":memory:");
  EXPECT_EQ(Read({""}).path, ":memory:");
}

TEST(OptionsTest, OneDashOrTwo) {
  for (const char* option : {"-csv", "--csv"}) {
    const CommandLine line = Read({option, "-header", "a"});
    EXPECT_EQ(line.settings.mode, Mode::kCsv);
    EXPECT_EQ(line.settings.column_separator, ",");
    EXPECT_TRUE(line.settings.headers);
    EXPECT_EQ(line.path, "a");
  }
}

TEST(OptionsTest, OptionsWithValues) {
  const CommandLine line = Read({"-separator", "\\t", "-nullvalue", "-", "-cmd", ".help", "a"});
  EXPECT_EQ(line.error, "");
  EXPECT_EQ(line.settings.column_separator, "\t");
  EXPECT_EQ(line.settings.null_value, "-");
  EXPECT_EQ(line.first, std::vector<std::string>{".help"});
  EXPECT_EQ(Read({"-separator"}).error, "missing argument to -separator");
}

TEST(OptionsTest, UnknownOptionsAreErrors) {
  EXPECT_EQ(Read({"-nope", "a"}).error, "unknown option: -nope");
  EXPECT_EQ(Read({"a", "--nope"}).error, "unknown option: --nope");
}

TEST(OptionsTest, SubcommandsWinOverFiles) {
  const CommandLine line = Read({"get", "a.kvsql", "sessions", "-7"});
  EXPECT_EQ(line.subcommand, "get");
  EXPECT_EQ(line.path, "a.kvsql");
  EXPECT_EQ(line.words, (std::vector<std::string>{"sessions", "-7"}));
  EXPECT_EQ(Read({"./get"}).path, "./get");
  EXPECT_EQ(Read({"a", "get"}).subcommand, "");
}

TEST(CommandsTest, SplitsWords) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(SplitWords("mode  csv"), (Words{"mode", "csv"}));
  EXPECT_EQ(SplitWords("print 'a b' \"c\\td\" e"), (Words{"print", "a b", "c\td", "e"}));
  EXPECT_EQ(SplitWords("print 'never closed"), (Words{"print", "never closed"}));
  EXPECT_EQ(SplitWords("print \"\\"), (Words{"print", "\\"}));
  EXPECT_EQ(SplitWords("separator \\054"), (Words{"separator", ","}));
  EXPECT_EQ(SplitWords("  "), Words());
}

}  // namespace
}  // namespace kvsql::shell
