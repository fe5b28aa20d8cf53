#include "shell/csv_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/shell/text_source.h"

namespace kvsql::shell {
namespace {

using Rows = std::vector<std::vector<std::string>>;

Rows Read(const std::string& text, size_t step, char column = ',', char row = '\n') {
  TextSource source(text, step);
  CsvReader reader(&source, column, row);
  Rows rows;
  while (reader.Next()) {
    std::vector<std::string> fields;
    for (size_t i = 0; i < reader.field_count(); ++i) fields.push_back(reader.field(i));
    rows.push_back(std::move(fields));
  }
  return rows;
}

TEST(CsvReaderTest, ReadsQuotedAndPlainFields) {
  const std::string text =
      "\xef\xbb\xbf"
      "a,b\r\n\"x,\"\"y\"\"\nz\",\n,\n\"\",last";
  const Rows expected = {{"a", "b"}, {"x,\"y\"\nz", ""}, {"", ""}, {"", "last"}};
  for (const size_t step : {4, 5, 7, 1000}) EXPECT_EQ(Read(text, step), expected) << step;
}

TEST(CsvReaderTest, TakesOtherSeparators) {
  EXPECT_EQ(Read("a|b;c|d", 2, '|', ';'), (Rows{{"a", "b"}, {"c", "d"}}));
}

TEST(CsvReaderTest, TellsOfQuotesThatAreNeverClosed) {
  TextSource source("1,\"abc\n2,3\n", 4);
  CsvReader reader(&source, ',', '\n');
  ASSERT_TRUE(reader.Next());
  EXPECT_NE(reader.warning(), "");
  EXPECT_EQ(reader.field(1), "abc\n2,3\n");
  EXPECT_FALSE(reader.Next());
}

TEST(CsvReaderTest, CountsLines) {
  TextSource source("a\n\"b\nc\"\nd\n", 3);
  CsvReader reader(&source, ',', '\n');
  std::vector<size_t> lines;
  while (reader.Next()) lines.push_back(reader.line());
  EXPECT_EQ(lines, (std::vector<size_t>{1, 2, 4}));
}

}  // namespace
}  // namespace kvsql::shell
