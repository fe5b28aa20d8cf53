#include "shell/input.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "tests/shell/text_source.h"

namespace kvsql::shell {
namespace {

using Strings = std::vector<std::string>;

// "LINE: text" of each piece; commands in angle brackets.
Strings Pieces(const std::string& text, size_t step) {
  TextSource source(text, step);
  PieceReader reader(&source);
  Strings pieces;
  Piece piece;
  while (reader.Next(&piece)) {
    std::string shown(piece.text);
    if (piece.kind == Piece::Kind::kCommand) shown = "<" + shown + ">";
    pieces.push_back(std::to_string(piece.line) + ": " + shown);
  }
  EXPECT_EQ(reader.error(), "");
  return pieces;
}

TEST(InputTest, TakesScriptsApart) {
  const std::string script =
      "SELECT 1;\n\n-- a comment\nSELECT\n  2;\r\n.mode csv\r\n# not SQL\nSELECT 3; SELECT 4;\n"
      "SELECT '\n.quit\n';\nSELECT 5";
  const Strings expected = {"1: SELECT 1;\n",           "4: SELECT\n  2;\r\n",
                            "6: <.mode csv>",           "8: SELECT 3; SELECT 4;\n",
                            "9: SELECT '\n.quit\n';\n", "12: SELECT 5"};
  for (const size_t step : {1, 2, 3, 7, 1000}) EXPECT_EQ(Pieces(script, step), expected) << step;
}

// What a source makes of a file with this text, read `room` bytes at a time.
std::string ReadBack(const std::string& text, size_t room, FileSource::Lines lines) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  EXPECT_EQ(write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  close(ends[1]);
  FileSource source(ends[0], true, lines);
  std::string all;
  std::vector<char> bytes(room);
  for (ptrdiff_t count = 0; (count = source.Read(bytes.data(), room)) > 0;) {
    all.append(bytes.data(), static_cast<size_t>(count));
  }
  return all;
}

TEST(InputTest, LinesOfScriptsEndWithNewlines) {
  const std::string text = "a\r\n\r\nb\rc\r\r\n'\n\r\n'\r";
  for (const size_t room : {2, 3, 5, 64}) {
    EXPECT_EQ(ReadBack(text, room, FileSource::Lines::kNewlines), "a\n\nb\rc\r\n'\n\n'\r") << room;
    EXPECT_EQ(ReadBack(text, room, FileSource::Lines::kAsTheyAre), text) << room;
  }
}

TEST(InputTest, NothingComesOfNothing) {
  EXPECT_EQ(Pieces("", 1), Strings());
  EXPECT_EQ(Pieces("\n \n-- x\n/* y\n */\n", 3), Strings());
  EXPECT_EQ(Pieces("-- x", 3), Strings());
}

TEST(InputTest, LongPiecesAreWhole) {
  const std::string text = "SELECT '" + std::string(3'000'000, 'x') + "\n" +
                           std::string(1'000'000, 'y') + "';\nSELECT 1;\n";
  const Strings pieces = Pieces(text, 100'000);
  ASSERT_EQ(pieces.size(), 2u);
  EXPECT_EQ(pieces[0].size(), text.size() - 10 + 3);
  EXPECT_EQ(pieces[1], "3: SELECT 1;\n");
}

}  // namespace
}  // namespace kvsql::shell
