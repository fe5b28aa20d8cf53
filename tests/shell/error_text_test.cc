#include "shell/error_text.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace kvsql::shell {
namespace {

// `rest`: the end of `text` from the statement on.
std::string Text(std::string_view message, std::string_view text, std::string_view rest,
                 const Place& place = {}) {
  return ErrorText(absl::InvalidArgumentError(std::string(message)), text,
                   text.substr(text.size() - rest.size()), place, false);
}

TEST(ErrorTextTest, CountsFromTheFilesBeginning) {
  EXPECT_EQ(Text("near \"FORM\": syntax error at line 2, column 3",
                 "SELECT 1;\nSELECT *\n  FORM t;\n", "SELECT *\n  FORM t;\n", {"load.sql", 10}),
            "Error in load.sql at line 12, column 3: near \"FORM\": syntax error\n"
            "    FORM t;\n"
            "    ^--- error here\n");
}

TEST(ErrorTextTest, CountsCharactersNotBytes) {
  EXPECT_EQ(Text("no such column: x at line 1, column 13", "SELECT 'äö', x", "SELECT 'äö', x"),
            "Error at line 1, column 13: no such column: x\n"
            "  SELECT 'äö', x\n"
            "              ^--- error here\n");
}

TEST(ErrorTextTest, WithoutPositionSaysWhereTheStatementBegins) {
  EXPECT_EQ(Text("UNIQUE constraint failed: t.a", "SELECT 1;\n\nINSERT ...;", "\n\nINSERT ...;"),
            "Error at line 3: UNIQUE constraint failed: t.a\n");
}

TEST(ErrorTextTest, LongLinesAreCutAndControlCharactersAreBlanks) {
  const std::string text =
      "SELECT '" + std::string(500, 'x') + "\x1b[2J', y" + std::string(500, 'z');
  const std::string shown = Text("no such column: y at line 1, column 516", text, text);
  EXPECT_LT(shown.size(), 300u);
  EXPECT_EQ(shown.find('\x1b'), std::string::npos);
}

TEST(ErrorTextTest, PositionsBehindTheTextAreHarmless) {
  for (const char* position :
       {"line 1, column 999", "line 999, column 1", "line 99999999999, column 1",
        "line 0, column 0", "line , column "}) {
    EXPECT_NE(Text(std::string("odd at ") + position, "SELECT\n1", "1"), "");
  }
  EXPECT_NE(Text("incomplete input at line 1, column 1", "", ""), "");
}

}  // namespace
}  // namespace kvsql::shell
